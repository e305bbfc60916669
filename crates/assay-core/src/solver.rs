//! Solvers: anything that answers questions.

use std::path::Path;

use crate::{
    AnswerError, Cancel, ProblemId, Problems, Question, Reply, Response, Result, SampleKey,
};

/// A solver, by the way it answers.
pub enum Solver {
    /// Answers one problem at a time; the pipeline spreads the problems over workers.
    Each(Box<dyn AnswerEach>),
    /// Answers all problems in one go, in any order.
    Together(Box<dyn AnswerTogether>),
}

impl Solver {
    /// The cost of an answer.
    pub fn effort(&self) -> Effort {
        match self {
            Self::Each(solver) => solver.effort(),
            Self::Together(_) => Effort::Working,
        }
    }
}

/// The cost of a unit of work, compared with handing it to another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Faster than waking a thread.
    Trivial,
    /// Worth a worker.
    Working,
}

/// A solver that answers one problem at a time.
pub trait AnswerEach: Send + Sync {
    /// Answers one question. The same question and sample get the same answer, whatever was asked before.
    ///
    /// A transient error is retried; any other ends the run, which can then be resumed. A failure that concerns this
    /// problem alone is a [`Response::None`].
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError>;

    /// The greatest number of samples of one question that it answers together.
    fn samples_together(&self) -> u32 {
        1
    }

    /// Answers `count` consecutive samples of one question, from `ask.sample` on, with at least one reply and at most
    /// `count`. Those that are missing are asked for again.
    fn answer_samples(&self, ask: &Ask<'_>, _count: u32) -> Result<Vec<Reply>, AnswerError> {
        self.answer(ask).map(|reply| vec![reply])
    }

    /// The cost of an answer.
    fn effort(&self) -> Effort {
        Effort::Working
    }

    /// Returns true if the solver is shown the right answer, as only a check of data and grading should be.
    fn peeks(&self) -> bool {
        false
    }

    /// The number of questions that it can answer concurrently, if that is not `jobs`.
    fn concurrency(&self, jobs: usize) -> usize {
        jobs
    }

    /// Sentences about the work that is done, for the user: settings that could not be followed.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true if its replies must not be cut at stop words: those of a file of answers were cut before, and the
    /// prose of a chat may contain them.
    fn is_verbatim(&self) -> bool {
        false
    }

    /// Returns true if it promises the same reply to a question that is asked again, which the end of a run tests.
    fn promises_repetition(&self) -> bool {
        false
    }

    /// Answers `count` samples of a question once more, from nothing that was kept.
    fn answer_again(&self, ask: &Ask<'_>, count: u32) -> Result<Vec<Reply>, AnswerError> {
        self.answer_samples(ask, count)
    }
}

/// A question as it is put to a solver.
pub struct Ask<'a> {
    /// The problem's name.
    pub id: &'a ProblemId,
    /// The problem's place in the task's order.
    pub index: usize,
    /// The sample number, from 0.
    pub sample: u32,
    /// The question.
    pub question: &'a Question,
    /// The right answer, for solvers that peek.
    pub gold: Option<Response>,
    /// Raised to request an end of the work.
    pub cancel: &'a Cancel,
}

/// A solver that answers many problems in one go, such as a command that is given a folder.
pub trait AnswerTogether: Send + Sync {
    /// Answers every missing sample through `emit`, each once, unless it is cancelled.
    fn answer_all(&self, batch: &mut Batch<'_>, emit: &mut dyn AnswerSink) -> Result<()>;
}

/// The work of a solver that answers many problems in one go.
pub struct Batch<'a> {
    /// The problems, to find them by name.
    pub problems: &'a dyn Problems,
    /// The questions, each once, as they are read.
    pub questions: &'a mut dyn Iterator<Item = BatchQuestion>,
    /// A folder for temporary files, which is cleared by the caller.
    pub scratch: &'a Path,
    /// Raised to request an end of the work.
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
    /// The missing samples, in order; for most tasks this is sample 0 only.
    pub samples: Vec<u32>,
}

/// Receives answers from a solver while it works.
pub trait AnswerSink {
    /// Receives one sample of the reply to a question, before anything is cut off.
    fn answer(&mut self, key: SampleKey, response: Response) -> Result<()>;

    /// Receives the report of a session that ended.
    fn session(&mut self, report: SessionReport) -> Result<()>;
}

/// The report of one session of a solver command.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReport {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder that it ran in.
    pub working_folder: String,
    /// The time limit, in seconds.
    pub time_limit_s: f64,
    /// The wall time, in seconds.
    pub wall_s: f64,
    /// The way it ended.
    pub end: SessionEnd,
    /// The number of problems it was asked.
    pub asked: usize,
    /// The number of problems it answered.
    pub answered: usize,
    /// The number of output lines that could not be parsed.
    pub garbage_lines: usize,
    /// The first of those lines, with the reason.
    pub garbage: Vec<String>,
    /// The end of its standard error.
    pub stderr_tail: String,
}

/// The way a session of a solver command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEnd {
    /// The command exited with this status.
    Exited(i32),
    /// The command was killed by this signal.
    Signalled(i32),
    /// The command exceeded its time limit and was killed with all its child processes.
    TimedOut,
    /// The run was interrupted.
    Cancelled,
}
