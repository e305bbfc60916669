//! The record of a run: plain files in a folder of its own.
//!
//! `run.json` holds the [`Manifest`]; `answers.jsonl`, `verdicts.jsonl` and `solver.jsonl` grow by one
//! [`AnswerLine`], [`VerdictLine`] or [`SessionLine`] at a time; `texts.jsonl` holds texts by their
//! hash; `results.json` exists once the run is complete. [`RunReader`] reads a record, also one that
//! is being written, and [`RunWriter`] is the only writer. The format is specified in
//! `docs/design/record.md`.

mod answer;
mod convert;
mod folder;
mod index;
mod legacy;
mod lines;
mod lock;
mod manifest;
mod order;
mod partial;
mod progress;
mod reader;
mod session;
mod texts;
mod verdict;
mod version;
mod writer;

pub use answer::{AnswerLine, Finish, NoAnswer, ResponseLine, Tokens, Why};
pub use folder::{Folder, write_whole};
pub use lines::{LineFile, Lines, Span};
pub use manifest::{DataDigest, Machine, Manifest, Request, TaskRequest, Tool};
pub use partial::{Earlier, PartialVerdicts};
pub use progress::Progress;
pub use reader::{RunReader, is_run};
pub use session::{SessionEnd, SessionLine};
pub use texts::Texts;
pub use verdict::{Clock, Ending, Evidence, Outcome, VerdictLine};
pub use version::{FormatVersion, ParseVersionError};
pub use writer::RunWriter;

/// The file with the manifest.
pub const MANIFEST: &str = "run.json";
/// The file with one line per answer.
pub const ANSWERS: &str = "answers.jsonl";
/// The file with one line per verdict.
pub const VERDICTS: &str = "verdicts.jsonl";
/// The file with one line per session of an external solver.
pub const SESSIONS: &str = "solver.jsonl";
/// The file with texts by their hash.
pub const TEXTS: &str = "texts.jsonl";
/// The file with the results of a complete run.
pub const RESULTS: &str = "results.json";
/// The empty file that the writing process locks.
pub const LOCK: &str = "lock";
/// The folder that a solver may write in.
pub const SCRATCH: &str = "scratch";
