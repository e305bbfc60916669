//! What long work tells whoever is watching.

/// Somebody who watches.
pub trait Progress {
    /// The work begins (or goes on) with `done` of `total` steps finished.
    fn start(&self, label: &str, total: usize, done: usize);

    /// One more step is finished.
    fn step(&self);

    /// The work ended.
    fn finish(&self);

    /// Something that a person should know before the work goes on.
    fn warn(&self, _text: &str) {}
}
