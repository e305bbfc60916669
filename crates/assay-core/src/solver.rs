//! Whatever answers.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{
    Cancel, ProblemId, Problems, Question, Reference, Response, Result, Said, SampleKey, Selection,
};

/// Something that answers problems, in one of two ways.
pub enum Solver {
    /// Answers one problem at a time; the run engine spreads the problems over workers.
    Each(Box<dyn AnswerEach>),
    /// Answers all problems in one go, in an order of its own.
    Together(Box<dyn AnswerTogether>),
}

impl Solver {
    /// What an answer costs.
    pub fn effort(&self) -> Effort {
        match self {
            Self::Each(solver) => solver.effort(),
            Self::Together(_) => Effort::Working,
        }
    }
}

/// Whether it pays to hand something to another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Done faster than a thread can be woken.
    Trivial,
    /// Worth a worker.
    Working,
}

/// A solver that answers one problem at a time.
pub trait AnswerEach: Send + Sync {
    /// The answer. The same question and sample get the same answer, whatever was asked before.
    ///
    /// An error ends the run, which can then be resumed; what says something about this problem
    /// alone is a [`Response::None`].
    fn answer(&self, ask: &Ask<'_>) -> Result<Said>;

    /// What an answer costs.
    fn effort(&self) -> Effort {
        Effort::Working
    }

    /// Whether it is shown the right answer, as only a check of data and grading should be.
    fn peeks(&self) -> bool {
        false
    }
}

/// What a solver is asked.
pub struct Ask<'a> {
    /// The problem's name.
    pub id: &'a ProblemId,
    /// The problem's place in the task's order.
    pub rank: usize,
    /// Which sample, from 0.
    pub sample: u32,
    /// What is asked.
    pub question: &'a Question,
    /// The right answer, for solvers that peek.
    pub reference: Option<&'a Reference>,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
}

/// A solver that answers many problems in one go, such as a program that is given a folder.
pub trait AnswerTogether: Send + Sync {
    /// Answers every missing sample through `emit`, each once, unless it is cancelled.
    fn answer_all(&self, batch: &Batch<'_>, emit: &mut dyn TakeAnswers) -> Result<()>;
}

/// What a solver that answers many problems in one go is given.
pub struct Batch<'a> {
    /// Where the problems are read from.
    pub problems: &'a dyn Problems,
    /// Which of them are wanted.
    pub wanted: &'a Selection,
    /// By rank, which samples of a wanted problem are missing, in order; most tasks have but one,
    /// sample 0.
    pub missing: &'a HashMap<usize, Vec<u32>>,
    /// A folder for whatever it must write; whoever runs the solver clears it away.
    pub scratch: &'a Path,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
}

/// Takes what a solver says while it works.
pub trait TakeAnswers {
    /// One sample of the answer to a problem.
    fn answer(&mut self, key: SampleKey, response: Response) -> Result<()>;

    /// A session of the solver ended.
    fn session(&mut self, report: SessionReport) -> Result<()>;
}

/// What happened in one session of an external solver: one line of `solver.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder that it ran in.
    pub working_folder: String,
    /// How long it was allowed to run, in seconds.
    pub time_limit_s: f64,
    /// How long it ran, in seconds.
    pub wall_s: f64,
    /// How it ended.
    pub end: SessionEnd,
    /// How many problems it was asked.
    pub asked: usize,
    /// How many it answered.
    pub answered: usize,
    /// How many lines of its output could not be read.
    pub garbage_lines: usize,
    /// The first of those, with the reason.
    pub garbage: Vec<String>,
    /// The end of its standard error.
    pub stderr_tail: String,
}

/// How a session of an external solver ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// It ended with this status.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It ran past its time limit and was ended with everything that it had started.
    TimedOut,
    /// The run was interrupted.
    Cancelled,
}
