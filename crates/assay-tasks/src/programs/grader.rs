//! Runs candidates in the sandbox, against the tests of their problem.

use assay_core::{
    CallTable, Cancel, Clock, Digest, DigestOf, Ending, Error, Evidence, InputOutput, NoAnswer,
    Opening, PythonTests, Response, Result, Rules,
};
use assay_sandbox::{
    Limits, Report, RunRequest, Source, TableRequest, TestRequest, TwoProcessRequest,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::assertion::failed_assertion;
use super::grading_rules::{GradingRules, ProgramOutput, SourceParts, Stop};
use super::lazy_sandbox::LazySandbox;
use super::python::python_text;
use super::suite::{CodeReference, SeparateTests, Tests};
use super::suite_outcome::SuiteOutcome;
use super::tables::TableCache;

/// Grades programs with a sandbox of its own.
pub(super) struct ProgramGrader {
    sandbox: LazySandbox,
    pub(super) rules: Rules,
    pub(super) grading: GradingRules,
    tables: TableCache,
    /// The CPU times of reference solutions, by tests and index, as far as they were needed.
    gold_cpu_times: Mutex<HashMap<(Digest, usize), Duration>>,
    /// The seed of the tests' random numbers.
    seed: u64,
    /// The tests that must run in one process with the candidate, by their hash, with the reason; `None` for tests
    /// that were checked and need not.
    pub(super) one_process: Mutex<HashMap<Digest, Option<String>>>,
}

/// A run of a candidate against one test.
#[derive(Clone, Copy)]
pub(super) struct TestRun<'a> {
    pub(super) cancel: &'a Cancel,
    pub(super) candidate: &'a str,
    pub(super) reference: &'a CodeReference,
    /// The index of the test.
    pub(super) at: usize,
    pub(super) limits: Limits,
}

/// The maximum CPU time of a candidate, as a multiple of the reference solution's.
const GOLD_TIME_FACTOR: u32 = 4;

/// The number of timed-out tests after which the rest is not run.
const MAX_TIMEOUTS: u32 = 2;

impl ProgramGrader {
    pub(super) fn new(sandbox: LazySandbox, grading: GradingRules, opening: &Opening<'_>) -> Self {
        let (settings, tables) = (opening.settings, TableCache::new(opening.cache));
        Self {
            sandbox,
            rules: settings.rules,
            grading,
            tables,
            gold_cpu_times: Mutex::default(),
            seed: settings.seed,
            one_process: Mutex::default(),
        }
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

    /// Runs one test, again if the sandbox failed, which says nothing about the candidate. If the reference solution
    /// itself is slow on this machine, the time limit is extended.
    fn run_test(&self, run: &TestRun<'_>) -> Result<Report> {
        let mut report = self.attempt(run)?;
        if matches!(report.ending, Ending::SandboxError { .. }) && !run.cancel.is_cancelled() {
            report = self.attempt(run)?;
        }
        // Calls have time limits of their own, which already depend on the reference solution.
        let is_table = matches!(run.reference.tests.tests, Tests::Table(_));
        if matches!(report.ending, Ending::TimeLimit { clock: Clock::Cpu }) && !is_table {
            let cpu = self.gold_cpu_time(run)? * GOLD_TIME_FACTOR;
            if cpu > run.limits.cpu {
                return self.attempt(&TestRun { limits: Limits::with_cpu(cpu), ..*run });
            }
        }
        Ok(report)
    }

    /// The CPU time of the reference solution for a test; zero if unknown.
    fn gold_cpu_time(&self, run: &TestRun<'_>) -> Result<Duration> {
        let Some(gold) = self.gold(run.reference) else { return Ok(Duration::ZERO) };
        if run.candidate == gold {
            return Ok(self.grading.cpu);
        }
        let key = (run.reference.digest_of(&gold), run.at);
        let known = lock(&self.gold_cpu_times).get(&key).copied();
        if let Some(time) = known {
            return Ok(time);
        }
        let limits = Limits::with_cpu(self.grading.cpu * GOLD_TIME_FACTOR);
        let report = self.attempt(&TestRun { candidate: &gold, limits, ..*run })?;
        let passed = report.ending == Ending::Passed;
        let seconds = if passed { report.evidence.cpu_s } else { 0.0 };
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        lock(&self.gold_cpu_times).insert(key, time);
        Ok(time)
    }

    /// The reference solution.
    pub(super) fn gold(&self, reference: &CodeReference) -> Option<String> {
        let response = reference.gold_response()?;
        let answer = whole_answer(&self.grading, reference, &response).ok()?;
        Some((self.grading.program)(&answer).to_owned())
    }

    fn attempt(&self, run: &TestRun<'_>) -> Result<Report> {
        match &run.reference.tests.tests {
            Tests::Python(tests) | Tests::PythonByCase(tests, _) => {
                self.run_python_tests(run, tests)
            }
            Tests::Table(table) if self.rules == Rules::Strict => self.run_table(run, table),
            Tests::Table(table) => self.run_python_tests(run, &calls_as_appended_tests(table)),
            Tests::InputOutput(cases) => self.check_output(run, &cases[run.at]),
            Tests::Separate(tests) => match self.rules {
                Rules::Strict => self.run_separate_tests(run, tests),
                Rules::Compat => self.run_with_tests(run, &tests.appended),
            },
        }
    }

    pub(super) fn run_python_tests_by(
        &self,
        run: &TestRun<'_>,
        tests: &PythonTests,
        rules: Rules,
    ) -> Result<Report> {
        let &TestRun { cancel, candidate, at: mut case, limits, .. } = run;
        let alone = match &run.reference.tests.tests {
            Tests::PythonByCase(_, alone) if rules == Rules::Compat => {
                let preamble = tests.preamble.clone();
                let appended = alone[std::mem::take(&mut case)].clone();
                Some(PythonTests { preamble, ..only_appended(appended) })
            }
            _ => None,
        };
        let tests = alone.as_ref().unwrap_or(tests);
        let seed = seed_of(self.seed, run.reference);
        let request = TestRequest { candidate, tests, case, seed, rules, limits };
        let mut report = self.sandbox.get()?.run_tests(&request, cancel)?;
        // An appended test fails with an assertion.
        if alone.is_some()
            && let Ending::Exception { class, message, .. } = &mut report.ending
            && class == "AssertionError"
        {
            report.ending = Ending::WrongAnswer { message: std::mem::take(message) };
        }
        Ok(report)
    }

    /// Compares the answers of a candidate with the recorded answers of the reference solution.
    fn run_table(&self, run: &TestRun<'_>, table: &CallTable) -> Result<Report> {
        let &TestRun { cancel, candidate, at: suite, limits, .. } = run;
        let known = self.tables.get(table, self.sandbox.get()?, cancel)?;
        if known.ending != Ending::Passed || candidate == table.reference {
            // The reference solution was compared with itself when it was recorded.
            let evidence = if suite == 0 { known.evidence.clone() } else { Evidence::default() };
            return Ok(Report::new(known.ending.clone(), evidence));
        }
        let recorded = &known.recorded;
        let timeout = self.grading.call.unwrap_or(self.grading.cpu);
        let details = self.grading.details;
        let request = TableRequest { candidate, table, recorded, suite, details, timeout, limits };
        self.sandbox.get()?.run_table(&request, cancel)
    }

    fn check_output(&self, run: &TestRun<'_>, case: &InputOutput) -> Result<Report> {
        let parts =
            SourceParts { program: run.candidate, tests: None, nonce: "", rules: self.rules };
        let mut report = self.run_program(run, &parts, &case.input)?;
        let printed = ProgramOutput { output: report.output(), expected: &case.output };
        if report.ending == Ending::Passed && !(self.grading.same_output)(printed, self.rules) {
            report.ending = Ending::WrongAnswer { message: printed.difference() };
        }
        Ok(report)
    }

    /// Runs a candidate with its tests appended. A successful exit is not enough: it must have reached the end of its
    /// tests.
    fn run_with_tests(&self, run: &TestRun<'_>, tests: &str) -> Result<Report> {
        let (program, nonce) = (run.candidate, nonce()?);
        let parts = SourceParts { program, tests: Some(tests), nonce: &nonce, rules: self.rules };
        let mut report = self.run_program(run, &parts, "")?;
        let done = memchr::memmem::find(report.output(), nonce.as_bytes()).is_some();
        match &report.ending {
            Ending::Passed if !done => report.ending = Ending::EarlyExit { code: 0 },
            Ending::EarlyExit { .. } | Ending::Crashed { .. } => {
                if let Some(message) = failed_assertion(&report.evidence.stderr_tail) {
                    report.ending = Ending::WrongAnswer { message: message.to_owned() };
                }
            }
            _ => {}
        }
        Ok(report)
    }

    /// Runs a candidate against tests in a process of their own.
    fn run_separate_tests(&self, run: &TestRun<'_>, tests: &SeparateTests) -> Result<Report> {
        let server_code = Some(tests.server_code.as_str());
        let parts = SourceParts {
            program: run.candidate,
            tests: server_code,
            nonce: "",
            rules: self.rules,
        };
        let request = TwoProcessRequest {
            language: run.reference.language,
            candidate: &(self.grading.assemble)(&parts),
            tests: &tests.tests,
            limits: run.limits,
        };
        self.sandbox.get()?.run_two_processes(&request, run.cancel)
    }

    fn run_program(
        &self,
        run: &TestRun<'_>,
        parts: &SourceParts<'_>,
        input: &str,
    ) -> Result<Report> {
        let text = (self.grading.assemble)(parts);
        let lines = |text: &str| text.matches('\n').count();
        let before = match text.find(parts.program) {
            Some(at) => lines(&text[..at]),
            // The beginning of the program may be cut from it; nothing follows it then.
            None => lines(&text).saturating_sub(lines(parts.program)),
        };
        let request = RunRequest {
            language: run.reference.language,
            source: Source { text: &text, name: None },
            input,
            limits: run.limits,
        };
        let mut report = self.sandbox.get()?.run(&request, run.cancel)?;
        report.ending = in_program(report.ending, u32::try_from(before).unwrap_or(u32::MAX));
        Ok(report)
    }

    /// Runs all tests, or as many as decide the verdict.
    pub(super) fn run_suite(
        &self,
        cancel: &Cancel,
        candidate: &str,
        reference: &CodeReference,
    ) -> Result<SuiteOutcome> {
        let count = self.count(&reference.tests.tests);
        let total = self.grading.total.map(|total| total.of(self.rules).as_secs_f64());
        let mut outcome = SuiteOutcome::default();
        for at in 0..count {
            let limits = self.grading.limits();
            let report = self.run_test(&TestRun { cancel, candidate, reference, at, limits })?;
            if outcome.failed() && self.grading.stop == Stop::AtFailure {
                // The verdict is decided; only the marks are wanted.
                outcome.mark(&report);
                continue;
            }
            outcome.add(report);
            let hopeless = matches!(
                outcome.failure,
                Some(Ending::SyntaxError { .. } | Ending::SandboxError { .. })
            );
            let clear = outcome.failed() && self.grading.stop == Stop::AtFailure;
            if hopeless || clear && !self.grading.details {
                break;
            }
            if outcome.out_of_time >= MAX_TIMEOUTS {
                // It never ends; the remaining tests would only show the same.
                break;
            }
            if total.is_some_and(|total| outcome.evidence.cpu_s > total) && at + 1 < count {
                outcome.end_for_time(self.rules);
                break;
            }
        }
        outcome.close(count);
        Ok(outcome)
    }

    /// Fails if this machine cannot run programs of the task.
    pub(super) fn can_run(&self) -> Result<()> {
        self.sandbox.get().map(drop)
    }

    /// Names everything on this machine that verdicts depend on.
    pub(super) fn environment(&self) -> String {
        let Ok(sandbox) = self.sandbox.get() else { return String::new() };
        let tools = sandbox.tools().all().iter();
        let tools =
            tools.map(|tool| format!("{} {} {}", tool.language, tool.path.display(), tool.version));
        let limits = format!("{:?} {:?}", self.grading.limits(), self.grading.call);
        tools.chain([limits]).collect::<Vec<_>>().join("\n")
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The seed of the random numbers of a problem's tests. It is the same for every candidate and known to none, because
/// a candidate sees neither the run's seed nor the tests.
fn seed_of(seed: u64, reference: &CodeReference) -> u64 {
    let mut all = DigestOf::new();
    all.field(&seed.to_le_bytes());
    all.field(reference.tests_digest().as_bytes());
    let digest = all.finish();
    u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap_or(&[0; 8]))
}

/// Calls as code that is appended to a candidate. The candidate must not find the names that the rules define.
fn calls_as_appended_tests(table: &CallTable) -> PythonTests {
    let CallTable { entry_point, reference, rules, suites } = table;
    let suites: Vec<String> = suites.iter().map(|suite| python_text(suite)).collect();
    let appended = format!(
        "_assay = {{}}\nexec({}, _assay)\n_assay[\"COMPARISON\"].check({entry_point}, {}, [{}])\n",
        python_text(rules),
        python_text(reference),
        suites.join(", "),
    );
    only_appended(appended)
}

/// Tests that consist only of code appended to a candidate.
fn only_appended(appended: String) -> PythonTests {
    let (setup, preamble) = (String::new(), String::new());
    PythonTests { setup, entry_points: Vec::new(), cases: Vec::new(), appended, preamble }
}

/// Sixteen unpredictable bytes.
fn nonce() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::failed("this machine has no random numbers").because(error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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

/// Converts the line of an ending from the file that was run to the candidate.
fn in_program(ending: Ending, before: u32) -> Ending {
    let counted = |line: Option<u32>| line.and_then(|line| line.checked_sub(before));
    match ending {
        Ending::Exception { class, message, line } => {
            Ending::Exception { class, message, line: counted(line) }
        }
        Ending::SyntaxError { message, line } => {
            Ending::SyntaxError { message, line: counted(line) }
        }
        other => other,
    }
}
