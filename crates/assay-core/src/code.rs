//! Questions whose answer is a program, and what running it found.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Digest, DigestOf, Fingerprint, Language, Response};

/// A question whose answer is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeQuestion {
    /// What a solver is shown.
    pub prompt: String,
    /// The language of the program.
    pub language: Language,
    /// A continuation of the prompt ends before the first of these.
    pub stop: &'static [&'static str],
}

impl CodeQuestion {
    /// What counts of what a solver says to the prompt: all before the earliest stop word.
    ///
    /// A run records only this. Answers in a file are taken as they are, as the field's scorers do:
    /// their makers have cut them already, or did not want to.
    pub fn before_stop<'a>(&self, said: &'a str) -> &'a str {
        let end = self.stop.iter().filter_map(|word| said.find(word)).min();
        &said[..end.unwrap_or(said.len())]
    }
}

/// What grading a program needs. Cheap to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeReference {
    /// The language of the program.
    pub language: Language,
    /// What a continuation is appended to, to make a program of it.
    pub prompt: Arc<str>,
    /// A continuation of the prompt ends before the first of these.
    pub stop: &'static [&'static str],
    /// A whole program that passes, where there is one.
    pub gold: Option<Arc<str>>,
    /// What a program is put through.
    pub tests: Arc<Tests>,
}

impl CodeReference {
    /// What stands for it in the signature.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut all = DigestOf::new();
        all.field(self.prompt.as_bytes());
        all.field(self.gold.as_deref().unwrap_or_default().as_bytes());
        self.tests.add_to(&mut all);
        Fingerprint::of(all.finish().as_bytes())
    }

    /// The program that passes, as an answer.
    pub fn gold_response(&self) -> Option<Response> {
        self.gold.as_deref().map(|gold| Response::Program(gold.to_owned()))
    }

    /// The hash of everything that a verdict on `program` depends on, besides the limits.
    pub fn digest_of(&self, program: &str) -> Digest {
        let mut all = DigestOf::new();
        all.field(program.as_bytes());
        self.tests.add_to(&mut all);
        all.finish()
    }
}

/// What a program is put through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tests {
    /// Python code that calls the program's functions and fails if they are wrong.
    Exam(Exam),
    /// Calls of one Python function, whose answers are compared with those of the task's own program.
    Table(CallTable),
    /// Runs, each with what is typed and what must be printed.
    Runs(Vec<InputOutput>),
    /// Code in the program's own language, which is appended to it; it ends without an error if the
    /// program is right.
    Appended(String),
    /// Code in the program's own language that calls the program from a process of its own.
    Apart(Apart),
}

/// Tests in the program's own language that call the program from a process of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// A whole program in which the tested function asks the other process. It ends with status 0 if
    /// every test passes.
    pub tests: String,
    /// What is appended to a program so that it answers the tests.
    pub serving: String,
    /// What is appended to a program, in its own process, to get the original's verdict (`compat`).
    pub appended: String,
}

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

impl Tests {
    fn add_to(&self, digest: &mut DigestOf) {
        match self {
            Self::Exam(Exam { setting, called, tests, appended, preamble }) => {
                for text in tests.iter().chain([setting, appended, preamble]) {
                    digest.field(text.as_bytes());
                }
                digest.field(called.join(" ").as_bytes());
            }
            Self::Table(table) => {
                digest.field(table.digest().as_bytes());
            }
            Self::Runs(runs) => {
                for run in runs {
                    digest.field(run.input.as_bytes());
                    digest.field(run.output.as_bytes());
                }
            }
            Self::Appended(text) => {
                digest.field(text.as_bytes());
            }
            Self::Apart(Apart { tests, serving, appended }) => {
                for text in [tests, serving, appended] {
                    digest.field(text.as_bytes());
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUESTION: CodeQuestion = CodeQuestion {
        prompt: String::new(),
        language: Language::Python,
        stop: &["\ndef", "\n#", "\nclass"],
    };

    #[test]
    fn what_is_said_ends_before_the_earliest_stop_word() {
        let check = |said, kept| assert_eq!(QUESTION.before_stop(said), kept);
        check("  return 1\n# end\ndef x(): pass", "  return 1");
        check("  return 1", "  return 1");
        check("\ndef", "");
        check("def x", "def x");
    }

    proptest! {
        #[test]
        fn what_is_kept_has_no_stop_word(said in "(\n|#|def|class|é){0,20}") {
            let kept = QUESTION.before_stop(&said);
            prop_assert!(said.starts_with(kept));
            prop_assert!(QUESTION.stop.iter().all(|word| !kept.contains(word)));
        }
    }
}
