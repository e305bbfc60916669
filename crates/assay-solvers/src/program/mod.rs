//! `program:CMD`: CodRep's predictor protocol, and one for translators.
//!
//! Asked about lines, the command gets the task folder as its last argument and prints `<path> <line>
//! [<line>…]`. Asked for texts, it gets a file with one source a line and prints one text a line, in
//! the same order, as the translators of CodeXGLUE and AVATAR do. In either case it is given a private
//! copy, so that it sees neither the solutions nor problems that it is not asked, and cannot change
//! the dataset. It is the user's own program and runs with
//! the user's rights; programs that are not trusted go through the sandbox instead.

mod conversation;
mod process;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{
    AnswerTogether, Batch, Error, LineQuestion, Problem, Question, Reading, Result, TakeAnswers,
};

use crate::SolverSettings;
use conversation::Conversation;

pub(crate) struct ProgramSolver {
    command: Vec<String>,
    working_folder: PathBuf,
    time_limit: Duration,
}

/// What the program is asked in one session.
pub(crate) struct Staged {
    /// The name of the dataset that the tasks belong to.
    dataset: String,
    /// What the program is given: a folder of tasks, or a file of sources.
    path: PathBuf,
    /// Whether its lines answer the problems in their order, rather than naming them.
    in_order: bool,
    /// The ranks of the problems that it is asked.
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

/// Writes the wanted problems to the scratch folder: tasks to `<dataset>/Tasks/`, sources to a file.
fn stage(batch: &Batch<'_>) -> Result<Vec<Staged>> {
    let mut staged: Vec<Staged> = Vec::new();
    let mut sources = String::new();
    batch.problems.read(batch.wanted, &mut |reading| {
        // A flawed problem is counted as excluded by the run engine.
        if let Reading::Problem(problem) = reading {
            match &problem.question {
                Question::Line(question) => {
                    add_task(&mut staged, batch.scratch, &problem, question)?;
                }
                Question::Text(question) => {
                    add_source(&mut staged, batch.scratch, problem.rank);
                    // A source with several lines would be several sources.
                    sources += &question.source.lines().collect::<Vec<_>>().join(" ");
                    sources.push('\n');
                }
                Question::Code(_) => {
                    return Err(Error::usage("a program cannot be asked for programs yet")
                        .hint("let it write a file of answers, and score that"));
                }
            }
        }
        let cancelled = batch.cancel.is_cancelled();
        Ok(if cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let [Staged { path, in_order: true, .. }] = staged.as_slice() {
        std::fs::write(path, sources).map_err(|error| Error::writing("write", path, error))?;
    }
    Ok(staged)
}

/// All sources go into one file, in the order of the problems.
fn add_source(staged: &mut Vec<Staged>, scratch: &Path, rank: usize) {
    if staged.is_empty() {
        let path = scratch.join("sources.txt");
        let ranks = BTreeSet::new();
        staged.push(Staged { dataset: String::new(), path, in_order: true, ranks });
    }
    for staged in staged {
        staged.ranks.insert(rank);
    }
}

/// Problems come dataset by dataset, so a new name starts a new folder.
fn add_task(
    staged: &mut Vec<Staged>,
    scratch: &Path,
    problem: &Problem,
    question: &LineQuestion,
) -> Result<()> {
    let (dataset, stem) = problem.id.as_str().rsplit_once('/').unwrap_or(("", problem.id.as_str()));
    let folder = scratch.join(dataset).join("Tasks");
    if staged.last().is_none_or(|last| last.dataset != dataset) {
        std::fs::create_dir_all(&folder).map_err(|error| Error::writing("make", &folder, error))?;
        staged.push(Staged {
            dataset: dataset.to_owned(),
            path: folder.clone(),
            in_order: false,
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
