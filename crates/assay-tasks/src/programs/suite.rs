//! Everything that grading a program needs: its tests, and a program that passes them.

use std::sync::{Arc, OnceLock};

use assay_core::{CallTable, Digest, DigestOf, Exam, Fingerprint, InputOutput, Language, Response};

/// Everything that grading a program needs. Cheap to copy.
#[derive(Debug, Clone)]
pub(crate) struct CodeReference {
    /// The language of the program.
    pub(crate) language: Language,
    /// What a continuation is appended to, to make a program of it.
    pub(crate) prompt: Arc<str>,
    /// A whole program that passes, where there is one.
    pub(crate) gold: Option<Arc<str>>,
    /// The tests that a program is put through.
    pub(crate) tests: Arc<TestSuite>,
}

impl CodeReference {
    /// Identifies it in the signature.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut all = DigestOf::new();
        all.field(self.prompt.as_bytes());
        all.field(self.gold.as_deref().unwrap_or_default().as_bytes());
        self.tests.tests.add_to(&mut all);
        Fingerprint::of(all.finish().as_bytes())
    }

    /// The program that passes, as an answer.
    pub(crate) fn gold_response(&self) -> Option<Response> {
        self.gold.as_deref().map(|gold| Response::Program(gold.to_owned()))
    }

    /// The hash of everything that a verdict on `program` depends on, besides the limits.
    pub(crate) fn digest_of(&self, program: &str) -> Digest {
        let mut all = DigestOf::new();
        all.field(program.as_bytes());
        all.field(self.tests_digest().as_bytes());
        all.finish()
    }

    /// The hash of the tests.
    pub(crate) fn tests_digest(&self) -> Digest {
        *self.tests.digest.get_or_init(|| {
            let mut all = DigestOf::new();
            self.tests.tests.add_to(&mut all);
            all.finish()
        })
    }
}

/// Tests, which are hashed once.
#[derive(Debug)]
pub(crate) struct TestSuite {
    pub(crate) tests: Tests,
    digest: OnceLock<Digest>,
}

impl TestSuite {
    /// A suite that is shared by all programs for a problem.
    pub(crate) fn new(tests: Tests) -> Arc<Self> {
        Arc::new(Self { tests, digest: OnceLock::new() })
    }
}

/// The kinds of tests that a program is put through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Python code that calls the program's functions and fails if they are wrong.
    Exam(Exam),
    /// The same, where each test has a verdict of its own under `compat` too: the code that is appended for it alone.
    ByTest(Exam, Vec<String>),
    /// Calls of one Python function, whose answers are compared with those of the task's own program.
    Table(CallTable),
    /// Runs, each with what is typed and what must be printed.
    Runs(Vec<InputOutput>),
    /// Code in the program's own language that calls the program from a process of its own.
    Apart(Apart),
}

/// Tests in the program's own language that call the program from a process of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Apart {
    /// A whole program in which the tested function asks the other process. It ends with status 0 if
    /// every test passes.
    pub(crate) tests: String,
    /// What is appended to a program so that it answers the tests.
    pub(crate) serving: String,
    /// What is appended to a program, in its own process, to get the original's verdict (`compat`).
    pub(crate) appended: String,
}

impl Tests {
    fn add_to(&self, digest: &mut DigestOf) {
        match self {
            Self::Exam(exam) | Self::ByTest(exam, _) => {
                let Exam { setting, called, tests, appended, preamble } = exam;
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
            Self::Apart(Apart { tests, serving, appended }) => {
                for text in [tests, serving, appended] {
                    digest.field(text.as_bytes());
                }
            }
        }
    }
}
