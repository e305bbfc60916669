//! Sums up the verdicts on the answers of a file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use assay_answers::AnswerFile;
use assay_core::{
    Counts, Error, Fault, FaultKind, Flaw, NoAnswer, NoAnswerKind, Place, Problems, Progress,
    Result, SampleKey, Tally, Verdict,
};
use assay_data::OutputTarget;
use assay_record::{Folder, LineFile, VerdictLine, sort};
use tempfile::TempDir;

use super::diagnosis::Diagnosis;
use super::grading::with_problem;
use crate::failures::FailureChoice;
use crate::pipeline::Event;
use crate::run::indices;

pub(super) struct Summary<'a> {
    pub(super) counts: Counts,
    pub(super) tally: Box<dyn Tally>,
    /// The failed samples to show.
    pub(super) choice: FailureChoice,
    /// The impossible answers.
    pub(super) faults: Vec<(Place, Fault)>,
    pub(super) flaws: Vec<Flaw>,
    pub(super) excluded: Vec<Verdict>,
    /// The problems that must be read to decide whether their answer is possible.
    pub(super) unclear: Vec<usize>,
    pub(super) diagnosis: Diagnosis,
    verdicts: Option<VerdictFile<'a>>,
    /// Receives progress updates, if the work takes long enough.
    progress: Option<&'a dyn Progress>,
}

impl<'a> Summary<'a> {
    /// Creates an empty summary; verdicts are written to `verdicts`, if given.
    pub(super) fn new(
        tally: Box<dyn Tally>,
        choice: FailureChoice,
        verdicts: Option<&'a OutputTarget>,
        progress: Option<&'a dyn Progress>,
        diagnosis: Diagnosis,
    ) -> Result<Self> {
        Ok(Self {
            counts: Counts::default(),
            tally,
            choice,
            faults: Vec::new(),
            flaws: Vec::new(),
            excluded: Vec::new(),
            unclear: Vec::new(),
            diagnosis,
            verdicts: verdicts.map(VerdictFile::create).transpose()?,
            progress,
        })
    }

    pub(super) fn take(
        &mut self,
        event: Event,
        file: &AnswerFile,
        problems: &dyn Problems,
    ) -> Result<()> {
        // An unclear answer is graded again later.
        if let (Some(progress), false) = (self.progress, matches!(event, Event::Unclear(_))) {
            progress.step();
        }
        match event {
            Event::Unclear(key) => self.unclear.push(key.index),
            Event::Impossible(SampleKey { index, sample }, fault) => {
                let answer = file.of(index).get(sample as usize);
                let place = answer.map_or(Place::FILE, |answer| answer.place);
                self.faults.push((place, with_problem(fault, &problems.ids()[index])));
            }
            Event::Graded(key, verdict) => {
                self.choice.add(key, &verdict);
                self.count(&verdict)?;
                self.diagnosis.add(&verdict, file, key.index);
                if verdict.is_excluded() {
                    self.excluded.push(*verdict);
                }
            }
            // No solver is asked.
            Event::Answered(..) | Event::Checked(..) | Event::Session(_) => {}
        }
        Ok(())
    }

    /// Adds a problem without a usable solution, which cannot be graded: an answer to it is refused, and without an
    /// answer it counts like any problem without one.
    pub(super) fn note_flaw(
        &mut self,
        flaw: Flaw,
        answers: impl Iterator<Item = Place>,
    ) -> Result<()> {
        let fault = Fault::new(FaultKind::NoSolution, flaw.reason.clone());
        self.faults.extend(answers.map(|place| (place, fault.clone())));
        let reason = NoAnswer { kind: NoAnswerKind::Silent, detail: flaw.reason.clone() };
        self.count(&Verdict::unanswered(flaw.id.clone(), 0, &reason))?;
        self.flaws.push(flaw);
        Ok(())
    }

    fn count(&mut self, verdict: &Verdict) -> Result<()> {
        self.counts.add(verdict);
        self.tally.add(verdict);
        match &mut self.verdicts {
            Some(file) => file.lines.append(&VerdictLine::from(verdict.clone())).map(drop),
            None => Ok(()),
        }
    }

    /// Sorts the verdicts on disk, and the lists to report, by problem and sample; then writes the verdicts to their
    /// target.
    pub(super) fn sort_verdicts(&mut self, problems: &dyn Problems) -> Result<()> {
        let indices = indices(problems);
        self.excluded.sort_by_key(|verdict| indices.get(verdict.problem.as_str()).copied());
        self.flaws.sort_by_key(|flaw| flaw.index);
        let Some(mut file) = self.verdicts.take() else { return Ok(()) };
        sort(&mut file.lines, &|id| indices.get(id).copied())?;
        file.finish()
    }

    /// Removes the file: the answers were refused, or grading them was interrupted.
    pub(super) fn discard(&mut self) {
        if let Some(VerdictFile { mut lines, .. }) = self.verdicts.take() {
            lines.close();
            let _ = lines.folder().remove(lines.name());
        }
    }
}

/// The verdicts so far, in a temporary file: a file at the target stays until it can be replaced by all of them.
struct VerdictFile<'a> {
    lines: LineFile,
    target: &'a OutputTarget,
    /// The folder of the temporary file, if the target is no regular file that it can lie next to.
    _scratch: Option<TempDir>,
}

impl<'a> VerdictFile<'a> {
    fn create(target: &'a OutputTarget) -> Result<Self> {
        let writing = |error| Error::writing("write", target.name(), error);
        let Some(path) = target.replaced_path() else {
            let scratch = tempfile::tempdir().map_err(writing)?;
            let lines = open_lines(&scratch.path().join("verdicts"))?;
            return Ok(Self { lines, target, _scratch: Some(scratch) });
        };
        Ok(Self { lines: open_lines(path)?, target, _scratch: None })
    }

    /// Moves the verdicts to their target, or copies them there if it cannot be replaced.
    fn finish(mut self) -> Result<()> {
        self.lines.close();
        let writing = |error| Error::writing("write", self.target.name(), error);
        if let Some(path) = self.target.replaced_path() {
            return self.lines.folder().rename(self.lines.name(), name_of(path)?).map_err(writing);
        }
        match self.lines.folder().read(self.lines.name())? {
            Some(mut sorted) => self.target.write(|out| io::copy(&mut sorted, out).map(drop)),
            None => Ok(()),
        }
    }
}

/// An empty temporary file next to `path`.
fn open_lines(path: &Path) -> Result<LineFile> {
    let writing = |error| Error::writing("write", path, error);
    let folder = Folder::open(path.parent().unwrap_or(path)).map_err(writing)?;
    let name = format!("{}.partial", name_of(path)?);
    folder.remove(&name).map_err(writing)?;
    let mut file = LineFile::new(Arc::new(folder), name);
    file.open()?;
    Ok(file)
}

fn name_of(path: &Path) -> Result<&str> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| {
        Error::refused(format!("{} is no file name, or is not UTF-8", path.display()))
            .hint("give --verdicts another name")
    })
}
