//! Requests to a sandbox, and recorded answers.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::time::Duration;

use assay_core::{
    CallTable, Ending, Error, Evidence, Isolation, Language, PythonTests, Result, Rules,
};

use crate::host::Tools;

/// The settings of a sandbox.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of candidates that may run concurrently.
    pub workers: usize,
    /// The isolation between candidates.
    pub isolation: Isolation,
    /// Runs candidates without isolation: as the user of assay, or as nobody if that is root.
    pub no_isolation: bool,
    /// The executable that becomes a worker when it is started with
    /// [`WORKER_ARGUMENT`](crate::WORKER_ARGUMENT).
    pub executable: PathBuf,
    /// The interpreters and compilers that programs need.
    pub tools: Tools,
}

impl Settings {
    /// Settings for this executable, which must call [`worker_main`](crate::worker_main) when it is started with
    /// [`WORKER_ARGUMENT`](crate::WORKER_ARGUMENT), and for the tools that its user has for these languages.
    pub fn of_this_machine(
        workers: usize,
        isolation: Isolation,
        languages: &[Language],
    ) -> Result<Self> {
        let executable = std::env::current_exe()
            .map_err(|error| Error::failed("cannot tell where assay itself lies").because(error))?;
        let tools = Tools::of_this_machine(languages);
        Ok(Self { workers, isolation, no_isolation: false, executable, tools })
    }
}

/// The limits of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The CPU time of all its processes together: the limit that decides the verdict.
    pub cpu: Duration,
    /// The wall time: far longer, for candidates that wait instead of working.
    pub wall: Duration,
    /// The memory, in bytes.
    pub memory: u64,
    /// The number of concurrent processes and threads.
    pub processes: u32,
    /// The total size of the files that it writes, in bytes.
    pub files: u64,
    /// The number of bytes that it may print.
    pub output: u64,
}

impl Limits {
    /// The default limits with this much CPU time.
    pub fn with_cpu(cpu: Duration) -> Self {
        Self {
            cpu,
            wall: cpu * 3 + Duration::from_secs(5),
            memory: 4 << 30,
            processes: 64,
            files: 64 << 20,
            output: 16 << 20,
        }
    }
}

/// A request to run a Python candidate against tests.
#[derive(Debug, Clone, Copy)]
pub struct TestRequest<'a> {
    /// The candidate.
    pub candidate: &'a str,
    /// Code that runs before the candidate, with its names.
    pub prelude: &'a str,
    /// The tests; consecutive requests with the same ones are cheaper.
    pub tests: &'a PythonTests,
    /// The index in `tests.cases`; with [`Rules::Compat`] there is only one test, `tests.appended`.
    pub case: usize,
    /// The seed of the tests' random numbers, which a candidate must not know.
    pub seed: u64,
    /// `Strict`: the tests run in a process of their own. `Compat`: as in the original, the candidate and the appended
    /// tests are one program, which can cheat.
    pub rules: Rules,
    /// Its limits.
    pub limits: Limits,
}

/// A request to run a Python candidate against a table of calls.
#[derive(Debug, Clone, Copy)]
pub struct TableRequest<'a> {
    /// The candidate.
    pub candidate: &'a str,
    /// Code that runs before the candidate, with its names.
    pub prelude: &'a str,
    /// The calls; consecutive requests with the same ones are cheaper.
    pub table: &'a CallTable,
    /// The recorded answers of the reference solution.
    pub recorded: &'a Recorded,
    /// The index in `table.suites`.
    pub suite: usize,
    /// True to continue after a wrong answer, and to mark every call.
    pub details: bool,
    /// The CPU time limit per call, unless the reference solution takes more than a quarter of it.
    pub timeout: Duration,
    /// The limits for all calls together.
    pub limits: Limits,
}

/// The answers of a reference solution to a table of calls, for the interpreter that they were recorded with.
#[derive(Debug)]
pub struct Recorded {
    pub(crate) file: File,
}

impl Recorded {
    /// The version of the file format. It changes with the Python side of the sandbox.
    pub const VERSION: u32 = 1;

    /// Opens answers that were saved before.
    pub fn from_file(file: File) -> Self {
        Self { file }
    }

    /// The bytes to save.
    pub fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&self.file).rewind()?;
        (&self.file).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The outcome of recording.
#[derive(Debug)]
pub struct Recording {
    /// The ending of the reference solution; `Passed` if all its answers could be recorded.
    pub ending: Ending,
    /// The measurements.
    pub evidence: Evidence,
    /// The answers.
    pub recorded: Recorded,
}

/// A request to run a candidate in any language but Python against tests that call it from a process of their own.
#[derive(Debug, Clone, Copy)]
pub struct TwoProcessRequest<'a> {
    /// The language of both.
    pub language: Language,
    /// The candidate, with the code that answers calls.
    pub candidate: &'a str,
    /// The tests: a whole program whose calls are answered by the candidate. It exits with status 0 if every test
    /// passes. It is built once for consecutive requests with the same tests.
    pub tests: &'a str,
    /// The candidate's limits.
    pub limits: Limits,
}

/// A request to run a program.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// Its language.
    pub language: Language,
    /// Its source.
    pub source: Source<'a>,
    /// Code that runs before a Python program, with its names; in other languages there is none.
    pub prelude: &'a str,
    /// Its standard input.
    pub input: &'a str,
    /// Its limits at run time; compiling has limits of its own.
    pub limits: Limits,
}

/// The source of a program.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The text of the file.
    pub text: &'a str,
    /// The name of the file, if the language needs a specific one (`Main.java`).
    pub name: Option<&'a str>,
}
