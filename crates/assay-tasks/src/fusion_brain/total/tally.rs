//! The sum of the subtasks' scores.

use assay_core::{Estimate, Minimum, Named, Tally, TaskSettings, Verdict};
use assay_metrics::fusion_brain::integral::{Integral, Subtask};
use assay_stats::sum_of_independent;

use super::super::estimates::around;
use super::{FusionBrain, INTEGRAL};

/// A tally for each subtask, and their sum.
pub(super) struct TotalTally {
    parts: Vec<Part>,
}

/// The tally of a subtask.
struct Part {
    subtask: Subtask,
    /// The name of the subtask's score.
    metric: Option<String>,
    tally: Box<dyn Tally>,
}

impl TotalTally {
    pub(super) fn new(challenge: &FusionBrain, settings: &TaskSettings) -> Self {
        let part = |subtask| {
            let task = challenge.task_of(subtask);
            // A card's first metric is the one to rank by.
            let metric = task.card().metrics.first().map(|metric| metric.name.clone());
            Part { subtask, metric, tally: task.tally(settings) }
        };
        Self { parts: Subtask::ALL.into_iter().map(part).collect() }
    }

    /// The subtasks that were scored, each with its task's score.
    fn scores(&self) -> Vec<(Subtask, Estimate)> {
        let score = |Part { subtask, metric, tally }: &Part| {
            Some((*subtask, *tally.metrics().get(metric.as_deref()?)?))
        };
        self.parts.iter().filter_map(score).collect()
    }
}

/// The rounded scores.
fn integral_of(scores: &[(Subtask, Estimate)]) -> Integral {
    let mut integral = Integral::new();
    for (subtask, score) in scores {
        integral.set(*subtask, score.value);
    }
    integral
}

impl Tally for TotalTally {
    fn add(&mut self, verdict: &Verdict) {
        let name = verdict.problem.as_str().split('/').next();
        let part = self.parts.iter_mut().find(|part| Some(part.subtask.file_name()) == name);
        if let Some(part) = part {
            part.tally.add(verdict);
        }
    }

    fn metrics(&self) -> Named<Estimate> {
        let (scores, mut metrics) = (self.scores(), Named::new());
        if scores.is_empty() {
            return metrics;
        }
        let integral = integral_of(&scores);
        let mut rounded = Vec::new();
        for (subtask, score) in scores {
            let value = integral.get(subtask).unwrap_or(score.value);
            let score = around(value, score, 1.0);
            metrics.insert(subtask.name().into(), score);
            rounded.push(score);
        }
        let highest = rounded.len() as f64;
        metrics
            .insert(INTEGRAL.into(), around(integral.sum(), sum_of_independent(&rounded), highest));
        metrics
    }

    fn minimums(&self) -> Named<Minimum> {
        let integral = integral_of(&self.scores());
        let mut minimums = Named::new();
        for subtask in Subtask::ALL {
            let met = integral.meets_minimum(subtask);
            minimums.insert(subtask.name().into(), Minimum { minimum: subtask.minimum(), met });
        }
        minimums
    }

    fn not_scored(&self) -> Vec<&'static str> {
        let scores = self.scores();
        let missing = Subtask::ALL
            .into_iter()
            .filter(|subtask| !scores.iter().any(|(scored, _)| scored == subtask));
        missing.map(Subtask::name).collect()
    }
}
