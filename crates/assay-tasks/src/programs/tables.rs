//! What tasks' own programs answer to tables of calls: recorded once, kept in the user's cache.

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
/// How many tables are held; samples of a problem come one after the other.
const HELD: usize = 16;
/// The CPU time that a task's own program may take for all calls. It is trusted: some take half a minute.
const RECORDING: Duration = Duration::from_mins(5);
/// The size of what is recorded, in bytes.
const LARGEST: u64 = 1 << 30;

/// Recorded tables.
pub(super) struct Tables {
    cache: Option<PathBuf>,
    /// The most recent last.
    held: Mutex<VecDeque<(Digest, Slot)>>,
}

/// A table, or the wait for it.
type Slot = Arc<Mutex<Option<Arc<Known>>>>;

/// What is known of a task's own program.
pub(super) struct Known {
    /// How it ended.
    pub(super) ending: Ending,
    pub(super) evidence: Evidence,
    pub(super) recorded: Recorded,
}

impl Tables {
    pub(super) fn new(cache: Option<&Path>) -> Self {
        Self { cache: cache.map(|cache| cache.join(FOLDER)), held: Mutex::default() }
    }

    /// What the task's own program answers: as it was recorded, or recorded now.
    pub(super) fn get(
        &self,
        table: &CallTable,
        sandbox: &Sandbox,
        cancel: &Cancel,
    ) -> Result<Arc<Known>> {
        let name = name(table, sandbox)?;
        let slot = self.slot(name);
        // Who comes second waits here until the first is done.
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*held {
            return Ok(Arc::clone(known));
        }
        let known = match self.read(name) {
            Some(known) => known,
            None => self.record(name, table, sandbox, cancel)?,
        };
        let known = Arc::new(known);
        *held = Some(Arc::clone(&known));
        Ok(known)
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

    fn read(&self, name: Digest) -> Option<Known> {
        let file = File::open(self.path(name)?).ok()?;
        Some(Known {
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
    ) -> Result<Known> {
        let limits = Limits { files: LARGEST, ..Limits::with_cpu(RECORDING) };
        let recording = sandbox.record(table, &limits, cancel)?;
        if recording.ending == Ending::Passed
            && let Some(path) = self.path(name)
        {
            // A cache that cannot be written costs time, not results.
            let _ = keep(&path, &recording.recorded);
        }
        let assay_sandbox::Recording { ending, evidence, recorded } = recording;
        Ok(Known { ending, evidence, recorded })
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
