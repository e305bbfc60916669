//! `program:CMD`: CodRep's predictor protocol.
//!
//! The command gets the task folder as its last argument and prints `<path> <line> [<line>…]`. It
//! is given a private copy of the task files, so that it sees neither the solutions nor problems
//! that it is not asked, and cannot change the dataset. It is the user's own program and runs with
//! the user's rights; programs that are not trusted go through the sandbox instead.

mod conversation;
mod process;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{AnswerTogether, Batch, Error, Problem, Reading, Result, TakeAnswers};

use crate::SolverSettings;
use conversation::Conversation;

pub(crate) struct ProgramSolver {
    command: Vec<String>,
    working_folder: PathBuf,
    time_limit: Duration,
}

/// The tasks of one dataset, laid out for the program.
pub(crate) struct Staged {
    dataset: String,
    folder: PathBuf,
    /// The ranks of the tasks that it is asked.
    ranks: BTreeSet<usize>,
}

impl ProgramSolver {
    pub(crate) fn new(words: &[String], settings: &SolverSettings) -> Self {
        Self {
            command: words.to_vec(),
            working_folder: settings.working_folder.clone(),
            time_limit: settings.time_limit,
        }
    }
}

impl AnswerTogether for ProgramSolver {
    fn answer_all(&self, batch: &Batch<'_>, emit: &mut dyn TakeAnswers) -> Result<()> {
        for staged in stage(batch)? {
            if batch.cancel.is_cancelled() {
                break;
            }
            Conversation::new(self, &staged, batch.problems).hold(batch.cancel, emit)?;
        }
        Ok(())
    }
}

/// Writes the wanted tasks to `<dataset>/Tasks/` in the scratch folder.
fn stage(batch: &Batch<'_>) -> Result<Vec<Staged>> {
    let mut staged: Vec<Staged> = Vec::new();
    batch.problems.read(batch.wanted, &mut |reading| {
        // A flawed problem is counted as excluded by the run engine.
        if let Reading::Problem(problem) = reading {
            add_task(&mut staged, batch.scratch, &problem)?;
        }
        let cancelled = batch.cancel.is_cancelled();
        Ok(if cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(staged)
}

/// Problems come dataset by dataset, so a new name starts a new folder.
fn add_task(staged: &mut Vec<Staged>, scratch: &Path, problem: &Problem) -> Result<()> {
    let question = problem.question.line()?;
    let (dataset, stem) = problem.id.as_str().rsplit_once('/').unwrap_or(("", problem.id.as_str()));
    let folder = scratch.join(dataset).join("Tasks");
    if staged.last().is_none_or(|last| last.dataset != dataset) {
        std::fs::create_dir_all(&folder).map_err(|error| Error::writing("make", &folder, error))?;
        staged.push(Staged {
            dataset: dataset.to_owned(),
            folder: folder.clone(),
            ranks: BTreeSet::new(),
        });
    }
    let path = folder.join(format!("{stem}.txt"));
    std::fs::write(&path, question.text())
        .map_err(|error| Error::writing("write", &path, error))?;
    staged.last_mut().into_iter().for_each(|last| {
        last.ranks.insert(problem.rank);
    });
    Ok(())
}
