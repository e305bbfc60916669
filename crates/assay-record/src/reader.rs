//! Reads a record, including one that another process is writing.

use std::path::Path;

use assay_core::{Error, Result, Results};

use crate::folder::Folder;
use crate::lines::Lines;
use crate::{
    ANSWERS, AnswerLine, MANIFEST, Manifest, RESULTS, SESSIONS, SessionLine, Texts, VERDICTS,
    VerdictLine,
};

/// Returns whether `folder` has a file with the name of a run's manifest.
pub fn is_run(folder: &Path) -> bool {
    folder.join(MANIFEST).symlink_metadata().is_ok()
}

/// A record opened for reading. It needs no lock and writes nothing, so the run may be in progress:
/// a file that does not exist yet has no lines, and an incomplete line is ignored.
///
/// Lines are returned as they are. In a complete record they are in task order, one per sample;
/// before that, the last of several about one sample counts, and a verdict counts only if its
/// answer exists or it excludes its problem.
#[derive(Debug)]
pub struct RunReader {
    folder: Folder,
    manifest: Manifest,
    manifest_bytes: Vec<u8>,
}

impl RunReader {
    /// Opens the record in `folder` and reads its manifest.
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = open_folder(folder)?;
        let (manifest, manifest_bytes) = read_manifest(&folder)?;
        Ok(Self { folder, manifest, manifest_bytes })
    }

    /// The folder's path.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The manifest, as it was when the record was opened.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The bytes that the manifest was read from.
    pub fn manifest_bytes(&self) -> &[u8] {
        &self.manifest_bytes
    }

    /// The answers.
    pub fn answers(&self) -> Lines<AnswerLine> {
        Lines::of(&self.folder, ANSWERS)
    }

    /// The verdicts.
    pub fn verdicts(&self) -> Lines<VerdictLine> {
        Lines::of(&self.folder, VERDICTS)
    }

    /// The sessions of an external solver, in the order in which they ended.
    pub fn sessions(&self) -> Lines<SessionLine> {
        Lines::of(&self.folder, SESSIONS)
    }

    /// The texts by their hash, as far as they exist now.
    pub fn texts(&self) -> Result<Texts> {
        Texts::open(&self.folder)
    }

    /// The results, if the run is complete.
    pub fn results(&self) -> Result<Option<Results>> {
        let Some(bytes) = self.folder.read_whole(RESULTS)? else { return Ok(None) };
        let results = serde_json::from_slice(&bytes).map(|results: Results| {
            // Older records have the signature alone.
            Results { signature_hash: results.signature.short(), ..results }
        });
        results.map(Some).map_err(|error| {
            let path = self.folder.path().join(RESULTS);
            Error::refused(format!("{} is not a results file", path.display()))
                .because(error)
                .hint("delete it and resume the run: it is made again from the verdicts")
        })
    }

    /// Returns whether the run is complete.
    pub fn is_complete(&self) -> Result<bool> {
        Ok(self.folder.read(RESULTS)?.is_some())
    }
}

pub(crate) fn open_folder(path: &Path) -> Result<Folder> {
    Folder::open(path).map_err(|error| Error::reading("open", path, error))
}

pub(crate) fn read_manifest(folder: &Folder) -> Result<(Manifest, Vec<u8>)> {
    let bytes = folder.read_whole(MANIFEST)?.ok_or_else(|| {
        Error::refused(format!("{} has no {MANIFEST}", folder.path().display()))
            .hint("name the folder of a run, as `assay run` prints it")
    })?;
    Ok((Manifest::parse(&bytes, &folder.path().join(MANIFEST))?, bytes))
}
