//! The grading rules of a task: limits, the extraction of the program from an answer, its assembly and comparison.

use std::time::Duration;

use assay_core::{PythonTests, Rules};
use assay_sandbox::Limits;

/// The grading rules of a task whose answers are programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GradingRules {
    /// The CPU time limit per test.
    pub(crate) cpu: Duration,
    /// The CPU time limit per call, if tests are calls; higher if the reference solution takes more than a quarter of
    /// it.
    pub(crate) call: Option<Duration>,
    /// True if calls after a wrong one are made too, and marked.
    pub(crate) details: bool,
    /// The rule for skipping the remaining tests.
    pub(crate) stop: Stop,
    /// The CPU time limit for all tests together.
    pub(crate) total: Option<TotalCpuTime>,
    /// Extracts the relevant part of a text that continues a prompt.
    pub(crate) continuation: fn(&str) -> &str,
    /// Extracts the program from an answer.
    pub(crate) program: fn(&str) -> &str,
    /// Builds a program that defines the entry points of tests, and does nothing.
    pub(crate) stub: fn(&PythonTests) -> String,
    /// Builds the file that is run from a program.
    pub(crate) assemble: fn(&SourceParts<'_>) -> String,
    /// Returns true if the output is right, if tests are runs with input and output.
    pub(crate) same_output: fn(ProgramOutput<'_>, Rules) -> bool,
}

/// The CPU time limit for all tests together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TotalCpuTime {
    /// The limit under `strict`: the remaining tests are not passed.
    pub(crate) strict: Duration,
    /// The limit under `compat`: no test is passed, since the original loses its results.
    pub(crate) compat: Duration,
}

impl TotalCpuTime {
    pub(super) fn of(self, rules: Rules) -> Duration {
        match rules {
            Rules::Strict => self.strict,
            Rules::Compat => self.compat,
        }
    }
}

/// The parts of the file that is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceParts<'a> {
    pub(crate) program: &'a str,
    /// Code that is appended.
    pub(crate) tests: Option<&'a str>,
    /// An unpredictable text that the file must print after its tests: a program that exits early does not print it.
    pub(crate) nonce: &'a str,
    pub(crate) rules: Rules,
}

/// The rule for skipping the remaining tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Skips the tests after the first failure.
    AtFailure,
    /// Runs all tests.
    AtEnd,
}

/// The output of a program, and the expected output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramOutput<'a> {
    pub(crate) output: &'a [u8],
    pub(crate) expected: &'a str,
}

impl GradingRules {
    /// Rules for Python tests with this many seconds of CPU time per test.
    pub(crate) const fn for_tests(seconds: u64) -> Self {
        Self {
            cpu: Duration::from_secs(seconds),
            call: None,
            details: false,
            stop: Stop::AtFailure,
            total: None,
            continuation: |text| text,
            program: |text| text,
            stub,
            assemble: |parts| parts.program.to_owned(),
            same_output: |printed, _| printed.output == printed.expected.as_bytes(),
        }
    }

    /// Rules for EvalPlus's calls: at most a second each, and a minute together.
    pub(crate) const fn for_calls() -> Self {
        Self { call: Some(Duration::from_secs(1)), ..Self::for_tests(60) }
    }

    /// Sets the user's time limit: per call if tests are calls, otherwise per test.
    pub(super) fn with_timeout(self, asked: Option<Duration>) -> Self {
        let Some(asked) = asked else { return self };
        match self.call {
            Some(_) => Self { call: Some(asked), ..self },
            None => Self { cpu: asked, ..self },
        }
    }

    /// The limits for one test.
    pub(super) fn limits(&self) -> Limits {
        Limits::with_cpu(self.cpu)
    }
}

fn stub(tests: &PythonTests) -> String {
    tests
        .named_entry_points()
        .map(|name| format!("{name} = lambda *arguments, **named: None\n"))
        .collect()
}
