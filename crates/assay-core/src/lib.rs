//! The words of assay as types and traits.
//!
//! A [`Task`] opens [`Problems`]; a [`Solver`] turns a [`Problem`] into a [`Response`]; a
//! [`Grader`] turns that into a [`Verdict`]; a [`Tally`] sums verdicts up into [`Estimate`]s,
//! which stand in [`Results`] under a [`Signature`]. Nothing flows back, and nothing here reads a
//! file, a clock or the environment: that is the business of the crates around this one.

mod answer;
mod cancel;
mod code;
mod digest;
mod error;
pub mod exit_code;
mod language;
mod lines;
mod named;
mod natural;
mod place;
mod problem;
mod progress;
mod results;
mod shown;
mod signature;
mod solver;
mod task;
mod text;
mod verdict;

pub use answer::{Answer, Confidence, NoAnswer, Response, Said, Why};
pub use cancel::Cancel;
pub use code::{
    Apart, CallTable, Clock, CodeQuestion, CodeReference, Ending, Evidence, Exam, InputOutput,
    Tests,
};
pub use digest::{Digest, DigestOf, Fingerprint};
pub use error::{Error, ErrorKind, Result};
pub use language::Language;
pub use lines::{LineRule, count_lines, split_lines};
pub use named::Named;
pub use natural::{natural_order, sort_naturally};
pub use place::Place;
pub use problem::{
    Flaw, LineQuestion, LineReference, Problem, ProblemId, Question, QuestionKind, Reference,
    SampleKey, Selection, namesake,
};
pub use progress::Progress;
pub use results::{Counts, Estimate, GoldRate, Results};
pub use shown::{shown_line, shown_name, shown_text};
pub use signature::Signature;
pub use solver::{
    AnswerEach, AnswerTogether, Ask, Batch, Effort, SessionEnd, SessionReport, Solver, TakeAnswers,
};
pub use task::{
    AnswerForm, Case, Check, DataChoice, Fault, FaultKind, Grader, Isolation, MetricCard,
    ParsedAnswer, Problems, PromptCard, Reading, Rules, Tally, Task, TaskCard, TaskSettings, Visit,
};
pub use text::{TextQuestion, TextReference};
pub use verdict::{Outcome, Verdict};
