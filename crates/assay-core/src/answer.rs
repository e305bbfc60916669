//! What a solver says.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Error, ProblemId};

/// One sample of a solver's answer to one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Which problem.
    pub problem: ProblemId,
    /// Which sample, from 0.
    pub sample: u32,
    /// The part of the reply that is graded.
    pub response: Arc<Response>,
    /// How long it took, in seconds of wall time, where one answer can be timed.
    pub wall_s: Option<f64>,
    /// The text before it was cut, where something was cut off.
    pub reply: Option<String>,
    /// The number of failed attempts before it.
    pub retries: u32,
    /// The solver's confidence. Not recorded: grading does not look at it.
    pub confidence: Vec<Confidence>,
    /// The cost of the reply.
    pub usage: Usage,
}

impl Answer {
    /// An answer of which nothing but the response is known.
    pub fn new(problem: ProblemId, sample: u32, response: Response) -> Self {
        Self {
            problem,
            sample,
            response: Arc::new(response),
            wall_s: None,
            reply: None,
            retries: 0,
            confidence: Vec::new(),
            usage: Usage::default(),
        }
    }
}

/// A solver's reply to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The response as it came, before anything was cut off.
    pub response: Response,
    /// The confidence in each part of the response, in the same order; empty if the solver cannot tell.
    pub confidence: Vec<Confidence>,
    /// The cost of the reply, where the solver knows it.
    pub usage: Usage,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self { response, confidence: Vec::new(), usage: Usage::default() }
    }
}

/// The cost of one reply.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the question.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the reply.
    pub completion_tokens: Option<u64>,
    /// Its price in US dollars.
    pub cost: Option<f64>,
}

/// A failure to answer one question.
#[derive(Debug)]
pub enum AnswerError {
    /// It may work if it is tried again, such as a server that is busy.
    Transient {
        /// The failure, for a person.
        message: String,
        /// The time after which trying again makes sense, if the solver was told.
        retry_after: Option<Duration>,
    },
    /// It ends the run, which can then be resumed.
    Fatal(Error),
}

impl From<Error> for AnswerError {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

/// How sure a solver is of one part of its answer, such as a line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confidence {
    /// On the solver's own scale: more is surer.
    pub score: f32,
    /// The probability that this is the right one.
    pub probability: f32,
}

/// What was said to one problem. One variant a kind of task, and one for silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// Line numbers from 1, best first; never empty.
    Lines(Vec<usize>),
    /// A text, such as a program in another language.
    Text(String),
    /// A whole program.
    Program(String),
    /// One of the question's options.
    Choice(String),
    /// Nothing that can be graded.
    None(NoAnswer),
}

impl Response {
    /// The text, or the reason for which there is none. A program is a text too.
    pub fn text(&self) -> Result<&str, NoAnswer> {
        match self {
            Self::Text(text) | Self::Program(text) => Ok(text),
            other => Err(other.missing("text")),
        }
    }

    /// The line numbers, or the reason for which there are none.
    pub fn lines(&self) -> Result<&[usize], NoAnswer> {
        match self {
            Self::Lines(lines) => Ok(lines),
            other => Err(other.missing("line number")),
        }
    }

    /// The chosen option, or the reason for which there is none.
    pub fn choice(&self) -> Result<&str, NoAnswer> {
        match self {
            Self::Choice(choice) => Ok(choice),
            other => Err(other.missing("choice")),
        }
    }

    fn missing(&self, wanted: &str) -> NoAnswer {
        match self {
            Self::None(reason) => reason.clone(),
            _ => NoAnswer { why: Why::Invalid, detail: format!("the answer is no {wanted}") },
        }
    }

    /// No answer, for this reason.
    pub fn none(why: Why, detail: impl Into<String>) -> Self {
        Self::None(NoAnswer { why, detail: detail.into() })
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer {
    /// The kind of reason.
    pub why: Why,
    /// The evidence, for a person.
    pub detail: String,
}

/// The kinds of reasons for which there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The solver ended well and said nothing to this problem.
    Silent,
    /// The solver did not end in time.
    TimedOut,
    /// The solver could not be started, or ended with an error.
    Crashed,
    /// The solver said something that cannot be read.
    Garbage,
    /// The answer can be read and is impossible, such as a line that the file does not have.
    Invalid,
}

impl Why {
    /// Whether the solver is at fault, rather than having nothing to say.
    pub fn is_failure(self) -> bool {
        self != Self::Silent
    }
}
