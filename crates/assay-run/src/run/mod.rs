//! Executes a plan and writes its record.

mod recording;
mod remaining;
mod repeating;
mod stored;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use assay_core::{
    Counts, Error, ProblemId, Problems, Progress, Replies, Result, Results, SessionReport, Solver,
    Verdict, agreeing, counted, shown_name,
};
use assay_record::{FormatVersion, Manifest, RunReader, RunWriter};
use assay_solvers::SolverSpec;
use tracing::info;

use crate::gate::{Gate, GoldGate};
use crate::hashing::DataHashing;
use crate::pipeline::{Feed, LastStage, Pipeline, Retries, VerdictCache};
use crate::registry::Entry;
use crate::{OpenTask, Plan, Request, RunContext, host};

use recording::Recording;
use remaining::RemainingWork;
pub use stored::{Resumable, StoredRun};

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// Every problem has its verdict or is excluded.
    Complete(Box<Complete>),
    /// Every answer is recorded, to be graded later.
    Answered {
        /// The run's folder.
        folder: PathBuf,
        /// The number of answers.
        answers: usize,
        /// The unusable problems.
        unusable: Vec<ProblemId>,
        /// Totals of the replies, if the solver is a language model.
        replies: Option<Replies>,
    },
    /// It was interrupted and can be resumed.
    Interrupted {
        /// The run's folder.
        folder: PathBuf,
        /// The number of problems that are done.
        done: usize,
        /// The number of all problems.
        total: usize,
    },
}

/// A run in which every problem has its verdict or is excluded.
#[derive(Debug)]
pub struct Complete {
    /// The run's folder.
    pub folder: PathBuf,
    /// The results.
    pub results: Results,
    /// The reports of a solver command's sessions.
    pub sessions: Vec<SessionReport>,
    /// The unusable problems, with the reason.
    pub excluded: Vec<Verdict>,
}

/// Starts a run in a new folder in `parent`.
pub fn start(plan: &Plan, parent: &Path, context: &RunContext<'_>) -> Result<RunOutcome> {
    let (started, unique) = host::now();
    let mut manifest = manifest(plan, started)?;
    if !plan.hashes_on_the_way() {
        identify(&mut manifest, plan)?;
    }
    let record = RunWriter::create(parent, &manifest, unique)?;
    if !risks(&plan.request).is_empty() {
        register(&record, context);
    }
    let folder = record.folder().display().to_string();
    execute(plan, record, context).map_err(|error| {
        error.or_hint(format!("what is done is kept; go on with: assay run --resume {folder}"))
    })
}

fn manifest(plan: &Plan, started: String) -> Result<Manifest> {
    Ok(Manifest {
        format: FormatVersion::CURRENT,
        signature: None,
        started,
        problems: plan.total(),
        data_digest: None,
        solver_identity: Some(plan.identity.clone()),
        request: plan.request.to_record()?,
        tool: plan.tool.clone(),
        machine: host::this_machine(),
        other: serde_json::Map::new(),
    })
}

/// Names everything that the results depend on.
fn identify(manifest: &mut Manifest, plan: &Plan) -> Result<()> {
    let signature = plan.signature()?;
    info!(%signature, "identified the run");
    manifest.signature = Some(signature.to_string());
    manifest.data_digest = Some(plan.open.data_digest()?);
    Ok(())
}

/// The risky actions of a request, which a manifest from another user must not trigger unasked.
fn risks(request: &Request) -> Vec<String> {
    let spec = SolverSpec::parse(&request.solver).ok();
    let risk = spec.and_then(|spec| spec.risk(&request.solver_settings));
    let mut risks: Vec<String> = risk.into_iter().collect();
    risks.extend(grading_risk(request).map(str::to_owned));
    risks
}

/// The risky action of grading by a request.
fn grading_risk(request: &Request) -> Option<&'static str> {
    let is_unsafe = request.task.settings.unsafe_no_isolation;
    is_unsafe.then_some("run answers without isolation, where this machine has none")
}

/// Adds a run to the registry. A registry that cannot be written costs a question, not the run.
fn register(record: &RunWriter, context: &RunContext<'_>) {
    let Some(state) = context.state else { return };
    let entry = Entry::new(record.folder(), record.manifest_bytes());
    if let Err(error) = entry.and_then(|entry| entry.remember(state)) {
        let text = format!("{error}: to resume this run, you will be asked, or need --trust");
        context.progress.warn(&text);
    }
}

fn execute(plan: &Plan, mut record: RunWriter, context: &RunContext<'_>) -> Result<RunOutcome> {
    let OpenTask { task, request, wanted, .. } = &*plan.open;
    context.warn_without_isolation(task.card(), &request.settings);
    let verdicts = VerdictCache::default();
    let only_answers = plan.request.only_answers;
    let gate = if only_answers { Gate::default() } else { gold_gate(plan, &verdicts, context)? };
    let remaining = RemainingWork::new(plan, &record, &gate)?;
    let done = wanted.indices().map(|index| remaining.done(index)).sum();
    announce(plan, record.folder(), done, context);
    let mut hashing = plan.hashes_on_the_way().then(|| DataHashing::new(&plan.open));
    let last_stage = if only_answers { LastStage::Check } else { LastStage::Grade(&verdicts) };
    let read = |feed: &mut Feed<'_>| remaining.read(&mut hashing, feed);
    let unusable = work(plan, &mut record, &remaining, (last_stage, read), context)?;
    if let Some(interrupted) = check_left(plan, &record, &unusable, context)? {
        return Ok(interrupted);
    }
    if only_answers {
        return answered(plan, &record, unusable, context);
    }
    if record.manifest().signature.is_none() {
        if let Some(hashing) = hashing {
            hashing.finish();
        }
        let mut manifest = record.manifest().clone();
        identify(&mut manifest, plan)?;
        record.set_manifest(&manifest)?;
    }
    write_results(plan, record, &gate, context)
}

/// Says what is done already, and starts the progress.
fn announce(plan: &Plan, folder: &Path, done: usize, context: &RunContext<'_>) {
    let RunContext { jobs, progress, .. } = *context;
    let of = plan.total() * plan.request.samples as usize;
    info!(folder = %folder.display(), solver = plan.solver(), done, of, jobs, "run begins");
    if done > 0 {
        let solver = shown_name(plan.solver());
        progress.note(&format!("{solver}: {done} of {of} are done already"));
    }
    progress.start(plan.solver(), of, done);
}

/// Answers and grades what remains, and records it; returns the problems that cannot be graded.
fn work(
    plan: &Plan,
    record: &mut RunWriter,
    remaining: &RemainingWork<'_>,
    (last_stage, read): (LastStage<'_>, impl FnOnce(&mut Feed<'_>) -> Result<()> + Send),
    context: &RunContext<'_>,
) -> Result<HashSet<ProblemId>> {
    let RunContext { jobs, cancel, progress, .. } = *context;
    let (started, scratch, retries) = (Instant::now(), record.scratch()?, Retries::default());
    let pipeline = Pipeline {
        problems: plan.open.problems.as_ref(),
        solver: plan.solver.as_ref(),
        extraction: plan.extraction,
        last_stage,
        retries: &retries,
        scratch: &scratch,
        jobs,
        cancel,
        progress,
    };
    let mut recording = Recording::new(record, remaining, plan.request.samples, progress);
    let outcome = pipeline.run(read, &mut |event| recording.take(event));
    let (unusable, is_recorded) = recording.finish();
    finish_progress(plan, progress);
    if let Some(failure) = retries.last_failure().filter(|_| cancel.is_cancelled()) {
        progress.note(&format!("when the run was interrupted, it waited because {failure}"));
    }
    info!(took = ?started.elapsed(), "answering and grading ended");
    record.clear_scratch()?;
    // An interrupt also reaches the solver command, so its failure is expected; a full disk is not.
    if !cancel.is_cancelled() || !is_recorded {
        outcome?;
    }
    Ok(unusable)
}

/// Ends the progress line, and tells the user what the solver has to say about its work.
fn finish_progress(plan: &Plan, progress: &dyn Progress) {
    progress.finish();
    if let Some(Solver::Each(solver)) = &plan.solver {
        solver.remarks().iter().for_each(|remark| progress.note(remark));
    }
}

/// Returns the outcome of an interrupted run; fails if problems are left for another reason.
fn check_left(
    plan: &Plan,
    record: &RunWriter,
    unusable: &HashSet<ProblemId>,
    context: &RunContext<'_>,
) -> Result<Option<RunOutcome>> {
    let (samples, total) = (plan.request.samples, plan.total());
    let is_open = |id: &&ProblemId| {
        let (progress, id) = (record.progress(), id.as_str());
        if plan.request.only_answers {
            !unusable.contains(id) && (0..samples).any(|sample| !progress.is_answered(id, sample))
        } else {
            progress.done(id, samples) < samples
        }
    };
    let left = plan.open.ids().filter(is_open).count();
    if left == 0 {
        return Ok(None);
    }
    if context.cancel.is_cancelled() {
        let folder = record.folder().to_owned();
        return Ok(Some(RunOutcome::Interrupted { folder, done: total - left, total }));
    }
    let error = Error::failed(format!(
        "{left} of {} {} left without an answer",
        counted(total, "problem"),
        agreeing(left, "was", "were")
    ));
    let ask = format!("ask for them with: assay run --resume {}", record.folder().display());
    Err(if plan.solver.is_none() { error.hint(ask) } else { error })
}

/// The outcome of a run whose answers are graded later.
fn answered(
    plan: &Plan,
    record: &RunWriter,
    unusable: HashSet<ProblemId>,
    context: &RunContext<'_>,
) -> Result<RunOutcome> {
    let answers = (plan.total() - unusable.len()) * plan.request.samples as usize;
    let folder = record.folder().to_owned();
    let replies = replies(plan, &folder, context)?;
    let unusable = unusable.into_iter().collect();
    Ok(RunOutcome::Answered { folder, answers, unusable, replies })
}

/// Sorts the record, sums up the verdicts and writes the results.
fn write_results(
    plan: &Plan,
    mut record: RunWriter,
    gate: &Gate,
    context: &RunContext<'_>,
) -> Result<RunOutcome> {
    let started = Instant::now();
    let OpenTask { task, problems, request, .. } = &*plan.open;
    let indices = indices(problems.as_ref());
    let mut counts = Counts::default();
    let mut tally = task.tally(&request.settings);
    let mut excluded = Vec::new();
    record.complete(&|id| indices.get(id).copied(), &mut |line| {
        let verdict = Verdict::from(line.clone());
        counts.add(&verdict);
        tally.add(&verdict);
        if verdict.is_excluded() {
            excluded.push(verdict);
        }
    })?;
    let (solver, signature) = (plan.solver().to_owned(), plan.signature()?);
    let results = Results::new(&task.card().name, solver, signature, counts);
    let replies = replies(plan, record.folder(), context)?;
    let results = Results { gold: gate.rate(), replies, ..results.with_tally(tally.as_ref()) };
    record.finish(&results)?;
    info!(took = ?started.elapsed(), "wrote the results");
    let complete = complete(record.folder(), results, excluded)?;
    Ok(RunOutcome::Complete(Box::new(complete)))
}

/// Totals of the recorded replies, if the solver is a language model.
fn replies(plan: &Plan, folder: &Path, context: &RunContext<'_>) -> Result<Option<Replies>> {
    if !SolverSpec::parse(plan.solver())?.card().is_model {
        return Ok(None);
    }
    let mut replies = Replies::default();
    for line in RunReader::open(folder)?.answers() {
        replies.add(&line?.into());
    }
    replies.repeated = repeating::repeat(plan, folder, context)?;
    Ok(Some(replies))
}

fn complete(folder: &Path, results: Results, excluded: Vec<Verdict>) -> Result<Complete> {
    let sessions = RunReader::open(folder)?.sessions();
    let sessions = sessions.map(|line| line.map(SessionReport::from)).collect::<Result<_>>()?;
    Ok(Complete { folder: folder.to_owned(), results, sessions, excluded })
}

/// Checks the reference solutions, unless they are the answers of this run.
fn gold_gate(plan: &Plan, verdicts: &VerdictCache, context: &RunContext<'_>) -> Result<Gate> {
    if SolverSpec::parse(plan.solver())?.is_gold() {
        return Ok(Gate::default());
    }
    let OpenTask { task, problems, request, wanted, .. } = &*plan.open;
    let (settings, problems, tool) = (&request.settings, problems.as_ref(), &plan.tool);
    GoldGate { task: task.as_ref(), settings, problems, wanted, verdicts, tool }.run(context)
}

/// The indices of an opened task's problems, by id.
pub(crate) fn indices(problems: &dyn Problems) -> HashMap<&str, usize> {
    problems.ids().iter().map(assay_core::ProblemId::as_str).zip(0..).collect()
}
