//! Tests that programs are put through, and what running them found.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Digest, DigestOf};

/// Python code that calls a program's functions and fails if they are wrong. It runs in a process
/// of its own, which the program cannot reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exam {
    /// Trusted code with the names that the tests may use beside the program's, such as the problem's
    /// helpers and its reference solution. It is run once for all programs.
    pub setting: String,
    /// The names that the tests take from the program; [`Exam::ALL_DEFINED`] stands for every name that they use and
    /// `setting` defines.
    pub called: Vec<String>,
    /// The tests, each with a verdict of its own; they run anew for every program, with `called` bound
    /// to the program's.
    pub tests: Vec<String>,
    /// What is appended to a program, in its own process, to get the original's verdict (`compat`).
    pub appended: String,
    /// Trusted code that every program is given before it begins, such as imports that the data set
    /// promises.
    pub preamble: String,
}

impl Exam {
    /// In `called`: every name that the tests use and the setting defines.
    pub const ALL_DEFINED: &'static str = "*";
}

/// Calls of one Python function. What the task's own program answers is recorded once; the answers of other programs
/// are compared with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTable {
    /// The function's name.
    pub entry_point: String,
    /// The task's own program.
    pub reference: String,
    /// Trusted Python code that defines `COMPARISON`, which reads inputs and compares answers.
    pub rules: String,
    /// The inputs, in suites that have a verdict each: a JSON list of lists of arguments.
    pub suites: Vec<String>,
}

/// One run of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOutput {
    /// What is typed.
    pub input: String,
    /// What must be printed.
    pub output: String,
}

impl CallTable {
    /// The hash of everything that its recorded answers depend on, besides the interpreter.
    pub fn digest(&self) -> Digest {
        let mut all = DigestOf::new();
        for text in self.suites.iter().chain([&self.entry_point, &self.reference, &self.rules]) {
            all.field(text.as_bytes());
        }
        all.finish()
    }
}

/// How a program ended under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// It did all that the tests asked for.
    Passed,
    /// It answered wrongly.
    WrongAnswer {
        /// What was wrong, for a person.
        message: String,
    },
    /// It raised an exception or ended with an error.
    Exception {
        /// The exception's type.
        class: String,
        /// What it says.
        message: String,
        /// The line of the program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// It is no program of its language.
    SyntaxError {
        /// What the interpreter or compiler says.
        message: String,
        /// The line of the program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// It took too long.
    TimeLimit {
        /// Whether it worked (CPU time) or waited (wall time) for too long.
        clock: Clock,
    },
    /// It asked for too much memory.
    MemoryLimit,
    /// It printed too much.
    OutputLimit,
    /// It ended before the tests were done.
    EarlyExit {
        /// The status that it ended with.
        code: i32,
    },
    /// A signal ended it.
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// The sandbox failed; this says nothing about the program.
    SandboxError {
        /// What happened.
        message: String,
    },
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on_line =
            |line: &Option<u32>| line.map_or(String::new(), |line| format!(", line {line}"));
        match self {
            Self::Passed => f.write_str("passed"),
            Self::WrongAnswer { message } if message.is_empty() => f.write_str("wrong answer"),
            Self::WrongAnswer { message } => write!(f, "wrong answer: {message}"),
            Self::Exception { class, message, line } => {
                write!(f, "{class}: {message}{}", on_line(line))
            }
            Self::SyntaxError { message, line } => {
                write!(f, "syntax error: {message}{}", on_line(line))
            }
            Self::TimeLimit { clock: Clock::Cpu } => f.write_str("out of CPU time"),
            Self::TimeLimit { clock: Clock::Wall } => f.write_str("out of time"),
            Self::MemoryLimit => f.write_str("out of memory"),
            Self::OutputLimit => f.write_str("too much output"),
            Self::EarlyExit { code } => write!(f, "ended early with status {code}"),
            Self::Crashed { signal } => write!(f, "crashed by signal {signal}"),
            Self::SandboxError { message } => write!(f, "the sandbox failed: {message}"),
        }
    }
}

/// What a time limit was measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The time that it worked.
    Cpu,
    /// The time that passed.
    Wall,
}

/// What was measured while a program ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// CPU time of the program and all that it started, in seconds.
    pub cpu_s: f64,
    /// Time that passed, in seconds.
    pub wall_s: f64,
    /// The most memory that it held, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// What held its memory in check: `cgroup-v2`, `cgroup-v1`, `sampled` or
    /// `rlimit`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_by: String,
    /// The end of its standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
    /// Why it was put through its tests in one process with them, where it could have cheated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_process: Option<String>,
    /// It was repeated alone because it ended close to its time limit, and ended otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstable: bool,
}
