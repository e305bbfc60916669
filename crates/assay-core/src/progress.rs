//! Progress of long work.

/// Receives progress updates.
pub trait Progress {
    /// The work starts (or continues) with `done` of `total` steps finished.
    fn start(&self, label: &str, total: usize, done: usize);

    /// One more step is finished.
    fn step(&self);

    /// The work ended.
    fn finish(&self);

    /// A message about the work that is no warning.
    fn note(&self, _text: &str) {}

    /// A problem that does not stop the work.
    fn warn(&self, _text: &str) {}
}
