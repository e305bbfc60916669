//! Carries a plan out and writes its record.

use std::path::{Path, PathBuf};

use assay_core::{Error, Grader, Result, Results, Selection, SessionReport, Verdict};
use assay_solvers::SolverSpec;

use crate::engine::{Event, Work, solve};
use crate::gate::{Gate, Gold};
use crate::once::Once;
use crate::record::{Done, Graded, Manifest, Record};
use crate::{Means, OpenTask, Plan, Request, Tool, host};

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
pub fn start(plan: &Plan, parent: &Path, means: &Means<'_>) -> Result<Finished> {
    let (started, unique) = host::now();
    let manifest = Manifest::new(plan, started);
    let record = Record::create(parent, &manifest, unique)?;
    let folder = record.folder().display().to_string();
    carry_on(plan, record, &manifest, means).map_err(|error| {
        error.or_hint(format!("what is done is kept; go on with: assay run --resume {folder}"))
    })
}

/// Finishes what is missing of the run in `folder`. A run that is complete is left as it is.
pub fn resume(folder: &Path, tool: Tool, means: &Means<'_>) -> Result<Finished> {
    let (record, manifest) = Record::open(folder)?;
    if let Some(results) = record.results()? {
        return complete(&record, results);
    }
    let Request { task, solver, solver_settings, samples } = manifest.request.clone();
    let open = OpenTask::open(task)?;
    let plan = Plan::new(&open, &solver, solver_settings, samples, tool)?;
    if plan.signature != manifest.signature || open.digest != manifest.data_digest {
        return Err(Error::refused(format!(
            "{} cannot be resumed: what it depends on has changed\n  then: {}\n  now:  {}",
            folder.display(),
            manifest.signature,
            plan.signature
        ))
        .hint("bring data, program and version of assay back, or start a new run"));
    }
    carry_on(&plan, record, &manifest, means)
}

fn carry_on(
    plan: &Plan,
    mut record: Record,
    manifest: &Manifest,
    means: &Means<'_>,
) -> Result<Finished> {
    let OpenTask { task, problems, request, wanted, .. } = &*plan.open;
    let Means { jobs, cancel, progress, .. } = *means;
    let samples = manifest.request.samples;
    means.warn_without_isolation(task.card(), &request.settings);
    let grader = Once::new(task.grader(&request.settings, jobs)?);
    let gate = gold_gate(plan, &grader, means)?;
    let Done { graded, ungraded } = record.done(problems.as_ref())?;
    let (open, total) = (what_is_open(plan, &graded, samples), plan.total());
    let done = |rank| graded.count(rank, samples) as usize;
    let done = wanted.ranks().map(done).sum();
    progress.start(&manifest.request.solver, total * samples as usize, done);
    let scratch = record.scratch()?;
    let work = Work {
        problems: problems.as_ref(),
        wanted: &open,
        samples,
        graded: graded.keys(),
        answered: &ungraded,
        solver: &plan.solver,
        grader: &grader,
        gate: &gate,
        scratch: &scratch,
        jobs,
        cancel,
    };
    let outcome = solve(&work, &mut |event| match event {
        Event::Answered(_, answer) => record.answer(&answer),
        Event::Session(report) => record.session(&report),
        Event::Graded(_, verdict) => {
            progress.step();
            record.verdict(&verdict)
        }
    });
    progress.finish();
    record.clear_scratch()?;
    // An interrupt also reaches what the run has started: that this fails then is no news.
    if !cancel.is_cancelled() {
        outcome?;
    }
    // What is done, the files say.
    let left = what_is_open(plan, &record.done(problems.as_ref())?.graded, samples).len();
    if left > 0 && cancel.is_cancelled() {
        let folder = record.folder().to_owned();
        return Ok(Finished::Interrupted { folder, done: total - left, total });
    }
    if left > 0 {
        return Err(Error::failed(format!(
            "{left} of {total} problems were left without an answer"
        )));
    }
    let results = record.complete(*task, problems.as_ref(), manifest, gate.rate())?;
    complete(&record, results)
}

/// Checks the task's own programs, unless they are what is run.
fn gold_gate(plan: &Plan, grader: &dyn Grader, means: &Means<'_>) -> Result<Gate> {
    if SolverSpec::parse(plan.solver())?.is_gold() {
        return Ok(Gate::default());
    }
    let OpenTask { task, problems, request, wanted, .. } = &*plan.open;
    let (settings, problems, tool) = (&request.settings, problems.as_ref(), &plan.tool);
    Gold { task: *task, settings, problems, wanted, grader, tool }.check(means)
}

/// The wanted problems of which something is missing.
fn what_is_open(plan: &Plan, graded: &Graded, samples: u32) -> Selection {
    let OpenTask { problems, wanted, .. } = &*plan.open;
    let open = |rank| wanted.contains(rank) && !graded.has_all(rank, samples);
    Selection::of(problems.ids().len(), open)
}

fn complete(record: &Record, results: Results) -> Result<Finished> {
    Ok(Finished::Complete(Box::new(Complete {
        folder: record.folder().to_owned(),
        results,
        sessions: record.sessions()?,
        excluded: record.excluded()?,
    })))
}
