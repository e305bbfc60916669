//! The record of a run: plain files in a folder of its own.
//!
//! `run.json` says what is run, `answers.jsonl` and `verdicts.jsonl` grow by one line a problem as
//! the work goes on, `solver.jsonl` by one a session of an external solver, and `results.json` is
//! there once the run is complete. Lines are written whole and in the order in which problems
//! finish, so a crash can tear only the last one; when the run is complete they are put into task
//! order in one step. What is on disk is all that a resumed run knows.

mod lines;
mod manifest;
mod order;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use assay_core::{
    Answer, Counts, DigestOf, Error, Outcome, ProblemId, Problems, Result, Results, Selection,
    SessionReport, Task, Verdict,
};
use serde::Serialize;

use lines::LineFile;
pub use manifest::Manifest;

const MANIFEST: &str = "run.json";
const ANSWERS: &str = "answers.jsonl";
const VERDICTS: &str = "verdicts.jsonl";
const SOLVER: &str = "solver.jsonl";
const RESULTS: &str = "results.json";

/// Whether `folder` holds a run.
pub fn is_run(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}

/// The record of one run, open for writing. Only one process can have it open.
pub(crate) struct Record {
    folder: PathBuf,
    answers: LineFile,
    verdicts: LineFile,
}

/// What a run's files say is done.
pub(crate) struct Done {
    /// Which problems have their verdict.
    pub(crate) graded: Selection,
    /// Answers that have no verdict yet, by rank.
    pub(crate) ungraded: HashMap<usize, Answer>,
}

impl Record {
    /// Makes a new folder in `parent` and writes the manifest into it.
    pub(crate) fn create(parent: &Path, manifest: &Manifest, unique: u128) -> Result<Self> {
        let folder = make_folder(parent, manifest, unique)?;
        write_whole(&folder.join(MANIFEST), manifest)?;
        Self::open_files(folder)
    }

    /// Opens an existing record to go on with it. A last line that was torn is cut off.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Manifest)> {
        let manifest = Manifest::read(&folder.join(MANIFEST))?;
        Ok((Self::open_files(folder.to_owned())?, manifest))
    }

    fn open_files(folder: PathBuf) -> Result<Self> {
        let answers = LineFile::open(&folder.join(ANSWERS))?;
        let verdicts = LineFile::open(&folder.join(VERDICTS))?;
        Ok(Self { folder, answers, verdicts })
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
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
        LineFile::open(&self.folder.join(SOLVER))?.append(report)
    }

    /// Every session so far.
    pub(crate) fn sessions(&self) -> Result<Vec<SessionReport>> {
        let mut sessions = Vec::new();
        let path = self.folder.join(SOLVER);
        if !path.exists() {
            return Ok(sessions);
        }
        LineFile::open(&path)?.each(|_, report: SessionReport| {
            sessions.push(report);
            Ok(())
        })?;
        Ok(sessions)
    }

    /// What the files say is done.
    pub(crate) fn done(&self, problems: &dyn Problems) -> Result<Done> {
        let ranks = ranks(problems);
        let mut has_answer = vec![false; problems.ids().len()];
        self.answers.each(|line, answer: Answer| {
            has_answer[self.answers.rank(line, &answer.problem, &ranks)?] = true;
            Ok(())
        })?;
        let mut graded = vec![false; problems.ids().len()];
        self.verdicts.each(|line, verdict: Verdict| {
            let rank = self.verdicts.rank(line, &verdict.problem, &ranks)?;
            // A verdict whose answer never reached the disk is worth nothing.
            graded[rank] |= has_answer[rank] || verdict.outcome == Outcome::Excluded;
            Ok(())
        })?;
        let mut ungraded = HashMap::new();
        self.answers.each(|line, answer: Answer| {
            let rank = self.answers.rank(line, &answer.problem, &ranks)?;
            if !graded[rank] {
                ungraded.entry(rank).or_insert(answer);
            }
            Ok(())
        })?;
        Ok(Done { graded: Selection::of(graded.len(), |rank| graded[rank]), ungraded })
    }

    /// The results, if the run is complete.
    pub(crate) fn results(&self) -> Result<Option<Results>> {
        let path = self.folder.join(RESULTS);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                Error::refused(format!("{} is not a results file", path.display())).because(error)
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &path, error)),
        }
    }

    /// Puts the lines into task order, sums the verdicts up and writes the results.
    pub(crate) fn complete(
        &mut self,
        task: &dyn Task,
        problems: &dyn Problems,
        manifest: &Manifest,
    ) -> Result<Results> {
        let ranks = ranks(problems);
        order::sort::<Answer>(&mut self.answers, &ranks)?;
        order::sort::<Verdict>(&mut self.verdicts, &ranks)?;
        let mut counts = Counts::default();
        let mut tally = task.tally();
        self.verdicts.each(|_, verdict: Verdict| {
            counts.add(&verdict);
            tally.add(&verdict);
            Ok(())
        })?;
        let results = Results {
            task: manifest.request.task.clone(),
            solver: manifest.request.solver.clone(),
            signature: manifest.signature.clone(),
            counts,
            metrics: tally.metrics(),
        };
        write_whole(&self.folder.join(RESULTS), &results)?;
        Ok(results)
    }

    /// The excluded problems, with the reason.
    pub(crate) fn excluded(&self) -> Result<Vec<Verdict>> {
        let mut excluded = Vec::new();
        self.verdicts.each(|_, verdict: Verdict| {
            if verdict.outcome == Outcome::Excluded {
                excluded.push(verdict);
            }
            Ok(())
        })?;
        Ok(excluded)
    }
}

/// The rank of every problem, by name.
fn ranks(problems: &dyn Problems) -> HashMap<&ProblemId, usize> {
    problems.ids().iter().zip(0..).collect()
}

fn make_folder(parent: &Path, manifest: &Manifest, unique: u128) -> Result<PathBuf> {
    fs::create_dir_all(parent).map_err(|error| Error::io("make", parent, error))?;
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
            manifest.request.task,
            word(&manifest.request.solver),
            &id[..6]
        );
        let folder = parent.join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("make", &folder, error)),
        }
    }
    Err(Error::failed(format!("failed to find a new folder name in {}", parent.display())))
}

/// Writes a file so that it is either there whole or not at all.
fn write_whole(path: &Path, value: &impl Serialize) -> Result<()> {
    let beside = path.with_extension("json.new");
    let write = || -> std::io::Result<()> {
        let mut text = serde_json::to_vec_pretty(value)?;
        text.push(b'\n');
        let mut file = File::create(&beside)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| Error::io("write", path, error))
}
