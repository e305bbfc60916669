//! Messages between the host and a worker.

use std::path::PathBuf;

use assay_core::{Ending, Evidence};
use serde::{Deserialize, Serialize};

/// The number of test suites that a worker keeps.
pub(crate) const KEPT_SUITES: usize = 2;

/// The settings of a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// True if candidates are isolated.
    pub(crate) isolate: bool,
    /// Folders and files of the host that candidates may read.
    pub(crate) visible: Vec<PathBuf>,
    /// The Python interpreter, if there is one.
    pub(crate) python: Option<PathBuf>,
    /// The total size of files that candidates may write, in bytes.
    pub(crate) writable: u64,
    /// The control group that limits the memory of candidates, if there is one.
    pub(crate) group: Option<GroupFiles>,
}

/// The files of a worker's control groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GroupFiles {
    /// The version of control groups, 1 or 2.
    pub(crate) version: u8,
    /// The file with the memory limit of candidates.
    pub(crate) limit: PathBuf,
    /// The file with the processes of the tests' group.
    pub(crate) tests: PathBuf,
}

/// The isolation between a worker's candidates and the host.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Layers {
    /// The layers by name, each with the reason if it is missing.
    pub layers: Vec<Layer>,
    /// The mechanism that limits the memory of candidates: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub memory_by: String,
}

/// One layer of isolation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// True if candidates must not run without it.
    pub needed: bool,
    /// The reason why it is missing, if it is.
    pub missing: Option<String>,
}

impl Layers {
    /// The layers that are required and missing.
    pub fn missing(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| layer.needed && layer.missing.is_some())
    }

    /// The layers that there are and the limiter of memory, in a line: verdicts can depend on them.
    pub fn summary(&self) -> String {
        let there = self.layers.iter().filter(|layer| layer.missing.is_none());
        let names: Vec<&str> = there.map(|layer| layer.name.as_str()).collect();
        format!("isolation: {}; memory: {}", names.join(" "), self.memory_by)
    }

    pub(crate) fn note(&mut self, name: &str, needed: bool, outcome: Result<(), String>) {
        self.layers.push(Layer { name: name.to_owned(), needed, missing: outcome.err() });
    }
}

/// A worker's first message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Handshake {
    /// The worker is ready.
    Ready(Layers),
    /// The worker cannot start.
    Failed(String),
}

/// A job for a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    /// Runs a Python candidate against tests.
    Tests {
        /// The candidate.
        program: Script,
        /// The test to run; `None` if the candidate contains its tests.
        tests: Option<SelectedTest>,
        /// True if it gets a new interpreter.
        fresh: bool,
        /// Its limits.
        limits: ProcessLimits,
    },
    /// Records the answers of a reference solution to a table of calls, in the file that is sent along with the job.
    Record {
        /// The rules of the table as its preamble, the calls as its program.
        script: Script,
        /// Its limits.
        limits: ProcessLimits,
    },
    /// Runs Python code as a program of its own.
    Python {
        /// The program.
        program: Script,
        /// Its standard input.
        input: String,
        /// True if it gets a new interpreter.
        fresh: bool,
        /// Its limits.
        limits: ProcessLimits,
    },
    /// Runs a candidate against tests that are a program of their own.
    TwoProcesses(Box<TwoProcessJob>),
    /// Runs commands one after the other, in one folder.
    Commands {
        /// The files in the folder, by name.
        files: Vec<(String, String)>,
        /// The steps; each runs only if the one before it succeeded.
        steps: Vec<Step>,
        /// The standard input of the last step.
        input: String,
    },
}

impl Job {
    /// The name of its kind, for logs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Tests { .. } => "examine",
            Self::Record { .. } => "record",
            Self::Python { .. } => "python",
            Self::TwoProcesses(_) => "dialogue",
            Self::Commands { .. } => "commands",
        }
    }
}

/// Two programs that talk to each other: the tests and the candidate.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TwoProcessJob {
    /// Trusted code that both sides are built with.
    pub(crate) shared: Build,
    /// The tests. They are built once for all candidates.
    pub(crate) tests: Build,
    /// The candidate.
    pub(crate) program: Build,
    /// The command that runs the tests; it exits with status 0 if the candidate passes.
    pub(crate) run_tests: Step,
    /// The command that runs the candidate.
    pub(crate) run_program: Step,
}

/// Source files, and the commands that build them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Build {
    /// Identifies it in the worker's build cache.
    pub(crate) key: String,
    /// The source files, by name.
    pub(crate) files: Vec<(String, String)>,
    /// The commands that build it.
    pub(crate) steps: Vec<Step>,
    /// The suffixes of the files that are needed afterwards.
    pub(crate) kept: Vec<String>,
}

/// Python code to run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Script {
    /// The mode: `tests`, `calls`, `compat`, `main` or `record`.
    pub(crate) mode: String,
    /// Trusted code that runs before it.
    pub(crate) preamble: String,
    /// The code.
    pub(crate) program: String,
}

/// A test of a suite.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SelectedTest {
    /// Identifies the suite.
    pub(crate) key: String,
    /// The index of the test in the suite.
    pub(crate) test: usize,
    /// The seed of its random numbers.
    pub(crate) seed: u64,
    /// True if every call of a table is made and marked.
    pub(crate) details: bool,
    /// The suite; left out if the worker has it.
    pub(crate) suite: Option<SuiteSource>,
}

/// The source of a test suite.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum SuiteSource {
    /// Calls with recorded answers, which are in the file that is sent along with the job.
    Table { rules: String, entry_point: String, reference: String, timeout: f64 },
    /// Code.
    Code { setup: String, entry_points: Vec<String>, tests: Vec<String> },
}

/// One command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The executable and its arguments.
    pub(crate) command: Vec<String>,
    /// Its limits.
    pub(crate) limits: ProcessLimits,
    /// True if a failure means that the candidate does not compile.
    pub(crate) compiles: bool,
}

/// The limits of a process, in the units of the system.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct ProcessLimits {
    /// The CPU time in microseconds, at which the verdict is a time limit.
    pub(crate) cpu_us: u64,
    /// The CPU time in seconds, at which it is killed.
    pub(crate) cpu_kill_s: u64,
    /// The wall time in milliseconds.
    pub(crate) wall_ms: u64,
    /// The memory in bytes.
    pub(crate) memory: u64,
    /// True if the address space is limited too, which only some languages support.
    pub(crate) limit_addresses: bool,
    /// The number of processes and threads.
    pub(crate) processes: u64,
    /// The size of a file in bytes.
    pub(crate) file: u64,
    /// The number of printed bytes.
    pub(crate) output: u64,
}

/// The outcome of running a candidate.
///
/// Under tests the ending is never a mere exit: a candidate that exits before its tests are done has ended early. A
/// program that was only run has `Passed` if it exited with status 0; its output is still to be graded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// The ending.
    pub ending: Ending,
    /// The measurements.
    pub evidence: Evidence,
    /// The printed bytes.
    pub(crate) output: Output,
    /// True if the worker no longer has the requested test suite.
    pub(crate) suite_unknown: bool,
    /// The reason why the candidate must be tested in one process with its tests, under the rules `compat`: the tests
    /// do something that does not work across processes. The ending is then meaningless.
    pub one_process: Option<String>,
    /// The largest share of its time limit that one call took, if calls have limits.
    pub(crate) longest_call: f64,
    /// One character per call of a table, if requested: T for right, F for wrong, - for an error, . for not run.
    pub marks: Option<String>,
}

impl Report {
    /// Creates a report without output.
    pub fn new(ending: Ending, evidence: Evidence) -> Self {
        Self {
            ending,
            evidence,
            output: Output::Text(String::new()),
            suite_unknown: false,
            one_process: None,
            longest_call: 0.0,
            marks: None,
        }
    }

    /// The standard output.
    pub fn output(&self) -> &[u8] {
        match &self.output {
            Output::Text(text) => text.as_bytes(),
            Output::Bytes(bytes) => bytes,
        }
    }
}

/// The printed bytes.
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
