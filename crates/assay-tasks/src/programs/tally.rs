//! pass@k over problems with one or several samples each.

use std::collections::BTreeMap;

use assay_core::{Estimate, Named, NoAnswerKind, Outcome, ProblemId, Tally, TaskSettings, Verdict};
use assay_metrics::pass_at_k::pass_at_k;
use assay_stats::{METHOD, bounded_mean, proportion};

/// The name of the method behind the intervals.
pub(crate) const PASS_METHOD: &str = METHOD;

/// Sums up samples problem by problem, so that memory does not grow with their number.
///
/// A problem without an answer fails for every k, however many samples the others have. A pass@k is reported only if
/// every other problem has at least k samples.
#[derive(Debug)]
pub(crate) struct PassTally {
    ks: Vec<u32>,
    problems: BTreeMap<ProblemId, Samples>,
}

/// The counts of one problem's samples.
#[derive(Debug, Default)]
struct Samples {
    all: u64,
    right: u64,
    /// True if there was any answer.
    attempted: bool,
}

impl PassTally {
    /// Creates a tally for the k of the settings.
    pub(crate) fn new(settings: &TaskSettings) -> Self {
        let mut ks = settings.pass_k.clone();
        ks.sort_unstable();
        ks.dedup();
        Self { ks, problems: BTreeMap::new() }
    }

    /// The signature field with the requested k.
    pub(crate) fn signature_field(settings: &TaskSettings) -> (&'static str, String) {
        let ks: Vec<String> = Self::new(settings).ks.iter().map(ToString::to_string).collect();
        ("k", ks.join(","))
    }

    /// The smallest number of samples of any answered problem.
    fn fewest(&self) -> Option<u64> {
        self.problems.values().filter(|samples| samples.attempted).map(|samples| samples.all).min()
    }

    /// Returns true if every problem has enough samples for this k.
    fn has_enough(&self, k: u32) -> bool {
        self.fewest().is_none_or(|fewest| u64::from(k) <= fewest)
    }

    fn estimate(&self, k: u32) -> Option<Estimate> {
        let value = |samples: &Samples| match samples {
            Samples { attempted: false, .. } => 0.0,
            samples => pass_at_k(samples.all, samples.right, u64::from(k)),
        };
        let values: Vec<f64> = self.problems.values().map(value).collect();
        let passed = values.iter().filter(|&&value| value >= 1.0).count();
        let failed = values.iter().filter(|&&value| value <= 0.0).count();
        // If every problem either passes or fails, the mean is a proportion.
        if passed + failed == values.len() {
            proportion(passed, values.len())
        } else {
            bounded_mean(&values)
        }
    }
}

impl Tally for PassTally {
    fn add(&mut self, verdict: &Verdict) {
        if verdict.is_excluded() {
            return;
        }
        let samples = self.problems.entry(verdict.problem.clone()).or_default();
        samples.all += 1;
        samples.right += u64::from(verdict.outcome == Outcome::Passed);
        samples.attempted |= verdict.no_answer != Some(NoAnswerKind::Silent);
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = Named::new();
        for &k in self.ks.iter().filter(|&&k| self.has_enough(k)) {
            if let Some(estimate) = self.estimate(k) {
                metrics.insert(format!("pass@{k}").into(), estimate);
            }
        }
        metrics
    }

    fn left_out(&self) -> Named<String> {
        let mut left_out = Named::new();
        let Some(fewest) = self.fewest() else { return left_out };
        for &k in self.ks.iter().filter(|&&k| !self.has_enough(k)) {
            let why =
                format!("every problem needs as many samples, and the fewest here is {fewest}");
            left_out.insert(format!("pass@{k}").into(), why);
        }
        left_out
    }
}

#[cfg(test)]
mod tests {
    use assay_core::NoAnswer;
    use proptest::prelude::*;

    use super::*;

    /// A problem's samples: `p` passed, `f` failed, `t` timed out, `s` silent, `x` excluded.
    fn verdicts(problem: &str, samples: &str) -> Vec<Verdict> {
        let verdict = |(sample, c)| {
            let outcome = match c {
                'p' => Outcome::Passed,
                'f' => Outcome::Failed,
                't' => Outcome::TimedOut,
                'x' => Outcome::Excluded,
                _ => {
                    let reason = NoAnswer { kind: NoAnswerKind::Silent, detail: String::new() };
                    return Verdict::unanswered(problem.into(), sample, &reason);
                }
            };
            Verdict::new(problem.into(), sample, outcome)
        };
        (0..).zip(samples.chars()).map(verdict).collect()
    }

    fn tally(ks: &[u32], verdicts: &[Verdict]) -> PassTally {
        let settings = TaskSettings { pass_k: ks.to_vec(), ..TaskSettings::default() };
        let mut tally = PassTally::new(&settings);
        for verdict in verdicts {
            tally.add(verdict);
        }
        tally
    }

    fn check(ks: &[u32], problems: &[&str], expected: &[(&str, f64)], left_out: &[&str]) {
        let all: Vec<Verdict> = problems
            .iter()
            .enumerate()
            .flat_map(|(at, samples)| verdicts(&format!("p/{at}"), samples))
            .collect();
        let tally = tally(ks, &all);
        let found: Vec<(String, f64)> = tally
            .metrics()
            .iter()
            .map(|(name, estimate)| (name.to_string(), (estimate.value * 1e9).round() / 1e9))
            .collect();
        let expected: Vec<(String, f64)> =
            expected.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(found, expected, "{problems:?}");
        let named = tally.left_out();
        let named: Vec<&str> = named.keys().map(AsRef::as_ref).collect();
        assert_eq!(named, left_out, "{problems:?}");
    }

    #[test]
    fn a_k_needs_as_many_samples_of_every_problem() {
        check(&[1, 10], &["p", "f", "t", "p"], &[("pass@1", 0.5)], &["pass@10"]);
        check(&[2, 1, 2], &["pf", "ff"], &[("pass@1", 0.25), ("pass@2", 0.5)], &[]);
        check(&[1, 2], &["pf", "f"], &[("pass@1", 0.25)], &["pass@2"]);
        check(&[3], &["pffff"], &[("pass@3", 0.6)], &[]);
        check(&[1], &[], &[], &[]);
    }

    #[test]
    fn what_was_not_attempted_fails_at_every_k_and_what_is_excluded_counts_nowhere() {
        check(&[1, 2], &["pp", "s"], &[("pass@1", 0.5), ("pass@2", 0.5)], &[]);
        check(&[1, 2], &["pp", "x"], &[("pass@1", 1.0), ("pass@2", 1.0)], &[]);
        check(&[1], &["ss", "s"], &[("pass@1", 0.0)], &[]);
        check(&[1, 2], &["ps", "pp"], &[("pass@1", 0.75), ("pass@2", 1.0)], &[]);
    }

    #[test]
    fn one_sample_a_problem_has_wilsons_interval() {
        let all: Vec<Verdict> = (0..164)
            .flat_map(|at| verdicts(&at.to_string(), if at < 72 { "p" } else { "f" }))
            .collect();
        let found = tally(&[1], &all).metrics();
        assert_eq!(found.get("pass@1").copied(), proportion(72, 164));
    }

    #[test]
    fn the_reason_is_told_in_words() {
        let all = [verdicts("a", "pf"), verdicts("b", "pfp")].concat();
        let left_out = tally(&[1, 10], &all).left_out();
        let why = left_out.get("pass@10").map(String::as_str);
        assert_eq!(why, Some("every problem needs as many samples, and the fewest here is 2"));
    }

    proptest! {
        #[test]
        fn order_does_not_matter(
            samples in prop::collection::vec("[pfts]{1,12}", 1..20),
            seed: u64,
        ) {
            let mut all: Vec<Verdict> = samples
                .iter()
                .enumerate()
                .flat_map(|(at, samples)| verdicts(&at.to_string(), samples))
                .collect();
            let forward = tally(&[1, 3], &all);
            all.sort_by_key(|verdict| {
                let name = format!("{seed}{}/{}", verdict.problem, verdict.sample);
                assay_core::Fingerprint::of(name.as_bytes()).as_number()
            });
            let shuffled = tally(&[1, 3], &all);
            prop_assert_eq!(forward.metrics(), shuffled.metrics());
            prop_assert_eq!(forward.left_out(), shuffled.left_out());
        }
    }
}
