//! What a task says about judging its programs: limits, what of an answer counts, how it is put together
//! and compared.

use std::time::Duration;

use assay_core::{Exam, Rules};
use assay_sandbox::Limits;

/// How a task's programs are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judging {
    /// The CPU time that a program may use for one test.
    pub(crate) cpu: Duration,
    /// The CPU time that a program may use for one call, where tests are calls; more if the task's own program takes
    /// more than a quarter of it.
    pub(crate) call: Option<Duration>,
    /// Whether calls are made after one that is wrong, and marked.
    pub(crate) details: bool,
    /// After which tests the rest is left out.
    pub(crate) stop: Stop,
    /// The CPU time that a program may use for all tests together.
    pub(crate) total: Option<Total>,
    /// What counts of a text that continues a prompt.
    pub(crate) continuation: fn(&str) -> &str,
    /// What of an answer is the program.
    pub(crate) program: fn(&str) -> &str,
    /// A program that defines what an exam asks for, and does nothing.
    pub(crate) idle: fn(&Exam) -> String,
    /// How a program becomes the file that is run.
    pub(crate) assemble: fn(&Parts<'_>) -> String,
    /// Whether what a program printed is what it should have, where tests are runs.
    pub(crate) same_output: fn(Printed<'_>, Rules) -> bool,
}

/// The CPU time that a program may use for all its tests together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Total {
    /// The tests that are left when it is used up are not passed.
    pub(crate) strict: Duration,
    /// When it is used up, no test is passed: the original loses what it found.
    pub(crate) compat: Duration,
}

impl Total {
    pub(super) fn of(self, rules: Rules) -> Duration {
        match rules {
            Rules::Strict => self.strict,
            Rules::Compat => self.compat,
        }
    }
}

/// What the file is made of that is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) program: &'a str,
    /// Code that is appended.
    pub(crate) tests: Option<&'a str>,
    /// What the file must print after its tests, known to nobody before: a program that ends early
    /// does not print it.
    pub(crate) nonce: &'a str,
    pub(crate) rules: Rules,
}

/// When a program's tests end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// With the first that it does not pass.
    AtFailure,
    /// When all were tried.
    AtEnd,
}

/// What a program printed, and what it should have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printed<'a> {
    pub(crate) output: &'a [u8],
    pub(crate) wanted: &'a str,
}

impl Judging {
    /// That of programs which are put through an exam with so many seconds of CPU time for each test.
    pub(crate) const fn by_exam(seconds: u64) -> Self {
        Self {
            cpu: Duration::from_secs(seconds),
            call: None,
            details: false,
            stop: Stop::AtFailure,
            total: None,
            continuation: |text| text,
            program: |text| text,
            idle,
            assemble: |parts| parts.program.to_owned(),
            same_output: |printed, _| printed.output == printed.wanted.as_bytes(),
        }
    }

    /// That of programs which are put through EvalPlus's calls: at most a second each, and a minute together.
    pub(crate) const fn by_calls() -> Self {
        Self { call: Some(Duration::from_secs(1)), ..Self::by_exam(60) }
    }

    /// With the time limit that a user asks for: for one call where tests are calls, else for one test.
    pub(super) fn with_timeout(self, asked: Option<Duration>) -> Self {
        let Some(asked) = asked else { return self };
        match self.call {
            Some(_) => Self { call: Some(asked), ..self },
            None => Self { cpu: asked, ..self },
        }
    }

    /// What a program may use for one test.
    pub(super) fn limits(&self) -> Limits {
        Limits::with_cpu(self.cpu)
    }
}

fn idle(exam: &Exam) -> String {
    let names = exam.called.iter().filter(|name| *name != Exam::ALL_DEFINED);
    names.map(|name| format!("{name} = lambda *arguments, **named: None\n")).collect()
}

impl Printed<'_> {
    /// Where it differs first, for a person.
    pub(super) fn difference(&self) -> String {
        let output = String::from_utf8_lossy(self.output);
        let (mut lines, mut wanted) = (output.lines(), self.wanted.lines());
        for number in 1.. {
            match (lines.next(), wanted.next()) {
                (None, None) => break,
                (found, wanted) if found == wanted => {}
                (found, wanted) => {
                    let show = |line: Option<&str>| {
                        line.map_or("nothing".to_owned(), |line| format!("{:?}", clipped(line)))
                    };
                    return format!("line {number} is {}, not {}", show(found), show(wanted));
                }
            }
        }
        "it prints something else".to_owned()
    }
}

/// As much of a line as a message can hold.
fn clipped(line: &str) -> &str {
    const LONGEST: usize = 60;
    line.char_indices().nth(LONGEST).map_or(line, |(end, _)| &line[..end])
}
