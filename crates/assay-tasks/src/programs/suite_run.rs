//! A run of a candidate against the tests of its problem, and the resulting verdict.

use assay_core::{Cancel, Clock, Ending, Evidence, Outcome, Result, Rules, Submission, Verdict};
use assay_sandbox::Report;

use super::grader::ProgramGrader;
use super::grading_rules::Stop;
use super::suite::CodeReference;

/// The number of timed-out tests after which the rest is not run.
const MAX_TIMEOUTS: u32 = 2;

/// The mark of a test that was not run.
const NOT_RUN: char = '.';

/// The character for a test: right, wrong, an error or a limit, a syntax error.
fn mark(ending: &Ending) -> char {
    match ending {
        Ending::Passed => 'T',
        Ending::WrongAnswer { .. } => 'F',
        Ending::SyntaxError { .. } => '!',
        _ => '-',
    }
}

/// A run of a candidate against the tests of its problem: what is needed for it, and the outcomes of the tests so far.
pub(super) struct SuiteRun<'a> {
    pub(super) grader: &'a ProgramGrader,
    pub(super) reference: &'a CodeReference,
    pub(super) candidate: &'a str,
    pub(super) cancel: &'a Cancel,
    pub(super) passed: usize,
    /// One character per test, or one per call of the test.
    pub(super) marks: Vec<String>,
    /// The number of tests that timed out.
    out_of_time: u32,
    /// The ending of the first failed test.
    pub(super) failure: Option<Ending>,
    evidence: Evidence,
}

impl<'a> SuiteRun<'a> {
    pub(super) fn new(
        grader: &'a ProgramGrader,
        reference: &'a CodeReference,
        candidate: &'a str,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            grader,
            reference,
            candidate,
            cancel,
            passed: 0,
            marks: Vec::new(),
            out_of_time: 0,
            failure: None,
            evidence: Evidence::default(),
        }
    }

    /// Runs all tests, or as many as decide the verdict.
    pub(super) fn run(&mut self) -> Result<()> {
        let (grading, rules) = (&self.grader.grading, self.grader.rules);
        let count = self.grader.count(&self.reference.tests.tests);
        let total = grading.total.map(|total| total.of(rules).as_secs_f64());
        for at in 0..count {
            let report = self.run_test(at)?;
            if self.failed() && grading.stop == Stop::AtFailure {
                // The verdict is decided; only the marks are wanted.
                self.mark(&report);
                continue;
            }
            self.add(report);
            let hopeless = matches!(
                self.failure,
                Some(Ending::SyntaxError { .. } | Ending::SandboxError { .. })
            );
            let clear = self.failed() && grading.stop == Stop::AtFailure;
            if hopeless || clear && !grading.details {
                break;
            }
            if self.out_of_time >= MAX_TIMEOUTS {
                // It never ends; the remaining tests would only show the same.
                break;
            }
            if total.is_some_and(|total| self.evidence.cpu_s > total) && at + 1 < count {
                self.end_for_time(rules);
                break;
            }
        }
        self.close(count);
        Ok(())
    }

    fn failed(&self) -> bool {
        self.failure.is_some()
    }

    fn mark(&mut self, report: &Report) {
        let own_mark = || mark(&report.ending).to_string();
        self.marks.push(report.marks.clone().unwrap_or_else(own_mark));
    }

    fn add(&mut self, report: Report) {
        self.mark(&report);
        let Report { ending, evidence, .. } = report;
        let first = self.failure.is_none();
        self.out_of_time += u32::from(matches!(ending, Ending::TimeLimit { .. }));
        if ending == Ending::Passed {
            self.passed += 1;
        } else if first {
            self.failure = Some(ending);
        }
        let sum = &mut self.evidence;
        sum.cpu_s += evidence.cpu_s;
        sum.wall_s += evidence.wall_s;
        sum.peak_memory = sum.peak_memory.max(evidence.peak_memory);
        sum.memory_by = evidence.memory_by;
        sum.unstable |= evidence.unstable;
        sum.one_process = sum.one_process.take().or(evidence.one_process);
        // The standard error is that of the test that decided.
        if first {
            let Evidence { stderr_tail, call, expected, got, input, traceback, .. } = evidence;
            *sum = Evidence {
                stderr_tail,
                call,
                expected,
                got,
                input,
                traceback,
                ..std::mem::take(sum)
            };
        }
    }

    /// Marks the remaining of `count` tests as not run.
    fn close(&mut self, count: usize) {
        let left = count.saturating_sub(self.marks.len());
        self.marks.extend(std::iter::repeat_n(NOT_RUN.to_string(), left));
    }

    /// Ends the suite because the tests together took too long.
    fn end_for_time(&mut self, rules: Rules) {
        if rules == Rules::Compat {
            self.passed = 0;
            self.marks.clear();
        }
        self.failure.get_or_insert(Ending::TimeLimit { clock: Clock::Cpu });
    }

    pub(super) fn verdict(&self, submission: &Submission) -> Verdict {
        let ending = self.failure.clone().unwrap_or(Ending::Passed);
        let outcome = match ending {
            Ending::Passed => Outcome::Passed,
            Ending::TimeLimit { .. } => Outcome::TimedOut,
            _ => Outcome::Failed,
        };
        Verdict {
            ending: Some(ending),
            evidence: Some(self.evidence.clone()),
            ..submission.verdict(outcome)
        }
    }
}
