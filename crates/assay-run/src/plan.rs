//! Requests, and the plans made from them.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use std::path::Path;

use assay_core::{
    DataChoice, Digest, Effort, Error, Opening, ProblemId, Problems, Result, Selection, Signature,
    Solver, Task, TaskSettings,
};
use assay_extract::Extraction;
use assay_record::{DataDigest, Tool};
use assay_solvers::{BuiltSolver, SolverResources, SolverSettings, SolverSpec};
use assay_tasks::TaskRegistry;
use serde::{Deserialize, Serialize};
use tracing::info;

use crate::hashing::DataHashing;

/// A user's request for a run. It is written to the record, so that a run can be resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The task and its problems.
    pub task: TaskRequest,
    /// The solver's spec.
    pub solver: String,
    /// The settings of the solver.
    pub solver_settings: SolverSettings,
    /// The number of samples per problem.
    pub samples: u32,
    /// True if the answers are only recorded, to be graded later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_answers: bool,
}

impl Request {
    /// Converts the request to the record's form.
    pub(crate) fn to_record(&self) -> Result<assay_record::Request> {
        convert(self)
    }

    /// Converts the request from the record's form.
    pub(crate) fn from_record(request: &assay_record::Request) -> Result<Self> {
        convert(request)
    }
}

/// Converts via JSON, which is the same on both sides; the record does not interpret settings.
fn convert<T: serde::de::DeserializeOwned>(value: &impl Serialize) -> Result<T> {
    serde_json::to_value(value).and_then(serde_json::from_value).map_err(|error| {
        Error::refused("the request of the run cannot be read")
            .because(error)
            .hint("resume it with the version of assay that started it")
    })
}

/// A task and the selection of its problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRequest {
    /// The task's name.
    pub name: String,
    /// The name under which results are reported, if the data is the user's own in the form of that task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_name: Option<String>,
    /// The source of its problems.
    pub data: DataChoice,
    /// The settings of the task.
    pub settings: TaskSettings,
    /// The names of the problems to use; empty for all.
    pub ids: Vec<String>,
    /// The maximum number of problems, from the first on.
    pub limit: Option<usize>,
}

/// A task whose problems have been opened and selected.
pub struct OpenTask {
    pub(crate) request: TaskRequest,
    pub(crate) task: Arc<dyn Task>,
    pub(crate) problems: Box<dyn Problems>,
    pub(crate) wanted: Selection,
    /// The hashes of the chosen problems, once they have been read.
    pub(crate) digest: OnceLock<DataDigest>,
}

impl OpenTask {
    /// The names of the selected problems, in task order.
    pub fn ids(&self) -> impl Iterator<Item = &ProblemId> {
        self.wanted.indices().map(|index| &self.problems.ids()[index])
    }

    /// Opens the task and data of `request` for this many grading jobs.
    pub fn open(
        tasks: &TaskRegistry,
        request: TaskRequest,
        jobs: usize,
        cache: Option<&Path>,
    ) -> Result<Arc<Self>> {
        let started = Instant::now();
        let task = tasks.find_as(&request.name, request.own_name.as_deref())?;
        let TaskRequest { data, settings, .. } = &request;
        let problems = task.open(&Opening { jobs, cache, ..Opening::new(data, settings) })?;
        problems.can_be_asked()?;
        problems.can_be_graded()?;
        let wanted = select_problems(problems.ids(), &request.ids, request.limit)?;
        let (count, of, took) = (wanted.len(), problems.ids().len(), started.elapsed());
        info!(task = request.name, ?data, problems = count, of, ?took, "opened the task");
        let digest = OnceLock::new();
        Ok(Arc::new(Self { request, task, problems, wanted, digest }))
    }

    /// The hashes of the chosen problems, which are read unless they have been read before.
    pub fn data_digest(&self) -> Result<DataDigest> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let mut hashing = DataHashing::new(self);
        self.problems.read(&self.wanted, &mut |reading| {
            hashing.add(&reading);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(hashing.finish())
    }
}

/// One solver on an opened task, with everything checked.
pub struct Plan {
    pub(crate) open: Arc<OpenTask>,
    pub(crate) request: Request,
    /// The solver; `None` if every answer is recorded already.
    pub(crate) solver: Option<Solver>,
    /// Everything that the answers depend on beside the data and the settings.
    pub(crate) identity: String,
    /// The rule by which the code in replies is found, if they are prose with code.
    pub(crate) extraction: Option<Extraction>,
    pub(crate) tool: Tool,
    /// The number of samples per problem that the solver has, if it is limited.
    has_samples: Option<u32>,
}

impl Plan {
    /// Builds a solver for an opened task.
    pub fn new(
        open: &Arc<OpenTask>,
        solver: &str,
        solver_settings: SolverSettings,
        samples: u32,
        (tool, resources): (Tool, &SolverResources),
    ) -> Result<Self> {
        let spec = SolverSpec::parse(solver)?;
        let card = open.task.card();
        spec.check(card)?;
        if samples > 1 && !card.asks.takes_samples() {
            return Err(Error::usage(format!("{} takes one answer per problem", card.name))
                .hint("several samples (-n) are for tasks that ask for programs"));
        }
        let built = spec.build(&solver_settings, open.problems.as_ref(), resources)?;
        let BuiltSolver { solver: ready, identity, samples: has, extraction } = built;
        info!(solver, samples, identity, "made the solver ready");
        let task = open.request.clone();
        let request = Request {
            task,
            solver: solver.to_owned(),
            solver_settings,
            samples,
            only_answers: false,
        };
        let (open, solver) = (Arc::clone(open), Some(ready));
        Ok(Self { open, request, solver, identity, extraction, tool, has_samples: has })
    }

    /// Only records the answers, to be graded later.
    #[must_use]
    pub fn only_answers(mut self) -> Self {
        self.request.only_answers = true;
        self
    }

    /// A plan to grade recorded answers, of a solver with this identity.
    pub(crate) fn of_answers(
        open: Arc<OpenTask>,
        request: Request,
        identity: String,
        tool: Tool,
    ) -> Self {
        let request = Request { task: open.request.clone(), only_answers: false, ..request };
        Self { open, request, solver: None, identity, extraction: None, tool, has_samples: None }
    }

    /// Everything that the results depend on. Reads the data if nobody has.
    pub(crate) fn signature(&self) -> Result<Signature> {
        let OpenTask { task, problems, request, wanted, .. } = &*self.open;
        let DataDigest { solutions, content } = self.open.data_digest()?;
        let (task, settings) = (task.as_ref(), &request.settings);
        let signature =
            signature((task, problems.as_ref()), settings, solutions, wanted.len(), &self.tool);
        Ok(with_samples(signature, task, &self.request.samples)
            .field("content", content.short())
            .field("solver", &self.identity))
    }

    /// True if answering and grading take less time than reading the data, which is then read only once: it is hashed
    /// as it is answered. A run that is interrupted before that starts over.
    pub(crate) fn hashes_on_the_way(&self) -> bool {
        self.solver.as_ref().is_some_and(|solver| solver.effort() == Effort::Trivial)
            && !self.request.only_answers
            && self.open.problems.effort() == Effort::Trivial
            && self.open.digest.get().is_none()
    }

    /// The solver's spec.
    pub fn solver(&self) -> &str {
        &self.request.solver
    }

    /// The number of samples per problem that the solver has, if it is more than requested.
    pub fn more_samples(&self) -> Option<u32> {
        self.has_samples.filter(|&has| has > self.request.samples)
    }

    /// The task's name.
    pub fn task(&self) -> &str {
        &self.open.task.card().name
    }

    /// The number of problems to answer.
    pub(crate) fn total(&self) -> usize {
        self.open.wanted.len()
    }
}

/// The signature fields that the grades of any solver on these problems depend on.
pub(crate) fn signature(
    (task, problems): (&dyn Task, &dyn Problems),
    settings: &TaskSettings,
    solutions: Digest,
    count: usize,
    tool: &Tool,
) -> Signature {
    let mut signature = Signature::new(&task.card().name, task.card().version)
        .field("data", solutions.short())
        .field("n", count);
    for (name, value) in
        task.signature_fields(settings).into_iter().chain(problems.signature_fields())
    {
        signature = signature.field(name, value);
    }
    signature.field("ci", task.interval()).field("assay", &tool.version)
}

/// Adds the number of samples per problem, if a task takes several.
pub(crate) fn with_samples(
    signature: Signature,
    task: &dyn Task,
    samples: &dyn fmt::Display,
) -> Signature {
    let takes_several = task.card().asks.takes_samples();
    if takes_several { signature.field("samples", samples) } else { signature }
}

/// The first `limit` of the problems called `ids`, or of all problems.
pub fn select_problems(
    all: &[ProblemId],
    ids: &[String],
    limit: Option<usize>,
) -> Result<Selection> {
    let limit = limit.unwrap_or(usize::MAX);
    if ids.is_empty() {
        return Ok(Selection::of(all.len(), |index| index < limit));
    }
    let indices: HashMap<&str, usize> = all.iter().map(ProblemId::as_str).zip(0..).collect();
    let mut picked = BTreeSet::new();
    for id in ids {
        picked.insert(*indices.get(id.as_str()).ok_or_else(|| no_such_problem(all, id))?);
    }
    let picked: BTreeSet<usize> = picked.into_iter().take(limit).collect();
    Ok(Selection::of(all.len(), |index| picked.contains(&index)))
}

fn no_such_problem(all: &[ProblemId], id: &str) -> Error {
    let alike: Vec<&str> = all
        .iter()
        .map(ProblemId::as_str)
        .filter(|known| known.rsplit('/').next() == Some(id))
        .take(5)
        .collect();
    let error = Error::usage(format!("there is no problem called {id:?}"));
    match (alike.as_slice(), all.first()) {
        ([], Some(first)) => error.hint(format!("problems are called like {first}")),
        ([], None) => error,
        (alike, _) => error.hint(format!("did you mean {}?", alike.join(" or "))),
    }
}
