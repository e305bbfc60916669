//! The answers of reference solutions to tables of calls: recorded once, kept in the user's cache.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_core::{CallTable, Cancel, Digest, DigestOf, Ending, Evidence, Language, Result};
use assay_data::write_atomically;
use assay_sandbox::{Limits, Recorded, Sandbox};

/// The folder in the cache.
const FOLDER: &str = "expected";
/// The number of tables in memory; samples of a problem come one after the other.
const HELD: usize = 16;
/// The CPU time limit for recording. The reference solution is trusted: some take half a minute.
const RECORDING: Duration = Duration::from_mins(5);
/// The maximum size of a recording, in bytes.
const LARGEST: u64 = 1 << 30;

/// A cache of recorded tables.
pub(super) struct TableCache {
    cache: Option<PathBuf>,
    /// The most recent last.
    held: Mutex<VecDeque<(Digest, Slot)>>,
}

/// A table that is recorded, or being recorded.
type Slot = Arc<Mutex<Option<Arc<RecordedTable>>>>;

/// The recording of a reference solution.
pub(super) struct RecordedTable {
    /// The way it ended.
    pub(super) ending: Ending,
    pub(super) evidence: Evidence,
    pub(super) recorded: Recorded,
}

impl TableCache {
    pub(super) fn new(cache: Option<&Path>) -> Self {
        Self { cache: cache.map(|cache| cache.join(FOLDER)), held: Mutex::default() }
    }

    /// Returns the answers of the reference solution: from the cache, or recorded now.
    pub(super) fn get(
        &self,
        table: &CallTable,
        sandbox: &Sandbox,
        cancel: &Cancel,
    ) -> Result<Arc<RecordedTable>> {
        let name = name(table, sandbox)?;
        let slot = self.slot(name);
        // A second caller waits here until the first is done.
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorded) = &*held {
            return Ok(Arc::clone(recorded));
        }
        let recorded = match self.read(name) {
            Some(recorded) => recorded,
            None => self.record(name, table, sandbox, cancel)?,
        };
        let recorded = Arc::new(recorded);
        *held = Some(Arc::clone(&recorded));
        Ok(recorded)
    }

    fn slot(&self, name: Digest) -> Slot {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|(other, _)| *other == name)
            && let Some(found) = held.remove(at)
        {
            held.push_back(found);
        } else {
            held.push_back((name, Slot::default()));
        }
        if held.len() > HELD {
            held.pop_front();
        }
        held.back().map(|(_, slot)| Arc::clone(slot)).unwrap_or_default()
    }

    fn read(&self, name: Digest) -> Option<RecordedTable> {
        let file = File::open(self.path(name)?).ok()?;
        Some(RecordedTable {
            ending: Ending::Passed,
            evidence: Evidence::default(),
            recorded: Recorded::from_file(file),
        })
    }

    fn record(
        &self,
        name: Digest,
        table: &CallTable,
        sandbox: &Sandbox,
        cancel: &Cancel,
    ) -> Result<RecordedTable> {
        let limits = Limits { files: LARGEST, ..Limits::with_cpu(RECORDING) };
        let recording = sandbox.record(table, &limits, cancel)?;
        if recording.ending == Ending::Passed
            && let Some(path) = self.path(name)
        {
            // A cache that cannot be written costs only time.
            let _ = keep(&path, &recording.recorded);
        }
        let assay_sandbox::Recording { ending, evidence, recorded } = recording;
        Ok(RecordedTable { ending, evidence, recorded })
    }

    fn path(&self, name: Digest) -> Option<PathBuf> {
        Some(self.cache.as_ref()?.join(format!("{name}.bin")))
    }
}

/// Names everything that recorded answers depend on.
fn name(table: &CallTable, sandbox: &Sandbox) -> Result<Digest> {
    let python = sandbox.tools().get(Language::Python)?;
    let mut all = DigestOf::new();
    all.field(table.digest().as_bytes());
    all.field(python.path.as_os_str().as_encoded_bytes());
    all.field(python.version.as_bytes());
    all.field(&Recorded::VERSION.to_le_bytes());
    Ok(all.finish())
}

fn keep(path: &Path, recorded: &Recorded) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    write_atomically(path, |file| file.write_all(&recorded.bytes()?))
}
