//! What a run found: counts that add up, and metrics with their uncertainty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Named, Outcome, Signature, Verdict, Why};

/// The contents of `results.json`, and what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The task's name.
    pub task: String,
    /// The solver's spec.
    pub solver: String,
    /// Names everything that the numbers depend on.
    pub signature: Signature,
    /// Every problem, by outcome.
    pub counts: Counts,
    /// The numbers.
    pub metrics: Named<Estimate>,
}

/// How many problems ended how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All of them: the sum of `passed`, `failed`, `timed_out`, `not_answered` and `excluded`.
    pub problems: usize,
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
    pub reasons: BTreeMap<Why, usize>,
}

impl Counts {
    /// Counts one verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        self.problems += 1;
        match verdict.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::TimedOut => self.timed_out += 1,
            Outcome::NotAnswered => self.not_answered += 1,
            Outcome::Excluded => self.excluded += 1,
        }
        match verdict.why {
            Some(why) => *self.reasons.entry(why).or_default() += 1,
            None => self.answered += usize::from(verdict.outcome != Outcome::Excluded),
        }
    }

    /// How many problems have no verdict through the solver's or the data's fault.
    pub fn without_verdict(&self) -> usize {
        let failures = self.reasons.iter().filter(|(why, _)| why.is_failure());
        self.excluded + failures.map(|(_, count)| count).sum::<usize>()
    }
}

/// A number with its 95 % interval and the count that it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
    /// How many problems it rests on.
    pub n: usize,
}
