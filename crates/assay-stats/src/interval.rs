//! 95 % intervals for shares and for means of losses.

use assay_core::Estimate;

use crate::ExactSum;

/// The name of the method, for signatures.
pub const METHOD: &str = "wilson95";

/// The 0.975 quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The share of `successes` among `n`, with Wilson's interval.
///
/// Unlike the textbook interval it stays within 0 and 1, and does not shrink to nothing when every
/// answer is right.
pub fn proportion(successes: usize, n: usize) -> Option<Estimate> {
    (n > 0).then(|| {
        let share = successes as f64 / n as f64;
        wilson(share, n as f64, n)
    })
}

/// The number of pseudo-observations of the greatest possible variance that are mixed in. With
/// fewer, rare large losses that a small sample has missed make the interval too narrow: on
/// CodRep's own losses 100 keeps the coverage near 95 % or above, for 20 problems and for 5,000.
pub(crate) const PSEUDO_OBSERVATIONS: f64 = 100.0;

/// The mean of numbers between 0 and 1, with Wilson's interval at their effective number.
///
/// Numbers that vary less than a binary value with the same mean count for more than one each: the
/// effective number is n · m(1−m) / s², where s² is the variance after some observations of the
/// greatest possible variance m(1−m) were mixed in. For a small sample this is Wilson's interval
/// for a share, which is never too narrow; for a large one it is the usual interval of a mean.
pub fn bounded_mean(values: &[f64]) -> Option<Estimate> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let count = n as f64;
    let mean = (values.iter().copied().collect::<ExactSum>().value() / count).clamp(0.0, 1.0);
    let greatest_variance = mean * (1.0 - mean);
    if greatest_variance <= 0.0 {
        return Some(wilson(mean, count, n));
    }
    let squares: ExactSum = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    let relative = squares.value() / greatest_variance;
    Some(wilson(mean, (count / mixed_share(relative, count)).max(count), n))
}

/// The variance relative to that of a binary value, with the pseudo-observations mixed in;
/// `relative` is the sum of the squares in the same units.
///
/// If problems have unequal weights, the variance can be greater than that of a binary value. In
/// that case the pseudo-observations would hide the observed variance, and are left out.
pub(crate) fn mixed_share(relative: f64, count: f64) -> f64 {
    mixed_share_of(relative, count, PSEUDO_OBSERVATIONS)
}

/// The same with another number of pseudo-observations.
pub(crate) fn mixed_share_of(relative: f64, count: f64, mixed_in: f64) -> f64 {
    ((relative + mixed_in) / (count + mixed_in)).max(relative / count)
}

pub(crate) fn wilson(mean: f64, effective: f64, n: usize) -> Estimate {
    let z2 = Z * Z;
    let centre = (mean + z2 / (2.0 * effective)) / (1.0 + z2 / effective);
    let spread = mean * (1.0 - mean) / effective + z2 / (4.0 * effective * effective);
    let half = Z * spread.sqrt() / (1.0 + z2 / effective);
    Estimate {
        value: mean,
        low: (centre - half).clamp(0.0, mean),
        high: (centre + half).clamp(mean, 1.0),
        n,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::draw::Draw;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-6, "{left} is not {right}");
    }

    #[test]
    fn shares_have_the_published_intervals() {
        // Newcombe (1998), table I: 81/263, 15/148, 0/20, 1/29.
        for (successes, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let estimate = proportion(successes, n).unwrap();
            assert!((estimate.low - low).abs() < 5e-5, "{successes}/{n}: {estimate:?}");
            assert!((estimate.high - high).abs() < 5e-5, "{successes}/{n}: {estimate:?}");
        }
    }

    #[test]
    fn a_mean_of_many_is_the_normal_interval() {
        let values: Vec<f64> = (0..20_000).map(|at| f64::from(at % 10) / 10.0).collect();
        let estimate = bounded_mean(&values).unwrap();
        let spread = Z * (0.0825f64 / 20_000.0).sqrt();
        close(estimate.value, 0.45);
        assert!((estimate.low - (0.45 - spread)).abs() < 0.01 * spread, "{estimate:?}");
        assert!((estimate.high - (0.45 + spread)).abs() < 0.01 * spread, "{estimate:?}");
    }

    #[test]
    fn certainty_is_never_complete() {
        assert!(bounded_mean(&[0.0; 40]).unwrap().high > 0.08);
        assert!(bounded_mean(&[0.5; 40]).unwrap().high > 0.5);
        assert!(bounded_mean(&[]).is_none());
        assert!(proportion(0, 0).is_none());
    }

    /// The share of intervals of `n` losses that cover their true mean, over 2,000 samples.
    fn coverage(n: usize, shares: &[(f64, f64)]) -> f64 {
        let truth: f64 = shares.iter().map(|(share, loss)| share * loss).sum();
        let mut numbers = Draw(7);
        let mut draw = || {
            let mut left = numbers.next();
            let found = shares.iter().find(|(share, _)| {
                left -= share;
                left < 0.0
            });
            found.or(shares.last()).map_or(0.0, |(_, loss)| *loss)
        };
        let covered = (0..2_000).filter(|_| {
            let losses: Vec<f64> = (0..n).map(|_| draw()).collect();
            let estimate = bounded_mean(&losses).unwrap();
            estimate.low <= truth && truth <= estimate.high
        });
        covered.count() as f64 / 2_000.0
    }

    #[test]
    fn covers_what_it_says() {
        let good = [(0.94, 0.0), (0.015, 0.7616), (0.005, 0.964), (0.04, 1.0)];
        let baseline = [(0.985, 1.0), (0.01, 0.0), (0.005, 0.7616)];
        let rarely_less_than_one = [(0.9995, 1.0), (0.0005, 0.96)];
        for n in [20, 48, 100, 1000] {
            for shares in [good.as_slice(), &baseline, &rarely_less_than_one] {
                let covered = coverage(n, shares);
                assert!(covered > 0.9, "{covered} for {n} of {shares:?}");
            }
        }
        assert!(coverage(3000, &good) < 0.97, "and no wider than it must be");
    }

    proptest! {
        #[test]
        fn the_value_lies_in_its_interval(values in prop::collection::vec(0.0..=1.0f64, 1..300)) {
            let estimate = bounded_mean(&values).unwrap();
            prop_assert!(0.0 <= estimate.low && estimate.low <= estimate.value);
            prop_assert!(estimate.value <= estimate.high && estimate.high <= 1.0);
        }
    }
}
