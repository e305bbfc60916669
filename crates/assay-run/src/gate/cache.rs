//! The cached results of the gold gate, in a file of the user's cache.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_core::{Error, Fingerprint, Result};
use serde::{Deserialize, Serialize};

use assay_record::write_whole;

/// The folder in the cache.
const FOLDER: &str = "gold";

/// The reference solutions that are known to pass or to fail.
pub(super) struct GateCache {
    /// The file; `None` without a cache.
    path: Option<PathBuf>,
    contents: CacheFile,
    /// True if there are new results.
    changed: bool,
}

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CacheFile {
    passed: BTreeSet<String>,
    /// The passing ones that were graded in one process with their tests, with the reason.
    #[serde(default)]
    one_process: BTreeMap<String, String>,
    failed: BTreeMap<String, String>,
}

impl GateCache {
    /// Opens the file in `cache` whose name stands for everything that verdicts depend on. An unreadable file counts
    /// as empty: its results are computed again.
    pub(super) fn open(cache: Option<&Path>, name: &str) -> Self {
        let path = cache.map(|cache| cache.join(FOLDER).join(format!("{name}.json")));
        let contents = path.as_deref().map(read).unwrap_or_default();
        Self { path, contents, changed: false }
    }

    /// The result for a program: it passes, or the reason why it fails.
    pub(super) fn get(&self, program: Fingerprint) -> Option<Result<(), String>> {
        let name = file_key(program);
        if self.contents.passed.contains(&name) {
            return Some(Ok(()));
        }
        self.contents.failed.get(&name).cloned().map(Err)
    }

    /// The reason why a program was graded in one process with its tests, if it was.
    pub(super) fn one_process(&self, program: Fingerprint) -> Option<&str> {
        self.contents.one_process.get(&file_key(program)).map(String::as_str)
    }

    /// Stores that a program was graded in one process with its tests.
    pub(super) fn insert_one_process(&mut self, program: Fingerprint, reason: &str) {
        self.contents.one_process.insert(file_key(program), reason.to_owned());
    }

    /// Stores that a program passes, or the reason why it fails.
    pub(super) fn insert(&mut self, program: Fingerprint, outcome: &Result<(), String>) {
        match outcome {
            Ok(()) => self.contents.passed.insert(file_key(program)),
            Err(reason) => self.contents.failed.insert(file_key(program), reason.clone()).is_none(),
        };
        self.changed = true;
    }

    /// Writes the file, merged with the results that another process has written meanwhile. A cache that cannot be
    /// written only costs time.
    pub(super) fn save(mut self) -> Result<()> {
        let Some(path) = self.path.filter(|_| self.changed) else { return Ok(()) };
        let CacheFile { passed, one_process, failed } = read(&path);
        self.contents.passed.extend(passed);
        for (program, reason) in one_process {
            self.contents.one_process.entry(program).or_insert(reason);
        }
        for (program, reason) in failed {
            self.contents.failed.entry(program).or_insert(reason);
        }
        if let Some(folder) = path.parent() {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| Error::writing("make", folder, error))?;
        }
        write_whole(&path, &self.contents)
    }
}

fn read(path: &Path) -> CacheFile {
    let bytes = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn file_key(program: Fingerprint) -> String {
    format!("{:032x}", program.as_number())
}
