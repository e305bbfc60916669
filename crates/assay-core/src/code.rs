//! Tests of candidate programs, and the outcome of running them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Digest, DigestOf};

/// Python code that calls a candidate's functions and fails if they are wrong. It runs in a process of its own, which
/// the candidate cannot reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonTests {
    /// Trusted code with the names that the tests may use besides the candidate's, such as the problem's helpers and
    /// its reference solution. It is run once for all candidates.
    pub setup: String,
    /// The names that the tests take from the candidate; [`PythonTests::ALL_DEFINED`] means every name that they use and
    /// `setup` defines.
    pub entry_points: Vec<String>,
    /// The tests, each with its own verdict. They run again for every candidate, with `entry_points` bound to the
    /// candidate's definitions.
    pub cases: Vec<String>,
    /// Code that is appended to a candidate, in its own process, to get the original's verdict (`compat`).
    pub appended: String,
    /// Trusted code that runs before every candidate, such as imports that the dataset promises.
    pub preamble: String,
}

impl PythonTests {
    /// The element of `entry_points` that means every name that the tests use and `setup` defines.
    pub const ALL_DEFINED: &'static str = "*";

    /// The entry points that are named.
    pub fn named_entry_points(&self) -> impl Iterator<Item = &str> {
        self.entry_points.iter().map(String::as_str).filter(|name| *name != Self::ALL_DEFINED)
    }
}

/// Calls of one Python function. The answers of the reference solution are recorded once; the candidates' answers are
/// compared with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTable {
    /// The function's name.
    pub entry_point: String,
    /// The reference solution.
    pub reference: String,
    /// Trusted Python code that defines `COMPARISON`, which reads inputs and compares answers.
    pub rules: String,
    /// The inputs, in suites with a verdict each: a JSON list of lists of arguments.
    pub suites: Vec<String>,
}

/// One test of a program's standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOutput {
    /// The standard input.
    pub input: String,
    /// The expected standard output.
    pub output: String,
}

impl CallTable {
    /// The hash of everything besides the interpreter that its recorded answers depend on.
    pub fn digest(&self) -> Digest {
        let mut all = DigestOf::new();
        for text in self.suites.iter().chain([&self.entry_point, &self.reference, &self.rules]) {
            all.field(text.as_bytes());
        }
        all.finish()
    }
}

/// The way a candidate ended under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// The candidate passed all tests.
    Passed,
    /// The candidate returned or printed a wrong answer.
    WrongAnswer {
        /// The difference, as text for people.
        message: String,
    },
    /// The candidate raised an exception or exited with an error.
    Exception {
        /// The exception's type.
        class: String,
        /// The exception's message.
        message: String,
        /// The line of the candidate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// The candidate does not parse or compile.
    SyntaxError {
        /// The message of the interpreter or compiler.
        message: String,
        /// The line of the candidate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// The candidate exceeded a time limit.
    TimeLimit {
        /// The clock that ran out.
        clock: Clock,
    },
    /// The candidate exceeded the memory limit.
    MemoryLimit,
    /// The candidate exceeded the output limit.
    OutputLimit,
    /// The candidate exited before the tests were done.
    EarlyExit {
        /// The exit status.
        code: i32,
    },
    /// The candidate was killed by a signal.
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// The sandbox failed; this says nothing about the candidate.
    SandboxError {
        /// The error message.
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

/// The clock of a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// CPU time.
    Cpu,
    /// Wall time.
    Wall,
}

/// Measurements of a candidate's run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The CPU time of the candidate and all its child processes, in seconds.
    pub cpu_s: f64,
    /// The wall time, in seconds.
    pub wall_s: f64,
    /// The peak memory, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
    /// The mechanism that limited its memory: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_by: String,
    /// The end of its standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
    /// The failing call, as text for people. If the tests run apart from the candidate, it comes from their process,
    /// like the two that follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The expected value or output, as text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The returned value or output, as text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The beginning of the standard input, if the failed test is one of input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The last lines of the candidate that an exception came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// The reason why it ran in one process with its tests, where it could have cheated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_process: Option<String>,
    /// True if it was run again alone because it ended close to its time limit, and then ended differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstable: bool,
}
