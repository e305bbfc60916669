//! The verdicts so far, on disk: scoring goes on from them after an interruption.
//!
//! They lie beside the file that `--verdicts` names, or else in the cache folder.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_answers::AnswerFile;
use assay_core::{
    Digest, Error, Fingerprint, Problems, Result, SampleKey, Selection, TaskSettings, Verdict,
    agreeing, counted,
};
use assay_data::{OutputTarget, ScratchFolder};
use assay_record::{Earlier, Folder, PartialVerdicts, VerdictLine};
use serde::Serialize;

use super::Scoring;
use crate::RunContext;
use crate::gate::Gate;
use crate::run::indices;

/// The folder in the cache.
const FOLDER: &str = "scores";
/// The number of files that are kept in the cache; the oldest are removed.
const MAX_CACHED: usize = 32;

/// Everything that verdicts depend on. It is the first line of a file of verdicts.
#[derive(Debug, Serialize)]
pub(super) struct Identity {
    /// The version of the format.
    score: u32,
    task: String,
    answers: Digest,
    data: Digest,
    settings: TaskSettings,
    /// The rule by which code is looked for in the answers.
    extraction: Option<String>,
    /// The field of the file that holds the programs.
    key: Option<String>,
    environment: Digest,
    assay: String,
}

/// The first line of a file whose verdicts are not taken over.
#[derive(Debug, Default, Serialize)]
struct HeadOfFastWork {
    score: u32,
}

impl Identity {
    pub(super) fn new(scoring: &Scoring<'_>, file: &AnswerFile) -> Self {
        let Scoring { task, problems, chosen, settings, extraction, key, tool, .. } = *scoring;
        let card = task.card();
        Self {
            score: 1,
            task: format!("{}@{}", card.name, card.version),
            answers: file.digest,
            data: digest_of_references(problems, chosen),
            // The metrics are computed from the verdicts, and change none of them.
            settings: TaskSettings { pass_k: Vec::new(), ..settings.clone() },
            extraction: extraction.map(|rule| rule.to_string()),
            key: key.map(str::to_owned),
            environment: Digest::of(problems.environment().as_bytes()),
            assay: format!("{} {}", tool.version, tool.commit),
        }
    }

    /// A file name that stands for all of it.
    fn file_name(&self, task: &str) -> String {
        let whole = serde_json::to_vec(self).unwrap_or_default();
        format!("{task}-{}.jsonl", Digest::of(&whole).short())
    }
}

/// The digest of the chosen problems.
fn digest_of_references(problems: &dyn Problems, chosen: &Selection) -> Digest {
    let mut fingerprints: Vec<Fingerprint> = Vec::new();
    problems.references(&mut |index, reference| {
        if chosen.contains(index) {
            fingerprints.push(problems.ids()[index].fingerprint());
            fingerprints.extend(reference.ok().map(|reference| reference.fingerprint()));
        }
        ControlFlow::Continue(())
    });
    Digest::of_all(fingerprints)
}

/// The verdicts of an interrupted score, by sample.
pub(super) type Known = HashMap<SampleKey, Verdict>;

/// The verdicts so far. A file at the target stays until it can be replaced by all of them.
pub(super) struct KeptVerdicts<'a> {
    partial: PartialVerdicts,
    target: Option<&'a OutputTarget>,
    /// The folder of the file, if it lies in none that stays.
    scratch: Option<ScratchFolder>,
}

impl<'a> KeptVerdicts<'a> {
    /// A file for verdicts that are not worth keeping, if they have a target.
    pub(super) fn of_fast_work(target: Option<&'a OutputTarget>) -> Result<Option<Self>> {
        let Some(target) = target else { return Ok(None) };
        let Some(path) = target.replaced_path() else {
            return Self::inscratch(target).map(Some);
        };
        let (folder, name) = beside(path)?;
        let partial = PartialVerdicts::create(&folder, &name, &HeadOfFastWork::default())?;
        Ok(Some(Self { partial, target: Some(target), scratch: None }))
    }

    /// The file for the verdicts of `grading`, and those that it has already. `None` if there is no place for it.
    pub(super) fn open(grading: &Resumable<'a, '_>) -> Result<(Option<Self>, Known)> {
        let target = grading.scoring.verdicts;
        if let Some(path) = target.and_then(OutputTarget::replaced_path) {
            let (folder, name) = beside(path)?;
            return Self::open_in(&folder, &name, grading).map(|(kept, known)| (Some(kept), known));
        }
        let name = grading.identity.file_name(&grading.scoring.task.card().name);
        match in_cache(grading.context.cache, &name) {
            None => {}
            Some(opened) => match opened.and_then(|it| Self::open_in(&it, &name, grading)) {
                Ok((kept, known)) => return Ok((Some(kept), known)),
                Err(error) => grading.context.progress.warn(&format!(
                    "{error}: if this is interrupted, grading starts over next time"
                )),
            },
        }
        Ok((target.map(Self::inscratch).transpose()?, Known::new()))
    }

    fn open_in(
        folder: &Arc<Folder>,
        name: &str,
        grading: &Resumable<'a, '_>,
    ) -> Result<(Self, Known)> {
        let (identity, progress) = (&grading.identity, grading.context.progress);
        let kept = |partial| Self { partial, target: grading.scoring.verdicts, scratch: None };
        let (partial, earlier) = PartialVerdicts::open(folder, name, identity)?;
        let path = partial.path();
        let found = match earlier {
            Earlier::Nothing => Some(Known::new()),
            Earlier::Other => None,
            Earlier::Verdicts(lines) => grading.known(lines),
        };
        let Some(known) = found else {
            progress.warn(&format!(
                "{} has verdicts on other answers or data, or by other settings or another assay: \
                 grading starts over",
                path.display()
            ));
            let mut partial = partial;
            partial.renew(identity)?;
            return Ok((kept(partial), Known::new()));
        };
        if !known.is_empty() {
            let (from, count) = (path.display(), counted(known.len(), "verdict"));
            let are = agreeing(known.len(), "is", "are");
            progress.note(&format!("{count} {are} taken over from {from}"));
        }
        Ok((kept(partial), known))
    }

    /// A file in a temporary folder.
    fn inscratch(target: &'a OutputTarget) -> Result<Self> {
        let writing = |error| Error::writing("write", target.name(), error);
        let scratch = ScratchFolder::new().map_err(writing)?;
        let folder = Arc::new(Folder::open(scratch.path()).map_err(writing)?);
        let partial = PartialVerdicts::create(&folder, "verdicts", &HeadOfFastWork::default())?;
        Ok(Self { partial, target: Some(target), scratch: Some(scratch) })
    }

    /// The path of the file, if it stays when scoring is interrupted.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.scratch.is_none().then(|| self.partial.path())
    }

    pub(super) fn append(&mut self, verdict: &Verdict) -> Result<()> {
        self.partial.append(&VerdictLine::from(verdict.clone()))
    }

    /// Puts the verdicts in order and moves them to their target, or copies them there if it cannot be replaced.
    pub(super) fn finish(self, order: &dyn Fn(&str) -> Option<usize>) -> Result<()> {
        let Some(target) = self.target else {
            self.partial.discard();
            return Ok(());
        };
        let sorted = self.partial.finish(order)?;
        let (folder, name) = (sorted.folder(), sorted.name());
        let writing = |error| Error::writing("write", target.name(), error);
        if let Some(path) = target.replaced_path() {
            return folder.rename(name, name_of(path)?).map_err(writing);
        }
        if let Some(mut lines) = folder.read(name)? {
            target.write(|out| io::copy(&mut lines, out).map(drop))?;
        }
        folder.remove(name).map_err(writing)
    }

    pub(super) fn discard(self) {
        self.partial.discard();
    }
}

/// A grading that can go on after an interruption.
pub(super) struct Resumable<'a, 'c> {
    scoring: &'c Scoring<'a>,
    identity: Identity,
    file: &'c AnswerFile,
    gate: &'c Gate,
    context: &'c RunContext<'c>,
}

impl<'a, 'c> Resumable<'a, 'c> {
    pub(super) fn new(
        scoring: &'c Scoring<'a>,
        file: &'c AnswerFile,
        gate: &'c Gate,
        context: &'c RunContext<'c>,
    ) -> Self {
        Self { scoring, identity: Identity::new(scoring, file), file, gate, context }
    }

    /// The verdicts by sample; `None` if one of them cannot be on these answers.
    fn known(&self, lines: Vec<VerdictLine>) -> Option<Known> {
        let indices = indices(self.scoring.problems);
        // Which problems are excluded is decided each time.
        let graded = lines.into_iter().filter(|line| !line.is_excluded());
        let known = graded.map(|line| {
            let index = *indices.get(line.problem.as_str())?;
            let samples = self.file.of(index).len().max(1);
            let counts = self.scoring.chosen.contains(index) && !self.gate.is_excluded(index);
            let possible = (line.sample as usize) < samples && counts;
            let key = SampleKey { index, sample: line.sample };
            possible.then(|| (key, Verdict::from(line)))
        });
        known.collect()
    }
}

/// The folder of `path`, and the name of the unfinished file in it.
fn beside(path: &Path) -> Result<(Arc<Folder>, String)> {
    let writing = |error| Error::writing("write", path, error);
    let folder = Folder::open(path.parent().unwrap_or(path)).map_err(writing)?;
    Ok((Arc::new(folder), format!("{}.partial", name_of(path)?)))
}

/// The folder in the cache, for a file called `name`, without its oldest files; `None` without a cache.
fn in_cache(cache: Option<&Path>, name: &str) -> Option<Result<Arc<Folder>>> {
    let path = cache?.join(FOLDER);
    let made = fs::create_dir_all(&path).and_then(|()| {
        remove_oldest(&path, name)?;
        Folder::open(&path)
    });
    Some(made.map(Arc::new).map_err(|error| Error::writing("write", &path, error)))
}

/// Removes the oldest files besides the one called `name`.
fn remove_oldest(folder: &Path, name: &str) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != name {
            files.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    files.sort();
    let too_many = files.len().saturating_sub(MAX_CACHED - 1);
    for (_, path) in &files[..too_many] {
        // Another process may have been faster.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

fn name_of(path: &Path) -> Result<&str> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| {
        Error::refused(format!("{} is no file name, or is not UTF-8", path.display()))
            .hint("give --verdicts another name")
    })
}
