//! pass@1 over the verdicts.

use assay_core::{Estimate, Named, Outcome, Tally, TaskSettings, Verdict};
use assay_stats::{METHOD, proportion};

/// The name of the method behind the intervals.
pub(crate) const PASS_METHOD: &str = METHOD;

/// Counts programs that passed.
#[derive(Default)]
pub(crate) struct PassTally {
    passed: usize,
    all: usize,
}

impl PassTally {
    /// A tally of nothing yet.
    pub(crate) fn new(_settings: &TaskSettings) -> Self {
        Self::default()
    }
}

impl Tally for PassTally {
    fn add(&mut self, verdict: &Verdict) {
        if !verdict.is_excluded() {
            self.all += 1;
            self.passed += usize::from(verdict.outcome == Outcome::Passed);
        }
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = Named::new();
        if let Some(estimate) = proportion(self.passed, self.all) {
            metrics.set("pass@1", estimate);
        }
        metrics
    }
}
