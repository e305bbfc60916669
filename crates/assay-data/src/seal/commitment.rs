//! The commitment that is published before the data: it binds its author, and reveals nothing about
//! the content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use crate::codrep::count_tasks;

const FORMAT: &str = "assay-seal-commitment";
const VERSION: u32 = 1;
/// The name under which files outside of any folder are counted.
const NO_FOLDER: &str = ".";
/// The maximum size of a commitment: it has a few lines, and only a mistake is larger.
const MAX_BYTES: u64 = 16 << 20;

/// The public side of sealed data.
///
/// It has no hash of any single file: the leaves are salted, but only those who opened the archive
/// need them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commitment {
    format: String,
    version: u32,
    /// The hash over all files.
    pub root: Digest,
    /// The number of files.
    pub files: u64,
    /// The total number of bytes.
    pub bytes: u64,
    /// The number of files in each top-level folder; `.` is for files outside of any folder.
    pub folders: BTreeMap<String, u64>,
    /// The number of files that are tasks.
    pub tasks: u64,
}

impl Commitment {
    pub(super) fn of(manifest: &Manifest) -> Result<Self> {
        let root = manifest.root().ok_or_else(|| Error::refused("there are no files"))?;
        let paths = || manifest.files.iter().map(|entry| entry.path.as_str());
        let mut folders: BTreeMap<String, u64> = BTreeMap::new();
        for path in paths() {
            let folder = path.split_once('/').map_or(NO_FOLDER, |(folder, _)| folder);
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
        Ok(Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            root,
            files: manifest.files.len() as u64,
            bytes: manifest.files.iter().map(|entry| entry.bytes).sum(),
            folders,
            tasks: count_tasks(paths()),
        })
    }

    /// Reads a published commitment.
    pub fn load(path: &Path) -> Result<Self> {
        let error = |error| Error::reading("read", path, error);
        if std::fs::metadata(path).map_err(error)?.len() > MAX_BYTES {
            return Err(no_commitment(path));
        }
        let bytes = std::fs::read(path).map_err(error)?;
        let found: Self =
            serde_json::from_slice(&bytes).map_err(|error| no_commitment(path).because(error))?;
        if found.format != FORMAT || found.version != VERSION {
            return Err(no_commitment(path)
                .hint(format!("this version of assay reads {FORMAT}, version {VERSION}")));
        }
        Ok(found)
    }

    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        let error = |error| Error::failed("failed to write the commitment").because(error);
        let mut bytes = serde_json::to_vec_pretty(self).map_err(error)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The differences between the data and the commitment; empty if there are none.
    pub(super) fn differences(&self, data: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: &str, promised: String, is: String| {
            if promised != is {
                found.push(format!("{what} committed to is {promised}, and that of the data {is}"));
            }
        };
        compare("the root", self.root.to_string(), data.root.to_string());
        compare("the number of files", self.files.to_string(), data.files.to_string());
        compare("the number of bytes", self.bytes.to_string(), data.bytes.to_string());
        compare("the number of tasks", self.tasks.to_string(), data.tasks.to_string());
        let names: BTreeSet<&String> = self.folders.keys().chain(data.folders.keys()).collect();
        for name in names {
            let count = |of: &Self| of.folders.get(name).copied().unwrap_or_default().to_string();
            compare(&format!("the number of files in {name:?}"), count(self), count(data));
        }
        found
    }
}

fn no_commitment(path: &Path) -> Error {
    Error::refused(format!("{} is not a commitment to sealed data", path.display()))
}
