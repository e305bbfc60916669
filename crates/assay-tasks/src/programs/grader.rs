//! The resources and rules by which all candidates of a task are graded.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_core::{Digest, NoAnswer, Opening, Prelude, Response, Result, Rules};

use super::grading_rules::GradingRules;
use super::lazy_sandbox::LazySandbox;
use super::prelude;
use super::suite::{CodeReference, Tests};
use super::tables::TableCache;

/// Grades programs with a sandbox of its own.
pub(super) struct ProgramGrader {
    pub(super) sandbox: LazySandbox,
    pub(super) rules: Rules,
    /// The code that runs before every program.
    prelude: Option<Prelude>,
    pub(super) grading: GradingRules,
    pub(super) tables: TableCache,
    /// The CPU times of reference solutions, by tests and index, as far as they were needed.
    pub(super) gold_cpu_times: Mutex<HashMap<(Digest, usize), Duration>>,
    /// The seed of the tests' random numbers.
    pub(super) seed: u64,
    /// The tests that must run in one process with the candidate, by their hash, with the reason; `None` for tests
    /// that were checked and need not.
    pub(super) one_process: Mutex<HashMap<Digest, Option<String>>>,
}

impl ProgramGrader {
    pub(super) fn new(sandbox: LazySandbox, grading: GradingRules, opening: &Opening<'_>) -> Self {
        let (settings, tables) = (opening.settings, TableCache::new(opening.cache));
        Self {
            sandbox,
            rules: settings.rules,
            prelude: settings.prelude,
            grading,
            tables,
            gold_cpu_times: Mutex::default(),
            seed: settings.seed,
            one_process: Mutex::default(),
        }
    }

    /// The code that runs before every program.
    pub(super) fn prelude(&self) -> &'static str {
        self.prelude.map_or("", prelude::code)
    }

    /// The number of tests under the rules.
    pub(super) fn count(&self, tests: &Tests) -> usize {
        match (tests, self.rules) {
            (Tests::Python(tests), Rules::Strict) | (Tests::PythonByCase(tests, _), _) => {
                tests.cases.len()
            }
            (Tests::Table(table), Rules::Strict) => table.suites.len(),
            (Tests::InputOutput(cases), _) => cases.len(),
            (Tests::Python(_) | Tests::Table(_), Rules::Compat) | (Tests::Separate(_), _) => 1,
        }
    }

    /// The reference solution.
    pub(super) fn gold(&self, reference: &CodeReference) -> Option<String> {
        let response = reference.gold_response()?;
        let answer = whole_answer(&self.grading, reference, &response).ok()?;
        Some((self.grading.program)(&answer).to_owned())
    }

    /// Fails if this machine cannot run programs of the task.
    pub(super) fn can_run(&self) -> Result<()> {
        self.sandbox.get().map(drop)
    }

    /// Names everything on this machine that verdicts depend on.
    pub(super) fn environment(&self) -> String {
        let Ok(sandbox) = self.sandbox.get() else { return String::new() };
        let tools = sandbox.tools().all().iter();
        let tools = tools.map(|tool| {
            let (path, packages) = (tool.path.display(), &tool.packages);
            format!("{} {path} {} {packages}", tool.language, tool.version)
        });
        let limits = format!("{:?} {:?}", self.grading.limits(), self.grading.call);
        let prelude = self.prelude.map(|prelude| prelude.to_string());
        let layers = sandbox.layers().summary();
        tools.chain([limits, layers]).chain(prelude).collect::<Vec<_>>().join("\n")
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer as a whole program: a text continues the prompt, a program is used as it is.
pub(super) fn whole_answer<'a>(
    grading: &GradingRules,
    reference: &CodeReference,
    response: &'a Response,
) -> Result<Cow<'a, str>, NoAnswer> {
    match response {
        Response::Program(program) => Ok(program.into()),
        other => {
            let text = (grading.continuation)(other.text()?);
            Ok(format!("{}{text}", reference.prompt).into())
        }
    }
}
