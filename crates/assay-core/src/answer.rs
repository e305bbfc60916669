//! What a solver says.

use serde::{Deserialize, Serialize};

use crate::ProblemId;

/// One sample of a solver's answer to one problem: one line of `answers.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Which problem.
    pub problem: ProblemId,
    /// Which sample, from 0.
    #[serde(default)]
    pub sample: u32,
    /// What was said.
    pub response: Response,
    /// How long it took, in seconds of wall time, where one answer can be timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// How sure the solver was. Not recorded: grading does not look at it, and a record stays what
    /// the answers are, whatever their solver can tell beside them.
    #[serde(skip)]
    pub confidence: Vec<Confidence>,
}

/// What a solver says when it is asked: what counts, and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// What is graded.
    pub response: Response,
    /// How sure the solver is of each part of the response, in the same order; empty if it cannot
    /// tell.
    pub confidence: Vec<Confidence>,
}

impl From<Response> for Said {
    fn from(response: Response) -> Self {
        Self { response, confidence: Vec::new() }
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// Line numbers from 1, best first; never empty.
    Lines(Vec<usize>),
    /// A text, such as a program in another language.
    Text(String),
    /// A whole program.
    Program(String),
    /// Nothing that can be graded.
    None(NoAnswer),
}

impl Response {
    /// No answer, for this reason.
    pub fn none(why: Why, detail: impl Into<String>) -> Self {
        Self::None(NoAnswer { why, detail: detail.into() })
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
