//! The reference of a program: its tests, and a solution that passes them.

use std::sync::{Arc, OnceLock};

use assay_core::{
    CallTable, Digest, DigestOf, Fingerprint, InputOutput, Language, PythonTests, Response,
};

/// The reference of a program. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CodeReference {
    /// The language of the program.
    pub(crate) language: Language,
    /// The text that a continuation is appended to.
    pub(crate) prompt: Arc<str>,
    /// The functions and classes that a program defines for its tests, as far as they are known.
    pub(crate) entry_points: Arc<[String]>,
    /// A whole program that passes, if there is one.
    pub(crate) gold: Option<Arc<str>>,
    /// The tests.
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

    /// The reference solution, as an answer.
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

/// Tests with a cached hash.
#[derive(Debug)]
pub(crate) struct TestSuite {
    pub(crate) tests: Tests,
    digest: OnceLock<Digest>,
}

impl TestSuite {
    /// Creates a suite that is shared by all candidates for a problem.
    pub(crate) fn new(tests: Tests) -> Arc<Self> {
        Arc::new(Self { tests, digest: OnceLock::new() })
    }
}

/// The kinds of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Python code that calls the candidate's functions and fails if they are wrong.
    Python(PythonTests),
    /// The same, if each test also has its own verdict under `compat`: with the code that is appended for each test
    /// alone.
    PythonByCase(PythonTests, Vec<String>),
    /// Calls of one Python function, whose answers are compared with those of the reference solution.
    Table(CallTable),
    /// Runs of a program, each with its standard input and the expected output.
    InputOutput(Vec<InputOutput>),
    /// Code in the candidate's own language that calls it from another process.
    Separate(SeparateTests),
}

/// Tests in the candidate's own language that call it from another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeparateTests {
    /// A whole program in which the tested function calls the candidate's process. It exits with status 0 if every
    /// test passes.
    pub(crate) tests: String,
    /// Code that is appended to a candidate to serve the calls of the tests.
    pub(crate) server_code: String,
    /// Code that is appended to a candidate, in its own process, to get the original's verdict (`compat`).
    pub(crate) appended: String,
}

impl Tests {
    fn add_to(&self, digest: &mut DigestOf) {
        match self {
            Self::Python(tests) | Self::PythonByCase(tests, _) => {
                let PythonTests { setup, entry_points, cases, appended, preamble } = tests;
                for text in cases.iter().chain([setup, appended, preamble]) {
                    digest.field(text.as_bytes());
                }
                digest.field(entry_points.join(" ").as_bytes());
            }
            Self::Table(table) => {
                digest.field(table.digest().as_bytes());
            }
            Self::InputOutput(runs) => {
                for run in runs {
                    digest.field(run.input.as_bytes());
                    digest.field(run.output.as_bytes());
                }
            }
            Self::Separate(SeparateTests { tests, server_code, appended }) => {
                for text in [tests, server_code, appended] {
                    digest.field(text.as_bytes());
                }
            }
        }
    }
}
