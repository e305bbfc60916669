//! How programs are judged: examined or run in the sandbox, and what came of it as a verdict.

use assay_core::{
    CallTable, Cancel, Check, Clock, Digest, DigestOf, Ending, Error, Evidence, Exam, Fingerprint,
    InputOutput, NoAnswer, Opening, Reference, Response, Result, Rules, Submission, Verdict,
};
use assay_sandbox::{Dialogue, Examination, Execution, Limits, Report, Source, TableExamination};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::assertion::failed_assertion;
use super::judging::{Judging, Parts, Printed, Stop};
use super::lazy_sandbox::LazySandbox;
use super::python::python_text;
use super::suite::{Apart, CodeReference, Tests};
use super::suite_outcome::SuiteOutcome;
use super::tables::Tables;

/// How many tests the problem has for the program.
pub(crate) const TESTS: &str = "tests";
/// How many of them it passed.
pub(crate) const TESTS_PASSED: &str = "tests-passed";

/// A problem's tests, with the sandbox that runs programs for all of them.
pub(super) struct ProgramReference {
    pub(super) code: CodeReference,
    pub(super) judge: Arc<ProgramJudge>,
}

/// Runs programs against tests, in a sandbox of its own.
pub(super) struct ProgramJudge {
    sandbox: LazySandbox,
    rules: Rules,
    judging: Judging,
    tables: Tables,
    /// How long the tasks' own programs take, as far as it was asked for.
    paces: Mutex<HashMap<(Digest, usize), Duration>>,
    /// What the random numbers of tests are drawn from.
    seed: u64,
    /// The exams that are held in one process with the program, by the hash of their tests, and why; none for those
    /// that were looked at and are not.
    one_process: Mutex<HashMap<Digest, Option<String>>>,
}

/// A program before one of its tests.
#[derive(Clone, Copy)]
struct Trial<'a> {
    cancel: &'a Cancel,
    program: &'a str,
    reference: &'a CodeReference,
    /// Which of the tests.
    at: usize,
    limits: Limits,
}

/// How many times as long as the task's own program any program may take.
const PATIENCE: u32 = 4;

/// After so many tests that ran out of time the rest is not run.
const MOST_TIMEOUTS: u32 = 2;

impl ProgramJudge {
    pub(super) fn new(sandbox: LazySandbox, judging: Judging, opening: &Opening<'_>) -> Self {
        let (settings, tables) = (opening.settings, Tables::new(opening.cache));
        Self {
            sandbox,
            rules: settings.rules,
            judging,
            tables,
            paces: Mutex::default(),
            seed: settings.seed,
            one_process: Mutex::default(),
        }
    }

    /// How many tests there are under the rules.
    fn count(&self, tests: &Tests) -> usize {
        match (tests, self.rules) {
            (Tests::Exam(exam), Rules::Strict) | (Tests::ByTest(exam, _), _) => exam.tests.len(),
            (Tests::Table(table), Rules::Strict) => table.suites.len(),
            (Tests::Runs(runs), _) => runs.len(),
            (Tests::Exam(_) | Tests::Table(_), Rules::Compat) | (Tests::Apart(_), _) => 1,
        }
    }

    /// One test, a second time if the sandbox failed: that says nothing about the program. What the
    /// task's own program can hardly do in time on this machine may take as much longer.
    fn test(&self, trial: &Trial<'_>) -> Result<Report> {
        let mut report = self.attempt(trial)?;
        if matches!(report.ending, Ending::SandboxError { .. }) && !trial.cancel.is_cancelled() {
            report = self.attempt(trial)?;
        }
        // Calls have limits of their own, by which the task's own program counts already.
        let by_calls = matches!(trial.reference.tests.tests, Tests::Table(_));
        if matches!(report.ending, Ending::TimeLimit { clock: Clock::Cpu }) && !by_calls {
            let cpu = self.pace(trial)? * PATIENCE;
            if cpu > trial.limits.cpu {
                return self.attempt(&Trial { limits: Limits::with_cpu(cpu), ..*trial });
            }
        }
        Ok(report)
    }

    /// How long the task's own program takes for a test; nothing if it is not known.
    fn pace(&self, trial: &Trial<'_>) -> Result<Duration> {
        let Some(gold) = self.gold(trial.reference) else { return Ok(Duration::ZERO) };
        if trial.program == gold {
            return Ok(self.judging.cpu);
        }
        let key = (trial.reference.digest_of(&gold), trial.at);
        let known = lock(&self.paces).get(&key).copied();
        if let Some(pace) = known {
            return Ok(pace);
        }
        let limits = Limits::with_cpu(self.judging.cpu * PATIENCE);
        let report = self.attempt(&Trial { program: &gold, limits, ..*trial })?;
        let passed = report.ending == Ending::Passed;
        let pace = if passed { report.evidence.cpu_s } else { 0.0 };
        let pace = Duration::try_from_secs_f64(pace).unwrap_or_default();
        lock(&self.paces).insert(key, pace);
        Ok(pace)
    }

    /// The task's own program.
    fn gold(&self, reference: &CodeReference) -> Option<String> {
        let response = reference.gold_response()?;
        let answer = whole_answer(&self.judging, reference, &response).ok()?;
        Some((self.judging.program)(&answer).to_owned())
    }

    fn attempt(&self, trial: &Trial<'_>) -> Result<Report> {
        match &trial.reference.tests.tests {
            Tests::Exam(exam) | Tests::ByTest(exam, _) => self.examine(trial, exam),
            Tests::Table(table) if self.rules == Rules::Strict => self.make_calls(trial, table),
            Tests::Table(table) => self.examine(trial, &in_one_process(table)),
            Tests::Runs(runs) => self.run(trial, &runs[trial.at]),
            Tests::Apart(tests) => match self.rules {
                Rules::Strict => self.converse(trial, tests),
                Rules::Compat => self.run_with_tests(trial, &tests.appended),
            },
        }
    }

    fn examine(&self, trial: &Trial<'_>, exam: &Exam) -> Result<Report> {
        if self.rules == Rules::Compat {
            return self.examine_by(trial, exam, Rules::Compat);
        }
        let tests = trial.reference.tests_digest();
        let known = lock(&self.one_process).get(&tests).cloned();
        if let Some(Some(reason)) = &known {
            return self.examine_together(trial, exam, reason);
        }
        let strict = self.examine_by(trial, exam, Rules::Strict)?;
        if strict.ending == Ending::Passed
            && let Some(reason) = &strict.one_process
        {
            return self.confirm(trial, exam, reason, &strict);
        }
        let is_gold = self.gold(trial.reference).is_some_and(|gold| gold == trial.program);
        match (strict.one_process.clone(), known) {
            (None, _) if !is_gold || strict.ending == Ending::Passed => Ok(strict),
            (reason, _) if is_gold => {
                let reason = reason.unwrap_or_else(|| ONLY_TOGETHER.to_owned());
                let together = self.examine_together(trial, exam, &reason)?;
                if together.ending != Ending::Passed {
                    return Ok(strict);
                }
                lock(&self.one_process).insert(tests, Some(reason));
                Ok(together)
            }
            (reason, None) => {
                // Whether that is because of the tests, the task's own program shows.
                lock(&self.one_process).insert(tests, None);
                let gold = self.gold(trial.reference);
                if let Some(gold) = &gold {
                    self.examine(&Trial { program: gold, ..*trial }, exam)?;
                }
                match lock(&self.one_process).get(&tests).cloned().flatten() {
                    Some(reason) => self.examine_together(trial, exam, &reason),
                    None => Ok(not_handed_over(strict, reason)),
                }
            }
            (reason, Some(_)) => Ok(not_handed_over(strict, reason)),
        }
    }

    /// The verdict on a program that passes, but not all of which could be carried over to its tests: it must pass
    /// together with them too. It gains nothing by cheating there.
    fn confirm(
        &self,
        trial: &Trial<'_>,
        exam: &Exam,
        reason: &str,
        passed: &Report,
    ) -> Result<Report> {
        let together = self.examine_together(trial, exam, reason)?;
        let counts =
            together.ending != Ending::Passed && self.can_pass_together(trial, exam, reason)?;
        Ok(if counts { together } else { passed.clone() })
    }

    /// Whether the task's own program passes in one process with its tests: the original's rules may leave out what
    /// the tests need.
    fn can_pass_together(&self, trial: &Trial<'_>, exam: &Exam, reason: &str) -> Result<bool> {
        let Some(gold) = self.gold(trial.reference) else { return Ok(true) };
        let report = self.examine_together(&Trial { program: &gold, ..*trial }, exam, reason)?;
        Ok(report.ending == Ending::Passed)
    }

    /// Puts a program through tests in its own process, by the original's rules, and says so.
    fn examine_together(&self, trial: &Trial<'_>, exam: &Exam, reason: &str) -> Result<Report> {
        let mut report = self.examine_by(trial, exam, Rules::Compat)?;
        report.evidence.one_process = Some(reason.to_owned());
        Ok(report)
    }

    fn examine_by(&self, trial: &Trial<'_>, exam: &Exam, rules: Rules) -> Result<Report> {
        let &Trial { cancel, program, at: test, limits, .. } = trial;
        let (alone, mut test) = (&trial.reference.tests.tests, test);
        let alone = match alone {
            Tests::ByTest(_, alone) if rules == Rules::Compat => {
                let preamble = exam.preamble.clone();
                let appended = alone[std::mem::take(&mut test)].clone();
                Some(Exam { preamble, ..only_appended(appended) })
            }
            _ => None,
        };
        let exam = alone.as_ref().unwrap_or(exam);
        let seed = seed_of(self.seed, trial.reference);
        let examination = Examination { program, exam, test, seed, rules, limits };
        let mut report = self.sandbox.get()?.examine(&examination, cancel)?;
        // An appended test fails by an assertion.
        if alone.is_some()
            && let Ending::Exception { class, message, .. } = &mut report.ending
            && class == "AssertionError"
        {
            report.ending = Ending::WrongAnswer { message: std::mem::take(message) };
        }
        Ok(report)
    }

    /// Compares what a program answers with what the task's own program has answered.
    fn make_calls(&self, trial: &Trial<'_>, table: &CallTable) -> Result<Report> {
        let &Trial { cancel, program, at: suite, limits, .. } = trial;
        let known = self.tables.get(table, self.sandbox.get()?, cancel)?;
        if known.ending != Ending::Passed || program == table.reference {
            // The task's own program was compared with itself when it was recorded.
            let evidence = if suite == 0 { known.evidence.clone() } else { Evidence::default() };
            return Ok(Report::new(known.ending.clone(), evidence));
        }
        let recorded = &known.recorded;
        let timeout = self.judging.call.unwrap_or(self.judging.cpu);
        let details = self.judging.details;
        let calls = TableExamination { program, table, recorded, suite, details, timeout, limits };
        self.sandbox.get()?.examine_table(&calls, cancel)
    }

    fn run(&self, trial: &Trial<'_>, run: &InputOutput) -> Result<Report> {
        let parts = Parts { program: trial.program, tests: None, nonce: "", rules: self.rules };
        let mut report = self.execute(trial, &parts, &run.input)?;
        let printed = Printed { output: report.output(), wanted: &run.output };
        if report.ending == Ending::Passed && !(self.judging.same_output)(printed, self.rules) {
            report.ending = Ending::WrongAnswer { message: printed.difference() };
        }
        Ok(report)
    }

    /// That it ends well is not enough: it must have come to the end of its tests.
    fn run_with_tests(&self, trial: &Trial<'_>, tests: &str) -> Result<Report> {
        let (program, nonce) = (trial.program, nonce()?);
        let parts = Parts { program, tests: Some(tests), nonce: &nonce, rules: self.rules };
        let mut report = self.execute(trial, &parts, "")?;
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

    /// The tests call the program from a process of their own.
    fn converse(&self, trial: &Trial<'_>, tests: &Apart) -> Result<Report> {
        let serving = Some(tests.serving.as_str());
        let parts = Parts { program: trial.program, tests: serving, nonce: "", rules: self.rules };
        let dialogue = Dialogue {
            language: trial.reference.language,
            program: &(self.judging.assemble)(&parts),
            tests: &tests.tests,
            limits: trial.limits,
        };
        self.sandbox.get()?.converse(&dialogue, trial.cancel)
    }

    fn execute(&self, trial: &Trial<'_>, parts: &Parts<'_>, input: &str) -> Result<Report> {
        let text = (self.judging.assemble)(parts);
        let lines = |text: &str| text.matches('\n').count();
        let before = match text.find(parts.program) {
            Some(at) => lines(&text[..at]),
            // What comes first may be taken from it; nothing follows it then.
            None => lines(&text).saturating_sub(lines(parts.program)),
        };
        let execution = Execution {
            language: trial.reference.language,
            source: Source { text: &text, name: None },
            input,
            limits: trial.limits,
        };
        let mut report = self.sandbox.get()?.execute(&execution, trial.cancel)?;
        report.ending = in_program(report.ending, u32::try_from(before).unwrap_or(u32::MAX));
        Ok(report)
    }

    /// All tests, or those up to which the verdict is clear.
    fn course(
        &self,
        cancel: &Cancel,
        program: &str,
        reference: &CodeReference,
    ) -> Result<SuiteOutcome> {
        let count = self.count(&reference.tests.tests);
        let total = self.judging.total.map(|total| total.of(self.rules).as_secs_f64());
        let mut course = SuiteOutcome::default();
        for at in 0..count {
            let limits = self.judging.limits();
            let report = self.test(&Trial { cancel, program, reference, at, limits })?;
            if course.failed() && self.judging.stop == Stop::AtFailure {
                // The verdict is clear; only the marks are wanted.
                course.mark(&report);
                continue;
            }
            course.add(report);
            let hopeless = matches!(
                course.failure,
                Some(Ending::SyntaxError { .. } | Ending::SandboxError { .. })
            );
            let clear = course.failed() && self.judging.stop == Stop::AtFailure;
            if hopeless || clear && !self.judging.details {
                break;
            }
            if course.out_of_time >= MOST_TIMEOUTS {
                // It runs for ever; the tests that are left would show no more than that.
                break;
            }
            if total.is_some_and(|total| course.evidence.cpu_s > total) && at + 1 < count {
                course.end_for_time(self.rules);
                break;
            }
        }
        course.close(count);
        Ok(course)
    }

    /// Fails if this machine cannot run the task's programs.
    pub(super) fn can_run(&self) -> Result<()> {
        self.sandbox.get().map(drop)
    }

    /// Names everything on this machine that verdicts depend on.
    pub(super) fn environment(&self) -> String {
        let Ok(sandbox) = self.sandbox.get() else { return String::new() };
        let tools = sandbox.tools().all().iter();
        let tools =
            tools.map(|tool| format!("{} {} {}", tool.language, tool.path.display(), tool.version));
        let limits = format!("{:?} {:?}", self.judging.limits(), self.judging.call);
        tools.chain([limits]).collect::<Vec<_>>().join("\n")
    }
}

/// Why a program is examined in one process with its tests, where its task's own program is all that shows it.
const ONLY_TOGETHER: &str = "the task's own program passes only in one process with its tests";

/// The verdict on a program that makes its tests do what other programs do not make them do.
fn not_handed_over(mut report: Report, reason: Option<String>) -> Report {
    report.ending = Ending::WrongAnswer { message: reason.unwrap_or_default() };
    report
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the random numbers of a problem's tests are drawn from: the same for every program, and known to none, because
/// neither the run's seed nor the tests are where a program can see them.
fn seed_of(seed: u64, reference: &CodeReference) -> u64 {
    let mut all = DigestOf::new();
    all.field(&seed.to_le_bytes());
    all.field(reference.tests_digest().as_bytes());
    let digest = all.finish();
    u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap_or(&[0; 8]))
}

/// Calls as code that is appended to a program. What the rules define must not be found by the program.
fn in_one_process(table: &CallTable) -> Exam {
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

/// Tests that are nothing but code appended to a program.
fn only_appended(appended: String) -> Exam {
    let (setting, preamble) = (String::new(), String::new());
    Exam { setting, called: Vec::new(), tests: Vec::new(), appended, preamble }
}

/// Sixteen bytes that nobody could know.
fn nonce() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::failed("this machine has no random numbers").because(error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Reference for ProgramReference {
    fn fingerprint(&self) -> Fingerprint {
        self.code.fingerprint()
    }

    fn gold(&self) -> Option<Response> {
        self.code.gold_response()
    }

    fn check(&self, response: &Response) -> Check {
        Check::kind(response.text())
    }

    fn grade(&self, submission: &Submission, cancel: &Cancel) -> Result<Verdict> {
        let Self { code, judge } = self;
        let answer = match whole_answer(&judge.judging, code, &submission.response) {
            Ok(answer) => answer,
            Err(reason) => return Ok(submission.unanswered(&reason)),
        };
        let program = (judge.judging.program)(&answer);
        let course = judge.course(cancel, program, code)?;
        if let Some(Ending::SandboxError { message }) = &course.failure {
            // Nobody's answer is to blame: it counts nowhere, and is seen.
            let (problem, sample) = (submission.problem.clone(), submission.key.sample);
            let reason = format!("{problem}: its tests could not be run: {message}");
            return Ok(Verdict { sample, ..Verdict::excluded(problem, reason) });
        }
        let count = judge.count(&code.tests.tests);
        let mut verdict = course.verdict(submission);
        if count > 1 {
            verdict = verdict.score(TESTS, count as f64).score(TESTS_PASSED, course.passed as f64);
        }
        if judge.judging.details {
            verdict.detail = Some(course.marks.join(" "));
        } else if judge.judging.stop == Stop::AtEnd {
            verdict.detail = Some(course.marks.concat());
        }
        Ok(Verdict { program: Some(code.digest_of(program)), ..verdict })
    }

    /// A continuation of the prompt and a whole program may be taken apart differently.
    fn digest_of(&self, response: &Response) -> Option<Digest> {
        match response {
            Response::Program(program) => Some(self.code.digest_of(program)),
            Response::Text(text) => {
                Some(self.code.digest_of(&format!("\0{}{text}", self.code.prompt)))
            }
            Response::Lines(_) | Response::Choice(_) | Response::None(_) => None,
        }
    }

    fn decoys(&self) -> Vec<(&'static str, Response)> {
        let empty = ("an empty program", Response::Program(String::new()));
        match &self.code.tests.tests {
            Tests::Exam(exam) | Tests::ByTest(exam, _) => {
                let idle = Response::Program((self.judge.judging.idle)(exam));
                vec![empty, ("a program that does nothing", idle)]
            }
            Tests::Runs(_) => vec![empty],
            // Of calls this is found when they are recorded; in other languages it cannot be compiled.
            Tests::Table(_) | Tests::Apart(_) => Vec::new(),
        }
    }

    fn use_one_process(&self, reason: &str) {
        lock(&self.judge.one_process).insert(self.code.tests_digest(), Some(reason.to_owned()));
    }
}

/// The answer as a whole: a text continues the prompt, a program is whole.
fn whole_answer<'a>(
    judging: &Judging,
    reference: &CodeReference,
    response: &'a Response,
) -> Result<Cow<'a, str>, NoAnswer> {
    match response {
        Response::Program(program) => Ok(program.into()),
        other => {
            let text = (judging.continuation)(other.text()?);
            Ok(format!("{}{text}", reference.prompt).into())
        }
    }
}

/// The lines of an ending are counted in the file that was run: this counts them in the program.
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
