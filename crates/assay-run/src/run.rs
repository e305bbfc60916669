//! Executes a plan and writes its record.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use assay_core::{
    Answer, Counts, Error, Problem, Problems, Reading, Result, Results, SampleKey, Selection,
    SessionReport, Submission, Verdict, agreeing, counted, shown_name,
};
use assay_record::{AnswerLine, FormatVersion, Manifest, RunReader, RunWriter, Tool};
use assay_solvers::{SolverResources, SolverSpec};
use assay_tasks::TaskRegistry;
use tracing::info;

use crate::gate::{Gate, GoldGate};
use crate::hashing::DataHashing;
use crate::pipeline::{Event, Feed, LastStage, Pending, Pipeline, Retries, VerdictCache, WorkItem};
use crate::registry::Entry;
use crate::{OpenTask, Plan, Request, RunContext, host};

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// Every problem has its verdict or is excluded.
    Complete(Box<Complete>),
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

/// A run that was started before, opened to be finished.
pub struct Resumable {
    record: RunWriter,
    request: Request,
}

/// A run that was started before.
pub enum StoredRun {
    /// It is complete: nothing is left to do.
    Complete(Box<Complete>),
    /// It can be finished.
    Unfinished(Box<Resumable>),
}

impl StoredRun {
    /// Opens the run in `folder`. One that is complete is only read, so it may belong to somebody else.
    pub fn open(folder: &Path) -> Result<Self> {
        let reader = RunReader::open(folder)?;
        let results = reader.results()?;
        info!(folder = %folder.display(), complete = results.is_some(), "opened a run to resume it");
        let Some(results) = results else {
            let record = RunWriter::open(folder)?;
            let request = Request::from_record(&record.manifest().request)?;
            return Ok(Self::Unfinished(Box::new(Resumable { record, request })));
        };
        let excluded = reader.verdicts();
        let excluded = excluded.filter(|line| !matches!(line, Ok(line) if !line.is_excluded()));
        let excluded = excluded.map(|line| line.map(Verdict::from)).collect::<Result<_>>()?;
        complete(folder, results, excluded).map(|complete| Self::Complete(Box::new(complete)))
    }
}

impl Resumable {
    /// The solver's spec.
    pub fn solver(&self) -> &str {
        &self.request.solver
    }

    /// The risky actions of finishing the run, in words, which its user must allow: none if it is in the registry in
    /// the folder `state`.
    pub fn risks(&self, state: Option<&Path>) -> Result<Vec<String>> {
        let risks = risks(&self.request);
        if risks.is_empty() {
            return Ok(Vec::new());
        }
        let entry = Entry::new(self.record.folder(), self.record.manifest_bytes())?;
        let known = state.is_some_and(|state| entry.is_known(state));
        Ok(if known { Vec::new() } else { risks })
    }

    /// Plans the missing work.
    pub fn plan(
        &self,
        tasks: &TaskRegistry,
        (tool, resources): (Tool, &SolverResources),
        jobs: usize,
        cache: Option<&Path>,
    ) -> Result<Plan> {
        let Request { task, solver, solver_settings, samples } = self.request.clone();
        let open = OpenTask::open(tasks, task, jobs, cache)?;
        let plan = Plan::new(&open, &solver, solver_settings, samples, (tool, resources))?;
        let Manifest { signature, data_digest, .. } = self.record.manifest();
        let Some(then) = signature else { return Ok(plan) };
        let now = plan.signature()?.to_string();
        if *then != now || *data_digest != Some(open.data_digest()?) {
            return Err(Error::refused(format!(
                "{} cannot be resumed: what it depends on has changed\n  then: {then}\n  now:  {now}",
                self.record.folder().display(),
            ))
            .hint("bring data, program and version of assay back, or start a new run"));
        }
        Ok(plan)
    }

    /// Does the missing work.
    pub fn finish(self, plan: &Plan, context: &RunContext<'_>) -> Result<RunOutcome> {
        let Self { mut record, request } = self;
        let manifest = record.manifest().clone();
        if manifest.data_digest.is_none() {
            // The answers are to data that nobody can identify any more.
            record.discard()?;
        }
        if manifest.format < FormatVersion::CURRENT {
            // The registry knows the hash of the manifest, which changes with its format.
            record.set_manifest(&manifest)?;
            if !risks(&request).is_empty() {
                register(&record, context);
            }
        }
        execute(plan, record, context)
    }
}

/// The risky actions of a request, which a manifest from another user must not trigger unasked.
fn risks(request: &Request) -> Vec<String> {
    let spec = SolverSpec::parse(&request.solver).ok();
    let risk = spec.and_then(|spec| spec.risk(&request.solver_settings));
    let mut risks: Vec<String> = risk.into_iter().collect();
    if request.task.settings.unsafe_no_isolation {
        risks.push("run answers without isolation, where this machine has none".to_owned());
    }
    risks
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
    let OpenTask { task, problems, request, wanted, .. } = &*plan.open;
    let RunContext { jobs, cancel, progress, .. } = *context;
    context.warn_without_isolation(task.card(), &request.settings);
    let (verdicts, retries) = (VerdictCache::default(), Retries::default());
    let gate = gold_gate(plan, &verdicts, context)?;
    let remaining = RemainingWork::new(plan, &record, &gate)?;
    let (samples, total) = (plan.request.samples, plan.total());
    let done = wanted.indices().map(|index| remaining.done(index)).sum();
    let folder = record.folder().display();
    info!(%folder, solver = plan.solver(), done, of = total * samples as usize, jobs, "run begins");
    if done > 0 {
        let (solver, of) = (shown_name(plan.solver()), total * samples as usize);
        progress.note(&format!("{solver}: {done} of {of} are done already"));
    }
    progress.start(plan.solver(), total * samples as usize, done);
    let started = Instant::now();
    let scratch = record.scratch()?;
    let pipeline = Pipeline {
        problems: problems.as_ref(),
        solver: Some(&plan.solver),
        extraction: plan.extraction,
        last_stage: LastStage::Grade(&verdicts),
        retries: &retries,
        scratch: &scratch,
        jobs,
        cancel,
        progress,
    };
    let mut hashing = plan.hashes_on_the_way().then(|| DataHashing::new(&plan.open));
    let read = |feed: &mut Feed<'_>| remaining.read(&mut hashing, feed);
    let mut is_recorded = true;
    let outcome = pipeline.run(read, &mut |event| {
        let recorded = match event {
            Event::Answered(_, answer) => record_answer(&mut record, *answer),
            Event::Session(report) => record.session(&report.into()),
            Event::Graded(key, verdict) => {
                // An excluded problem has one verdict for all its missing samples.
                let excluded = samples as usize - remaining.done(key.index);
                let steps = if verdict.is_excluded() { excluded } else { 1 };
                (0..steps).for_each(|_| progress.step());
                record.verdict(&(*verdict).into())
            }
            // These events only occur for answers from files.
            Event::Checked(..) | Event::Unclear(_) | Event::Impossible(..) => Ok(()),
        };
        is_recorded &= recorded.is_ok();
        recorded
    });
    progress.finish();
    info!(took = ?started.elapsed(), "answering and grading ended");
    record.clear_scratch()?;
    // An interrupt also reaches the solver command, so its failure is expected; a full disk is not.
    if !cancel.is_cancelled() || !is_recorded {
        outcome?;
    }
    let is_open = |id: &str| record.progress().done(id, samples) < samples;
    let left = plan.open.ids().filter(|id| is_open(id.as_str())).count();
    if left > 0 && cancel.is_cancelled() {
        let folder = record.folder().to_owned();
        return Ok(RunOutcome::Interrupted { folder, done: total - left, total });
    }
    if left > 0 {
        return Err(Error::failed(format!(
            "{left} of {} {} left without an answer",
            counted(total, "problem"),
            agreeing(left, "was", "were")
        )));
    }
    if record.manifest().signature.is_none() {
        if let Some(hashing) = hashing {
            hashing.finish();
        }
        let mut manifest = record.manifest().clone();
        identify(&mut manifest, plan)?;
        record.set_manifest(&manifest)?;
    }
    write_results(plan, record, &gate)
}

/// Records an answer, and before it the question as it was asked.
fn record_answer(record: &mut RunWriter, answer: Answer) -> Result<()> {
    let question = answer.asked.as_deref().map(|text| record.text(text)).transpose()?;
    record.answer(&AnswerLine { question, ..answer.into() })
}

/// Sorts the record, sums up the verdicts and writes the results.
fn write_results(plan: &Plan, mut record: RunWriter, gate: &Gate) -> Result<RunOutcome> {
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
    let results = Results { gold: gate.rate(), ..results.with_tally(tally.as_ref()) };
    record.finish(&results)?;
    info!(took = ?started.elapsed(), "wrote the results");
    let complete = complete(record.folder(), results, excluded)?;
    Ok(RunOutcome::Complete(Box::new(complete)))
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

/// The remaining work of a run.
struct RemainingWork<'a> {
    plan: &'a Plan,
    gate: &'a Gate,
    /// The problems with missing samples.
    open: Selection,
    /// The samples that have a verdict.
    graded: HashSet<SampleKey>,
    /// The problems that are excluded already.
    excluded: HashSet<usize>,
    /// The answers that only need a grade.
    ungraded: HashMap<SampleKey, Answer>,
}

impl<'a> RemainingWork<'a> {
    fn new(plan: &'a Plan, record: &RunWriter, gate: &'a Gate) -> Result<Self> {
        let OpenTask { problems, wanted, .. } = &*plan.open;
        let indices = indices(problems.as_ref());
        record.check_problems(&|id| indices.get(id).copied())?;
        let progress = record.progress();
        let key =
            |(id, sample): (&str, u32)| indices.get(id).map(|&index| SampleKey { index, sample });
        let mut ungraded = HashMap::new();
        record.ungraded(&mut |line| {
            if let Some(key) = key((&line.problem, line.sample)) {
                ungraded.insert(key, Answer::from(line));
            }
            Ok(())
        })?;
        let excluded = progress.excluded().filter_map(|id| indices.get(id).copied()).collect();
        let graded = progress.graded().filter_map(key).collect();
        let mut remaining = Self { plan, gate, open: wanted.clone(), graded, excluded, ungraded };
        let samples = plan.request.samples as usize;
        let is_open = |index| wanted.contains(index) && remaining.done(index) < samples;
        remaining.open = Selection::of(problems.ids().len(), is_open);
        Ok(remaining)
    }

    /// The number of samples of a problem that are done; all of them for an excluded problem.
    fn done(&self, index: usize) -> usize {
        let samples = self.plan.request.samples;
        if self.excluded.contains(&index) {
            return samples as usize;
        }
        (0..samples).filter(|&sample| self.graded.contains(&SampleKey { index, sample })).count()
    }

    /// Feeds all remaining work.
    fn read(&self, hashing: &mut Option<DataHashing<'_>>, feed: &mut Feed<'_>) -> Result<()> {
        self.plan.open.problems.read(&self.open, &mut |reading| {
            if let Some(hashing) = hashing {
                hashing.add(&reading);
            }
            Ok(match reading {
                Reading::Problem(problem) => self.feed_problem(problem, feed),
                Reading::Flawed(flaw) => feed(WorkItem::Flawed(flaw)),
            })
        })
    }

    fn feed_problem(&self, problem: Problem, feed: &mut Feed<'_>) -> ControlFlow<()> {
        let index = problem.index;
        if let Some(verdict) = self.gate.verdict(index, &problem.id) {
            return feed(WorkItem::Done(SampleKey { index, sample: 0 }, Box::new(verdict)));
        }
        let mut missing = Vec::new();
        for sample in 0..self.plan.request.samples {
            let key = SampleKey { index, sample };
            if self.graded.contains(&key) {
                continue;
            }
            match self.ungraded.get(&key) {
                Some(answer) => {
                    let (problem, reference) = (problem.id.clone(), problem.reference.clone());
                    let submission =
                        Submission { key, problem, response: Arc::clone(&answer.response) };
                    feed(WorkItem::Grade(Pending { submission, reference, is_read: true }))?;
                }
                None => missing.push(sample),
            }
        }
        if missing.is_empty() {
            return ControlFlow::Continue(());
        }
        feed(WorkItem::Ask(problem, missing))
    }
}
