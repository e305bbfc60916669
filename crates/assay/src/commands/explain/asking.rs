//! Puts one task to a solver.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{DataChoice, Error, Problems, Response, Result, Task};
use assay_run::predict_problem;
use assay_solvers::{SolverResources, SolverSettings, SolverSpec};
use assay_tasks::CodRep;
use tempfile::TempDir;

use super::super::{absolute, cancel_on_interrupt, data_at};
use super::question::open;
use crate::args::ExplainArguments;
use crate::output::{self, Answered};

/// The problems that a solver is built for, and the one that it is asked.
struct Place {
    problems: Box<dyn Problems>,
    index: usize,
    /// A dataset that was made for a file outside of all datasets.
    _made: Option<TempDir>,
}

/// The answer of a solver to the task.
pub(super) fn ask(arguments: &ExplainArguments, spec: &SolverSpec) -> Result<Answered> {
    spec.check(CodRep::default().card())?;
    let place = find(arguments, spec.card().peeks)?;
    let settings = SolverSettings {
        seed: arguments.seed,
        top: 1,
        time_limit: Duration::from_secs_f64(arguments.time_limit),
        working_folder: std::env::current_dir()
            .map_err(|error| Error::failed("failed to find the working folder").because(error))?,
        specific: serde_json::Map::new(),
    };
    let solver =
        spec.build(&settings, place.problems.as_ref(), &SolverResources::default())?.solver;
    let scratch = tempfile::tempdir()
        .map_err(|error| Error::failed("failed to make a folder for the task").because(error))?;
    let cancel = cancel_on_interrupt()?;
    let predicted =
        predict_problem(place.problems.as_ref(), place.index, &solver, scratch.path(), &cancel)?;
    output::show_sessions(&predicted.sessions);
    let by = Some(spec.to_string());
    Ok(match predicted.answer {
        Ok(Response::Lines(lines)) => Answered { by, lines, no_answer: None },
        Ok(_) => {
            Answered { by, lines: Vec::new(), no_answer: Some("its answer is no line".to_owned()) }
        }
        Err(reason) => Answered { by, lines: Vec::new(), no_answer: Some(reason) },
    })
}

fn find(arguments: &ExplainArguments, with_references: bool) -> Result<Place> {
    if !arguments.data.is_empty() {
        let problems = open(&data_at(&arguments.data)?, with_references)?;
        let index = problems.find(&arguments.task).map_err(Error::usage)?;
        return Ok(Place { problems, index, _made: None });
    }
    let file = absolute(Path::new(&arguments.task))?;
    if let Some(root) = dataset_of(&file)
        && let Ok(problems) = open(&DataChoice::Paths(vec![root]), with_references)
        && let Ok(index) = problems.find(&file.to_string_lossy())
    {
        return Ok(Place { problems, index, _made: None });
    }
    alone(&file, with_references)
}

/// The dataset that a task file lies in, if it looks like one.
fn dataset_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let is_task_folder = ["Tasks", "Files"].iter().any(|name| folder.ends_with(name));
    is_task_folder.then(|| folder.parent().map(Path::to_owned)).flatten()
}

/// A dataset of one file alone.
fn alone(file: &Path, with_references: bool) -> Result<Place> {
    if with_references {
        return Err(Error::usage(
            "the solver needs the right line, and the file lies in no dataset",
        )
        .hint("name a task file in a dataset's folder Tasks, or a problem with --data"));
    }
    let failed = |error| Error::failed("failed to make a folder for the task").because(error);
    let made = tempfile::tempdir().map_err(failed)?;
    let tasks = made.path().join("task/Tasks");
    std::fs::create_dir_all(&tasks).map_err(failed)?;
    std::fs::copy(file, tasks.join("1.txt"))
        .map_err(|error| Error::reading("read", file, error))?;
    let problems = open(&DataChoice::Paths(vec![made.path().join("task")]), false)?;
    Ok(Place { problems, index: 0, _made: Some(made) })
}
