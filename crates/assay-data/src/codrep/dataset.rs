//! One dataset: its tasks in order, and reading them.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use assay_core::{Error, Result, natural_order, sort_naturally};

use super::discover;
use super::solution::parse_solution;
use crate::{Content, Store};

/// A CodRep dataset.
#[derive(Debug)]
pub struct Dataset {
    pub(super) name: String,
    pub(super) store: Arc<Store>,
    /// The dataset's folder within the store: empty, or ending in `/`.
    pub(super) root: String,
    /// `Tasks/`, `Files/`, or empty if the folder contains the task files themselves.
    pub(super) task_folder: String,
    /// The task files' names without `.txt`, in task order.
    stems: Vec<String>,
    /// The solutions by the task's index; empty if they were not requested.
    solutions: Vec<Option<Result<usize, String>>>,
    /// Solutions without a task.
    pub(super) orphans: Vec<String>,
    /// Files among the tasks and solutions that are neither.
    pub(super) strays: Vec<String>,
}

/// A task file that was read.
#[derive(Debug)]
pub struct TaskFile {
    /// Its index in the dataset, from 0.
    pub place: usize,
    /// Its contents, or the reason why they could not be read.
    pub text: Result<Vec<u8>, FileFault>,
}

/// A fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// The file's path.
    pub file: String,
    /// The reason why it is refused: "is missing".
    pub reason: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.reason)
    }
}

/// The files of one dataset that a scan found.
#[derive(Debug, Default)]
pub(super) struct DatasetFiles {
    pub(super) task_folder: String,
    pub(super) stems: Vec<String>,
    pub(super) solutions: Vec<(String, Result<usize, String>)>,
    pub(super) strays: Vec<String>,
}

impl Dataset {
    /// Finds the datasets under `paths`, in the order given; solutions are read only if requested.
    pub fn open_all(paths: &[PathBuf], with_solutions: bool) -> Result<Vec<Self>> {
        let mut datasets = Vec::new();
        for path in paths {
            datasets.extend(discover::open(path, with_solutions)?);
        }
        let mut seen: BTreeMap<&str, String> = BTreeMap::new();
        for dataset in &datasets {
            let origin = dataset.origin();
            if seen.get(dataset.name.as_str()) == Some(&origin) {
                return Err(Error::refused(format!("{origin} is given twice")));
            }
            if let Some(other) = seen.insert(&dataset.name, origin) {
                return Err(Error::refused(format!(
                    "two datasets are called {}: {other} and {}",
                    dataset.name,
                    dataset.origin()
                ))
                .hint("rename one of the folders: problems are named after their dataset"));
            }
        }
        Ok(datasets)
    }

    /// The datasets of a store, which must have at least one.
    pub fn open_store(store: Store, with_solutions: bool) -> Result<Vec<Self>> {
        discover::open_store(store, with_solutions)
    }

    pub(super) fn new(
        name: String,
        store: Arc<Store>,
        root: String,
        parts: DatasetFiles,
        with_solutions: bool,
    ) -> Result<Self> {
        let DatasetFiles { task_folder, stems, solutions, strays } = parts;
        let stems = sort_naturally(stems);
        if let Some([twice, _]) = stems.array_windows().find(|[left, right]| left == right) {
            return Err(Error::refused(format!(
                "{}/{root}{task_folder}{}.txt is in the archive twice",
                store.location(),
                twice
            )));
        }
        let mut by_place = vec![None; if with_solutions { stems.len() } else { 0 }];
        let mut orphans = Vec::new();
        for (stem, solution) in solutions {
            match place_of(&stems, &stem) {
                Some(place) if by_place[place].is_some() => {
                    let path = format!("{}/{root}Solutions/{stem}.txt", store.location());
                    return Err(Error::refused(format!("{path} is in the archive twice")));
                }
                Some(place) => by_place[place] = Some(solution),
                None => orphans.push(stem),
            }
        }
        let orphans = sort_naturally(orphans);
        let solutions = by_place;
        Ok(Self { name, store, root, task_folder, stems, solutions, orphans, strays })
    }

    /// Its name: the folder's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its location, without a final `/`: a folder's path, or an archive's followed by the folder
    /// in it.
    pub fn origin(&self) -> String {
        format!("{}/{}", self.store.location(), self.root).trim_end_matches('/').to_owned()
    }

    /// The tasks' names, in task order: numbers are sorted by value.
    pub fn stems(&self) -> &[String] {
        &self.stems
    }

    /// The index of the task called `stem`.
    pub fn place(&self, stem: &str) -> Option<usize> {
        place_of(&self.stems, stem)
    }

    /// The name of the folder that holds the task files: `Tasks`, `Files`, or the dataset's own.
    pub fn task_folder(&self) -> &str {
        if self.task_folder.is_empty() {
            &self.name
        } else {
            self.task_folder.trim_end_matches('/')
        }
    }

    /// The path of a task file, as predictions name it.
    pub fn task_path(&self, place: usize) -> String {
        format!("{}/{}{}.txt", self.origin(), self.task_folder, self.stems[place])
    }

    /// The right line for the task at index `place`, or the reason why it is not known.
    pub fn solution(&self, place: usize) -> Result<usize, FileFault> {
        let stem = &self.stems[place];
        let reason = match self.solutions.get(place) {
            Some(Some(Ok(line))) => return Ok(*line),
            Some(Some(Err(reason))) => reason.clone(),
            Some(None) | None => "is missing".to_owned(),
        };
        Err(FileFault { file: format!("{}/Solutions/{stem}.txt", self.origin()), reason })
    }

    /// Reads the task files for which `wanted` holds, each once, in the cheapest order.
    pub fn read(
        &self,
        wanted: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(TaskFile) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let places: Vec<usize> = (0..self.stems.len()).filter(|&place| wanted(place)).collect();
        let paths: Vec<String> = places
            .iter()
            .map(|&place| format!("{}{}{}.txt", self.root, self.task_folder, self.stems[place]))
            .collect();
        self.store.read(&paths, &mut |at, content: Content| {
            let place = places[at];
            let fault = |reason| FileFault { file: self.task_path(place), reason };
            visit(TaskFile { place, text: content.map_err(fault) })
        })
    }
}

/// Finds the index of `stem` among the sorted `stems`. Tasks are mostly numbered from 1, so the
/// number is a good guess.
fn place_of(stems: &[String], stem: &str) -> Option<usize> {
    let guess = stem.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    guess
        .filter(|&place| stems.get(place).is_some_and(|found| found == stem))
        .or_else(|| stems.binary_search_by(|found| natural_order(found, stem)).ok())
}

pub(super) fn read_solution(content: Content) -> Result<usize, String> {
    content.and_then(|bytes| parse_solution(&bytes))
}
