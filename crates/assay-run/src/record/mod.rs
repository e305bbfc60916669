//! The record of a run: plain files in a folder of its own.
//!
//! `run.json` says what is run, `answers.jsonl` and `verdicts.jsonl` grow by one line a problem as
//! the work goes on, `solver.jsonl` by one a session of an external solver, and `results.json` is
//! there once the run is complete. Lines are written whole and in the order in which problems
//! finish, so a crash can tear only the last one; when the run is complete they are put into task
//! order in one step. What is on disk is all that a resumed run knows.

mod folder;
mod lines;
mod manifest;
mod order;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_core::{
    Answer, Counts, DigestOf, Error, GoldRate, ProblemId, Problems, Result, Results, SampleKey,
    SessionReport, Task, Verdict,
};
use serde::Serialize;

pub(crate) use folder::Folder;
pub(crate) use lines::LineFile;
pub use manifest::Manifest;
pub(crate) use order::sort;

const MANIFEST: &str = "run.json";
const ANSWERS: &str = "answers.jsonl";
const VERDICTS: &str = "verdicts.jsonl";
const SOLVER: &str = "solver.jsonl";
const RESULTS: &str = "results.json";
const SCRATCH: &str = "scratch";

/// Whether `folder` holds what is called as a run's manifest is.
pub fn is_run(folder: &Path) -> bool {
    folder.join(MANIFEST).symlink_metadata().is_ok()
}

/// The record of one run. Only one process can have it open.
pub(crate) struct Record {
    folder: Arc<Folder>,
    answers: LineFile,
    verdicts: LineFile,
    solver: LineFile,
    /// Holds the manifest's lock: the one file of a run that is never replaced.
    _lock: File,
}

/// What a run's files say is done.
pub(crate) struct Done {
    /// What has its verdict.
    pub(crate) graded: Graded,
    /// Answers that have no verdict yet.
    pub(crate) ungraded: HashMap<SampleKey, Answer>,
}

/// Samples that have their verdict, and problems that are out of the count.
#[derive(Default)]
pub(crate) struct Graded {
    samples: HashSet<SampleKey>,
    excluded: HashSet<usize>,
}

impl Graded {
    /// The samples that have their verdict.
    pub(crate) fn keys(&self) -> &HashSet<SampleKey> {
        &self.samples
    }

    /// Whether nothing is left to do for a problem of so many samples.
    pub(crate) fn has_all(&self, rank: usize, samples: u32) -> bool {
        self.count(rank, samples) == samples
    }

    /// How many of a problem's samples are done; with an excluded problem, all are.
    pub(crate) fn count(&self, rank: usize, samples: u32) -> u32 {
        if self.excluded.contains(&rank) {
            return samples;
        }
        let has = |sample| self.samples.contains(&SampleKey { rank, sample });
        (0..samples).map(|sample| u32::from(has(sample))).sum()
    }
}

impl Record {
    /// Makes a new folder in `parent` and writes the manifest into it.
    pub(crate) fn create(parent: &Path, manifest: &Manifest, unique: u128) -> Result<Self> {
        let folder = make_folder(parent, manifest, unique)?;
        write_whole(&folder.join(MANIFEST), manifest)?;
        Self::lock(&folder)
    }

    /// Opens an existing record to go on with it; also returns the manifest, and the bytes it is read from.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Manifest, Vec<u8>)> {
        let record = Self::lock(folder)?;
        let bytes = record.manifest()?;
        let manifest = Manifest::parse(&bytes, &folder.join(MANIFEST))?;
        Ok((record, manifest, bytes))
    }

    /// The manifest's bytes.
    pub(crate) fn manifest(&self) -> Result<Vec<u8>> {
        self.folder.read_whole(MANIFEST)?.ok_or_else(|| no_manifest(self.folder.path()))
    }

    fn lock(path: &Path) -> Result<Self> {
        let folder = Folder::open(path).map_err(|error| Error::reading("open", path, error))?;
        let folder = Arc::new(folder);
        let lock = folder.read(MANIFEST)?.ok_or_else(|| no_manifest(path))?;
        // Some network file systems have no locks; there, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            let message = format!("{} is in use by another process", path.display());
            return Err(
                Error::refused(message).hint("wait for the other run to end, or interrupt it")
            );
        }
        let file = |name: &str| LineFile::new(Arc::clone(&folder), name.to_owned());
        let (answers, verdicts, solver) = (file(ANSWERS), file(VERDICTS), file(SOLVER));
        Ok(Self { folder, answers, verdicts, solver, _lock: lock })
    }

    /// An empty folder for a solver to write in.
    pub(crate) fn scratch(&self) -> Result<PathBuf> {
        self.clear_scratch()?;
        let scratch = self.folder.path().join(SCRATCH);
        fs::create_dir(&scratch)
            .and_then(|()| std::path::absolute(&scratch))
            .map_err(|error| Error::writing("make", &scratch, error))
    }

    /// Clears that folder away, also after a run that was killed.
    pub(crate) fn clear_scratch(&self) -> Result<()> {
        self.folder.expect_folder(SCRATCH)?;
        let scratch = self.folder.path().join(SCRATCH);
        match fs::remove_dir_all(&scratch) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::writing("clear", &scratch, error))
            }
            _ => Ok(()),
        }
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes an answer down, before its verdict.
    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<()> {
        self.answers.append(answer)
    }

    /// Writes a verdict down.
    pub(crate) fn verdict(&mut self, verdict: &Verdict) -> Result<()> {
        self.verdicts.append(verdict)
    }

    /// Writes down what a session of an external solver was like.
    pub(crate) fn session(&mut self, report: &SessionReport) -> Result<()> {
        self.solver.append(report)
    }

    /// Every session so far.
    pub(crate) fn sessions(&self) -> Result<Vec<SessionReport>> {
        let mut sessions = Vec::new();
        self.solver.each(|_, report: SessionReport| {
            sessions.push(report);
            Ok(())
        })?;
        Ok(sessions)
    }

    /// What the files say is done.
    pub(crate) fn done(&self, problems: &dyn Problems) -> Result<Done> {
        let ranks = ranks(problems);
        let mut answered = HashSet::new();
        self.answers.each(|line, answer: Answer| {
            let rank = self.answers.rank(line, &answer.problem, &ranks)?;
            answered.insert(SampleKey { rank, sample: answer.sample });
            Ok(())
        })?;
        let mut graded = Graded::default();
        self.verdicts.each(|line, verdict: Verdict| {
            let rank = self.verdicts.rank(line, &verdict.problem, &ranks)?;
            let key = SampleKey { rank, sample: verdict.sample };
            // A verdict whose answer never reached the disk is worth nothing.
            if verdict.is_excluded() {
                graded.excluded.insert(rank);
            } else if answered.contains(&key) {
                graded.samples.insert(key);
            }
            Ok(())
        })?;
        let mut ungraded = HashMap::new();
        self.answers.each(|line, answer: Answer| {
            let rank = self.answers.rank(line, &answer.problem, &ranks)?;
            let key = SampleKey { rank, sample: answer.sample };
            if !graded.samples.contains(&key) {
                ungraded.insert(key, answer);
            }
            Ok(())
        })?;
        Ok(Done { graded, ungraded })
    }

    /// The results, if the run is complete.
    pub(crate) fn results(&self) -> Result<Option<Results>> {
        let Some(bytes) = self.folder.read_whole(RESULTS)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let path = self.folder.path().join(RESULTS);
            Error::refused(format!("{} is not a results file", path.display()))
                .because(error)
                .hint("delete it and resume the run: it is made again from the verdicts")
        })
    }

    /// Puts the lines into task order, sums the verdicts up and writes the results.
    pub(crate) fn complete(
        &mut self,
        task: &dyn Task,
        problems: &dyn Problems,
        manifest: &Manifest,
        gold: Option<GoldRate>,
    ) -> Result<Results> {
        let ranks = ranks(problems);
        sort::<Answer>(&mut self.answers, &ranks)?;
        sort::<Verdict>(&mut self.verdicts, &ranks)?;
        let mut counts = Counts::default();
        let mut tally = task.tally(&manifest.request.task.settings);
        self.verdicts.each(|_, verdict: Verdict| {
            counts.add(&verdict);
            tally.add(&verdict);
            Ok(())
        })?;
        let results = Results {
            task: manifest.request.task.name.clone(),
            solver: manifest.request.solver.clone(),
            signature: manifest.signature.clone(),
            counts,
            metrics: tally.metrics(),
            left_out: tally.left_out(),
            gold,
            passed_over: None,
        };
        write_in(&self.folder, RESULTS, &format!("{RESULTS}.new"), &results)?;
        Ok(results)
    }

    /// The excluded problems, with the reason.
    pub(crate) fn excluded(&self) -> Result<Vec<Verdict>> {
        let mut excluded = Vec::new();
        self.verdicts.each(|_, verdict: Verdict| {
            if verdict.is_excluded() {
                excluded.push(verdict);
            }
            Ok(())
        })?;
        Ok(excluded)
    }
}

/// The rank of every problem, by name.
pub(crate) fn ranks(problems: &dyn Problems) -> HashMap<&ProblemId, usize> {
    problems.ids().iter().zip(0..).collect()
}

fn make_folder(parent: &Path, manifest: &Manifest, unique: u128) -> Result<PathBuf> {
    fs::create_dir_all(parent).map_err(|error| Error::writing("make", parent, error))?;
    let time = manifest.started.replace(['-', ':'], "");
    let word = |text: &str| -> String {
        let name = text.split(':').next().unwrap_or_default();
        name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').collect()
    };
    for attempt in 0..100u64 {
        let mut digest = DigestOf::new();
        digest.field(&unique.to_le_bytes()).field(&attempt.to_le_bytes());
        digest.field(manifest.signature.to_string().as_bytes());
        let id = digest.finish().short();
        let name = format!(
            "{time}-{}-{}-{}",
            manifest.request.task.name,
            word(&manifest.request.solver),
            &id[..6]
        );
        let folder = parent.join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::writing("make", &folder, error)),
        }
    }
    Err(Error::failed(format!("failed to find a new folder name in {}", parent.display())))
}

fn no_manifest(folder: &Path) -> Error {
    Error::refused(format!("{} has no {MANIFEST}", folder.display()))
        .hint("name the folder of a run, as `assay run` prints it")
}

/// Writes a file so that it is either there whole or not at all. Several processes may write it: each
/// has a name of its own for what is not whole yet.
pub(crate) fn write_whole(path: &Path, value: &impl Serialize) -> Result<()> {
    let writing = |error| Error::writing("write", path, error);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = Folder::open(path.parent().unwrap_or(path)).map_err(writing)?;
    write_in(&folder, name, &format!("{name}.{}.new", std::process::id()), value)
}

fn write_in(folder: &Folder, name: &str, beside: &str, value: &impl Serialize) -> Result<()> {
    let write = |file: &mut File| {
        let mut text = serde_json::to_vec_pretty(value)?;
        text.push(b'\n');
        file.write_all(&text)
    };
    let written = folder.replace(name, beside, write);
    written.map_err(|error| Error::writing("write", &folder.path().join(name), error))
}
