//! What a run tells whoever is watching.

use assay_core::Verdict;

/// Somebody who watches a run.
pub trait Progress {
    /// A run begins (or goes on) with `done` of `total` problems finished.
    fn start(&self, label: &str, total: usize, done: usize);

    /// One more problem has its verdict.
    fn step(&self, verdict: &Verdict);

    /// The run ended.
    fn finish(&self);
}

/// Nobody watches.
pub struct NoProgress;

impl Progress for NoProgress {
    fn start(&self, _label: &str, _total: usize, _done: usize) {}
    fn step(&self, _verdict: &Verdict) {}
    fn finish(&self) {}
}
