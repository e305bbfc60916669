//! Comparisons of two systems on the same problems: the difference of a corpus metric is computed
//! again on resamples, as often as the user asks.
//!
//! Two questions are answered by two kinds of resamples. In a paired bootstrap (Koehn 2004) problems
//! are drawn with replacement, the same ones for both systems: the spread of the differences gives
//! an interval. In approximate randomisation (Noreen 1989, Riezler and Maxwell 2005) the two systems'
//! answers to a problem are swapped or not, by chance: if the systems were equally good, the
//! observed difference would be as large as these differences are, which gives a p-value.
//!
//! Both work on the counts of groups of problems. Up to [`MAX_GROUPS`] problems, a group is one
//! problem; more problems share groups at random, which costs the precision of the interval about
//! one percent and keeps time and memory bounded.

use crate::draw::{SplitMix64, mix};

/// The name of the method of [`bootstrap_interval`].
pub const DIFFERENCE_METHOD: &str = "paired-bootstrap95";
/// The name of the method of [`p_value`].
pub const TEST_METHOD: &str = "approximate-randomization";

/// The greatest number of groups.
pub const MAX_GROUPS: usize = 4096;

/// The group of the problem at this place, from 0. Groups of a large corpus do not follow its
/// order, in which similar problems may be neighbours.
pub fn group_of(place: u64) -> usize {
    let groups = MAX_GROUPS as u64;
    let group = if place < groups { place } else { mix(place) % groups };
    usize::try_from(group).unwrap_or_default()
}

/// The number of resamples, and the seed on which they depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// The number of bootstrap samples, and that of random swaps.
    pub resamples: usize,
    /// Determines all of them.
    pub seed: u64,
}

impl Resampling {
    /// The bootstrap samples: how often each group is drawn. They are the same for every system and
    /// metric.
    pub fn draws(self, groups: usize) -> impl Iterator<Item = Vec<u32>> {
        self.streams(0).map(move |mut random| {
            let mut times = vec![0; groups];
            (0..groups).for_each(|_| times[random.below(groups)] += 1);
            times
        })
    }

    /// The random swaps: whether each group is swapped.
    pub fn swaps(self, groups: usize) -> impl Iterator<Item = Vec<bool>> {
        self.streams(1).map(move |mut random| {
            let mut swapped = Vec::with_capacity(groups);
            while swapped.len() < groups {
                let bits = random.bits();
                let room = groups - swapped.len();
                swapped.extend((0..64.min(room)).map(|bit| bits >> bit & 1 == 1));
            }
            swapped
        })
    }

    fn streams(self, kind: u64) -> impl Iterator<Item = SplitMix64> {
        let seed = self.seed;
        (0..self.resamples as u64).map(move |resample| SplitMix64::new(seed, 2 * resample + kind))
    }
}

/// The 95 % interval of a difference from the differences of bootstrap samples of `n` problems.
///
/// These are the percentiles, a little further out for few problems, whose bootstrap samples vary
/// too little (the expanded percentile interval of Hesterberg 2015). `None` if a sample's
/// difference is undefined.
pub fn bootstrap_interval(differences: &[f64], n: usize) -> Option<(f64, f64)> {
    if differences.is_empty() || differences.iter().any(|difference| difference.is_nan()) {
        return None;
    }
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tail = tail(n);
    Some((quantile(&sorted, tail), quantile(&sorted, 1.0 - tail)))
}

/// The probability of a difference that is at least as far from 0 as the observed one, if the
/// systems are equally good. `width` is that of the metric's range: differences that agree to
/// rounding errors are equal.
///
/// The observed difference counts as one of the swaps, so the result is never 0. `None` if a
/// difference is undefined.
pub fn p_value(observed: f64, swapped: &[f64], width: f64) -> Option<f64> {
    if observed.is_nan() || swapped.iter().any(|difference| difference.is_nan()) {
        return None;
    }
    let scale = if width.is_finite() { width } else { observed.abs() };
    let least = observed.abs() - 1e-12 * scale;
    let as_far = swapped.iter().filter(|difference| difference.abs() >= least).count();
    Some((as_far + 1) as f64 / (swapped.len() + 1) as f64)
}

/// The share of samples beyond each end of the interval: 2.5 %, and less for few problems.
fn tail(n: usize) -> f64 {
    // With one problem nothing is known, and the result does not matter.
    let n = n.max(2);
    let wider = (n as f64 / (n as f64 - 1.0)).sqrt();
    let distance = wider * student(n - 1);
    0.5 * libm::erfc(distance / std::f64::consts::SQRT_2)
}

/// The 0.975 quantile of Student's distribution with so many degrees of freedom, at least one.
///
/// The exact ones are scipy's. Cornish and Fisher's expansion is as good to nine digits from there on.
pub(crate) fn student(freedom: usize) -> f64 {
    const EXACT: [f64; 30] = [
        12.706_204_736_175,
        4.302_652_729_749,
        3.182_446_305_284,
        2.776_445_105_198,
        2.570_581_835_636,
        2.446_911_851_145,
        2.364_624_251_593,
        2.306_004_135_204,
        2.262_157_162_798,
        2.228_138_851_986,
        2.200_985_160_092,
        2.178_812_829_667,
        2.160_368_656_463,
        2.144_786_687_918,
        2.131_449_545_560,
        2.119_905_299_221,
        2.109_815_577_833,
        2.100_922_040_241,
        2.093_024_054_408,
        2.085_963_447_266,
        2.079_613_844_728,
        2.073_873_067_904,
        2.068_657_610_419,
        2.063_898_561_628,
        2.059_538_552_753,
        2.055_529_438_643,
        2.051_830_516_480,
        2.048_407_141_795,
        2.045_229_642_133,
        2.042_272_456_301,
    ];
    freedom
        .checked_sub(1)
        .and_then(|at| EXACT.get(at))
        .copied()
        .unwrap_or_else(|| expanded(freedom))
}

/// The quantile by Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5).
fn expanded(freedom: usize) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let power = |exponent| Z.powi(exponent);
    let terms = [
        (power(3) + Z) / 4.0,
        (5.0 * power(5) + 16.0 * power(3) + 3.0 * Z) / 96.0,
        (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * Z) / 384.0,
        (79.0 * power(9) + 776.0 * power(7) + 1482.0 * power(5) - 1920.0 * power(3) - 945.0 * Z)
            / 92_160.0,
    ];
    let by_freedom = |sum: f64, term: &f64| (sum + term) / freedom.max(1) as f64;
    Z + terms.iter().rev().fold(0.0, by_freedom)
}

/// A quantile of sorted numbers, between two of them if it falls there.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a list"
    )]
    let at = below as usize;
    let next = sorted[(at + 1).min(sorted.len() - 1)];
    sorted[at] + (place - below) * (next - sorted[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    const RESAMPLING: Resampling = Resampling { resamples: 1_000, seed: 0 };

    #[test]
    fn students_quantiles_are_the_published_ones() {
        // scipy.stats.t.ppf(0.975, freedom)
        for (freedom, expected) in [
            (1, 12.706_204_736),
            (2, 4.302_652_730),
            (3, 3.182_446_305),
            (4, 2.776_445_105),
            (9, 2.262_157_163),
            (30, 2.042_272_456),
            (31, 2.039_513_446),
            (39, 2.022_690_920),
            (99, 1.984_216_952),
            (999, 1.962_341_461),
            (4095, 1.960_543_462),
        ] {
            let found = student(freedom);
            assert!((found - expected).abs() < 1e-7, "{found} for {freedom}");
        }
        assert!((tail(100_000) - 0.025).abs() < 1e-5);
        // scipy.stats.norm.sf(np.sqrt(n / (n - 1)) * scipy.stats.t.ppf(0.975, n - 1))
        for (n, expected) in [(3, 6.834e-8), (4, 1.190_307e-4), (5, 9.541_006e-4)] {
            assert!((tail(n) / expected - 1.0).abs() < 1e-3, "{} for {n}", tail(n));
        }
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        let numbers = [1.0, 2.0, 4.0, 8.0];
        for (share, expected) in [(0.0, 1.0), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0)] {
            assert!((quantile(&numbers, share) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn resamples_depend_on_the_seed_alone() {
        let other = Resampling { seed: 1, ..RESAMPLING };
        let draws = |resampling: Resampling| resampling.draws(50).collect::<Vec<_>>();
        let swaps = |resampling: Resampling| resampling.swaps(130).collect::<Vec<_>>();
        assert_eq!(draws(RESAMPLING), draws(RESAMPLING));
        assert_ne!(draws(RESAMPLING), draws(other));
        assert_ne!(swaps(RESAMPLING), swaps(other));
        assert!(draws(RESAMPLING).iter().all(|times| times.iter().sum::<u32>() == 50));
        let swapped = swaps(RESAMPLING).concat();
        let share = swapped.iter().filter(|swapped| **swapped).count() as f64 / 130_000.0;
        assert_eq!(swapped.len(), 130_000);
        assert!((share - 0.5).abs() < 0.01, "{share}");
    }

    #[test]
    fn a_large_corpus_fills_all_groups_alike() {
        let mut sizes = vec![0; MAX_GROUPS];
        (0..100 * MAX_GROUPS as u64).for_each(|place| sizes[group_of(place)] += 1);
        assert!(sizes.iter().all(|size| (50..160).contains(size)));
        assert!((0..MAX_GROUPS).all(|place| group_of(place as u64) == place));
    }

    /// The differences of means of scores on resamples: drawn, and swapped.
    fn resampled(left: &[f64], right: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = left.len();
        let moved: Vec<f64> = left.iter().zip(right).map(|(left, right)| left - right).collect();
        let mean = |weights: &mut dyn Iterator<Item = f64>| {
            weights.zip(&moved).map(|(weight, moved)| weight * moved).sum::<f64>() / n as f64
        };
        let drawn = RESAMPLING.draws(n);
        let drawn = drawn.map(|times| mean(&mut times.iter().map(|&times| f64::from(times))));
        let swaps = RESAMPLING.swaps(n);
        let sign = |swapped: &bool| if *swapped { -1.0 } else { 1.0 };
        let swaps = swaps.map(|swapped| mean(&mut swapped.iter().map(sign)));
        (drawn.collect(), swaps.collect())
    }

    #[test]
    fn the_test_of_shares_is_mcnemars() {
        // 14 problems that only the first system has right, 4 that only the second has right:
        // scipy.stats.binomtest(4, 18).pvalue = 0.030881.
        let left: Vec<f64> = (0..100).map(|at| f64::from(u8::from(at < 50))).collect();
        let right: Vec<f64> =
            (0..100).map(|at| f64::from(u8::from((14..54).contains(&at)))).collect();
        let (_, swapped) = resampled(&left, &right);
        let p = p_value(0.1, &swapped, 1.0).unwrap();
        assert!((p - 0.030_881).abs() < 0.016, "{p}");
    }

    #[test]
    fn the_interval_is_scipys() {
        // scipy.stats.bootstrap(((np.arange(40) * 7 % 11 - 4) / 10,), np.mean,
        // method="percentile", n_resamples=100_000) has (0.0050, 0.2050) at 2.5 % and, for n = 40,
        // (0.0000, 0.2075) at Phi(-sqrt(40 / 39) * t(39)) = 2.03 %.
        let left: Vec<f64> = (0..40).map(|at| (f64::from(at * 7 % 11) - 4.0) / 10.0).collect();
        let (drawn, _) = resampled(&left, &[0.0; 40]);
        let (low, high) = bootstrap_interval(&drawn, 40).unwrap();
        assert!(low.abs() < 0.01 && (high - 0.2075).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let scores: Vec<f64> = (0..50).map(|at| f64::from(at) / 50.0).collect();
        let (drawn, swapped) = resampled(&scores, &scores);
        assert_eq!(bootstrap_interval(&drawn, 50), Some((0.0, 0.0)));
        assert_eq!(p_value(0.0, &swapped, 1.0), Some(1.0));
        assert_eq!(bootstrap_interval(&[0.0, f64::NAN], 50), None);
        assert_eq!(p_value(0.1, &[f64::NAN], 1.0), None);
    }

    #[test]
    fn intervals_cover_and_tests_err_as_often_as_they_say() {
        let mut draw = Draw(31);
        for (n, least) in [(12, 0.9), (40, 0.92), (200, 0.925)] {
            let (rounds, mut covered, mut wrong) = (400, 0, 0);
            for _ in 0..rounds {
                // Hard problems are hard for both; the truth is no difference.
                let pair = |draw: &mut Draw| {
                    let ease = draw.next();
                    [ease * draw.next(), ease * draw.next()]
                };
                let scores: Vec<[f64; 2]> = (0..n).map(|_| pair(&mut draw)).collect();
                let side = |at: usize| scores.iter().map(|pair| pair[at]).collect::<Vec<f64>>();
                let (left, right) = (side(0), side(1));
                let (drawn, swapped) = resampled(&left, &right);
                let observed = left.iter().zip(&right).map(|(left, right)| left - right);
                let observed = observed.sum::<f64>() / n as f64;
                let (low, high) = bootstrap_interval(&drawn, n).unwrap();
                covered += u32::from(low <= 0.0 && 0.0 <= high);
                wrong += u32::from(p_value(observed, &swapped, 1.0).unwrap() < 0.05);
            }
            let share = |count: u32| f64::from(count) / f64::from(rounds);
            assert!((least..0.98).contains(&share(covered)), "{} for {n}", share(covered));
            assert!((0.02..0.08).contains(&share(wrong)), "{} for {n}", share(wrong));
        }
    }
}
