//! Estimates with the official value.

use assay_core::Estimate;

/// An estimate whose value was computed in another way, or rounded; it stays within its interval.
pub(super) fn around(value: f64, estimate: Estimate, highest: f64) -> Estimate {
    Estimate {
        value,
        low: estimate.low.clamp(0.0, value),
        high: estimate.high.clamp(value, highest.max(value)),
        n: estimate.n,
    }
}
