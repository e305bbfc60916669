//! The share of right answers, for subtasks where an answer is right or wrong.

use assay_core::{Estimate, Named, Outcome, Tally, Verdict};
use assay_metrics::fusion_brain::Accuracy;
use assay_stats::proportion;

use super::estimates::around;

/// The metric's name.
const ACCURACY: &str = "accuracy";

/// Counts answers; `official` computes the number that the challenge prints.
pub(super) struct AccuracyTally {
    found: Accuracy,
    official: fn(&Accuracy) -> f64,
}

impl AccuracyTally {
    pub(super) fn new(official: fn(&Accuracy) -> f64) -> Self {
        Self { found: Accuracy::default(), official }
    }
}

impl Tally for AccuracyTally {
    fn add(&mut self, verdict: &Verdict) {
        match verdict.outcome {
            Outcome::Passed => self.found.right += 1,
            Outcome::Failed => self.found.wrong += 1,
            Outcome::TimedOut | Outcome::NotAnswered => self.found.missing += 1,
            Outcome::Excluded => {}
        }
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = Named::new();
        if let Some(share) = proportion(self.found.right, self.found.total()) {
            metrics.insert(ACCURACY.into(), around((self.official)(&self.found), share, 1.0));
        }
        metrics
    }
}
