//! The verdict: the result of grading one answer.

use crate::{Digest, Ending, Evidence, Named, NoAnswer, NoAnswerKind, ProblemId};

/// The grade of one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The name of the problem.
    pub problem: ProblemId,
    /// The sample number, from 0.
    pub sample: u32,
    /// The outcome; each problem counts under exactly one.
    pub outcome: Outcome,
    /// The numbers that the task's metrics are computed from.
    pub scores: Named<f64>,
    /// The counts that a corpus metric is computed from, by metric.
    pub counts: Named<Vec<f64>>,
    /// The key shared by problems that count as one in a distinct mean.
    pub group: Option<String>,
    /// The reason why there was no answer.
    pub no_answer: Option<NoAnswerKind>,
    /// The evidence, as text for people.
    pub detail: Option<String>,
    /// The way the candidate ended, if the answer is a program.
    pub ending: Option<Ending>,
    /// The measurements of its run.
    pub evidence: Option<Evidence>,
    /// The hash of the candidate and its tests.
    pub program: Option<Digest>,
    /// The answered lines, best first, if the answer is lines.
    pub predicted: Vec<usize>,
    /// The right line, if the answer is lines.
    pub solution: Option<usize>,
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
    /// Creates a verdict without scores.
    pub fn new(problem: ProblemId, sample: u32, outcome: Outcome) -> Self {
        Self {
            problem,
            sample,
            outcome,
            scores: Named::new(),
            counts: Named::new(),
            group: None,
            no_answer: None,
            detail: None,
            ending: None,
            evidence: None,
            program: None,
            predicted: Vec::new(),
            solution: None,
        }
    }

    /// Creates the verdict on a missing answer.
    pub fn unanswered(problem: ProblemId, sample: u32, reason: &NoAnswer) -> Self {
        let outcome = match reason.kind {
            NoAnswerKind::TimedOut => Outcome::TimedOut,
            _ => Outcome::NotAnswered,
        };
        let detail = Some(reason.detail.clone()).filter(|detail| !detail.is_empty());
        Self { no_answer: Some(reason.kind), detail, ..Self::new(problem, sample, outcome) }
    }

    /// Creates the verdict on an unusable problem.
    pub fn excluded(problem: ProblemId, reason: String) -> Self {
        Self { detail: Some(reason), ..Self::new(problem, 0, Outcome::Excluded) }
    }

    /// Returns true if the problem is excluded.
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
