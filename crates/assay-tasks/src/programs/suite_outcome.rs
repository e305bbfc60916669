//! The outcomes of a candidate's tests, and the resulting verdict.

use assay_core::{Clock, Ending, Evidence, Outcome, Rules, Submission, Verdict};
use assay_sandbox::Report;

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

/// The outcomes of all tests so far.
#[derive(Default)]
pub(super) struct SuiteOutcome {
    pub(super) passed: usize,
    /// One character per test, or one per call of the test.
    pub(super) marks: Vec<String>,
    /// The number of tests that timed out.
    pub(super) out_of_time: u32,
    /// The ending of the first failed test.
    pub(super) failure: Option<Ending>,
    pub(super) evidence: Evidence,
}

impl SuiteOutcome {
    pub(super) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(super) fn mark(&mut self, report: &Report) {
        let own_mark = || mark(&report.ending).to_string();
        self.marks.push(report.marks.clone().unwrap_or_else(own_mark));
    }

    pub(super) fn add(&mut self, report: Report) {
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
            sum.stderr_tail = evidence.stderr_tail;
        }
    }

    /// Marks the remaining of `count` tests as not run.
    pub(super) fn close(&mut self, count: usize) {
        let left = count.saturating_sub(self.marks.len());
        self.marks.extend(std::iter::repeat_n(NOT_RUN.to_string(), left));
    }

    /// Ends the suite because the tests together took too long.
    pub(super) fn end_for_time(&mut self, rules: Rules) {
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
