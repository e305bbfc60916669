//! 95 % intervals for ratios of sums, such as F1 over images with several boxes each, and for sums.

use assay_core::Estimate;

use crate::ExactSum;
use crate::interval::{mixed_share, wilson};

/// The name of the method for ratios of sums, for signatures.
pub const METHOD: &str = "ratio-wilson95";
/// The name of the method for sums, for signatures.
pub const SUM_METHOD: &str = "mover95";

/// The ratio of the sum of the parts to the sum of the wholes, each part at most its whole, with
/// Wilson's interval at the effective number of pairs.
///
/// Boxes of one image are not independent, images are. The variance of the ratio is that of its
/// linear part, part − share · whole over the mean whole, which for many pairs equals the
/// jackknife's; some binary observations are mixed in, as for means, unless pairs of very unequal
/// size have a greater variance.
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
    let moved = |(part, whole): &(f64, f64)| (part - share * whole) / mean_whole;
    let squares: ExactSum = pairs.iter().map(|pair| moved(pair) * moved(pair)).collect();
    let relative = squares.value() / greatest_variance;
    // The effective number is at least one pair.
    Some(wilson(share, (count / mixed_share(relative, count)).max(1.0), n))
}

/// The sum of independent estimates, with the combined interval: the distances to the ends are
/// added as the sides of a right angle (the method of variance estimates recovery).
pub fn sum_of_independent(estimates: &[Estimate]) -> Estimate {
    let value = estimates.iter().map(|estimate| estimate.value).collect::<ExactSum>().value();
    let reach = |distance: fn(&Estimate) -> f64| {
        let squares: ExactSum = estimates.iter().map(|one| distance(one) * distance(one)).collect();
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
    use crate::draw::Draw;

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

    type Pair = fn(&mut Draw) -> (f64, f64);

    /// Half of the pairs are easy, half are hard: the elements of one pair are alike.
    fn easy_or_hard(draw: &mut Draw) -> (f64, f64) {
        let whole = (draw.next() * 6.0).floor();
        let luck = if draw.next() < 0.5 { 0.9 } else { 0.3 };
        let part = (0..8).filter(|&at| f64::from(at) < whole && draw.next() < luck).count();
        (part as f64, whole)
    }

    /// Each pair is entirely right or entirely wrong, and a few pairs are much larger than the
    /// rest.
    fn whole_and_uneven(draw: &mut Draw) -> (f64, f64) {
        let whole = draw.uneven_size();
        (if draw.next() < 0.6 { whole } else { 0.0 }, whole)
    }

    fn estimate(n: usize, draw: &mut Draw, pair: Pair) -> Estimate {
        ratio(&(0..n).map(|_| pair(draw)).collect::<Vec<_>>()).unwrap()
    }

    /// The share of new intervals that cover the truth.
    fn coverage(truth: f64, mut estimate: impl FnMut() -> Estimate) -> f64 {
        let rounds = 2_000;
        let covered = (0..rounds).filter(|_| {
            let found = estimate();
            found.low <= truth && truth <= found.high
        });
        covered.count() as f64 / f64::from(rounds)
    }

    #[test]
    fn covers_what_it_says() {
        let mut draw = Draw(11);
        for n in [20, 100, 1000] {
            let covered = coverage(0.6, || estimate(n, &mut draw, easy_or_hard));
            assert!((0.92..=0.999).contains(&covered), "{covered} for {n}");
        }
        for (n, least) in [(20, 0.87), (100, 0.92), (1000, 0.93)] {
            let covered = coverage(0.6, || estimate(n, &mut draw, whole_and_uneven));
            assert!((least..0.97).contains(&covered), "{covered} for {n} uneven pairs");
        }
    }

    #[test]
    fn a_sum_covers_what_it_says() {
        let mut draw = Draw(13);
        for (n, least) in [(20, 0.9), (100, 0.93), (1000, 0.93)] {
            let covered = coverage(0.6 + 0.6 + 0.9, || {
                let right = (0..n).filter(|_| draw.next() < 0.9).count();
                sum_of_independent(&[
                    estimate(n, &mut draw, easy_or_hard),
                    estimate(n, &mut draw, whole_and_uneven),
                    crate::proportion(right, n).unwrap(),
                ])
            });
            assert!((least..0.97).contains(&covered), "{covered} for {n}");
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
