//! The results of a run: counts that add up, and metrics with their uncertainty.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::{Failures, Named, NoAnswerKind, Outcome, Replies, Signature, Tally, Verdict};

/// The contents of `results.json` and the output of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The task's name.
    pub task: String,
    /// The solver's spec.
    pub solver: String,
    /// The signature, which names everything that the numbers depend on.
    pub signature: Signature,
    /// The short hash of the signature, which is shown in its place.
    #[serde(default)]
    pub signature_hash: String,
    /// Every sample of every problem, by outcome.
    pub counts: Counts,
    /// The metrics.
    pub metrics: Named<Estimate>,
    /// Metrics that were requested and cannot be computed, with the reason.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub left_out: Named<String>,
    /// The thresholds that the task sets for its metrics.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub minimums: Named<Minimum>,
    /// Parts of the task of which no problem was graded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_scored: Vec<String>,
    /// The number of the task's own solutions that pass on this machine, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldRate>,
    /// The extraction of code from the answers of a file, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extracted: Option<Extracted>,
    /// The number of answers in a file that were skipped because the data has their problems but the task leaves them
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<NonZeroUsize>,
    /// Totals of the replies, if the solver is a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replies: Option<Replies>,
}

impl Results {
    /// Creates results without metrics, of a task without solutions of its own.
    pub fn new(task: &str, solver: String, signature: Signature, counts: Counts) -> Self {
        let counts = Counts { failures: counts.failures.shortened(), ..counts };
        Self {
            task: task.to_owned(),
            solver,
            signature_hash: signature.short(),
            signature,
            counts,
            metrics: Named::new(),
            left_out: Named::new(),
            minimums: Named::new(),
            not_scored: Vec::new(),
            gold: None,
            extracted: None,
            passed_over: None,
            replies: None,
        }
    }

    /// Adds the metrics of a tally.
    #[must_use]
    pub fn with_tally(self, tally: &dyn Tally) -> Self {
        Self {
            metrics: tally.metrics(),
            left_out: tally.left_out(),
            minimums: tally.minimums(),
            not_scored: tally.not_scored().into_iter().map(str::to_owned).collect(),
            ..self
        }
    }
}

/// The extraction of code from answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The rule, with its version: `code.1`.
    pub rule: String,
    /// The number of answers that it was applied to.
    pub answers: usize,
    /// Those of which something was cut off.
    pub changed: usize,
    /// Continuations that hold a whole program, and are graded as one.
    pub programs: usize,
}

/// The threshold that a metric must reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Minimum {
    /// The threshold.
    pub minimum: f64,
    /// True if it is reached; `None` if nothing was scored.
    pub met: Option<bool>,
}

/// The share of a task's own solutions that pass on the machine that graded the answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldRate {
    /// The number that pass; the problems of the others are excluded.
    pub passed: usize,
    /// The total number.
    pub of: usize,
}

/// The number of samples per outcome. Most tasks take one sample per problem, so these are also numbers of problems.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All problems.
    pub problems: usize,
    /// All samples: the sum of `passed`, `failed`, `timed_out`, `not_answered` and `excluded`. A
    /// problem has at least one; an excluded problem has one.
    pub samples: usize,
    /// Those with an answer that could be graded.
    pub answered: usize,
    /// Right.
    pub passed: usize,
    /// Wrong.
    pub failed: usize,
    /// No answer in time.
    pub timed_out: usize,
    /// No answer.
    pub not_answered: usize,
    /// Unusable problems.
    pub excluded: usize,
    /// The reasons behind `timed_out` and `not_answered`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<NoAnswerKind, usize>,
    /// The ways in which programs failed, if the answers are programs: those behind `failed` and `timed_out` that were
    /// run.
    #[serde(default, skip_serializing_if = "Failures::is_empty")]
    pub failures: Failures,
}

impl Counts {
    /// Counts one verdict. Every problem has a sample 0.
    pub fn add(&mut self, verdict: &Verdict) {
        self.samples += 1;
        self.problems += usize::from(verdict.sample == 0);
        match verdict.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::TimedOut => self.timed_out += 1,
            Outcome::NotAnswered => self.not_answered += 1,
            Outcome::Excluded => self.excluded += 1,
        }
        match verdict.no_answer {
            Some(kind) => *self.reasons.entry(kind).or_default() += 1,
            None => self.answered += usize::from(verdict.outcome != Outcome::Excluded),
        }
        if let (Outcome::Failed | Outcome::TimedOut, Some(ending)) =
            (verdict.outcome, &verdict.ending)
        {
            self.failures.add(ending);
        }
    }

    /// The number of samples without an answer.
    pub fn without_answer(&self) -> usize {
        self.reasons.values().sum()
    }

    /// The most common reason for a missing answer.
    pub fn main_reason(&self) -> Option<NoAnswerKind> {
        self.reasons.iter().max_by_key(|(_, count)| **count).map(|(kind, _)| *kind)
    }

    /// Returns whether every sample of every problem has an answer that was graded.
    pub fn are_complete(&self) -> bool {
        self.excluded == 0 && self.without_answer() == 0
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, more: &Counts) {
        // Destructured, so that a new field cannot be forgotten.
        let Counts {
            problems,
            samples,
            answered,
            passed,
            failed,
            timed_out,
            not_answered,
            excluded,
            reasons,
            failures,
        } = more;
        self.problems += problems;
        self.samples += samples;
        self.answered += answered;
        self.passed += passed;
        self.failed += failed;
        self.timed_out += timed_out;
        self.not_answered += not_answered;
        self.excluded += excluded;
        for (kind, count) in reasons {
            *self.reasons.entry(*kind).or_default() += count;
        }
        self.failures += failures;
    }
}

/// A number with its 95 % interval and sample size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// The number of problems that it is based on.
    pub n: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureKind;

    #[test]
    fn counts_add_up_whatever_they_count() {
        let one = Counts {
            problems: 15,
            samples: 15,
            answered: 3,
            passed: 1,
            failed: 2,
            timed_out: 3,
            not_answered: 4,
            excluded: 5,
            reasons: [(NoAnswerKind::TimedOut, 3), (NoAnswerKind::Silent, 4)].into(),
            failures: Failures { kinds: [(FailureKind::Crash, 2)].into(), ..Failures::default() },
        };
        let mut sum = Counts::default();
        sum += &one;
        assert_eq!(sum, one);
        sum += &Counts {
            problems: 1,
            reasons: [(NoAnswerKind::Silent, 1)].into(),
            ..Counts::default()
        };
        assert_eq!((sum.problems, sum.excluded, sum.reasons[&NoAnswerKind::Silent]), (16, 5, 5));
    }
}
