//! What a run tells whoever is watching.

/// Somebody who watches a run.
pub trait Progress {
    /// A run begins (or goes on) with `done` of `total` problems finished.
    fn start(&self, label: &str, total: usize, done: usize);

    /// One more problem has its verdict.
    fn step(&self);

    /// The run ended.
    fn finish(&self);
}
