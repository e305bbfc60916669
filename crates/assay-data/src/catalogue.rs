//! The published datasets, identified by their content.

use std::path::{Path, PathBuf};

use assay_core::Digest;
use serde::Serialize;

use crate::store::is_archive_name;

/// A published dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name: the task's folder and its own name.
    pub name: &'static str,
    /// The task that it belongs to.
    pub task: &'static str,
    /// The number of problems it has.
    pub problems: usize,
    /// The hash of its content, as `assay data verify` prints it; `None` if it has not been seen
    /// yet, or is of a kind that `verify` does not support.
    pub digest: Option<&'static str>,
    /// Its use and its source.
    pub about: &'static str,
}

/// Every known dataset.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "codrep/Dataset1",
        task: "codrep",
        problems: 3858,
        digest: Some("b305963e7e502cf989c0159502d74b7be0da0cadb413b130cd02ddd461f146a2"),
        about: "CodRep 2018, open from the start (KTH/CodRep-competition)",
    },
    Entry {
        name: "codrep/Dataset2",
        task: "codrep",
        problems: 10_088,
        digest: Some("7857e831d3425c4d674ff2265b4f09059b8d6e59a5bfec1af158406b5e42c7c7"),
        about: "CodRep 2018, open from the start (KTH/CodRep-competition)",
    },
    Entry {
        name: "codrep/Dataset3",
        task: "codrep",
        problems: 15_326,
        digest: Some("5e4b747a71e62188cd9d148474a5ec981d8696c5e332dde63abc3e5007609a30"),
        about: "CodRep 2018, open from the start (KTH/CodRep-competition)",
    },
    Entry {
        name: "codrep/Dataset4",
        task: "codrep",
        problems: 10_431,
        digest: Some("70a4a4c04e6c59d33161ae5da43500f5c4c78f3a08fe8431b4939a93f6ebdc38"),
        about: "CodRep 2018, hidden set of the intermediate ranking (KTH/CodRep-competition)",
    },
    Entry {
        name: "codrep/Dataset5",
        task: "codrep",
        problems: 18_366,
        digest: None,
        about: "CodRep 2018, hidden set of the final ranking (KTH/CodRep-competition)",
    },
    Entry {
        name: "avatar/g4g_functions",
        task: "c2c",
        problems: 682,
        digest: None,
        about: "AVATAR's functions in Java and Python, test split (wasiahmad/AVATAR)",
    },
];

/// The published dataset with this content.
pub fn by_digest(digest: Digest) -> Option<&'static Entry> {
    let digest = digest.to_string();
    ENTRIES.iter().find(|entry| entry.digest == Some(digest.as_str()))
}

/// A dataset and its path on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedDataset {
    /// Its name: the task's folder and its own name.
    pub name: String,
    /// The task that it belongs to.
    pub task: String,
    /// The number of problems the published dataset has; `None` for one that is not in the catalogue.
    pub problems: Option<usize>,
    /// Its path, if it is on this machine.
    pub path: Option<PathBuf>,
    /// A description.
    pub about: String,
}

/// The catalogue's datasets of `task`, and everything else in its folder under `root`.
pub fn list(root: &Path, task: &str, folder: &str) -> Vec<ListedDataset> {
    let mut here = local(&root.join(folder));
    let mut listed: Vec<ListedDataset> = ENTRIES
        .iter()
        .filter(|entry| entry.task == task)
        .map(|entry| ListedDataset {
            name: entry.name.to_owned(),
            task: task.to_owned(),
            problems: Some(entry.problems),
            path: take(&mut here, entry.name),
            about: entry.about.to_owned(),
        })
        .collect();
    listed.extend(here.into_iter().map(|(name, path)| ListedDataset {
        name: format!("{folder}/{name}"),
        task: task.to_owned(),
        problems: None,
        path: Some(path),
        about: "not in the catalogue".to_owned(),
    }));
    listed
}

/// The folders and archives in `folder`, by name.
fn local(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let path = entry.path();
            let dataset = path.is_dir() || is_archive_name(&name);
            let stem = if path.is_dir() { name.as_str() } else { crate::store::stem(&name) };
            (dataset && !name.starts_with('.')).then(|| (stem.to_owned(), path))
        })
        .collect();
    found.sort();
    found
}

fn take(here: &mut Vec<(String, PathBuf)>, name: &str) -> Option<PathBuf> {
    let last = name.rsplit('/').next()?;
    let at = here.iter().position(|(other, _)| other == last)?;
    Some(here.remove(at).1)
}
