//! From what is wanted to what will be done.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use assay_core::{
    DataChoice, Digest, Error, ProblemId, Problems, Reading, Result, Rules, Selection, Signature,
    Solver, Task, TaskOptions,
};
use assay_solvers::{BuiltSolver, SolverSettings, SolverSpec};
use serde::{Deserialize, Serialize};

use crate::Tool;

/// What a user wants to be run. Written into the record, so that a run can be resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The task's name.
    pub task: String,
    /// Where its problems come from.
    pub data: DataChoice,
    /// Which rules hold.
    pub rules: Rules,
    /// The solver's spec.
    pub solver: String,
    /// What the solver is told.
    pub settings: SolverSettings,
    /// Only these problems, if any are named.
    pub ids: Vec<String>,
    /// At most so many problems, from the first on.
    pub limit: Option<usize>,
}

/// A request with everything opened and checked.
pub struct Plan {
    pub(crate) request: Request,
    pub(crate) task: &'static dyn Task,
    pub(crate) problems: Box<dyn Problems>,
    pub(crate) wanted: Selection,
    pub(crate) solver: Solver,
    pub(crate) data_digest: DataDigest,
    pub(crate) signature: Signature,
    pub(crate) tool: Tool,
}

impl Plan {
    /// Opens everything that `request` names, and reads the wanted problems once to learn their
    /// hash.
    pub fn new(request: Request, tool: Tool) -> Result<Self> {
        let task = assay_tasks::find(&request.task)?;
        let spec = SolverSpec::parse(&request.solver)?;
        let options = TaskOptions { rules: request.rules, with_references: true };
        let problems = task.open(&request.data, options)?;
        let wanted = select(problems.ids(), &request.ids, request.limit)?;
        let BuiltSolver { solver, identity } = spec.build(&request.settings, problems.as_ref())?;
        let data_digest = digest(problems.as_ref(), &wanted)?;
        let signature = signature(task, data_digest.solutions, wanted.len(), request.rules, &tool)
            .field("content", data_digest.content.short())
            .field("solver", identity);
        Ok(Self { request, task, problems, wanted, solver, data_digest, signature, tool })
    }

    /// How many problems there are to answer.
    pub fn total(&self) -> usize {
        self.wanted.len()
    }

    /// Names everything that the results will depend on.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// What the grades of any solver on these problems depend on.
pub(crate) fn signature(
    task: &dyn Task,
    solutions: Digest,
    count: usize,
    rules: Rules,
    tool: &Tool,
) -> Signature {
    Signature::new(task.card().name, task.card().version)
        .field("data", solutions.short())
        .field("n", count)
        .field("rules", rules)
        .field("ci", assay_stats::METHOD)
        .field("assay", &tool.version)
}

fn select(all: &[ProblemId], ids: &[String], limit: Option<usize>) -> Result<Selection> {
    let limit = limit.unwrap_or(usize::MAX);
    if ids.is_empty() {
        return Ok(Selection::of(all.len(), |rank| rank < limit));
    }
    let ranks: HashMap<&str, usize> = all.iter().map(ProblemId::as_str).zip(0..).collect();
    let mut picked = BTreeSet::new();
    for id in ids {
        picked.insert(*ranks.get(id.as_str()).ok_or_else(|| no_such_problem(all, id))?);
    }
    let picked: BTreeSet<usize> = picked.into_iter().take(limit).collect();
    Ok(Selection::of(all.len(), |rank| picked.contains(&rank)))
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

/// The hashes of what is graded and of what solvers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest {
    /// Of the right answers, in task order.
    pub solutions: Digest,
    /// Of the problems and their right answers, in task order.
    pub content: Digest,
}

fn digest(problems: &dyn Problems, wanted: &Selection) -> Result<DataDigest> {
    let total = problems.ids().len();
    let mut found = vec![None; total];
    problems.read(wanted, &mut |reading| {
        if let Reading::Problem(problem) = reading {
            found[problem.rank] = Some((problem.fingerprint(), problem.reference));
        }
        ControlFlow::Continue(())
    })?;
    Ok(DataDigest {
        solutions: Digest::of_references(found.iter().flatten().map(|(_, reference)| reference)),
        content: Digest::of_problems(found.iter().flatten().map(|(fingerprint, _)| fingerprint)),
    })
}
