//! The samples of a run that are done, according to its files.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use crate::Outcome;

/// The fields of an answer or a verdict that identify its sample.
#[derive(Debug, Deserialize)]
pub(crate) struct Head<'a> {
    #[serde(borrow)]
    pub(crate) problem: Cow<'a, str>,
    #[serde(default)]
    pub(crate) sample: u32,
    #[serde(default)]
    pub(crate) outcome: Option<Outcome>,
}

/// One sample of one problem, by the problem's number in a [`Progress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) problem: usize,
    pub(crate) sample: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    answered: bool,
    verdict: Option<Verdict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Grade,
    Exclusion,
}

/// The samples of a run that are answered, graded or excluded.
///
/// A sample is graded if both its answer and its verdict are on disk: a verdict without its answer does
/// not count. An excluded problem has one verdict, for all of its samples, and needs no answer.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    problems: IndexSet<Box<str>>,
    samples: IndexMap<Key, Sample>,
}

impl Progress {
    /// Returns whether the sample has an answer.
    pub fn is_answered(&self, problem: &str, sample: u32) -> bool {
        self.find(problem, sample).is_some_and(|found| found.answered)
    }

    /// Returns whether the sample has an answer and a verdict.
    pub fn is_graded(&self, problem: &str, sample: u32) -> bool {
        self.find(problem, sample).is_some_and(Sample::is_graded)
    }

    /// Returns whether the problem is excluded, with all of its samples.
    pub fn is_excluded(&self, problem: &str) -> bool {
        self.find(problem, 0).is_some_and(Sample::is_excluded)
    }

    /// The graded samples, in the order in which they were first mentioned.
    pub fn graded(&self) -> impl Iterator<Item = (&str, u32)> {
        self.those(Sample::is_graded)
    }

    /// The samples that have an answer and no verdict, without those of excluded problems.
    pub fn ungraded(&self) -> impl Iterator<Item = (&str, u32)> {
        let ungraded = self.samples.keys().filter(|key| self.is_ungraded(**key));
        ungraded.map(|key| (self.problems[key.problem].as_ref(), key.sample))
    }

    /// The excluded problems.
    pub fn excluded(&self) -> impl Iterator<Item = &str> {
        self.those(Sample::is_excluded).map(|(problem, _)| problem)
    }

    /// The number of samples, of the first `samples` of one problem, for which nothing is left to
    /// do.
    pub fn done(&self, problem: &str, samples: u32) -> u32 {
        if self.is_excluded(problem) {
            return samples;
        }
        (0..samples).map(|sample| u32::from(self.is_graded(problem, sample))).sum()
    }

    /// Every problem that a line is about, in the order in which they were first mentioned.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.problems.iter().map(AsRef::as_ref)
    }

    pub(crate) fn note_answer(&mut self, problem: &str, sample: u32) -> Key {
        let key = self.key(problem, sample);
        self.samples.entry(key).or_default().answered = true;
        key
    }

    /// Records a verdict. An exclusion applies to the whole problem, whatever its sample.
    pub(crate) fn note_verdict(&mut self, problem: &str, sample: u32, outcome: Outcome) -> Key {
        let (sample, verdict) = match outcome {
            Outcome::Excluded => (0, Verdict::Exclusion),
            _ => (sample, Verdict::Grade),
        };
        let key = self.key(problem, sample);
        self.samples.entry(key).or_default().verdict = Some(verdict);
        key
    }

    /// Drops verdicts that do not count.
    pub(crate) fn drop_orphans(&mut self) {
        for sample in self.samples.values_mut() {
            if sample.verdict == Some(Verdict::Grade) && !sample.answered {
                sample.verdict = None;
            }
        }
    }

    /// Returns whether a verdict about this sample has its answer.
    pub(crate) fn has_answer(&self, key: Key) -> bool {
        self.samples.get(&key).is_some_and(|found| found.answered || found.is_excluded())
    }

    /// Returns whether a verdict about this sample is part of the results.
    pub(crate) fn counts(&self, key: Key) -> bool {
        if self.excludes(key) { key.sample == 0 } else { self.has_answer(key) }
    }

    /// Returns whether this sample has an answer that is still to be graded.
    pub(crate) fn is_ungraded(&self, key: Key) -> bool {
        let ungraded = |found: &Sample| found.answered && found.verdict.is_none();
        self.samples.get(&key).is_some_and(ungraded) && !self.excludes(key)
    }

    /// Returns whether the sample's problem is excluded.
    fn excludes(&self, key: Key) -> bool {
        let first = self.samples.get(&Key { sample: 0, ..key });
        first.copied().is_some_and(Sample::is_excluded)
    }

    fn key(&mut self, problem: &str, sample: u32) -> Key {
        let known = self.problems.get_index_of(problem);
        let problem = known.unwrap_or_else(|| self.problems.insert_full(problem.into()).0);
        Key { problem, sample }
    }

    fn find(&self, problem: &str, sample: u32) -> Option<Sample> {
        let problem = self.problems.get_index_of(problem)?;
        self.samples.get(&Key { problem, sample }).copied()
    }

    fn those(&self, keep: impl Fn(Sample) -> bool) -> impl Iterator<Item = (&str, u32)> {
        let kept = self.samples.iter().filter(move |(_, sample)| keep(**sample));
        kept.map(|(key, _)| (self.problems[key.problem].as_ref(), key.sample))
    }
}

impl Sample {
    fn is_graded(self) -> bool {
        self.answered && self.verdict == Some(Verdict::Grade)
    }

    fn is_excluded(self) -> bool {
        self.verdict == Some(Verdict::Exclusion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_counts_with_its_answer_only() {
        let mut progress = Progress::default();
        progress.note_verdict("a", 0, Outcome::Passed);
        progress.note_answer("b", 1);
        progress.note_verdict("c", 3, Outcome::Excluded);
        assert!(!progress.is_graded("a", 0) && !progress.is_answered("a", 0));
        assert!(progress.is_answered("b", 1) && !progress.is_graded("b", 1));
        assert!(progress.is_excluded("c"));
        assert_eq!(progress.done("c", 5), 5);
        progress.note_answer("a", 0);
        progress.note_verdict("b", 1, Outcome::Failed);
        assert_eq!(progress.graded().collect::<Vec<_>>(), [("a", 0), ("b", 1)]);
        assert_eq!(progress.excluded().collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn the_last_verdict_decides() {
        let mut progress = Progress::default();
        progress.note_answer("a", 0);
        progress.note_verdict("a", 0, Outcome::Passed);
        progress.note_verdict("a", 0, Outcome::Excluded);
        assert!(progress.is_excluded("a") && !progress.is_graded("a", 0));
        progress.note_verdict("a", 0, Outcome::Failed);
        assert!(!progress.is_excluded("a") && progress.is_graded("a", 0));
    }
}
