//! The lock that keeps a second process from writing a record.
//!
//! It is on a separate file, which is never replaced. Records of format 1.0 were locked by their
//! manifest, so that lock is taken as well: it excludes an older assay that has the record open,
//! and the other way round.

use std::fs::{File, TryLockError};

use assay_core::{Error, Result};

use crate::folder::Folder;
use crate::{LOCK, MANIFEST};

/// Locks on a record, held until they are dropped.
#[derive(Debug)]
pub(crate) struct Locks {
    _record: File,
    _manifest: Option<File>,
}

impl Locks {
    /// Takes the locks; fails if another process has them.
    pub(crate) fn acquire(folder: &Folder) -> Result<Self> {
        let record = folder.append(LOCK)?;
        lock_exclusively(folder, &record)?;
        let manifest = folder.read(MANIFEST)?;
        manifest.iter().try_for_each(|file| lock_exclusively(folder, file))?;
        Ok(Self { _record: record, _manifest: manifest })
    }
}

fn lock_exclusively(folder: &Folder, file: &File) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let message = format!("{} is in use by another process", folder.path().display());
            Err(Error::refused(message).hint("wait for the other run to end, or interrupt it"))
        }
        // Some network file systems have no locks; there, nobody is excluded.
        _ => Ok(()),
    }
}
