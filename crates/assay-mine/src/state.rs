//! The state of mining, so that it can be resumed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::Path;

use assay_core::{Error, Result};
use assay_data::{remove_leftovers, write_atomically};
use serde::{Deserialize, Serialize};

use crate::Rejection;
use crate::dataset::Extent;
use crate::history::Walk;
use crate::split::{Side, Split};

const STATE: &str = "mining.json";
const LOCK: &str = "mining.lock";

/// A lock that prevents others from mining into the same folder, until it is dropped.
pub(crate) struct Lock(File);

impl Lock {
    /// Creates the folder if it does not exist, and acquires its lock.
    pub(crate) fn acquire(folder: &Path) -> Result<Self> {
        if folder.exists() && !folder.is_dir() {
            return Err(Error::refused(format!("{} is not a folder", folder.display()))
                .hint("name a folder for the dataset"));
        }
        fs::create_dir_all(folder).map_err(|error| Error::writing("make", folder, error))?;
        let path = folder.join(LOCK);
        let file = File::create(&path).map_err(|error| Error::writing("make", &path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                let message = format!("something else is mining into {}", folder.display());
                Err(Error::refused(message).hint("wait for its end, or name another folder"))
            }
            Err(TryLockError::Error(error)) => Err(Error::writing("lock", &path, error)),
        }
    }

    /// Removes the lock's file, because the work is done.
    pub(crate) fn remove(self, folder: &Path) {
        // The next process creates a new one.
        let _ = fs::remove_file(folder.join(LOCK));
        drop(self.0);
    }
}

/// Everything that the outcome depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) language: String,
    pub(crate) encoding: String,
    pub(crate) leave_out: BTreeSet<Rejection>,
    pub(crate) most_bytes: u64,
    pub(crate) walk: Walk,
    pub(crate) split: Option<Split>,
    pub(crate) repositories: Vec<Source>,
}

/// A repository as it was when mining started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) commits: usize,
    /// A hash over its commits.
    pub(crate) history: String,
}

/// The work done so far. It contains nothing that could differ between two runs of the same plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) plan: Plan,
    /// The number of finished commits in all repositories.
    pub(crate) commits: usize,
    /// The number of examined files of the language.
    pub(crate) files: usize,
    pub(crate) datasets: BTreeMap<Side, Extent>,
    pub(crate) rejected: BTreeMap<Rejection, usize>,
}

impl State {
    /// The state in `folder`, or the initial one if the folder is new or empty. The folder's lock
    /// must be held.
    pub(crate) fn load(folder: &Path, plan: Plan) -> Result<Self> {
        let path = folder.join(STATE);
        remove_leftovers(&path).map_err(|error| Error::writing("clear", folder, error))?;
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Self::first(folder, plan),
            read => read.map_err(|error| Error::reading("read", &path, error))?,
        };
        let state: Self = serde_json::from_slice(&bytes).map_err(|error| {
            Error::refused(format!("{} is not a record of mining", path.display()))
                .because(error)
                .hint("mine into a new folder")
        })?;
        if state.plan != plan {
            let message = format!(
                "{} was mined with other settings, or the history has changed since",
                folder.display()
            );
            return Err(Error::refused(message).hint("mine into a new folder"));
        }
        Ok(state)
    }

    fn first(folder: &Path, plan: Plan) -> Result<Self> {
        let is_other = |entry: fs::DirEntry| entry.file_name() != LOCK;
        let filled = folder
            .read_dir()
            .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(is_other)));
        if filled {
            return Err(Error::refused(format!("{} is not empty", folder.display()))
                .hint("mine into a new folder"));
        }
        let state = Self {
            plan,
            commits: 0,
            files: 0,
            datasets: BTreeMap::new(),
            rejected: BTreeMap::new(),
        };
        state.save(folder)?;
        Ok(state)
    }

    /// Replaces the state in `folder` atomically.
    pub(crate) fn save(&self, folder: &Path) -> Result<()> {
        let path = folder.join(STATE);
        let writing = |error| Error::writing("write", &path, error);
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| writing(error.into()))?;
        text.push(b'\n');
        write_atomically(&path, |file| file.write_all(&text)).map_err(writing)
    }
}
