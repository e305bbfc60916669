//! Runs that were started before.

use std::ops::ControlFlow;
use std::path::Path;

use assay_core::{DataChoice, Error, Reading, Result, Selection, Verdict, agreeing, counted};
use assay_record::{FormatVersion, Manifest, RunReader, RunWriter, Tool};
use assay_solvers::SolverResources;
use assay_tasks::TaskRegistry;
use tracing::info;

use super::{Complete, RunOutcome, complete, execute, grading_risk, register, risks};
use crate::registry::Entry;
use crate::{OpenTask, Plan, Request, RunContext};

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

    /// The task's name.
    pub fn task(&self) -> &str {
        &self.request.task.name
    }

    /// The numbers of samples that pass@k is computed for.
    pub fn pass_k(&self) -> &[u32] {
        &self.request.task.settings.pass_k
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
        let Request { task, solver, solver_settings, samples, only_answers } = self.request.clone();
        let open = OpenTask::open(tasks, task, jobs, cache)?;
        let plan = Plan::new(&open, &solver, solver_settings, samples, (tool, resources))?;
        let plan = if only_answers { plan.only_answers() } else { plan };
        let Manifest { signature, data_digest, .. } = self.record.manifest();
        let Some(then) = signature else { return Ok(plan) };
        let now = plan.signature()?.to_string();
        if *then != now || *data_digest != Some(open.data_digest()?) {
            return Err(self.changed(then, &now));
        }
        Ok(plan)
    }

    /// Plans to grade the recorded answers without asking the solver, by the data at another place if one is named.
    /// Forgets the signature that the answers were made under: how they are graded is decided now.
    pub fn grading_plan(
        &mut self,
        tasks: &TaskRegistry,
        tool: Tool,
        data: Option<DataChoice>,
        (jobs, cache): (usize, Option<&Path>),
    ) -> Result<Plan> {
        let folder = self.record.folder().display().to_string();
        let mut manifest = self.record.manifest().clone();
        let (Some(identity), Some(then)) = (manifest.solver_identity.clone(), manifest.data_digest)
        else {
            return Err(Error::refused(format!("{folder} does not tell what its answers are to"))
                .hint(format!("finish it with: assay run --resume {folder}")));
        };
        let mut request = self.request.clone();
        request.only_answers = false;
        if let Some(data) = data {
            request.task.data = data;
        }
        let open = OpenTask::open(tasks, request.task.clone(), jobs, cache)?;
        if open.data_digest()? != then {
            return Err(Error::refused(format!(
                "the answers in {folder} are to other problems than those of the data"
            ))
            .hint("name the data that they were made for with --data"));
        }
        self.check_answered(&open)?;
        let plan = Plan::of_answers(open, request, identity, tool);
        let now = plan.signature()?.to_string();
        let has_verdicts = self.record.progress().graded().next().is_some();
        if let Some(then) = manifest.signature.filter(|then| has_verdicts && *then != now) {
            return Err(self.changed(&then, &now));
        }
        manifest.signature = Some(now);
        manifest.request = plan.request.to_record()?;
        self.record.set_manifest(&manifest)?;
        self.request = plan.request.clone();
        Ok(plan)
    }

    /// Fails if a usable problem lacks an answer: only the run itself can ask for it.
    fn check_answered(&self, open: &OpenTask) -> Result<()> {
        let (progress, samples, ids) =
            (self.record.progress(), self.request.samples, open.problems.ids());
        let lacks = |index: usize| {
            let id = ids[index].as_str();
            !progress.is_excluded(id)
                && (0..samples).any(|sample| !progress.is_answered(id, sample))
        };
        let lacking = |index| open.wanted.contains(index) && lacks(index);
        let lacking = Selection::of(ids.len(), lacking);
        let mut left = 0;
        if !lacking.is_empty() {
            open.problems.read(&lacking, &mut |reading| {
                left += usize::from(matches!(reading, Reading::Problem(_)));
                Ok(ControlFlow::Continue(()))
            })?;
        }
        if left == 0 {
            return Ok(());
        }
        let (folder, of) = (self.record.folder().display(), counted(open.wanted.len(), "problem"));
        let message = format!(
            "{folder} is not finished: {left} of {of} {} no answer yet",
            agreeing(left, "has", "have")
        );
        Err(Error::refused(message)
            .hint(format!("ask for the rest with: assay run --resume {folder}")))
    }

    fn changed(&self, then: &str, now: &str) -> Error {
        Error::refused(format!(
            "{} cannot be resumed: what it depends on has changed\n  then: {then}\n  now:  {now}",
            self.record.folder().display(),
        ))
        .hint("bring data, program and version of assay back, or start a new run")
    }

    /// The risky actions of grading the recorded answers.
    pub fn grading_risks(&self) -> Option<&'static str> {
        grading_risk(&self.request)
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
