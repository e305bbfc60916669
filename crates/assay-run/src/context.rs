//! The means of a run: nothing here changes a result.

use std::path::Path;

use assay_core::{Cancel, Progress, QuestionKind, TaskCard, TaskSettings};

/// The means of a run or of scoring.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// The number of answers that are graded at once.
    pub jobs: usize,
    /// The cache, with the task's own programs that pass here.
    pub cache: Option<&'a Path>,
    /// The folder with the registry of runs that this user has started.
    pub state: Option<&'a Path>,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
    /// Receives progress updates.
    pub progress: &'a dyn Progress,
}

impl RunContext<'_> {
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

/// The number of workers for `-j`: all cores for 0 or nothing, and never more than eight for each core, because each
/// has memory of its own.
pub fn job_count(asked: Option<u32>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match asked {
        None | Some(0) => cores,
        Some(jobs) => (jobs as usize).min(8 * cores),
    }
}
