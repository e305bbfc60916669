//! The task that a prediction's path refers to.
//!
//! Predictions are made elsewhere: in another folder, in a container, on an unpacked copy of an
//! archive. So a path is matched from its end: file name, task folder, dataset name. A path that
//! names another dataset, or that could refer to several tasks, is refused.

use super::Dataset;

/// A task among several datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskAt {
    /// The dataset's index.
    pub dataset: usize,
    /// The index of the dataset's task.
    pub task: usize,
}

/// The reason why a path refers to no task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFault {
    /// It names a dataset that was not selected, or none at all.
    OtherDataset,
    /// The dataset is right but has no such task.
    NoSuchTask {
        /// The dataset's name.
        dataset: String,
    },
    /// Several datasets have a task with this name.
    Ambiguous {
        /// Their names.
        datasets: Vec<String>,
    },
}

/// The task that `path` refers to among `datasets`.
///
/// Accepted are a full path (`/any/where/Dataset4/Tasks/17.txt`), a suffix of it (`Tasks/17.txt`,
/// `17.txt`), and a problem's id (`Dataset4/17`).
pub fn find_task(datasets: &[Dataset], path: &str) -> Result<TaskAt, PathFault> {
    let parts = PathParts::of(path);
    let fitting: Vec<usize> =
        (0..datasets.len()).filter(|&at| parts.may_be_in(&datasets[at], path)).collect();
    let found: Vec<TaskAt> = fitting
        .iter()
        .filter_map(|&dataset| {
            let task = datasets[dataset].place(parts.stem)?;
            Some(TaskAt { dataset, task })
        })
        .collect();
    match (found.as_slice(), fitting.as_slice()) {
        ([one], _) => Ok(*one),
        ([], [dataset]) => {
            Err(PathFault::NoSuchTask { dataset: datasets[*dataset].name().to_owned() })
        }
        ([], _) => Err(PathFault::OtherDataset),
        (several, _) => {
            let name = |at: &TaskAt| datasets[at.dataset].name().to_owned();
            Err(PathFault::Ambiguous { datasets: several.iter().map(name).collect() })
        }
    }
}

/// The last components of a path.
struct PathParts<'a> {
    stem: &'a str,
    is_id: bool,
    /// The folder of the file, and its parent folder.
    folder: Option<&'a str>,
    above: Option<&'a str>,
}

impl<'a> PathParts<'a> {
    fn of(path: &'a str) -> Self {
        let mut parts = path.rsplit('/').filter(|part| !part.is_empty() && *part != ".");
        let file = parts.next().unwrap_or_default();
        let (stem, is_id) = match file.strip_suffix(".txt") {
            Some(stem) => (stem, false),
            None => (file, true),
        };
        Self { stem, is_id, folder: parts.next(), above: parts.next() }
    }

    fn may_be_in(&self, dataset: &Dataset, path: &str) -> bool {
        if self.is_id {
            return self.folder == Some(dataset.name()) && self.above.is_none();
        }
        let Some(folder) = self.folder else { return true };
        // The dataset's own folder may contain the task files.
        if dataset.task_folder.is_empty() && folder == dataset.name() {
            return true;
        }
        let in_task_folder = matches!(folder, "Tasks" | "Files");
        let names_dataset = match self.above {
            None => !path.starts_with('/'),
            Some(above) => above == dataset.name() || dataset.store.name() == above,
        };
        in_task_folder && names_dataset
    }
}
