//! The registry of runs that this user has started. A run in it is resumed without asking before its command runs.
//!
//! The registry is a file of JSON lines that only grows, in the user's own folder. An entry holds the run's name, its
//! path and the hash of its manifest, so a record that was moved or edited is no longer known. Each line is added by
//! one write, so several processes can add lines concurrently; a torn line only costs a question.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use assay_record::Folder;

const FILE: &str = "runs.jsonl";

/// A run, with its path and manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The name of the run's folder.
    id: String,
    /// The folder, as an absolute path without links.
    folder: String,
    /// The hash of the manifest's bytes.
    manifest: Digest,
}

impl Entry {
    /// The entry of the run in `folder` with this manifest.
    pub(crate) fn new(folder: &Path, manifest: &[u8]) -> Result<Self> {
        let folder =
            folder.canonicalize().map_err(|error| Error::reading("find", folder, error))?;
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A path that is not UTF-8 is written in hexadecimal, which differs from any absolute path.
        let in_hexadecimal =
            || folder.as_os_str().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let written = folder.to_str().map_or_else(in_hexadecimal, str::to_owned);
        Ok(Self { id, folder: written, manifest: Digest::of(manifest) })
    }

    /// Adds the run to the registry in the folder `state`, which is created if needed.
    pub(crate) fn remember(&self, state: &Path) -> Result<()> {
        let mut builder = DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o700)
            .create(state)
            .map_err(|error| Error::writing("make", state, error))?;
        let folder = Folder::open(state).map_err(|error| Error::writing("open", state, error))?;
        let writing = |error| Error::writing("write", &state.join(FILE), error);
        let mut line = serde_json::to_vec(self).map_err(|error| writing(error.into()))?;
        line.push(b'\n');
        folder.append(FILE)?.write_all(&line).map_err(writing)
    }

    /// Returns true if the registry in the folder `state` has the run. An unreadable registry has none.
    pub(crate) fn is_known(&self, state: &Path) -> bool {
        let Ok(folder) = Folder::open(state) else { return false };
        let Ok(Some(bytes)) = folder.read_whole(FILE) else { return false };
        let lines = bytes.split(|&byte| byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice::<Self>(line).ok())
            .any(|entry| entry == *self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_known_where_it_was_started_and_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let (state, run) = (scratch.path().join("state/assay"), scratch.path().join("run"));
        std::fs::create_dir(&run).unwrap();
        let entry = Entry::new(&run, b"manifest").unwrap();
        assert!(!entry.is_known(&state));
        entry.remember(&state).unwrap();
        assert!(entry.is_known(&state));
        assert!(!Entry::new(&run, b"edited").unwrap().is_known(&state));
        let moved = scratch.path().join("moved");
        std::fs::rename(&run, &moved).unwrap();
        assert!(!Entry::new(&moved, b"manifest").unwrap().is_known(&state));
    }

    #[test]
    fn many_can_be_remembered_at_once_and_a_torn_line_hides_no_other() {
        let scratch = tempfile::tempdir().unwrap();
        let state = scratch.path().join("state");
        std::fs::create_dir(&state).unwrap();
        std::fs::write(state.join(FILE), "{\"id\": \"torn\n").unwrap();
        let entries: Vec<Entry> = (0..200)
            .map(|number: u32| Entry::new(scratch.path(), &number.to_le_bytes()).unwrap())
            .collect();
        std::thread::scope(|scope| {
            for part in entries.chunks(50) {
                let state = &state;
                scope.spawn(move || part.iter().for_each(|entry| entry.remember(state).unwrap()));
            }
        });
        assert!(entries.iter().all(|entry| entry.is_known(&state)));
    }

    #[test]
    fn a_registry_that_cannot_be_written_is_an_error_and_knows_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let state = scratch.path().join("file");
        std::fs::write(&state, "").unwrap();
        let entry = Entry::new(scratch.path(), b"").unwrap();
        assert!(entry.remember(&state).is_err());
        assert!(!entry.is_known(&state));
    }
}
