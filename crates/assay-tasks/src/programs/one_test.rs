//! The ways to run a candidate against one test of its problem.

use std::time::Duration;

use assay_core::{
    CallTable, Clock, DigestOf, Ending, Error, Evidence, InputOutput, PythonTests, Result, Rules,
};
use assay_sandbox::{
    Limits, Report, RunRequest, Source, TableRequest, TestRequest, TwoProcessRequest,
};

use super::assertion::failed_assertion;
use super::assertion_parts::AssertionParts;
use super::first_difference::{FirstDifference, shown_input};
use super::grader::lock;
use super::grading_rules::{ProgramOutput, SourceParts};
use super::python::python_text;
use super::suite::{CodeReference, SeparateTests, Tests};
use super::suite_run::SuiteRun;

/// The maximum CPU time of a candidate, as a multiple of the reference solution's.
const GOLD_TIME_FACTOR: u32 = 4;

impl SuiteRun<'_> {
    /// Runs one test, again if the sandbox failed, which says nothing about the candidate. If the reference solution
    /// itself is slow on this machine, the time limit is extended.
    pub(super) fn run_test(&self, at: usize) -> Result<Report> {
        let limits = self.grader.grading.limits();
        let mut report = self.attempt(at, limits)?;
        if matches!(report.ending, Ending::SandboxError { .. }) && !self.cancel.is_cancelled() {
            report = self.attempt(at, limits)?;
        }
        // Calls have time limits of their own, which already depend on the reference solution.
        let is_table = matches!(self.reference.tests.tests, Tests::Table(_));
        if matches!(report.ending, Ending::TimeLimit { clock: Clock::Cpu }) && !is_table {
            let cpu = self.gold_cpu_time(at)? * GOLD_TIME_FACTOR;
            if cpu > limits.cpu {
                return self.attempt(at, Limits::with_cpu(cpu));
            }
        }
        Ok(report)
    }

    /// The CPU time of the reference solution for a test; zero if unknown.
    fn gold_cpu_time(&self, at: usize) -> Result<Duration> {
        let Some(gold) = self.grader.gold(self.reference) else { return Ok(Duration::ZERO) };
        if self.candidate == gold {
            return Ok(self.grader.grading.cpu);
        }
        let key = (self.reference.digest_of(&gold), at);
        let known = lock(&self.grader.gold_cpu_times).get(&key).copied();
        if let Some(time) = known {
            return Ok(time);
        }
        let limits = Limits::with_cpu(self.grader.grading.cpu * GOLD_TIME_FACTOR);
        let report = self.of_gold(&gold).attempt(at, limits)?;
        let passed = report.ending == Ending::Passed;
        let seconds = if passed { report.evidence.cpu_s } else { 0.0 };
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        lock(&self.grader.gold_cpu_times).insert(key, time);
        Ok(time)
    }

    fn attempt(&self, at: usize, limits: Limits) -> Result<Report> {
        match &self.reference.tests.tests {
            Tests::Python(tests) | Tests::PythonByCase(tests, _) => {
                self.run_python_tests(at, limits, tests)
            }
            Tests::Table(table) if self.grader.rules == Rules::Strict => {
                self.run_table(at, limits, table)
            }
            Tests::Table(table) => {
                self.run_python_tests(at, limits, &calls_as_appended_tests(table))
            }
            Tests::InputOutput(cases) => self.check_output(limits, &cases[at]),
            Tests::Separate(tests) => match self.grader.rules {
                Rules::Strict => self.run_separate_tests(limits, tests),
                Rules::Compat => {
                    Ok(with_parts(self.run_with_tests(limits, &tests.appended)?, tests))
                }
            },
        }
    }

    pub(super) fn run_python_tests_by(
        &self,
        at: usize,
        limits: Limits,
        tests: &PythonTests,
        rules: Rules,
    ) -> Result<Report> {
        let (candidate, mut case) = (self.candidate, at);
        let alone = match &self.reference.tests.tests {
            Tests::PythonByCase(_, alone) if rules == Rules::Compat => {
                let preamble = tests.preamble.clone();
                let appended = alone[std::mem::take(&mut case)].clone();
                Some(PythonTests { preamble, ..only_appended(appended) })
            }
            _ => None,
        };
        let tests = alone.as_ref().unwrap_or(tests);
        let seed = seed_of(self.grader.seed, self.reference);
        let request = TestRequest {
            candidate,
            prelude: self.grader.prelude(),
            tests,
            case,
            seed,
            rules,
            limits,
        };
        let mut report = self.grader.sandbox.get()?.run_tests(&request, self.cancel)?;
        if rules == Rules::Compat && alone.is_none() && case < tests.cases.len() {
            self.explain_wrong_answer(
                &mut report,
                &TestRequest { rules: Rules::Strict, ..request },
            )?;
        }
        // An appended test fails with an assertion.
        if alone.is_some()
            && let Ending::Exception { class, message, .. } = &mut report.ending
            && class == "AssertionError"
        {
            report.ending = Ending::WrongAnswer { message: std::mem::take(message) };
        }
        Ok(report)
    }

    /// Adds the call and the values to a wrong answer that was found in one process with the tests, from another run in
    /// two. The verdict stays as it is, whatever the second run says.
    fn explain_wrong_answer(&self, report: &mut Report, again: &TestRequest<'_>) -> Result<()> {
        let Ending::WrongAnswer { message } = &mut report.ending else { return Ok(()) };
        let strict = self.grader.sandbox.get()?.run_tests(again, self.cancel)?;
        let Ending::WrongAnswer { message: said } = strict.ending else { return Ok(()) };
        if strict.one_process.is_none() {
            let Evidence { call, expected, got, .. } = strict.evidence;
            report.evidence =
                Evidence { call, expected, got, ..std::mem::take(&mut report.evidence) };
            *message = said;
        }
        Ok(())
    }

    /// Compares the answers of a candidate with the recorded answers of the reference solution.
    fn run_table(&self, at: usize, limits: Limits, table: &CallTable) -> Result<Report> {
        let Self { cancel, candidate, grader, .. } = *self;
        let known = grader.tables.get(table, grader.sandbox.get()?, cancel)?;
        if known.ending != Ending::Passed || candidate == table.reference {
            // The reference solution was compared with itself when it was recorded.
            let evidence = if at == 0 { known.evidence.clone() } else { Evidence::default() };
            return Ok(Report::new(known.ending.clone(), evidence));
        }
        let recorded = &known.recorded;
        let timeout = grader.grading.call.unwrap_or(grader.grading.cpu);
        let (details, prelude) = (grader.grading.details, grader.prelude());
        let request = TableRequest {
            candidate,
            prelude,
            table,
            recorded,
            suite: at,
            details,
            timeout,
            limits,
        };
        grader.sandbox.get()?.run_table(&request, cancel)
    }

    fn check_output(&self, limits: Limits, case: &InputOutput) -> Result<Report> {
        let parts = SourceParts {
            program: self.candidate,
            tests: None,
            nonce: "",
            rules: self.grader.rules,
        };
        let mut report = self.run_program(limits, &parts, &case.input)?;
        let printed = ProgramOutput { output: report.output(), expected: &case.output };
        if report.ending == Ending::Passed
            && !(self.grader.grading.same_output)(printed, self.grader.rules)
        {
            let FirstDifference { message, expected, got } = FirstDifference::new(printed);
            let evidence = &mut report.evidence;
            (evidence.expected, evidence.got) = (Some(expected), Some(got));
            report.ending = Ending::WrongAnswer { message };
        }
        if report.ending != Ending::Passed {
            report.evidence.input = Some(shown_input(&case.input));
        }
        Ok(report)
    }

    /// Runs a candidate with its tests appended. A successful exit is not enough: it must have reached the end of its
    /// tests.
    fn run_with_tests(&self, limits: Limits, tests: &str) -> Result<Report> {
        let (program, nonce) = (self.candidate, nonce()?);
        let parts =
            SourceParts { program, tests: Some(tests), nonce: &nonce, rules: self.grader.rules };
        let mut report = self.run_program(limits, &parts, "")?;
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
    fn run_separate_tests(&self, limits: Limits, tests: &SeparateTests) -> Result<Report> {
        let server_code = Some(tests.server_code.as_str());
        let parts = SourceParts {
            program: self.candidate,
            tests: server_code,
            nonce: "",
            rules: self.grader.rules,
        };
        let request = TwoProcessRequest {
            language: self.reference.language,
            candidate: &(self.grader.grading.assemble)(&parts),
            tests: &tests.tests,
            limits,
        };
        let report = self.grader.sandbox.get()?.run_two_processes(&request, self.cancel)?;
        Ok(with_parts(report, tests))
    }

    fn run_program(&self, limits: Limits, parts: &SourceParts<'_>, input: &str) -> Result<Report> {
        let text = (self.grader.grading.assemble)(parts);
        let lines = |text: &str| text.matches('\n').count();
        let before = match text.find(parts.program) {
            Some(at) => lines(&text[..at]),
            // The beginning of the program may be cut from it; nothing follows it then.
            None => lines(&text).saturating_sub(lines(parts.program)),
        };
        let request = RunRequest {
            language: self.reference.language,
            source: Source { text: &text, name: None },
            prelude: self.grader.prelude(),
            input,
            limits,
        };
        let mut report = self.grader.sandbox.get()?.run(&request, self.cancel)?;
        report.ending = in_program(report.ending, u32::try_from(before).unwrap_or(u32::MAX));
        Ok(report)
    }

    /// A run of the reference solution in place of the candidate.
    pub(super) fn of_gold<'g>(&'g self, gold: &'g str) -> SuiteRun<'g> {
        SuiteRun::new(self.grader, self.reference, gold, self.cancel)
    }
}

/// Adds the call and the expected value to a wrong answer, as far as its message tells them.
fn with_parts(mut report: Report, tests: &SeparateTests) -> Report {
    if let Ending::WrongAnswer { message } = &report.ending {
        AssertionParts::new(message, tests).add_to(&mut report.evidence);
    }
    report
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
