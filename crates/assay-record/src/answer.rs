//! One line of `answers.jsonl`.

use serde::{Deserialize, Serialize};

/// One sample of a solver's answer to one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// The problem's name.
    pub problem: String,
    /// The sample's number, from 0.
    #[serde(default)]
    pub sample: u32,
    /// The part of the reply that is graded.
    pub response: ResponseLine,
    /// Wall time that the answer took, in seconds, where one answer can be timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// Start of the work on this answer, in seconds since the start of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_s: Option<f64>,
    /// Hash of the question as it was shown; `texts.jsonl` may hold its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The whole reply, where it differs from the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Name and version of the rule by which the response was found in the reply. Since 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Reason why the reply ended. Since 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Tokens that were read and written, where a model counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// Number of requests that had to be repeated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// Price of the answer, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl AnswerLine {
    /// An answer without optional fields.
    pub fn new(problem: impl Into<String>, sample: u32, response: ResponseLine) -> Self {
        Self {
            problem: problem.into(),
            sample,
            response,
            wall_s: None,
            started_s: None,
            question: None,
            reply: None,
            rule: None,
            finish: None,
            tokens: None,
            retries: 0,
            cost: None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The part of a reply that is graded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseLine {
    /// Line numbers from 1, best first.
    Lines(Vec<usize>),
    /// A text, such as a program in another language.
    Text(String),
    /// A whole program.
    Program(String),
    /// The label of one of several choices. Since 1.1.
    Choice(String),
    /// Nothing that can be graded.
    None(NoAnswer),
}

/// The reason why a reply ended. Since 1.2.
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

/// The reason for a missing answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoAnswer {
    /// The kind of reason.
    pub why: Why,
    /// Evidence, for a person.
    pub detail: String,
}

/// The kinds of reasons for a missing answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The solver ended well without an answer to this problem.
    Silent,
    /// The solver did not end in time.
    TimedOut,
    /// The solver could not be started, or ended with an error.
    Crashed,
    /// The reply cannot be read.
    Garbage,
    /// The answer is readable but impossible, such as a line that the file does not have.
    Invalid,
}

/// Tokens of one answer, as its model counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens of the question as it was sent.
    pub prompt: u64,
    /// Tokens of the reply.
    pub completion: u64,
}
