//! Messages between the host and a worker.

use std::path::PathBuf;

use assay_core::{Ending, Evidence};
use serde::{Deserialize, Serialize};

/// The number of exams a worker keeps.
pub(crate) const KEPT_EXAMS: usize = 2;

/// The settings that a worker gets when it starts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// True if programs are to be isolated at all.
    pub(crate) isolate: bool,
    /// Folders and files of the host that programs may read.
    pub(crate) visible: Vec<PathBuf>,
    /// The Python interpreter, if there is one.
    pub(crate) python: Option<PathBuf>,
    /// The size of what programs may write, in bytes.
    pub(crate) writable: u64,
    /// The control group that holds the memory of programs in check, if there is one.
    pub(crate) group: Option<GroupFiles>,
}

/// The files of a worker's control groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GroupFiles {
    /// The version of control groups, 1 or 2.
    pub(crate) version: u8,
    /// The limit of programs.
    pub(crate) limit: PathBuf,
    /// The processes of the group for tests.
    pub(crate) tests: PathBuf,
}

/// The isolation between a worker's programs and the host.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Layers {
    /// The layers by name, each with the reason if it is missing.
    pub layers: Vec<Layer>,
    /// The mechanism that limits the memory of programs: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub memory_by: String,
}

/// One layer of isolation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// True if programs may not run without it.
    pub needed: bool,
    /// Why it is missing, if it is.
    pub missing: Option<String>,
}

impl Layers {
    /// The layers that matter and are missing.
    pub fn missing(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| layer.needed && layer.missing.is_some())
    }

    pub(crate) fn note(&mut self, name: &str, needed: bool, outcome: Result<(), String>) {
        self.layers.push(Layer { name: name.to_owned(), needed, missing: outcome.err() });
    }
}

/// A worker's first message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Hello {
    /// It is ready.
    Ready(Layers),
    /// It cannot work.
    Failed(String),
}

/// A job for a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    /// Put a Python program through tests.
    Examine {
        /// The program.
        program: Script,
        /// The tests to put it through; none if the program carries them.
        tests: Option<TestChoice>,
        /// True if it gets a new interpreter.
        fresh: bool,
        /// Its limits.
        caps: Caps,
    },
    /// Write down what a task's own program answers to a table of calls, into the file that comes with the job.
    Record {
        /// The rules of the table as its preamble, the calls as its program.
        script: Script,
        /// Its limits.
        caps: Caps,
    },
    /// Run Python code as a program of its own.
    Python {
        /// The program.
        program: Script,
        /// Its standard input.
        input: String,
        /// True if it gets a new interpreter.
        fresh: bool,
        /// Its limits.
        caps: Caps,
    },
    /// Put a program through tests that are a program of their own.
    Dialogue(Box<Dialogue>),
    /// Run commands one after the other, in one folder.
    Commands {
        /// Files in the folder, by name.
        files: Vec<(String, String)>,
        /// The steps; each goes on only if the one before it ended well.
        steps: Vec<Step>,
        /// The standard input of the last of them.
        input: String,
    },
}

impl Job {
    /// The name of its kind, for the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Examine { .. } => "examine",
            Self::Record { .. } => "record",
            Self::Python { .. } => "python",
            Self::Dialogue(_) => "dialogue",
            Self::Commands { .. } => "commands",
        }
    }
}

/// Two programs that talk to each other: one holds the tests, the other is tested.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Dialogue {
    /// Trusted code that both sides are built with.
    pub(crate) shared: Build,
    /// The tests. They are built once for all programs.
    pub(crate) tests: Build,
    /// The program.
    pub(crate) program: Build,
    /// Runs the tests; they end with status 0 if the program passes.
    pub(crate) run_tests: Step,
    /// Runs the program.
    pub(crate) run_program: Step,
}

/// Files, and how they become others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Build {
    /// Identifies it among those that a worker keeps.
    pub(crate) key: String,
    /// Files, by name.
    pub(crate) files: Vec<(String, String)>,
    /// Commands that build it.
    pub(crate) steps: Vec<Step>,
    /// The suffixes of the files that are needed afterwards.
    pub(crate) kept: Vec<String>,
}

/// Python code that is run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Script {
    /// The mode in which it is run: `exam`, `calls`, `compat`, `main` or `record`.
    pub(crate) mode: String,
    /// Trusted code before it.
    pub(crate) preamble: String,
    /// The code.
    pub(crate) program: String,
}

/// The tests of an examination.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TestChoice {
    /// Tells exams apart.
    pub(crate) key: String,
    /// The index of the test in the exam.
    pub(crate) test: usize,
    /// The seed of its random numbers.
    pub(crate) seed: u64,
    /// True if every call of a table is made and marked.
    pub(crate) details: bool,
    /// The exam itself; left out if the worker has it.
    pub(crate) exam: Option<ExamText>,
}

/// The content of an exam.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ExamText {
    /// Calls with recorded answers, which are in the file that comes with the job.
    Table { rules: String, entry_point: String, reference: String, timeout: f64 },
    /// Code.
    Code { setting: String, called: Vec<String>, tests: Vec<String> },
}

/// One command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// Its limits.
    pub(crate) caps: Caps,
    /// True if its failure means that the program is none of its language.
    pub(crate) compiles: bool,
}

/// The limits of a process, in the units of the system.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Caps {
    /// Microseconds of work, at which the verdict is a time limit.
    pub(crate) cpu_us: u64,
    /// Seconds of work, at which it is ended.
    pub(crate) cpu_kill_s: u64,
    /// Milliseconds that may pass.
    pub(crate) wall_ms: u64,
    /// Bytes of memory.
    pub(crate) memory: u64,
    /// True if addresses are limited too, which only some languages bear.
    pub(crate) limit_addresses: bool,
    /// Processes and threads.
    pub(crate) processes: u64,
    /// Bytes of a file.
    pub(crate) file: u64,
    /// Bytes printed.
    pub(crate) output: u64,
}

/// The outcome of running a program.
///
/// Under tests the ending is never a mere exit: a program that stops before its tests are done ended early. A program
/// that was only run has `Passed` if it ended by itself with status 0; its output is still to be judged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// The ending.
    pub ending: Ending,
    /// The measurements.
    pub evidence: Evidence,
    /// The bytes that were printed.
    pub(crate) output: Output,
    /// True if the exam that was asked for is not known any more.
    pub(crate) exam_unknown: bool,
    /// The reason for which the program must be tested in one process with its tests, by the rules `compat`: they do
    /// something that does not reach another process. The ending then says nothing.
    pub one_process: Option<String>,
    /// The largest share of its limit that one call took, where calls have limits.
    pub(crate) longest_call: f64,
    /// A character for each call of a table, if they were asked for: T for right, F for wrong, - for an error, . for
    /// not run.
    pub marks: Option<String>,
}

impl Report {
    /// A report without output.
    pub fn new(ending: Ending, evidence: Evidence) -> Self {
        Self {
            ending,
            evidence,
            output: Output::Text(String::new()),
            exam_unknown: false,
            one_process: None,
            longest_call: 0.0,
            marks: None,
        }
    }

    /// The program's standard output.
    pub fn output(&self) -> &[u8] {
        match &self.output {
            Output::Text(text) => text.as_bytes(),
            Output::Bytes(bytes) => bytes,
        }
    }
}

/// The bytes that were printed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Output {
    Text(String),
    Bytes(Vec<u8>),
}

impl Output {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }
}
