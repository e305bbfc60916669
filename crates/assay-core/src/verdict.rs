//! What grading one answer found.

use crate::{Digest, Ending, Evidence, Named, NoAnswer, ProblemId, Why};

/// The grade of one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Which problem.
    pub problem: ProblemId,
    /// Which sample, from 0.
    pub sample: u32,
    /// The outcome; each problem counts under exactly one.
    pub outcome: Outcome,
    /// The numbers that the task's metrics are summed up from.
    pub scores: Named<f64>,
    /// The counts behind a metric of the whole corpus, by metric.
    pub counts: Named<Vec<f64>>,
    /// Identifies the problems that count as one in a distinct mean.
    pub group: Option<String>,
    /// Why there was no answer.
    pub why: Option<Why>,
    /// Evidence, for a person.
    pub detail: Option<String>,
    /// How the program ended, where the answer is one.
    pub ending: Option<Ending>,
    /// What was measured while it ran.
    pub evidence: Option<Evidence>,
    /// The hash of the program and its tests.
    pub program: Option<Digest>,
}

/// The classes that add up to all problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        self.scores.insert(name.into(), value);
        self
    }
}
