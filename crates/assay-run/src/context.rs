//! The resources of a run: nothing here changes a result.

use std::path::Path;

use assay_core::{Cancel, Progress, QuestionKind, TaskCard, TaskSettings};

/// The resources of a run or of scoring.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// The number of answers that are graded concurrently.
    pub jobs: usize,
    /// The cache folder, which holds the results of the gold gate.
    pub cache: Option<&'a Path>,
    /// The folder with the registry of runs that this user has started.
    pub state: Option<&'a Path>,
    /// Raised to request an end of the work.
    pub cancel: &'a Cancel,
    /// Receives progress updates.
    pub progress: &'a dyn Progress,
}

impl RunContext<'_> {
    /// Warns before candidates are run without isolation.
    pub(crate) fn warn_without_isolation(&self, card: &TaskCard, settings: &TaskSettings) {
        if settings.unsafe_no_isolation && card.asks == QuestionKind::Code {
            self.progress.warn(
                "programs under test run without isolation (--unsafe-no-isolation): they can read and \
                 change what you can, and forge their verdicts",
            );
        }
    }
}

/// The number of workers for `-j`: one per core for 0 or nothing, and at most eight per core, because each needs
/// memory of its own.
pub fn job_count(asked: Option<u32>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match asked {
        None | Some(0) => cores,
        Some(jobs) => (jobs as usize).min(8 * cores),
    }
}
