//! Python tests that cannot run in a process of their own: detects them, and runs them in one process with the
//! candidate.

use assay_core::{Ending, PythonTests, Result, Rules};
use assay_sandbox::{Limits, Report};

use super::grader::lock;
use super::suite_run::SuiteRun;

/// The reason for one process if only the reference solution shows that it is needed.
const PASSES_ONLY_IN_ONE_PROCESS: &str =
    "the task's own program passes only in one process with its tests";

impl SuiteRun<'_> {
    pub(super) fn run_python_tests(
        &self,
        at: usize,
        limits: Limits,
        tests: &PythonTests,
    ) -> Result<Report> {
        if self.grader.rules == Rules::Compat {
            return self.run_python_tests_by(at, limits, tests, Rules::Compat);
        }
        let key = self.reference.tests_digest();
        let known = lock(&self.grader.one_process).get(&key).cloned();
        if let Some(Some(reason)) = &known {
            return self.run_in_one_process(at, limits, tests, reason);
        }
        let strict = self.run_python_tests_by(at, limits, tests, Rules::Strict)?;
        if strict.ending == Ending::Passed
            && let Some(reason) = &strict.one_process
        {
            return self.confirm_in_one_process(at, limits, tests, reason, &strict);
        }
        let is_gold = self.grader.gold(self.reference).is_some_and(|gold| gold == self.candidate);
        match (strict.one_process.clone(), known) {
            (None, _) if !is_gold || strict.ending == Ending::Passed => Ok(strict),
            (reason, _) if is_gold => {
                let reason = reason.unwrap_or_else(|| PASSES_ONLY_IN_ONE_PROCESS.to_owned());
                let together = self.run_in_one_process(at, limits, tests, &reason)?;
                if together.ending != Ending::Passed {
                    return Ok(strict);
                }
                lock(&self.grader.one_process).insert(key, Some(reason));
                Ok(together)
            }
            (reason, None) => {
                // The reference solution shows whether that is because of the tests.
                lock(&self.grader.one_process).insert(key, None);
                let gold = self.grader.gold(self.reference);
                if let Some(gold) = &gold {
                    self.of_gold(gold).run_python_tests(at, limits, tests)?;
                }
                match lock(&self.grader.one_process).get(&key).cloned().flatten() {
                    Some(reason) => self.run_in_one_process(at, limits, tests, &reason),
                    None => Ok(wrong_answer(strict, reason)),
                }
            }
            (reason, Some(_)) => Ok(wrong_answer(strict, reason)),
        }
    }

    /// Checks a candidate that passes although not all of its values could be sent to its tests: it must pass in one
    /// process with them too. It gains nothing by cheating there.
    fn confirm_in_one_process(
        &self,
        at: usize,
        limits: Limits,
        tests: &PythonTests,
        reason: &str,
        passed: &Report,
    ) -> Result<Report> {
        let together = self.run_in_one_process(at, limits, tests, reason)?;
        let counts = together.ending != Ending::Passed
            && self.gold_passes_in_one_process(at, limits, tests, reason)?;
        Ok(if counts { together } else { passed.clone() })
    }

    /// Returns true if the reference solution passes in one process with its tests: the original's rules may lack
    /// something that the tests need.
    fn gold_passes_in_one_process(
        &self,
        at: usize,
        limits: Limits,
        tests: &PythonTests,
        reason: &str,
    ) -> Result<bool> {
        let Some(gold) = self.grader.gold(self.reference) else { return Ok(true) };
        let report = self.of_gold(&gold).run_in_one_process(at, limits, tests, reason)?;
        Ok(report.ending == Ending::Passed)
    }

    /// Runs a candidate in one process with its tests, by the original's rules, and records the reason.
    fn run_in_one_process(
        &self,
        at: usize,
        limits: Limits,
        tests: &PythonTests,
        reason: &str,
    ) -> Result<Report> {
        let mut report = self.run_python_tests_by(at, limits, tests, Rules::Compat)?;
        report.evidence.one_process = Some(reason.to_owned());
        Ok(report)
    }
}

/// The verdict on a candidate that makes its tests do what other candidates do not.
fn wrong_answer(mut report: Report, reason: Option<String>) -> Report {
    report.ending = Ending::WrongAnswer { message: reason.unwrap_or_default() };
    report
}
