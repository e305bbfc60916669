//! 95 % intervals for metrics of a whole corpus that are not means, such as BLEU.
//!
//! Such a metric is a smooth function of counts that are summed over the problems. The influence of
//! one problem is measured by leaving that problem out; the spread of these influences is the
//! metric's own spread (Tukey's jackknife). It is exact for means, and correct for smooth functions
//! of them if there are many problems. If there are few, or if all are alike, the influences carry
//! too little information: five perfect answers have none and prove little. So the spread is used
//! as [`bounded_mean`](crate::bounded_mean) uses the variance of a mean: mixed with
//! pseudo-observations of the greatest spread that a bounded mean can have, unless problems of very
//! unequal size have a greater one, and used in Wilson's interval. For a share this *is* Wilson's
//! interval; it stays within the metric's range and never shrinks to nothing. Nothing is drawn at
//! random.

use assay_core::Estimate;

use crate::ExactSum;
use crate::interval::{PSEUDO_OBSERVATIONS, mixed_share, mixed_share_of, wilson};
use crate::paired::student;

/// The name of the method, for signatures.
pub const CORPUS_METHOD: &str = "jackknife-wilson95";
/// The name of the method of [`grouped_corpus_metric`].
pub const GROUPED_METHOD: &str = "jackknife95";

/// A corpus metric between `range.0` and `range.1`: its value over all problems, and its values
/// with each problem left out in turn.
///
/// `None` if there are no problems or the value is NaN. If it is NaN with a problem left out,
/// everything depends on that problem: then the spread is unknown, and the greatest possible one is
/// used.
pub fn corpus_metric(value: f64, left_out: &[f64], range: (f64, f64)) -> Option<Estimate> {
    let count = left_out.len() as f64;
    let share = |relative: f64| mixed_share(relative, count);
    estimate(value, left_out, left_out.len(), range, |relative, _| share(relative))
}

/// A corpus metric of `n` problems in groups: its value over all problems, and its values with each
/// group left out in turn.
///
/// The highest value may be infinite. Otherwise this is like [`corpus_metric`], but with no more pseudo-observations than the influences call for. An
/// observed variance is uncertain by a factor that grows with their kurtosis: influences without
/// extremes determine it well, a few extreme ones hardly. So the interval is wide where a small
/// corpus may have missed rare failures, and as narrow as a bootstrap's elsewhere.
pub fn grouped_corpus_metric(
    value: f64,
    left_out: &[f64],
    n: usize,
    range: (f64, f64),
) -> Option<Estimate> {
    let count = n as f64;
    if range.1.is_infinite() {
        return unbounded(value, left_out, n, range.0);
    }
    estimate(value, left_out, n, range, |relative, kurtosis| {
        let mixed_in = (2.0 * (kurtosis - 1.0)).clamp(0.0, PSEUDO_OBSERVATIONS);
        mixed_share_of(relative, count, mixed_in)
    })
}

/// The estimate with Student's interval, cut at the lowest value: a metric without a greatest value
/// has no greatest spread to mix in.
///
/// Problems that are all alike say nothing of the spread. Then the metric is treated as one that ends at 1, as all
/// metrics with a greatest value mostly do, or at its own value if that is more.
fn unbounded(value: f64, left_out: &[f64], n: usize, lowest: f64) -> Option<Estimate> {
    let influences = Influences::of(left_out).filter(|known| known.squares > 0.0);
    let Some(influences) = influences.filter(|_| value.is_finite()) else {
        let greatest = value.max(lowest + 1.0);
        return estimate(value, left_out, n, (lowest, greatest), |_, _| 1.0);
    };
    // The variance of the mean of n problems is that of the mean of G groups: squares / (G - 1) / G.
    let groups = left_out.len();
    let error = (influences.squares / (groups as f64 - 1.0) / groups as f64).sqrt();
    let half = student(groups - 1) * error;
    Some(Estimate { value, low: (value - half).max(lowest).min(value), high: value + half, n })
}

/// The estimate with Wilson's interval at the effective number of problems; `mixed` is given the
/// relative spread and the kurtosis of the influences.
fn estimate(
    value: f64,
    left_out: &[f64],
    n: usize,
    (low, high): (f64, f64),
    mixed: impl Fn(f64, f64) -> f64,
) -> Option<Estimate> {
    let width = high - low;
    if left_out.is_empty() || !value.is_finite() || width.is_nan() || width <= 0.0 {
        return None;
    }
    let share = ((value - low) / width).clamp(0.0, 1.0);
    let greatest = share * (1.0 - share);
    let count = n as f64;
    let effective = match Influences::of(left_out) {
        Some(influences) if greatest > 0.0 => {
            // A group has the influence of all of its problems.
            let problems = count / left_out.len() as f64;
            let relative = influences.squares * problems * problems / (width * width) / greatest;
            count / mixed(relative, influences.kurtosis)
        }
        _ => count,
    };
    // The effective number is at least one problem.
    let within = wilson(share, effective.max(1.0), n);
    Some(Estimate {
        value,
        low: (low + within.low * width).min(value),
        high: (low + within.high * width).max(value),
        n,
    })
}

/// The deviations of the pseudo-values from their mean.
struct Influences {
    /// The sum of their squares: n times the variance of each problem's contribution.
    squares: f64,
    /// Their fourth moment relative to the square of the second. If all are 0 nothing is known, and
    /// it is the greatest possible: their number.
    kurtosis: f64,
}

impl Influences {
    /// `None` if a value is NaN, or there is nothing to compare.
    fn of(left_out: &[f64]) -> Option<Self> {
        let count = left_out.len() as f64;
        if count < 2.0 || !left_out.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mean = left_out.iter().copied().collect::<ExactSum>().value() / count;
        // A pseudo-value is n·T − (n−1)·T₋ᵢ, so its deviation from their mean is n−1 times as large.
        let moved = |value: &f64| (count - 1.0) * (value - mean);
        let sum = |power: fn(f64) -> f64| {
            left_out.iter().map(|value| power(moved(value))).collect::<ExactSum>().value()
        };
        let (squares, fourths) = (sum(|moved| moved * moved), sum(|moved| moved.powi(4)));
        let kurtosis = count * fourths / (squares * squares);
        Some(Self { squares, kurtosis: if kurtosis.is_finite() { kurtosis } else { count } })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::draw::Draw;
    use crate::{bounded_mean, proportion};

    /// The values of a mean with each number left out.
    fn means_without(values: &[f64]) -> Vec<f64> {
        let sum: f64 = values.iter().sum();
        values.iter().map(|value| (sum - value) / (values.len() as f64 - 1.0)).collect()
    }

    fn mean_estimate(values: &[f64]) -> Estimate {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        corpus_metric(mean, &means_without(values), (0.0, 1.0)).unwrap()
    }

    fn check_alike(one: Estimate, other: Estimate) {
        for (left, right) in
            [(one.value, other.value), (one.low, other.low), (one.high, other.high)]
        {
            assert!((left - right).abs() < 1e-9, "{one:?} is not {other:?}");
        }
        assert_eq!(one.n, other.n);
    }

    #[test]
    fn a_share_has_wilsons_interval_and_a_mean_that_of_means() {
        for (successes, n) in [(0, 12), (12, 12), (3, 12), (1, 2), (40, 300)] {
            let values: Vec<f64> = (0..n).map(|at| f64::from(u8::from(at < successes))).collect();
            check_alike(mean_estimate(&values), proportion(successes, n).unwrap());
        }
        let values: Vec<f64> = (0..500).map(|at| f64::from(at % 7) / 7.0).collect();
        check_alike(mean_estimate(&values), bounded_mean(&values).unwrap());
    }

    #[test]
    fn certainty_is_never_complete() {
        let perfect = corpus_metric(100.0, &[100.0; 12], (0.0, 100.0)).unwrap();
        assert!(perfect.low < 80.0 && perfect.high.to_bits() == 100f64.to_bits(), "{perfect:?}");
        let same = corpus_metric(0.75, &[0.75; 12], (0.0, 1.0)).unwrap();
        assert!(same.low < 0.6 && same.high > 0.85, "{same:?}");
        let alone = corpus_metric(0.5, &[f64::NAN], (0.0, 1.0)).unwrap();
        assert!(alone.low < 0.2 && alone.high > 0.8, "{alone:?}");
        assert!(corpus_metric(f64::NAN, &[0.5; 3], (0.0, 1.0)).is_none());
        assert!(corpus_metric(0.5, &[], (0.0, 1.0)).is_none());
    }

    /// The share of one problem that a simulated translator gets right.
    type Skill = fn(&mut Draw) -> f64;

    /// Some problems are easy and some are hard.
    fn mixed(draw: &mut Draw) -> f64 {
        draw.next()
    }

    /// Everything is right except a few problems that are entirely wrong: most small corpora have
    /// none.
    fn nearly_perfect(draw: &mut Draw) -> f64 {
        if draw.next() < 0.97 { 1.0 } else { 0.05 }
    }

    /// The counts of one problem: matches and totals of two orders, and the lengths of hypothesis and
    /// reference, as BLEU counts them.
    fn pair(draw: &mut Draw, skill: Skill) -> [f64; 6] {
        let length = (5.0 + 60.0 * draw.next() * draw.next()).round();
        let skill = skill(draw);
        let about = if skill < 1.0 { 0.7 + 0.4 * draw.next() } else { 1.0 };
        let said = (length * about).round();
        let ones = (said * skill.sqrt()).round();
        let twos = ((said - 1.0) * skill).round();
        [ones, said, twos, said - 1.0, said, length]
    }

    /// Each problem is entirely right or entirely wrong, and a few are much longer than the rest.
    fn whole_and_uneven(draw: &mut Draw) -> [f64; 6] {
        let length = 1.0 + draw.uneven_size();
        let right = if draw.next() < 0.6 { 1.0 } else { 0.0 };
        [right * length, length, right * (length - 1.0), length - 1.0, length, length]
    }

    fn score(sums: &[f64; 6]) -> f64 {
        let [ones, said_ones, twos, said_twos, said, length] = *sums;
        let brevity = if said >= length { 1.0 } else { (1.0 - length / said).exp() };
        100.0 * brevity * (ones / said_ones * (twos / said_twos)).sqrt()
    }

    fn total<'a>(pairs: impl IntoIterator<Item = &'a [f64; 6]>) -> [f64; 6] {
        let mut sums = [0.0; 6];
        for pair in pairs {
            sums.iter_mut().zip(pair).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    type Method = fn(f64, &[f64]) -> Option<Estimate>;

    const METHODS: [Method; 2] = [
        |value, left_out| corpus_metric(value, left_out, (0.0, 100.0)),
        |value, left_out| grouped_corpus_metric(value, left_out, left_out.len(), (0.0, 100.0)),
    ];

    /// The share of intervals of `n` problems that cover the metric of a very large corpus.
    fn coverage(
        method: Method,
        n: usize,
        truth: f64,
        mut problem: impl FnMut() -> [f64; 6],
    ) -> f64 {
        let (rounds, mut covered) = (1_000, 0);
        for _ in 0..rounds {
            let pairs: Vec<[f64; 6]> = (0..n).map(|_| problem()).collect();
            let sums = total(&pairs);
            let without = |pair: &[f64; 6]| {
                let mut rest = sums;
                rest.iter_mut().zip(pair).for_each(|(sum, count)| *sum -= count);
                score(&rest)
            };
            let left_out: Vec<f64> = pairs.iter().map(without).collect();
            let estimate = method(score(&sums), &left_out).unwrap();
            covered += usize::from(estimate.low <= truth && truth <= estimate.high);
        }
        covered as f64 / f64::from(rounds)
    }

    #[test]
    fn covers_what_it_says() {
        let mut draw = Draw(7);
        for skill in [mixed as Skill, nearly_perfect] {
            let many: Vec<[f64; 6]> = (0..300_000).map(|_| pair(&mut draw, skill)).collect();
            let truth = score(&total(&many));
            for method in METHODS {
                for n in [5, 12, 30, 100, 400] {
                    let covered = coverage(method, n, truth, || pair(&mut draw, skill));
                    assert!(covered > 0.9, "{covered} for {n} problems around {truth}");
                }
                let covered = coverage(method, 2_000, truth, || pair(&mut draw, skill));
                assert!((0.93..0.97).contains(&covered), "and no wider than it must be: {covered}");
            }
        }
    }

    #[test]
    fn influences_without_extremes_need_few_pseudo_observations() {
        let mut draw = Draw(23);
        let many: Vec<[f64; 6]> = (0..300_000).map(|_| pair(&mut draw, mixed)).collect();
        let truth = score(&total(&many));
        for n in [100, 400] {
            let [wide, narrow] =
                METHODS.map(|method| coverage(method, n, truth, || pair(&mut draw, mixed)));
            assert!((0.93..0.975).contains(&narrow), "{narrow} for {n} problems");
            assert!(wide > narrow, "{wide} for {n} problems");
        }
    }

    #[test]
    fn covers_problems_of_very_unequal_size() {
        let mut draw = Draw(17);
        let many: Vec<[f64; 6]> = (0..300_000).map(|_| whole_and_uneven(&mut draw)).collect();
        let truth = score(&total(&many));
        for method in METHODS {
            for (n, least) in [(20, 0.87), (100, 0.92), (1_000, 0.93)] {
                let covered = coverage(method, n, truth, || whole_and_uneven(&mut draw));
                let enough = (least..0.97).contains(&covered);
                assert!(enough, "{covered} for {n} problems around {truth}");
            }
        }
    }

    #[test]
    fn groups_have_the_interval_of_their_problems() {
        let mut draw = Draw(29);
        let pairs: Vec<[f64; 6]> = (0..20_000).map(|_| pair(&mut draw, mixed)).collect();
        let sums = total(&pairs);
        let interval = |size: usize| {
            let without = |group: &[[f64; 6]]| {
                let mut rest = sums;
                let group = total(group);
                rest.iter_mut().zip(&group).for_each(|(sum, count)| *sum -= count);
                score(&rest)
            };
            let left_out: Vec<f64> = pairs.chunks(size).map(without).collect();
            let found = grouped_corpus_metric(score(&sums), &left_out, pairs.len(), (0.0, 100.0));
            let found = found.unwrap();
            assert_eq!(found.n, pairs.len());
            found.high - found.low
        };
        let (single, grouped) = (interval(1), interval(10));
        assert!((grouped / single - 1.0).abs() < 0.05, "{grouped} instead of {single}");
    }

    #[test]
    fn a_mean_without_a_greatest_value_has_students_interval() {
        // scipy.stats.t.interval(0.95, n - 1, x.mean(), x.std(ddof=1) / np.sqrt(n)), cut at 0.
        for (values, low, high) in [
            // np.arange(40) * 7 % 11
            ((0..40).map(|at| f64::from(at * 7 % 11)).collect(), 4.008_126_627, 6.091_873_373),
            (vec![1.0, 2.0, 4.0, 4.5], 0.246_269_171, 5.503_730_829),
            (vec![0.2, 0.5, 0.9], 0.0, 1.405_733_827),
            (vec![0.3, 0.7], 0.0, 3.041_240_947),
        ] as [(Vec<f64>, f64, f64); 4]
        {
            let (n, mean) = (values.len(), values.iter().sum::<f64>() / values.len() as f64);
            let range = (0.0, f64::INFINITY);
            let found = grouped_corpus_metric(mean, &means_without(&values), n, range).unwrap();
            assert!((found.low - low).abs() < 1e-8, "{found:?}");
            assert!((found.high - high).abs() < 1e-8, "{found:?}");
        }
    }

    #[test]
    fn without_spread_nothing_is_certain_either() {
        let estimate = |value: f64, left_out: &[f64]| {
            grouped_corpus_metric(value, left_out, left_out.len(), (0.0, f64::INFINITY))
        };
        let bounded = grouped_corpus_metric(1.0, &[1.0; 12], 12, (0.0, 1.0));
        assert_eq!(estimate(1.0, &[1.0; 12]), bounded);
        let above = estimate(1.5, &[1.5; 3]).unwrap();
        assert!(above.low < 1.0 && above.high >= 1.5, "{above:?}");
        let alone = estimate(0.5, &[f64::NAN]).unwrap();
        assert!(alone.low < 0.2 && alone.high > 0.8, "{alone:?}");
        assert!(estimate(f64::NAN, &[0.5; 3]).is_none());
        assert!(estimate(f64::INFINITY, &[0.5; 3]).is_none());
        assert!(estimate(0.5, &[]).is_none());
    }

    proptest! {
        #[test]
        fn the_value_lies_in_its_interval_and_order_does_not_matter(
            value in 0.0..=100.0f64,
            mut left_out in prop::collection::vec(0.0..=100.0f64, 1..100),
        ) {
            let estimate = corpus_metric(value, &left_out, (0.0, 100.0)).unwrap();
            prop_assert!(0.0 <= estimate.low && estimate.low <= value);
            prop_assert!(value <= estimate.high && estimate.high <= 100.0);
            let n = left_out.len();
            let grouped = grouped_corpus_metric(value, &left_out, n, (0.0, 100.0)).unwrap();
            prop_assert!(0.0 <= grouped.low && grouped.low <= value);
            prop_assert!(value <= grouped.high && grouped.high <= 100.0);
            left_out.sort_by(f64::total_cmp);
            prop_assert_eq!(estimate, corpus_metric(value, &left_out, (0.0, 100.0)).unwrap());
            let again = grouped_corpus_metric(value, &left_out, n, (0.0, 100.0)).unwrap();
            prop_assert_eq!(grouped, again);
        }
    }
}
