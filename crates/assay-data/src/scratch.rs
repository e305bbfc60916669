//! Temporary folders that are removed in any case, also when the process is interrupted twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use assay_core::Leftover;
use tempfile::{Builder, TempDir};

/// A temporary folder, which is removed with this value.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    leftover: Leftover,
}

impl ScratchFolder {
    /// Creates a folder among the system's temporary files.
    pub fn new() -> io::Result<Self> {
        Self::in_folder(&std::env::temp_dir(), &mut Builder::new())
    }

    /// Creates a folder in `parent`, with a name and permissions as `builder` says.
    pub(crate) fn in_folder(parent: &Path, builder: &mut Builder<'_, '_>) -> io::Result<Self> {
        let folder = builder.tempdir_in(parent)?;
        let path = folder.path().to_owned();
        let leftover = Leftover::new(move || {
            let _ = fs::remove_dir_all(path);
        });
        Ok(Self { folder, leftover })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder, which is temporary no more.
    pub fn keep(self) -> PathBuf {
        drop(self.leftover);
        self.folder.keep()
    }
}
