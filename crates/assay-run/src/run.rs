//! Carries a plan out and writes its record.

use std::path::{Path, PathBuf};

use assay_core::{Cancel, Error, Result, Results, Selection, SessionReport, Verdict};

use crate::engine::{Sink, Solved, Work, solve};
use crate::record::{Done, Manifest, Record};
use crate::{Plan, Progress, Tool, host};

/// How a run ended.
#[derive(Debug)]
pub enum Finished {
    /// Every problem has its verdict or is excluded.
    Complete(Box<Complete>),
    /// It was interrupted and can be resumed.
    Interrupted {
        /// The run's folder.
        folder: PathBuf,
        /// How many problems are done.
        done: usize,
        /// How many there are.
        total: usize,
    },
}

/// A run in which every problem has its verdict or is excluded.
#[derive(Debug)]
pub struct Complete {
    /// The run's folder.
    pub folder: PathBuf,
    /// What it found.
    pub results: Results,
    /// What an external solver's sessions were like.
    pub sessions: Vec<SessionReport>,
    /// Problems that could not be used, with the reason.
    pub excluded: Vec<Verdict>,
}

/// Starts a run in a new folder in `parent`.
pub fn start(
    plan: &Plan,
    parent: &Path,
    jobs: usize,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Finished> {
    let (started, unique) = host::now();
    let manifest = Manifest::new(plan, started);
    let record = Record::create(parent, &manifest, unique)?;
    carry_on(plan, record, &manifest, jobs, cancel, progress)
}

/// Finishes what is missing of the run in `folder`. A run that is complete is left as it is.
pub fn resume(
    folder: &Path,
    tool: Tool,
    jobs: usize,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Finished> {
    let (record, manifest) = Record::open(folder)?;
    if let Some(results) = record.results()? {
        return complete(&record, results);
    }
    let plan = Plan::new(manifest.request.clone(), tool)?;
    if plan.signature != manifest.signature || plan.data_digest != manifest.data_digest {
        return Err(Error::refused(format!(
            "{} cannot be resumed: what it depends on has changed\n  then: {}\n  now:  {}",
            folder.display(),
            manifest.signature,
            plan.signature
        ))
        .hint("bring the data and the version of assay back, or start a new run"));
    }
    carry_on(&plan, record, &manifest, jobs, cancel, progress)
}

fn carry_on(
    plan: &Plan,
    mut record: Record,
    manifest: &Manifest,
    jobs: usize,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Finished> {
    let Done { graded, ungraded } = record.done(plan.problems.as_ref())?;
    let total = plan.total();
    let ids = plan.problems.ids().len();
    let open = Selection::of(ids, |rank| plan.wanted.contains(rank) && !graded.contains(rank));
    progress.start(&manifest.request.solver, total, total - open.len());
    let grader = plan.task.grader();
    let work = Work {
        problems: plan.problems.as_ref(),
        wanted: &open,
        solver: &plan.solver,
        grader: Some(grader.as_ref()),
        answered: &ungraded,
        jobs,
        cancel,
    };
    let mut writer = Writer { record: &mut record, work: &work, progress, count: 0 };
    let outcome = solve(&work, &mut writer);
    let solved = writer.count;
    progress.finish();
    outcome?;
    if solved < open.len() {
        let done = total - open.len() + solved;
        return Ok(Finished::Interrupted { folder: record.folder().to_owned(), done, total });
    }
    let results = record.complete(plan.task, plan.problems.as_ref(), manifest)?;
    complete(&record, results)
}

fn complete(record: &Record, results: Results) -> Result<Finished> {
    Ok(Finished::Complete(Box::new(Complete {
        folder: record.folder().to_owned(),
        results,
        sessions: record.sessions()?,
        excluded: record.excluded()?,
    })))
}

/// Writes down what is solved.
struct Writer<'a, 'w> {
    record: &'a mut Record,
    work: &'a Work<'w>,
    progress: &'a dyn Progress,
    count: usize,
}

impl Sink for Writer<'_, '_> {
    fn solved(&mut self, solved: Solved) -> Result<()> {
        if let Some(answer) = &solved.answer
            && !self.work.answered.contains_key(&solved.rank)
        {
            self.record.answer(answer)?;
        }
        if let Some(verdict) = &solved.verdict {
            self.record.verdict(verdict)?;
            self.progress.step(verdict);
        }
        self.count += 1;
        Ok(())
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        self.record.session(&report)
    }
}
