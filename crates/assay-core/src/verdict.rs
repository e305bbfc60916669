//! What grading one answer found.

use serde::{Deserialize, Serialize};

use crate::{Digest, Ending, Evidence, Named, NoAnswer, ProblemId, Why};

/// The grade of one sample: one line of `verdicts.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Which problem.
    pub problem: ProblemId,
    /// Which sample, from 0.
    pub sample: u32,
    /// The outcome; each problem counts under exactly one.
    pub outcome: Outcome,
    /// The numbers that the task's metrics are summed up from.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub scores: Named<f64>,
    /// The counts behind a metric of the whole corpus, by metric.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub counts: Named<Vec<f64>>,
    /// Identifies the problems that count as one in a distinct mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Why there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Evidence, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How the program ended, where the answer is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// What was measured while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The hash of the program and its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Digest>,
}

/// The classes that add up to all problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Right.
    Passed,
    /// Wrong.
    Failed,
    /// No answer in time.
    TimedOut,
    /// No answer.
    NotAnswered,
    /// The problem itself is unusable; it counts in no metric.
    Excluded,
}

impl Verdict {
    /// A verdict without scores.
    pub fn new(problem: ProblemId, sample: u32, outcome: Outcome) -> Self {
        Self {
            problem,
            sample,
            outcome,
            scores: Named::new(),
            counts: Named::new(),
            group: None,
            why: None,
            detail: None,
            ending: None,
            evidence: None,
            program: None,
        }
    }

    /// The verdict on a missing answer.
    pub fn unanswered(problem: ProblemId, sample: u32, reason: &NoAnswer) -> Self {
        let outcome = match reason.why {
            Why::TimedOut => Outcome::TimedOut,
            _ => Outcome::NotAnswered,
        };
        let detail = Some(reason.detail.clone()).filter(|detail| !detail.is_empty());
        Self { why: Some(reason.why), detail, ..Self::new(problem, sample, outcome) }
    }

    /// The verdict on a problem that cannot be used.
    pub fn excluded(problem: ProblemId, reason: String) -> Self {
        Self { detail: Some(reason), ..Self::new(problem, 0, Outcome::Excluded) }
    }

    /// Whether the problem is out of the count.
    pub fn is_excluded(&self) -> bool {
        self.outcome == Outcome::Excluded
    }

    /// Adds a score.
    #[must_use]
    pub fn score(mut self, name: &'static str, value: f64) -> Self {
        self.scores.set(name, value);
        self
    }
}
