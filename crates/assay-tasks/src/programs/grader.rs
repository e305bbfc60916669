//! How programs are judged: examined or run in the sandbox, and what came of it as a verdict.

use std::borrow::Cow;
use std::time::Duration;

use assay_core::{
    Case, Check, CodeReference, Ending, Error, Evidence, Exam, Fault, FaultKind, Grader,
    InputOutput, Language, NoAnswer, Outcome, Reference, Response, Result, Rules, Tests, Verdict,
    Why,
};
use assay_sandbox::{Examination, Execution, Limits, Sandbox, Source};

/// How many tests the problem has for the program.
pub(super) const TESTS: &str = "tests";
/// How many of them it passed.
pub(crate) const TESTS_PASSED: &str = "tests-passed";

/// How a task's programs are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judging {
    /// The CPU time that a program may use for one test.
    pub(crate) cpu: Duration,
    /// After which tests the rest is left out.
    pub(crate) stop: Stop,
    /// Whether what a program printed is what it should have, where tests are runs.
    pub(crate) same_output: fn(Printed<'_>, Rules) -> bool,
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
            stop: Stop::AtFailure,
            same_output: |printed, _| printed.output == printed.wanted.as_bytes(),
        }
    }

    /// What a program may use for one test.
    pub(super) fn limits(&self) -> Limits {
        Limits::with_cpu(self.cpu)
    }
}

/// Judges programs in a sandbox of its own.
pub(super) struct ProgramGrader {
    sandbox: Sandbox,
    rules: Rules,
    judging: Judging,
}

/// What came of one test.
struct Tested {
    ending: Ending,
    evidence: Evidence,
}

impl ProgramGrader {
    pub(super) fn new(sandbox: Sandbox, rules: Rules, judging: Judging) -> Self {
        Self { sandbox, rules, judging }
    }

    /// How many tests there are under the rules.
    fn count(&self, tests: &Tests) -> usize {
        match (tests, self.rules) {
            (Tests::Exam(exam), Rules::Strict) => exam.tests.len(),
            (Tests::Runs(runs), _) => runs.len(),
            (Tests::Exam(_), Rules::Compat) | (Tests::Appended(_), _) => 1,
        }
    }

    /// One test, a second time if the sandbox failed: that says nothing about the program.
    fn test(
        &self,
        case: &Case<'_>,
        program: &str,
        reference: &CodeReference,
        at: usize,
    ) -> Result<Tested> {
        let mut tested = self.attempt(case, program, reference, at)?;
        if matches!(tested.ending, Ending::SandboxError { .. }) && !case.cancel.is_cancelled() {
            tested = self.attempt(case, program, reference, at)?;
        }
        match tested.ending {
            Ending::SandboxError { message } => Err(Error::failed(format!(
                "the sandbox failed on {}: {message}",
                case.problem
            ))
            .hint(
                "`assay doctor` says what this machine can isolate; `--resume` goes on from here",
            )),
            _ => Ok(tested),
        }
    }

    fn attempt(
        &self,
        case: &Case<'_>,
        program: &str,
        reference: &CodeReference,
        at: usize,
    ) -> Result<Tested> {
        match reference.tests.as_ref() {
            Tests::Exam(exam) => self.examine(case, program, exam, at),
            Tests::Runs(runs) => self.run(case, program, reference, &runs[at]),
            Tests::Appended(tests) => {
                let whole = format!("{program}\n{tests}");
                self.execute(case, &whole, reference, "").map(|(tested, _)| tested)
            }
        }
    }

    fn examine(&self, case: &Case<'_>, program: &str, exam: &Exam, test: usize) -> Result<Tested> {
        let examination =
            Examination { program, exam, test, rules: self.rules, limits: self.judging.limits() };
        let examined = self.sandbox.examine(&examination, case.cancel)?;
        Ok(Tested { ending: examined.ending, evidence: examined.evidence })
    }

    fn run(
        &self,
        case: &Case<'_>,
        program: &str,
        reference: &CodeReference,
        run: &InputOutput,
    ) -> Result<Tested> {
        let (mut tested, output) = self.execute(case, program, reference, &run.input)?;
        let printed = Printed { output: &output, wanted: &run.output };
        if tested.ending == Ending::Passed && !(self.judging.same_output)(printed, self.rules) {
            tested.ending = Ending::WrongAnswer { message: "it prints something else".to_owned() };
        }
        Ok(tested)
    }

    fn execute(
        &self,
        case: &Case<'_>,
        text: &str,
        reference: &CodeReference,
        input: &str,
    ) -> Result<(Tested, Vec<u8>)> {
        let execution = Execution {
            language: reference.language,
            source: Source { text, name: None },
            input,
            limits: self.judging.limits(),
        };
        let executed = self.sandbox.execute(&execution, case.cancel)?;
        Ok((Tested { ending: executed.ending, evidence: executed.evidence }, executed.output))
    }
}

impl Grader for ProgramGrader {
    fn check(&self, _reference: &Reference, response: &Response) -> Check {
        match response {
            Response::Text(_) | Response::Program(_) | Response::None(_) => Check::Possible,
            Response::Lines(_) => {
                Check::Impossible(Fault::new(FaultKind::Malformed, "the answer is no program"))
            }
        }
    }

    fn grade(&self, case: &Case<'_>) -> Result<Verdict> {
        let (problem, sample) = (case.problem.clone(), case.sample);
        let Reference::Code(reference) = case.reference else {
            return Ok(Verdict::excluded(problem, "it does not ask for a program".to_owned()));
        };
        let program = match whole_program(reference, case.response) {
            Ok(program) => program,
            Err(reason) => return Ok(Verdict::unanswered(problem, sample, &reason)),
        };
        let mut course = Course::default();
        let count = self.count(&reference.tests);
        for at in 0..count {
            course.add(self.test(case, &program, reference, at)?);
            if course.failed() && self.judging.stop == Stop::AtFailure {
                break;
            }
        }
        let mut verdict = course.verdict(case);
        if count > 1 {
            verdict = verdict.score(TESTS, count as f64).score(TESTS_PASSED, course.passed as f64);
        }
        Ok(Verdict { program: Some(reference.digest_of(&program)), ..verdict })
    }

    fn environment(&self) -> String {
        let tools = LANGUAGES.iter().filter_map(|&language| {
            let tool = self.sandbox.tools().get(language).ok()?;
            Some(format!("{language} {} {}", tool.path.display(), tool.version))
        });
        let limits = format!("{:?}", self.judging.limits());
        tools.chain([limits]).collect::<Vec<_>>().join("\n")
    }
}

/// The languages in which programs are run.
const LANGUAGES: [Language; 6] = [
    Language::Python,
    Language::JavaScript,
    Language::Java,
    Language::Cpp,
    Language::Go,
    Language::Rust,
];

/// What came of all tests so far.
#[derive(Default)]
struct Course {
    passed: usize,
    /// How the first test ended that was not passed.
    failure: Option<Ending>,
    evidence: Evidence,
}

impl Course {
    fn failed(&self) -> bool {
        self.failure.is_some()
    }

    fn add(&mut self, tested: Tested) {
        let Tested { ending, evidence } = tested;
        let first = self.failure.is_none();
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
        // The end of what it said belongs to the test that decided.
        if first {
            sum.stderr_tail = evidence.stderr_tail;
        }
    }

    fn verdict(&self, case: &Case<'_>) -> Verdict {
        let ending = self.failure.clone().unwrap_or(Ending::Passed);
        let outcome = match ending {
            Ending::Passed => Outcome::Passed,
            Ending::TimeLimit { .. } => Outcome::TimedOut,
            _ => Outcome::Failed,
        };
        Verdict {
            ending: Some(ending),
            evidence: Some(self.evidence.clone()),
            ..Verdict::new(case.problem.clone(), case.sample, outcome)
        }
    }
}

/// The program that is put through the tests: a text continues the prompt, a program is whole.
fn whole_program<'a>(
    reference: &CodeReference,
    response: &'a Response,
) -> Result<Cow<'a, str>, NoAnswer> {
    match response {
        Response::Program(program) => Ok(program.into()),
        Response::Text(text) => Ok(format!("{}{text}", reference.prompt).into()),
        Response::None(reason) => Err(reason.clone()),
        Response::Lines(_) => {
            Err(NoAnswer { why: Why::Invalid, detail: "the answer is no program".to_owned() })
        }
    }
}
