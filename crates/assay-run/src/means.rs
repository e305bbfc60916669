//! What work is done with; none of it changes what is found.

use std::path::Path;

use assay_core::{Cancel, Progress, QuestionKind, TaskCard, TaskSettings};

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

impl Means<'_> {
    /// Settings for a grader that may use the cache.
    pub(crate) fn equip(&self, settings: &TaskSettings) -> TaskSettings {
        TaskSettings { cache: self.cache.map(Path::to_owned), ..settings.clone() }
    }

    /// Warns before programs are run without isolation.
    pub(crate) fn warn_without_isolation(&self, card: &TaskCard, settings: &TaskSettings) {
        if settings.unsafe_no_isolation && card.asks == QuestionKind::Code {
            self.progress.warn(
                "programs under test run without isolation (--unsafe-no-isolation): they can read and \
                 change what you can, and forge their verdicts",
            );
        }
    }
}
