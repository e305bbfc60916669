//! Pseudo-random numbers that are the same on every machine.

/// The `SplitMix64` generator (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator for one of many streams of a seed; streams share no numbers in practice.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(mix(mix(seed).wrapping_add(stream)))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `end`, which is far below 2^32.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let scaled = (self.bits() >> 32) * end as u64;
        usize::try_from(scaled >> 32).unwrap_or_default()
    }
}

/// Mixes the bits of a number.
pub(crate) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A linear congruential generator, for tests.
#[cfg(test)]
pub(crate) struct Draw(pub(crate) u64);

#[cfg(test)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        // The first outputs of the reference implementation for the state 1234567.
        let mut random = SplitMix64(1_234_567);
        let found: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        let expected =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_number_below_the_end_comes_up() {
        let mut random = SplitMix64::new(1, 2);
        let mut counts = [0; 7];
        (0..7_000).for_each(|_| counts[random.below(7)] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
