//! Answers, and the responses and reasons that they hold.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Error, ProblemId};

/// One sample of a solver's answer to one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The name of the problem.
    pub problem: ProblemId,
    /// The sample number, from 0.
    pub sample: u32,
    /// The part of the reply that is graded.
    pub response: Arc<Response>,
    /// The wall time, in seconds, if one answer can be timed.
    pub wall_s: Option<f64>,
    /// The text as it came, if the response is only a part of it.
    pub reply: Option<String>,
    /// The rule by which the response was found in the reply, with its version.
    pub rule: Option<String>,
    /// The text that the solver was shown, if it makes one of the question.
    pub asked: Option<Arc<str>>,
    /// The reason why the reply ended, if the solver tells it.
    pub finish: Option<Finish>,
    /// The number of failed attempts before it.
    pub retries: u32,
    /// The solver's confidence. Not recorded: grading does not look at it.
    pub confidence: Vec<Confidence>,
    /// The cost of the reply.
    pub usage: Usage,
}

impl Answer {
    /// Creates an answer that holds only a response.
    pub fn new(problem: ProblemId, sample: u32, response: Response) -> Self {
        Self {
            problem,
            sample,
            response: Arc::new(response),
            wall_s: None,
            reply: None,
            rule: None,
            asked: None,
            finish: None,
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
    /// The text that it was read from, if it is not that text: a label or a line number within a sentence.
    pub text: Option<String>,
    /// The rule by which the response was read from that text, with its version.
    pub rule: Option<String>,
    /// The text that the solver was shown, if it makes one of the question.
    pub asked: Option<Arc<str>>,
    /// The reason why it ended, if the solver tells it.
    pub finish: Option<Finish>,
    /// The confidence in each part of the response, in the same order; empty if the solver gives none.
    pub confidence: Vec<Confidence>,
    /// The cost of the reply, if the solver knows it.
    pub usage: Usage,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self {
            response,
            text: None,
            rule: None,
            asked: None,
            finish: None,
            confidence: Vec::new(),
            usage: Usage::default(),
        }
    }
}

/// The reason why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model ended it, or wrote a stop word.
    Stop,
    /// It reached the greatest number of tokens.
    Length,
    /// It was withheld by a filter.
    Filtered,
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
    /// A failure that may go away if the question is asked again, such as a busy server.
    Transient {
        /// The error message.
        message: String,
        /// The time to wait before the next attempt, if the solver names one.
        retry_after: Option<Duration>,
    },
    /// A failure that ends the run, which can then be resumed.
    Fatal(Error),
}

impl From<Error> for AnswerError {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

/// A solver's confidence in one part of its answer, such as a line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confidence {
    /// The score on the solver's own scale: higher is more confident.
    pub score: f32,
    /// The probability that this part is right.
    pub probability: f32,
}

/// The graded content of a reply. One variant per kind of task, and one for no answer.
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
    /// The text, or the reason why there is none. A program is a text too.
    pub fn text(&self) -> Result<&str, NoAnswer> {
        match self {
            Self::Text(text) | Self::Program(text) => Ok(text),
            other => Err(other.missing("text")),
        }
    }

    /// The line numbers, or the reason why there are none.
    pub fn lines(&self) -> Result<&[usize], NoAnswer> {
        match self {
            Self::Lines(lines) => Ok(lines),
            other => Err(other.missing("line number")),
        }
    }

    /// The chosen option, or the reason why there is none.
    pub fn choice(&self) -> Result<&str, NoAnswer> {
        match self {
            Self::Choice(choice) => Ok(choice),
            other => Err(other.missing("choice")),
        }
    }

    fn missing(&self, wanted: &str) -> NoAnswer {
        match self {
            Self::None(reason) => reason.clone(),
            _ => NoAnswer {
                kind: NoAnswerKind::Invalid,
                detail: format!("the answer is no {wanted}"),
            },
        }
    }

    /// Creates a response without an answer.
    pub fn none(kind: NoAnswerKind, detail: impl Into<String>) -> Self {
        Self::None(NoAnswer { kind, detail: detail.into() })
    }
}

/// The reason why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer {
    /// The kind of reason.
    pub kind: NoAnswerKind,
    /// The evidence, as text for people.
    pub detail: String,
}

/// The kinds of reasons why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoAnswerKind {
    /// The solver exited successfully without answering this problem.
    Silent,
    /// The solver exceeded its time limit.
    TimedOut,
    /// The solver could not be started, or exited with an error.
    Crashed,
    /// The solver's output could not be parsed.
    Garbage,
    /// The answer was parsed and is impossible, such as a line that the file does not have.
    Invalid,
}
