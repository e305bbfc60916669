//! What a run found: counts that add up, and metrics with their uncertainty.

use std::collections::BTreeMap;
use std::ops::AddAssign;

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

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, more: &Counts) {
        // Taken apart, so that a new field cannot be left out.
        let Counts {
            problems,
            answered,
            passed,
            failed,
            timed_out,
            not_answered,
            excluded,
            reasons,
        } = more;
        self.problems += problems;
        self.answered += answered;
        self.passed += passed;
        self.failed += failed;
        self.timed_out += timed_out;
        self.not_answered += not_answered;
        self.excluded += excluded;
        for (why, count) in reasons {
            *self.reasons.entry(*why).or_default() += count;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_whatever_they_count() {
        let one = Counts {
            problems: 15,
            answered: 3,
            passed: 1,
            failed: 2,
            timed_out: 3,
            not_answered: 4,
            excluded: 5,
            reasons: [(Why::TimedOut, 3), (Why::Silent, 4)].into(),
        };
        let mut sum = Counts::default();
        sum += &one;
        assert_eq!(sum, one);
        sum += &Counts { problems: 1, reasons: [(Why::Silent, 1)].into(), ..Counts::default() };
        assert_eq!((sum.problems, sum.excluded, sum.reasons[&Why::Silent]), (16, 5, 5));
    }
}
