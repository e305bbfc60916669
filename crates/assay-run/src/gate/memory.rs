//! What is remembered of a task's own programs, in a file of the user's cache.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_core::{Error, Fingerprint, Result};
use serde::{Deserialize, Serialize};

use assay_record::write_whole;

/// The folder in the cache.
const FOLDER: &str = "gold";

/// Which programs are known to pass or to fail.
pub(super) struct Memory {
    /// `None` where there is no cache.
    path: Option<PathBuf>,
    known: Known,
    /// Whether something was learned.
    changed: bool,
}

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    passed: BTreeSet<String>,
    /// Of those, the ones that were graded in one process with their tests, and why.
    #[serde(default)]
    one_process: BTreeMap<String, String>,
    failed: BTreeMap<String, String>,
}

impl Memory {
    /// What `cache` has under a name that stands for everything that verdicts depend on. A file that
    /// cannot be read is as good as none: what it knew is found out again.
    pub(super) fn open(cache: Option<&Path>, name: &str) -> Self {
        let path = cache.map(|cache| cache.join(FOLDER).join(format!("{name}.json")));
        let known = path.as_deref().map(read).unwrap_or_default();
        Self { path, known, changed: false }
    }

    /// What is known of a program: that it passes, or why it does not.
    pub(super) fn known(&self, program: Fingerprint) -> Option<Result<(), String>> {
        let name = written(program);
        if self.known.passed.contains(&name) {
            return Some(Ok(()));
        }
        self.known.failed.get(&name).cloned().map(Err)
    }

    /// Why a program was graded in one process with its tests, if it was.
    pub(super) fn one_process(&self, program: Fingerprint) -> Option<&str> {
        self.known.one_process.get(&written(program)).map(String::as_str)
    }

    /// Learns that a program was graded in one process with its tests.
    pub(super) fn learn_one_process(&mut self, program: Fingerprint, reason: &str) {
        self.known.one_process.insert(written(program), reason.to_owned());
    }

    /// Learns that a program passes, or why it does not.
    pub(super) fn learn(&mut self, program: Fingerprint, outcome: &Result<(), String>) {
        match outcome {
            Ok(()) => self.known.passed.insert(written(program)),
            Err(why) => self.known.failed.insert(written(program), why.clone()).is_none(),
        };
        self.changed = true;
    }

    /// Writes down what was learned, with what another process has learned meanwhile. A cache that
    /// cannot be written costs time, not results.
    pub(super) fn keep(mut self) -> Result<()> {
        let Some(path) = self.path.filter(|_| self.changed) else { return Ok(()) };
        let Known { passed, one_process, failed } = read(&path);
        self.known.passed.extend(passed);
        for (program, why) in one_process {
            self.known.one_process.entry(program).or_insert(why);
        }
        for (program, why) in failed {
            self.known.failed.entry(program).or_insert(why);
        }
        if let Some(folder) = path.parent() {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| Error::writing("make", folder, error))?;
        }
        write_whole(&path, &self.known)
    }
}

fn read(path: &Path) -> Known {
    let bytes = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn written(program: Fingerprint) -> String {
    format!("{:032x}", program.as_number())
}
