//! Writes a record.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_core::{DigestOf, Error, Result, Results};

use crate::folder::Folder;
use crate::index::IndexedFile;
use crate::lines::LineFile;
use crate::lock::Locks;
use crate::progress::Progress;
use crate::reader::{open_folder, read_manifest};
use crate::texts::TextFile;
use crate::{
    ANSWERS, AnswerLine, FormatVersion, MANIFEST, Manifest, RESULTS, SCRATCH, SESSIONS,
    SessionLine, TEXTS, VERDICTS, VerdictLine,
};

/// The files that are replaced, whose unfinished copies a killed process may have left.
const REPLACED: [&str; 5] = [MANIFEST, ANSWERS, VERDICTS, TEXTS, RESULTS];

/// A record opened for writing. Only one process can have it open; the files never lose anything
/// that was written, apart from a torn last line.
///
/// Nothing is changed on disk before the first line is added. Then the leftovers of a killed
/// process are removed, and a record of an older format is converted to the current format.
#[derive(Debug)]
pub struct RunWriter {
    folder: Arc<Folder>,
    manifest: Manifest,
    manifest_bytes: Vec<u8>,
    answers: IndexedFile,
    verdicts: IndexedFile,
    sessions: LineFile,
    texts: TextFile,
    progress: Progress,
    /// True if the record is prepared for more lines.
    ready: bool,
    _locks: Locks,
}

impl RunWriter {
    /// Creates a new folder in `parent`, whose name is made unique by `unique`, and writes the
    /// manifest into it, in the current format.
    pub fn create(parent: &Path, manifest: &Manifest, unique: u128) -> Result<Self> {
        let folder = open_folder(&make_folder(parent, manifest, unique)?)?;
        let locks = Locks::acquire(&folder)?;
        let manifest = Manifest { format: FormatVersion::CURRENT, ..manifest.clone() };
        let mut writer = Self::new(folder, locks, manifest, Vec::new());
        writer.write_manifest()?;
        writer.ready = true;
        Ok(writer)
    }

    /// Opens an existing record to resume it, and reads each of its files once.
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = open_folder(folder)?;
        // Before the lock, which would create a file in a folder that is not a record.
        read_manifest(&folder)?;
        let locks = Locks::acquire(&folder)?;
        let (manifest, bytes) = read_manifest(&folder)?;
        refuse_newer(&manifest, folder.path())?;
        let mut writer = Self::new(folder, locks, manifest, bytes);
        let Self { answers, verdicts, progress, .. } = &mut writer;
        answers.read(|head| Some(progress.note_answer(&head.problem, head.sample)))?;
        verdicts
            .read(|head| Some(progress.note_verdict(&head.problem, head.sample, head.outcome?)))?;
        Ok(writer)
    }

    fn new(folder: Folder, locks: Locks, manifest: Manifest, manifest_bytes: Vec<u8>) -> Self {
        let folder = Arc::new(folder);
        let file = |name: &str| LineFile::new(Arc::clone(&folder), name.to_owned());
        Self {
            manifest,
            manifest_bytes,
            answers: IndexedFile::new(file(ANSWERS)),
            verdicts: IndexedFile::new(file(VERDICTS)),
            sessions: file(SESSIONS),
            texts: TextFile::new(file(TEXTS)),
            progress: Progress::default(),
            ready: false,
            folder,
            _locks: locks,
        }
    }

    /// The folder's path.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The bytes of the manifest on disk.
    pub fn manifest_bytes(&self) -> &[u8] {
        &self.manifest_bytes
    }

    /// The samples that are done, including those added since the record was opened.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns whether the run is complete.
    pub fn is_complete(&self) -> Result<bool> {
        Ok(self.folder.read(RESULTS)?.is_some())
    }

    /// Refuses a record with a line about a problem that `order` does not know.
    pub fn check_problems(&self, order: &dyn Fn(&str) -> Option<usize>) -> Result<()> {
        let indices = self.indices(order);
        self.answers.check(&indices)?;
        self.verdicts.check(&indices)
    }

    /// Reads the answers that have no verdict yet, the last one of each sample, one at a time.
    pub fn ungraded(&self, visit: &mut dyn FnMut(AnswerLine) -> Result<()>) -> Result<()> {
        self.answers.each_last(&|key| self.progress.is_ungraded(key), visit)
    }

    /// An empty folder for a solver to write in.
    pub fn scratch(&self) -> Result<PathBuf> {
        self.clear_scratch()?;
        let scratch = self.folder.path().join(SCRATCH);
        fs::create_dir(&scratch)
            .and_then(|()| std::path::absolute(&scratch))
            .map_err(|error| Error::writing("make", &scratch, error))
    }

    /// Removes that folder, also after a run that was killed.
    pub fn clear_scratch(&self) -> Result<()> {
        self.folder.expect_folder(SCRATCH)?;
        let scratch = self.folder.path().join(SCRATCH);
        match fs::remove_dir_all(&scratch) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::writing("clear", &scratch, error))
            }
            _ => Ok(()),
        }
    }

    /// Replaces the manifest, in the current format.
    pub fn set_manifest(&mut self, manifest: &Manifest) -> Result<()> {
        self.refuse_complete()?;
        self.manifest = Manifest { format: FormatVersion::CURRENT, ..manifest.clone() };
        self.write_manifest()
    }

    /// Drops every answer and verdict, each file in one step.
    pub fn discard(&mut self) -> Result<()> {
        self.prepare()?;
        self.verdicts.clean(&|_| false)?;
        self.answers.clean(&|_| false)?;
        self.progress = Progress::default();
        Ok(())
    }

    /// Adds an answer, before its verdict.
    pub fn answer(&mut self, answer: &AnswerLine) -> Result<()> {
        self.prepare()?;
        let span = self.answers.append(answer)?;
        self.answers.note(self.progress.note_answer(&answer.problem, answer.sample), span);
        Ok(())
    }

    /// Adds a verdict.
    pub fn verdict(&mut self, verdict: &VerdictLine) -> Result<()> {
        if let Some(flaw) = verdict.flaw() {
            return Err(Error::failed(format!("the verdict on {:?}: {flaw}", verdict.problem)));
        }
        self.prepare()?;
        let span = self.verdicts.append(verdict)?;
        let VerdictLine { problem, sample, outcome, .. } = verdict;
        self.verdicts.note(self.progress.note_verdict(problem, *sample, *outcome), span);
        Ok(())
    }

    /// Adds a session of an external solver.
    pub fn session(&mut self, session: &SessionLine) -> Result<()> {
        self.prepare()?;
        self.sessions.append(session).map(drop)
    }

    /// Adds a text, unless it exists, and returns its hash.
    pub fn text(&mut self, text: &str) -> Result<String> {
        self.prepare()?;
        self.texts.add(text).map(|hash| hash.to_string())
    }

    /// Puts the lines into task order, given by `order`, and passes every verdict that counts to
    /// `visit` in that order. Of several lines about one sample the last is kept; verdicts without
    /// an answer, and verdicts on samples of excluded problems, are dropped. Each file is replaced
    /// atomically, and only if there is a difference.
    pub fn complete(
        &mut self,
        order: &dyn Fn(&str) -> Option<usize>,
        visit: &mut dyn FnMut(&VerdictLine),
    ) -> Result<()> {
        self.prepare()?;
        let indices = self.indices(order);
        self.answers.sort(&indices)?;
        let Self { verdicts, progress, .. } = self;
        verdicts.sort_and_visit(&indices, &|key| progress.counts(key), visit)?;
        self.texts.sort()
    }

    /// Writes the results, which completes the run.
    pub fn finish(&mut self, results: &Results) -> Result<()> {
        self.refuse_complete()?;
        self.folder.write_json(RESULTS, &beside(RESULTS), results)
    }

    fn indices(&self, order: &dyn Fn(&str) -> Option<usize>) -> Vec<Option<usize>> {
        self.progress.problems().map(order).collect()
    }

    /// Prepares the record for more lines.
    fn prepare(&mut self) -> Result<()> {
        if self.ready {
            return Ok(());
        }
        self.refuse_complete()?;
        for name in REPLACED.map(beside) {
            let removed = self.folder.remove(&name);
            removed
                .map_err(|error| Error::writing("remove", &self.folder.path().join(name), error))?;
        }
        if self.manifest.format < FormatVersion::CURRENT {
            self.manifest.format = FormatVersion::CURRENT;
            self.write_manifest()?;
        }
        self.sessions.cut_torn()?;
        let Self { answers, verdicts, progress, .. } = self;
        answers.clean(&|_| true)?;
        // A verdict whose answer is lost would be taken for the verdict on the next answer.
        verdicts.clean(&|key| progress.has_answer(key))?;
        progress.drop_orphans();
        self.ready = true;
        Ok(())
    }

    fn refuse_complete(&self) -> Result<()> {
        if !self.is_complete()? {
            return Ok(());
        }
        Err(Error::refused(format!("the run in {} is complete", self.folder.path().display()))
            .hint("start a new run"))
    }

    fn write_manifest(&mut self) -> Result<()> {
        let bytes = self.manifest.to_bytes()?;
        self.folder
            .replace(MANIFEST, &beside(MANIFEST), |file| file.write_all(&bytes))
            .map_err(|error| Error::writing("write", &self.folder.path().join(MANIFEST), error))?;
        self.manifest_bytes = bytes;
        Ok(())
    }
}

fn beside(name: &str) -> String {
    format!("{name}.new")
}

fn refuse_newer(manifest: &Manifest, folder: &Path) -> Result<()> {
    let (found, current) = (manifest.format, FormatVersion::CURRENT);
    if found <= current {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{} has format {found}, and this version of assay writes format {current}",
        folder.display()
    ))
    .hint("resume the run with the assay that started it"))
}

fn make_folder(parent: &Path, manifest: &Manifest, unique: u128) -> Result<PathBuf> {
    fs::create_dir_all(parent).map_err(|error| Error::writing("make", parent, error))?;
    let time = sanitize(&manifest.started.replace(['-', ':'], ""));
    let task = &manifest.request.task;
    let task = sanitize(task.own_name.as_deref().unwrap_or(&task.name));
    let solver = sanitize(manifest.request.solver.split(':').next().unwrap_or_default());
    for attempt in 0..100u64 {
        let mut digest = DigestOf::new();
        digest.field(&unique.to_le_bytes()).field(&attempt.to_le_bytes());
        digest.field(manifest.signature.as_deref().unwrap_or_default().as_bytes());
        let id = digest.finish().short();
        let folder = parent.join(format!("{time}-{task}-{solver}-{}", &id[..6]));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::writing("make", &folder, error)),
        }
    }
    Err(Error::failed(format!("failed to find a new folder name in {}", parent.display())))
}

/// Keeps only the characters of a text that are valid in a folder's name.
fn sanitize(text: &str) -> String {
    text.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect()
}
