//! What work is done with; none of it changes what is found.

use std::path::Path;

use assay_core::{Cancel, Progress};

/// What work is done with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// How many problems are worked on at once.
    pub jobs: usize,
    /// The folder in which it is remembered which of a task's own programs pass here.
    pub cache: Option<&'a Path>,
    /// The folder in which it is remembered which runs this user has started.
    pub state: Option<&'a Path>,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
    /// Who watches.
    pub progress: &'a dyn Progress,
}
