//! Progress of long work.

use crate::{ProblemId, Usage};

/// Receives progress updates, from any thread.
pub trait Progress: Sync {
    /// The work starts (or continues) with `done` of `total` steps finished.
    fn start(&self, label: &str, total: usize, done: usize);

    /// One more step is finished. Some work has millions of steps in a second, so this must cost no more than an
    /// atomic addition.
    fn step(&self);

    /// The work ended.
    fn finish(&self);

    /// A problem that does not stop the work.
    fn warn(&self, _text: &str) {}

    /// A message that is no problem.
    fn note(&self, _text: &str) {}

    /// An answer arrived, for this price. Called as often as [`Progress::step`].
    fn used(&self, _usage: &Usage) {}

    /// Work on a sample begins, and goes on until [`Progress::end`] is called with the number that is returned.
    fn begin(&self, _work: Work, _problem: &ProblemId, _sample: u32) -> usize {
        0
    }

    /// The work with this number has ended.
    fn end(&self, _number: usize) {}
}

/// The work on a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The solver is asked.
    Asking,
    /// The answer is graded.
    Grading,
}

/// A sample that is being worked on, until this value is dropped. For work that takes longer than waking a thread.
pub struct InFlight<'a> {
    progress: &'a dyn Progress,
    number: usize,
}

impl<'a> InFlight<'a> {
    /// Reports that work on a sample begins.
    pub fn begin(progress: &'a dyn Progress, work: Work, problem: &ProblemId, sample: u32) -> Self {
        Self { progress, number: progress.begin(work, problem, sample) }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.progress.end(self.number);
    }
}

/// Ignores progress updates.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn start(&self, _label: &str, _total: usize, _done: usize) {}

    fn step(&self) {}

    fn finish(&self) {}
}
