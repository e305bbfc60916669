//! The words of assay as types and traits.
//!
//! A [`Task`] opens [`Problems`]; a [`Solver`] turns a [`Question`] into a [`Response`]; the problem's
//! [`Reference`] turns that into a [`Verdict`]; a [`Tally`] sums verdicts up into [`Estimate`]s,
//! which stand in [`Results`] under a [`Signature`]. Nothing flows back, and nothing here reads a
//! file, a clock or the environment: that is the business of the crates around this one.

mod answer;
mod cancel;
mod code;
mod counted;
mod digest;
mod digit;
mod error;
pub mod exit_code;
mod failures;
mod json_words;
mod language;
mod leftovers;
mod line;
mod lines;
mod named;
mod natural;
mod place;
mod problem;
mod problems;
mod progress;
mod question;
mod reference;
mod replies;
mod results;
mod secret;
mod settings;
mod shown;
mod signature;
mod solver;
mod task;
mod verdict;

pub use answer::{
    Answer, AnswerError, Confidence, Finish, NoAnswer, NoAnswerKind, Reply, Response, Usage,
};
pub use cancel::Cancel;
pub use code::{CallTable, Clock, Ending, Evidence, InputOutput, PythonTests};
pub use counted::{agreeing, counted, plural};
pub use digest::{Digest, DigestOf, Fingerprint};
pub use digit::is_decimal_digit;
pub use error::{Error, ErrorKind, Result};
pub use failures::{FailureKind, Failures, class_name};
pub use json_words::plain_json_words;
pub use language::Language;
pub use leftovers::{Leftover, clear_leftovers};
pub use line::{LineQuestion, solution_fingerprint};
pub use lines::{LineRule, count_lines, split_lines};
pub use named::Named;
pub use natural::{natural_order, sort_naturally};
pub use place::Place;
pub use problem::{Flaw, Problem, ProblemId, SampleKey, Selection, disambiguate};
pub use problems::{
    AnswerForm, AnswerPart, AnswerRules, ObjectValues, Problems, Reading, Visit, VisitReference,
    unknown_problem,
};
pub use progress::{InFlight, NoProgress, Progress, Work};
pub use question::{
    ChoiceQuestion, CodeQuestion, LanguagePair, Question, QuestionKind, StopWords, TextQuestion,
};
pub use reference::{Check, CodeForm, ExpectedCode, Fault, FaultKind, Reference, Submission};
pub use replies::{Repeated, Replies};
pub use results::{Counts, Estimate, Extracted, GoldRate, Minimum, Results};
pub use secret::{KEY_VARIABLE, Secret, hidden_variables, hide_variable};
pub use settings::{DataChoice, Isolation, Opening, Prelude, Rules, TaskSettings};
pub use shown::{shown_line, shown_name, shown_text};
pub use signature::Signature;
pub use solver::{
    AnswerEach, AnswerSink, AnswerTogether, Ask, Batch, BatchQuestion, Effort, SessionEnd,
    SessionReport, Solver,
};
pub use task::{MetricCard, PromptCard, Tally, Task, TaskCard};
pub use verdict::{Outcome, Verdict};
