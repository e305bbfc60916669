//! Average and strict accuracy, as APPS counts them for one sample per problem.

use assay_core::{Estimate, Named, Outcome, Tally, TaskSettings, Verdict};
use assay_stats::{bounded_mean, proportion};

use crate::programs::{PassTally, TESTS, TESTS_PASSED};

/// With one sample per problem, the share of passed tests and of programs that passed all; with several samples,
/// pass@k.
pub(super) struct AppsTally {
    pass: PassTally,
    /// The share of tests that each program passed.
    shares: Vec<f64>,
    passed: usize,
    several: bool,
}

impl AppsTally {
    pub(super) fn boxed(settings: &TaskSettings) -> Box<dyn Tally> {
        let pass = PassTally::new(settings);
        Box::new(Self { pass, shares: Vec::new(), passed: 0, several: false })
    }
}

impl Tally for AppsTally {
    fn add(&mut self, verdict: &Verdict) {
        self.pass.add(verdict);
        if verdict.is_excluded() {
            return;
        }
        self.several |= verdict.sample > 0;
        let passed = verdict.outcome == Outcome::Passed;
        self.passed += usize::from(passed);
        let scored = |name| verdict.scores.get(name).copied();
        let share = scored(TESTS_PASSED).zip(scored(TESTS)).map(|(passed, all)| passed / all);
        self.shares.push(share.unwrap_or(f64::from(u8::from(passed))));
    }

    fn metrics(&self) -> Named<Estimate> {
        if self.several {
            return self.pass.metrics();
        }
        let mut metrics = Named::new();
        if let Some(strict) = proportion(self.passed, self.shares.len()) {
            metrics.insert("strict-accuracy".into(), strict);
        }
        if let Some(average) = bounded_mean(&self.shares) {
            metrics.insert("average-accuracy".into(), average);
        }
        metrics
    }

    fn left_out(&self) -> Named<String> {
        if self.several { self.pass.left_out() } else { Named::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The original's own example: 0.3 of the tests, 0.2 of the programs.
    #[test]
    fn the_published_example() {
        let mut tally = AppsTally::boxed(&TaskSettings::default());
        let tests = [(1, 0), (3, 0), (2, 2), (16, 8), (21, 0)];
        for (at, (all, passed)) in tests.into_iter().enumerate() {
            let outcome = if all == passed { Outcome::Passed } else { Outcome::Failed };
            let mut verdict = Verdict::new(at.to_string().into(), 0, outcome);
            if all > 1 {
                verdict =
                    verdict.score(TESTS, f64::from(all)).score(TESTS_PASSED, f64::from(passed));
            }
            tally.add(&verdict);
        }
        tally.add(&Verdict::excluded("6".into(), "no tests".to_owned()));
        let value = |name| tally.metrics().get(name).unwrap().value;
        assert!((value("average-accuracy") - 0.3).abs() < 1e-15);
        assert!((value("strict-accuracy") - 0.2).abs() < 1e-15);
    }
}
