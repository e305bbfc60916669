//! A growing dataset: tasks, solutions and their provenance.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use serde::{Deserialize, Serialize};

const PROVENANCE: &str = "provenance.jsonl";

/// The origin of a task: one line of `provenance.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The task's number: `Tasks/<number>.txt`.
    pub task: usize,
    /// The repository's name.
    pub repository: String,
    /// The commit that replaced the line.
    pub commit: String,
    /// The file's path after the commit.
    pub path: String,
    /// The file's path before, if the commit renamed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// The date of the commit.
    pub date: String,
    /// The fingerprint, which identifies the task's content.
    pub fingerprint: String,
}

/// A dataset's folder, and the number of tasks in it.
pub(crate) struct Dataset {
    folder: PathBuf,
    tasks: usize,
    provenance: BufWriter<File>,
    provenance_bytes: u64,
}

/// The extent of a dataset so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    pub(crate) tasks: usize,
    provenance_bytes: u64,
}

impl Dataset {
    /// Opens the dataset in `folder` as it was at `extent`; later changes are discarded. The
    /// fingerprints of its tasks are added to `seen`.
    pub(crate) fn open(
        folder: PathBuf,
        extent: Extent,
        seen: &mut HashSet<String>,
    ) -> Result<Self> {
        for name in ["Tasks", "Solutions"] {
            let path = folder.join(name);
            fs::create_dir_all(&path).map_err(|error| Error::writing("make", &path, error))?;
        }
        let path = folder.join(PROVENANCE);
        let writing = |error| Error::writing("write", &path, error);
        let file =
            OpenOptions::new().create(true).append(true).read(true).open(&path).map_err(writing)?;
        if file.metadata().map_err(writing)?.len() < extent.provenance_bytes {
            return Err(Error::refused(format!("{} is shorter than it was", path.display()))
                .hint("something else changed it; mine into a new folder"));
        }
        file.set_len(extent.provenance_bytes).map_err(writing)?;
        read_fingerprints(&path, seen)?;
        if let Some(missing) = first_missing(&folder, extent.tasks) {
            return Err(Error::refused(format!("{} is missing", missing.display()))
                .hint("something took it away; mine into a new folder"));
        }
        Ok(Self {
            folder,
            tasks: extent.tasks,
            provenance: BufWriter::new(file),
            provenance_bytes: extent.provenance_bytes,
        })
    }

    /// The number of the next task.
    pub(crate) fn next_number(&self) -> usize {
        self.tasks + 1
    }

    /// Adds a task.
    pub(crate) fn add(&mut self, text: &str, line: usize, provenance: &Provenance) -> Result<()> {
        self.write_file("Tasks", provenance.task, text.as_bytes())?;
        self.write_file("Solutions", provenance.task, format!("{line}\n").as_bytes())?;
        let path = self.folder.join(PROVENANCE);
        let mut entry = serde_json::to_vec(provenance)
            .map_err(|error| Error::writing("write", &path, error.into()))?;
        entry.push(b'\n');
        self.provenance.write_all(&entry).map_err(|error| Error::writing("write", &path, error))?;
        self.provenance_bytes += entry.len() as u64;
        self.tasks = provenance.task;
        Ok(())
    }

    fn write_file(&self, folder: &str, number: usize, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(folder).join(format!("{number}.txt"));
        fs::write(&path, bytes).map_err(|error| Error::writing("write", &path, error))
    }

    /// Makes sure that all is written, and says how far the dataset is.
    pub(crate) fn save(&mut self) -> Result<Extent> {
        let path = self.folder.join(PROVENANCE);
        self.provenance.flush().map_err(|error| Error::writing("write", &path, error))?;
        Ok(Extent { tasks: self.tasks, provenance_bytes: self.provenance_bytes })
    }
}

/// The first missing file of a finished task.
fn first_missing(folder: &Path, tasks: usize) -> Option<PathBuf> {
    let files = (1..=tasks).flat_map(|number| {
        ["Tasks", "Solutions"].map(|part| folder.join(part).join(format!("{number}.txt")))
    });
    files.into_iter().find(|path| !path.is_file())
}

fn read_fingerprints(path: &Path, seen: &mut HashSet<String>) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::reading("read", path, error))?;
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| Error::reading("read", path, error))?;
        let entry: Provenance = serde_json::from_str(&line).map_err(|error| {
            Error::refused(format!("line {} of {} was changed", number + 1, path.display()))
                .because(error)
                .hint("mine into a new folder")
        })?;
        seen.insert(entry.fingerprint);
    }
    Ok(())
}
