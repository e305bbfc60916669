//! Pseudo-random numbers for tests, the same on every machine.

/// A linear congruential generator.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// A number in [0, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The size of a problem, if most are small and a few are very large: roughly lognormal.
    pub(crate) fn uneven_size(&mut self) -> f64 {
        let normal = (0..12).map(|_| self.next()).sum::<f64>() - 6.0;
        (10.0 * normal.exp()).ceil()
    }
}
