//! The right answer to a problem, and the grading of replies against it.

use std::sync::Arc;

use serde::Serialize;

use crate::{
    Cancel, Digest, Fingerprint, Language, NoAnswer, NoAnswerKind, Outcome, ProblemId, Response,
    Result, SampleKey, Verdict,
};

/// The right answer to a problem. Each task has its own type for it, which is opaque to everything else.
pub trait Reference: Send + Sync {
    /// The fingerprint of the reference.
    fn fingerprint(&self) -> Fingerprint;

    /// The right answer, if it is known and can be written down.
    fn gold(&self) -> Option<Response>;

    /// Checks whether `response` can be an answer at all.
    fn check(&self, response: &Response) -> Check;

    /// Grades a submission: the same response gets the same verdict. An error is a failure of the grading itself, and
    /// ends the run.
    fn grade(&self, submission: &Submission, cancel: &Cancel) -> Result<Verdict>;

    /// The form of a text that answers a problem about code; anything is a whole answer to other problems.
    fn code_form(&self, _text: &str) -> CodeForm {
        CodeForm::Whole
    }

    /// Identifies everything that the verdict on `response` depends on, if grading is worth caching.
    fn digest_of(&self, _response: &Response) -> Option<Digest> {
        None
    }

    /// Answers that cannot be right, each with its name in messages. A problem that one of them passes is useless.
    fn decoys(&self) -> Vec<(&'static str, Response)> {
        Vec::new()
    }

    /// The facts by which the code in an answer is recognised, if answers are code.
    fn expected_code(&self) -> Option<ExpectedCode<'_>> {
        None
    }

    /// The whole program of an answer, if answers are programs: a continuation together with what it continues.
    fn whole_program(&self, _response: &Response) -> Option<String> {
        None
    }

    /// The original's tests, if they are text that is appended to a program.
    fn appended_tests(&self) -> Option<&str> {
        None
    }

    /// Requires candidates for this problem to be graded in one process with their tests.
    fn use_one_process(&self, _reason: &str) {}
}

/// The facts by which the code in an answer is recognised among its other text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedCode<'a> {
    /// The language of the code.
    pub language: Language,
    /// The functions and classes that a whole program defines, as far as they are known.
    pub entry_points: Vec<&'a str>,
    /// The text that a continuation is appended to.
    pub prompt: &'a str,
}

/// The form of a text that answers a problem about code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeForm {
    /// A whole program: it defines what the tests call, or the tests call nothing by name.
    Whole,
    /// The rest of a program that the problem's prompt begins.
    Continuation,
    /// Neither: it does not define what the tests call, and the prompt and it are no program together.
    Neither,
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
    /// Creates a verdict on it, without scores.
    pub fn verdict(&self, outcome: Outcome) -> Verdict {
        Verdict::new(self.problem.clone(), self.key.sample, outcome)
    }

    /// Creates the verdict for a response without an answer.
    pub fn unanswered(&self, reason: &NoAnswer) -> Verdict {
        Verdict::unanswered(self.problem.clone(), self.key.sample, reason)
    }
}

/// The result of checking whether a problem can have a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// The problem can have it.
    Possible,
    /// The problem cannot have it.
    Impossible(Fault),
    /// The problem has to be read to decide.
    Unclear,
}

impl Check {
    /// Refuses a response of another kind than the task asks for; a missing answer is possible.
    pub fn kind<T>(content: Result<T, NoAnswer>) -> Self {
        match content {
            Err(NoAnswer { kind: NoAnswerKind::Invalid, detail }) => {
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
    /// The mistake, as text for people.
    pub message: String,
    /// The problem that the line is about, if it is known.
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
    /// The answer does not have the required form.
    Malformed,
    /// Another value than a number, where a number is required.
    NotANumber,
    /// A problem that is not among the chosen data.
    UnknownProblem,
    /// An answer that the problem cannot have.
    OutOfRange,
    /// A second answer to the same problem.
    Duplicate,
    /// The problem has no usable solution to grade against.
    NoSolution,
    /// More or fewer lines than problems, if a line's position selects its problem.
    WrongCount,
    /// A problem without an answer, where every problem needs one.
    Missing,
}
