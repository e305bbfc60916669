//! 95 % intervals for shares of sums, such as F1 over images with several boxes each, and for sums.

use assay_core::Estimate;

use crate::ExactSum;
use crate::interval::{mixed_share, wilson};

/// The name of the method for shares of sums, for signatures.
pub const METHOD: &str = "ratio-wilson95";
/// The name of the method for sums, for signatures.
pub const SUM_METHOD: &str = "mover95";

/// The sum of the parts as a share of the sum of the wholes, each part at most its whole, with
/// Wilson's interval at the effective number of pairs.
///
/// Boxes of one image are not independent, images are. The variance of the share is that of its
/// linear part, part − share · whole over the mean whole, which is what leaving out one pair at a
/// time finds for many pairs; some observations of the greatest variance are mixed in, as for means.
pub fn ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let n = pairs.len();
    let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).collect::<ExactSum>().value();
    let (parts, wholes) = (sum(|pair| pair.0), sum(|pair| pair.1));
    if n == 0 {
        return None;
    }
    if wholes <= 0.0 {
        return Some(Estimate { value: 0.0, low: 0.0, high: 1.0, n });
    }
    let (count, share) = (n as f64, (parts / wholes).clamp(0.0, 1.0));
    let greatest_variance = share * (1.0 - share);
    if greatest_variance <= 0.0 {
        return Some(wilson(share, count, n));
    }
    let mean_whole = wholes / count;
    let squares: ExactSum =
        pairs.iter().map(|(part, whole)| ((part - share * whole) / mean_whole).powi(2)).collect();
    let relative = squares.value() / greatest_variance;
    let share_of_greatest = mixed_share(relative, count);
    Some(wilson(share, count / share_of_greatest, n))
}

/// The sum of independent estimates, with the interval that their intervals make together: the
/// distances to the ends add up as the sides of a right angle do (the method of variance estimates
/// recovery).
pub fn sum_of_independent(estimates: &[Estimate]) -> Estimate {
    let value = estimates.iter().map(|estimate| estimate.value).collect::<ExactSum>().value();
    let reach = |distance: fn(&Estimate) -> f64| {
        let squares: ExactSum = estimates.iter().map(|one| distance(one).powi(2)).collect();
        squares.value().sqrt()
    };
    Estimate {
        value,
        low: value - reach(|one| one.value - one.low),
        high: value + reach(|one| one.high - one.value),
        n: estimates.iter().map(|estimate| estimate.n).sum(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_share_of_ones_is_a_share() {
        let pairs: Vec<(f64, f64)> = (0..1000).map(|at| (f64::from(at % 4 / 3), 1.0)).collect();
        let found = ratio(&pairs).unwrap();
        let expected = crate::proportion(250, 1000).unwrap();
        assert!((found.low - expected.low).abs() < 1e-3, "{found:?} {expected:?}");
        assert!((found.high - expected.high).abs() < 1e-3, "{found:?} {expected:?}");
    }

    #[test]
    fn nothing_is_not_certain() {
        assert!(ratio(&[]).is_none());
        let found = ratio(&[(0.0, 0.0); 5]).unwrap();
        assert!(found.low <= 0.0 && found.high >= 1.0, "{found:?}");
        assert!(ratio(&[(3.0, 3.0); 20]).unwrap().low < 0.9);
    }

    /// How often the interval covers the truth, when pairs differ in size and in luck.
    fn coverage(n: usize) -> f64 {
        let mut state = 11u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut pair = || {
            let whole = (draw() * 6.0).floor();
            // Half of the pairs are easy, half are hard: what is in one pair is alike.
            let luck = if draw() < 0.5 { 0.9 } else { 0.3 };
            let part = (0..8).filter(|&at| f64::from(at) < whole && draw() < luck).count();
            (part as f64, whole)
        };
        let covered = (0..1000).filter(|_| {
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| pair()).collect();
            let found = ratio(&pairs).unwrap();
            found.low <= 0.6 && 0.6 <= found.high
        });
        covered.count() as f64 / 1000.0
    }

    #[test]
    fn covers_what_it_says() {
        for n in [20, 100, 1000] {
            let covered = coverage(n);
            assert!((0.92..=0.999).contains(&covered), "{covered} for {n}");
        }
    }

    #[test]
    fn a_sum_is_surer_than_its_parts_together() {
        let one = Estimate { value: 0.5, low: 0.4, high: 0.7, n: 10 };
        let sum = sum_of_independent(&[one; 4]);
        assert!((sum.value - 2.0).abs() < 1e-12 && sum.n == 40);
        assert!((sum.low - 1.8).abs() < 1e-12 && (sum.high - 2.4).abs() < 1e-12, "{sum:?}");
    }

    proptest! {
        #[test]
        fn the_value_lies_in_its_interval(
            pairs in prop::collection::vec((0..9u8, 0..9u8), 1..200),
        ) {
            let pairs: Vec<(f64, f64)> = pairs
                .into_iter()
                .map(|(part, more)| (f64::from(part), f64::from(part) + f64::from(more)))
                .collect();
            let found = ratio(&pairs).unwrap();
            prop_assert!(0.0 <= found.low && found.low <= found.value);
            prop_assert!(found.value <= found.high && found.high <= 1.0);
        }
    }
}
