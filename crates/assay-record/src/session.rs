//! One line of `solver.jsonl`.

use serde::{Deserialize, Serialize};

/// One session of an external solver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionLine {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder that it ran in.
    pub working_folder: String,
    /// Time limit, in seconds.
    pub time_limit_s: f64,
    /// Wall time, in seconds.
    pub wall_s: f64,
    /// The end of the session.
    pub end: SessionEnd,
    /// Number of problems that it was asked.
    pub asked: usize,
    /// Number of problems that it answered.
    pub answered: usize,
    /// Number of lines of its output that could not be read.
    pub garbage_lines: usize,
    /// The first of those, with the reason.
    pub garbage: Vec<String>,
    /// The end of its standard error.
    pub stderr_tail: String,
}

/// The end of a session of an external solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// It ended with this status.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It ran past its time limit and was ended with everything that it had started.
    TimedOut,
    /// The run was interrupted.
    Cancelled,
}
