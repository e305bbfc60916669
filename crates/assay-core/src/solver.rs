//! Whatever answers.

use std::path::Path;

use crate::{
    AnswerError, Cancel, ProblemId, Problems, Question, Reply, Response, Result, SampleKey,
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
    /// A transient error is tried again; any other ends the run, which can then be resumed. What says something about
    /// this problem alone is a [`Response::None`].
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError>;

    /// What an answer costs.
    fn effort(&self) -> Effort {
        Effort::Working
    }

    /// Whether it is shown the right answer, as only a check of data and grading should be.
    fn peeks(&self) -> bool {
        false
    }

    /// The number of questions that it can take at once, where that is not `jobs`.
    fn concurrency(&self, jobs: usize) -> usize {
        jobs
    }

    /// Whether its replies count as they are, as those of a file whose maker has cut them already.
    fn is_verbatim(&self) -> bool {
        false
    }
}

/// What a solver is asked.
pub struct Ask<'a> {
    /// The problem's name.
    pub id: &'a ProblemId,
    /// The problem's place in the task's order.
    pub index: usize,
    /// Which sample, from 0.
    pub sample: u32,
    /// What is asked.
    pub question: &'a Question,
    /// The right answer, for solvers that peek.
    pub gold: Option<Response>,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
}

/// A solver that answers many problems in one go, such as a program that is given a folder.
pub trait AnswerTogether: Send + Sync {
    /// Answers every missing sample through `emit`, each once, unless it is cancelled.
    fn answer_all(&self, batch: &mut Batch<'_>, emit: &mut dyn TakeAnswers) -> Result<()>;
}

/// The work of a solver that answers many problems in one go.
pub struct Batch<'a> {
    /// The problems, to find them by name.
    pub problems: &'a dyn Problems,
    /// The questions, each once, as they are read.
    pub questions: &'a mut dyn Iterator<Item = BatchQuestion>,
    /// A folder for whatever it must write; whoever runs the solver clears it away.
    pub scratch: &'a Path,
    /// Raised when the work should end.
    pub cancel: &'a Cancel,
}

/// A question of a batch.
#[derive(Debug)]
pub struct BatchQuestion {
    /// The problem's name.
    pub id: ProblemId,
    /// The problem's place in the task's order.
    pub index: usize,
    /// The question.
    pub question: Question,
    /// The samples that are missing, in order; most tasks have but one, sample 0.
    pub samples: Vec<u32>,
}

/// Takes what a solver says while it works.
pub trait TakeAnswers {
    /// One sample of the reply to a question, as it came.
    fn answer(&mut self, key: SampleKey, response: Response) -> Result<()>;

    /// A session of the solver ended.
    fn session(&mut self, report: SessionReport) -> Result<()>;
}

/// What happened in one session of an external solver.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
