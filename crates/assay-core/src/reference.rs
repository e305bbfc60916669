//! The right answer to a problem, and how replies are compared with it.

use std::sync::Arc;

use serde::Serialize;

use crate::{
    Cancel, Digest, Fingerprint, NoAnswer, Outcome, ProblemId, Response, Result, SampleKey,
    Verdict, Why,
};

/// The right answer to a problem. Each task has a type of its own for it, which nobody else looks into.
pub trait Reference: Send + Sync {
    /// Tells this reference from any other.
    fn fingerprint(&self) -> Fingerprint;

    /// The right answer, where it is known and can be said.
    fn gold(&self) -> Option<Response>;

    /// Checks whether `response` can be an answer at all.
    fn check(&self, response: &Response) -> Check;

    /// Grades a submission: the same response gets the same verdict. An error is a failure of the grading itself, and
    /// ends the run.
    fn grade(&self, submission: &Submission, cancel: &Cancel) -> Result<Verdict>;

    /// Identifies everything that the verdict on `response` depends on, where grading is worth remembering.
    fn digest_of(&self, _response: &Response) -> Option<Digest> {
        None
    }

    /// Answers that cannot be right, each with its name in messages: a problem that one of them passes says nothing.
    fn decoys(&self) -> Vec<(&'static str, Response)> {
        Vec::new()
    }

    /// Takes note that programs for this problem must be graded in one process with their tests.
    fn use_one_process(&self, _reason: &str) {}
}

/// A response that is to be graded.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The sample that it answers.
    pub key: SampleKey,
    /// The problem's name.
    pub problem: ProblemId,
    /// The response.
    pub response: Arc<Response>,
}

impl Submission {
    /// A verdict on it, without scores.
    pub fn verdict(&self, outcome: Outcome) -> Verdict {
        Verdict::new(self.problem.clone(), self.key.sample, outcome)
    }

    /// The verdict if it holds no answer.
    pub fn unanswered(&self, reason: &NoAnswer) -> Verdict {
        Verdict::unanswered(self.problem.clone(), self.key.sample, reason)
    }
}

/// Whether a response is one that the problem can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It is.
    Possible,
    /// It is not.
    Impossible(Fault),
    /// Only the problem itself can tell, and it was not read.
    Unclear,
}

impl Check {
    /// Refuses a response of another kind than the task asks for; a missing answer is possible.
    pub fn kind<T>(content: Result<T, NoAnswer>) -> Self {
        match content {
            Err(NoAnswer { why: Why::Invalid, detail }) => {
                Self::Impossible(Fault::new(FaultKind::Malformed, detail))
            }
            Ok(_) | Err(_) => Self::Possible,
        }
    }
}

/// A mistake in a file of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of mistake.
    pub kind: FaultKind,
    /// The mistake, for a person.
    pub message: String,
    /// The problem that the line is about, where it could be told.
    pub index: Option<usize>,
}

impl Fault {
    /// A mistake that concerns no known problem.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), index: None }
    }

    /// Names the problem that it concerns.
    #[must_use]
    pub fn about(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }
}

/// The kinds of mistakes in an answer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Not the form that an answer has.
    Malformed,
    /// Something stands where a number should.
    NotANumber,
    /// A problem that is not among the chosen data.
    UnknownProblem,
    /// An answer that the problem cannot have.
    OutOfRange,
    /// A second answer to the same problem.
    Duplicate,
    /// The problem has no usable solution to grade against.
    NoSolution,
    /// More or fewer lines than problems, where a line's place says which problem it answers.
    WrongCount,
    /// A problem without an answer, where every problem needs one.
    Missing,
}
