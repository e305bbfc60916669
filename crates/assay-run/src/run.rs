//! Carries a plan out and writes its record.

use std::path::{Path, PathBuf};

use assay_core::{Error, Grader, Result, Results, Selection, SessionReport, Verdict};
use assay_solvers::SolverSpec;

use crate::engine::{Event, Work, solve};
use crate::gate::{Gate, Gold};
use crate::once::Once;
use crate::record::{Done, Graded, Manifest, Record};
use crate::registry::Entry;
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
    if !risks(&plan.request).is_empty() {
        remember(&record, means);
    }
    let folder = record.folder().display().to_string();
    carry_on(plan, record, &manifest, means).map_err(|error| {
        error.or_hint(format!("what is done is kept; go on with: assay run --resume {folder}"))
    })
}

/// A run that was started before, held open to be finished.
pub struct Resumable {
    record: Record,
    manifest: Manifest,
    /// The bytes that the manifest was read from: what is known is what is run.
    manifest_bytes: Vec<u8>,
    results: Option<Results>,
}

impl Resumable {
    /// Opens the run in `folder`.
    pub fn open(folder: &Path) -> Result<Self> {
        let (record, manifest, manifest_bytes) = Record::open(folder)?;
        let results = record.results()?;
        Ok(Self { record, manifest, manifest_bytes, results })
    }

    /// What finishing the run would do that only its user may ask for, in words: nothing if the run is
    /// complete, or if the registry in the folder `state` knows that this user started it.
    pub fn risks(&self, state: Option<&Path>) -> Result<Vec<String>> {
        let risks = risks(&self.manifest.request);
        if self.results.is_some() || risks.is_empty() {
            return Ok(Vec::new());
        }
        let entry = Entry::new(self.record.folder(), &self.manifest_bytes)?;
        let known = state.is_some_and(|state| entry.is_known(state));
        Ok(if known { Vec::new() } else { risks })
    }

    /// Makes everything ready for what is missing; `None` if the run is complete.
    pub fn plan(&self, tool: Tool) -> Result<Option<Plan>> {
        let Self { record, manifest, results, .. } = self;
        if results.is_some() {
            return Ok(None);
        }
        let Request { task, solver, solver_settings, samples } = manifest.request.clone();
        let open = OpenTask::open(task)?;
        let plan = Plan::new(&open, &solver, solver_settings, samples, tool)?;
        if plan.signature != manifest.signature || open.digest != manifest.data_digest {
            return Err(Error::refused(format!(
                "{} cannot be resumed: what it depends on has changed\n  then: {}\n  now:  {}",
                record.folder().display(),
                manifest.signature,
                plan.signature
            ))
            .hint("bring data, program and version of assay back, or start a new run"));
        }
        Ok(Some(plan))
    }

    /// Finishes what is missing. A run that is complete, and so has no plan, is left as it is.
    pub fn finish(self, plan: Option<&Plan>, means: &Means<'_>) -> Result<Finished> {
        match (self.results, plan) {
            (Some(results), _) => complete(&self.record, results),
            (None, Some(plan)) => carry_on(plan, self.record, &self.manifest, means),
            (None, None) => Err(Error::failed("a run that is not complete has no plan")),
        }
    }
}

/// What a request does that a manifest from somebody else must not do unasked.
fn risks(request: &Request) -> Vec<String> {
    let mut risks = Vec::new();
    if let Ok(SolverSpec::Program(_)) = SolverSpec::parse(&request.solver) {
        let command = request.solver.strip_prefix("program:").unwrap_or(&request.solver);
        let folder = request.solver_settings.working_folder.display();
        risks.push(format!("run in {folder}: {command}"));
    }
    if request.task.settings.unsafe_no_isolation {
        risks.push("run answers without isolation, where this machine has none".to_owned());
    }
    risks
}

/// Adds a run to the registry. One that cannot be written costs a question, not the run.
fn remember(record: &Record, means: &Means<'_>) {
    let Some(state) = means.state else { return };
    let entry = record.manifest().and_then(|bytes| Entry::new(record.folder(), &bytes));
    if let Err(error) = entry.and_then(|entry| entry.remember(state)) {
        means
            .progress
            .warn(&format!("{error}: to resume this run, you will be asked, or need --trust"));
    }
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
    let grader = Once::new(task.grader(&means.equip(&request.settings), jobs)?);
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
        Event::Graded(key, verdict) => {
            // An excluded problem has one verdict for all samples that are missing.
            let excluded = samples - graded.count(key.rank, samples);
            let steps = if verdict.is_excluded() { excluded } else { 1 };
            (0..steps).for_each(|_| progress.step());
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
