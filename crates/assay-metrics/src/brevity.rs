//! The penalty for hypotheses that are shorter than their references, which most of BLEU's family
//! share.

/// 1 from the reference's length on, less below it, 0 for nothing.
pub(crate) fn brevity_penalty(hypothesis: f64, reference: f64) -> f64 {
    if hypothesis >= reference {
        1.0
    } else if hypothesis > 0.0 {
        libm::exp(1.0 - reference / hypothesis)
    } else {
        0.0
    }
}
