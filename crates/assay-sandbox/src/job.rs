//! Requests to a sandbox, and its replies.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::time::Duration;

use assay_core::{CallTable, Ending, Error, Evidence, Exam, Isolation, Language, Result, Rules};

use crate::host::Tools;

/// The settings of a sandbox.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of programs that may run at once.
    pub workers: usize,
    /// The way programs are kept apart.
    pub isolation: Isolation,
    /// Run programs without isolation: as whoever runs assay, or as nobody if that is an administrator.
    pub no_isolation: bool,
    /// The executable that becomes a worker when it is started with
    /// [`WORKER_ARGUMENT`](crate::WORKER_ARGUMENT).
    pub executable: PathBuf,
    /// The interpreters and compilers that programs need.
    pub tools: Tools,
}

impl Settings {
    /// Settings for this executable, which must call [`worker_main`](crate::worker_main) when it is told
    /// to, and for the tools that its user has for these languages.
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

/// The limits of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// CPU time, of all its processes together: the verdict's limit.
    pub cpu: Duration,
    /// Time that passes: far longer, for programs that wait instead of working.
    pub wall: Duration,
    /// Memory, in bytes.
    pub memory: u64,
    /// Processes and threads at once.
    pub processes: u32,
    /// The size of all files that it writes, in bytes.
    pub files: u64,
    /// Bytes that it may print.
    pub output: u64,
}

impl Limits {
    /// The usual limits with this much CPU time.
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

/// A Python program and the tests that it is put through.
#[derive(Debug, Clone, Copy)]
pub struct Examination<'a> {
    /// The program.
    pub program: &'a str,
    /// The tests; consecutive examinations with the same ones are cheaper.
    pub exam: &'a Exam,
    /// The index in `exam.tests`; with [`Rules::Compat`] there is but one, `exam.appended`.
    pub test: usize,
    /// The seed of the tests' random numbers, which a program must not know.
    pub seed: u64,
    /// `Strict`: the tests run in a process of their own. `Compat`: as the original does, the program
    /// and the appended tests are one program, which can cheat.
    pub rules: Rules,
    /// Its limits.
    pub limits: Limits,
}

/// A Python program and the calls that it is put through.
#[derive(Debug, Clone, Copy)]
pub struct TableExamination<'a> {
    /// The program.
    pub program: &'a str,
    /// The calls; consecutive examinations with the same ones are cheaper.
    pub table: &'a CallTable,
    /// The recorded answers of the task's own program to them.
    pub recorded: &'a Recorded,
    /// The index in `table.suites`.
    pub suite: usize,
    /// True to go on after a wrong answer, and to mark every call.
    pub details: bool,
    /// The CPU time that every call may take, if the task's own program does not take more than a quarter of it.
    pub timeout: Duration,
    /// Its limits for all calls together.
    pub limits: Limits,
}

/// The answers of a task's own program to a table of calls, for the interpreter that it was recorded with.
#[derive(Debug)]
pub struct Recorded {
    pub(crate) file: File,
}

impl Recorded {
    /// The form of what is written. It changes with the Python side of the sandbox.
    pub const VERSION: u32 = 1;

    /// From a file that was kept.
    pub fn from_file(file: File) -> Self {
        Self { file }
    }

    /// The bytes to keep.
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
    /// The ending of the task's own program; `Passed` if all its answers could be recorded.
    pub ending: Ending,
    /// The measurements.
    pub evidence: Evidence,
    /// Its answers.
    pub recorded: Recorded,
}

/// A program of any language but Python, and tests that call it from a process of their own.
#[derive(Debug, Clone, Copy)]
pub struct Dialogue<'a> {
    /// The language of both.
    pub language: Language,
    /// The program, with the code that answers calls.
    pub program: &'a str,
    /// The tests: a whole program whose calls are answered by the other one. It ends with status 0 if
    /// every test passes. It is built once for consecutive dialogues with the same tests.
    pub tests: &'a str,
    /// The program's limits.
    pub limits: Limits,
}

/// A program to be run.
#[derive(Debug, Clone, Copy)]
pub struct Execution<'a> {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub source: Source<'a>,
    /// Its standard input.
    pub input: &'a str,
    /// Its limits when it runs; compiling has limits of its own.
    pub limits: Limits,
}

/// The text of a program.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file.
    pub text: &'a str,
    /// The file's name, where the language cares for it (`Main.java`); else a usual one is taken.
    pub name: Option<&'a str>,
}
