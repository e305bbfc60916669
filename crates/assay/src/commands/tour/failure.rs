//! A program that few tests let pass and more tests fail, from the records of the tour.

use std::path::Path;

use assay_core::{
    DataChoice, Opening, Question, Reading, Result, Selection, TaskSettings, Verdict,
};
use assay_record::{AnswerLine, Outcome, ResponseLine, RunReader, VerdictLine};
use assay_run::Complete;
use assay_tasks::TaskRegistry;

use crate::output;

/// The same problems, with the original's tests and with many more.
pub(super) const FEW_TESTS: &str = "humaneval";
pub(super) const MANY_TESTS: &str = "humaneval-plus";

/// The greatest number of lines shown of a program.
const MAX_LINES: usize = 6;
/// The beginning and the end of a docstring.
const DOCSTRING: &str = "\"\"\"";

/// A program that passes the few tests and fails the many.
pub(super) struct FailedProgram {
    solver: String,
    problem: String,
    /// The first lines of the question, and the program.
    program: String,
    /// The verdict's reason.
    reason: String,
}

impl FailedProgram {
    /// Finds the first one in the records of these runs.
    pub(super) fn find(runs: &[Complete]) -> Result<Option<Self>> {
        for many in runs.iter().filter(|run| run.results.task == MANY_TESTS) {
            let is_twin = |run: &&Complete| {
                run.results.task == FEW_TESTS && run.results.solver == many.results.solver
            };
            let Some(few) = runs.iter().find(is_twin) else { continue };
            let passed = verdicts(&few.folder, Outcome::Passed)?;
            let failed = verdicts(&many.folder, Outcome::Failed)?;
            let is_between =
                |line: &&VerdictLine| passed.iter().any(|other| other.problem == line.problem);
            if let Some(verdict) = failed.iter().find(is_between) {
                return Self::new(many, verdict);
            }
        }
        Ok(None)
    }

    fn new(run: &Complete, verdict: &VerdictLine) -> Result<Option<Self>> {
        let answers = RunReader::open(&run.folder)?.answers();
        let is_asked = |line: &AnswerLine| line.problem == verdict.problem;
        let answers: Vec<AnswerLine> = answers.collect::<Result<_>>()?;
        let Some(answer) = answers.into_iter().find(is_asked) else { return Ok(None) };
        let program = match answer.response {
            ResponseLine::Text(text) => question_start(&verdict.problem)? + &text,
            ResponseLine::Program(program) => program,
            ResponseLine::Lines(_) | ResponseLine::Choice(_) | ResponseLine::None(_) => {
                return Ok(None);
            }
        };
        let Verdict { ending, detail, .. } = Verdict::from(verdict.clone());
        let reason = ending.map(|ending| ending.to_string()).or(detail).unwrap_or_default();
        let solver = run.results.solver.clone();
        Ok(Some(Self { solver, problem: verdict.problem.clone(), program, reason }))
    }

    /// Prints the program with its verdict.
    pub(super) fn print(&self) -> Result<()> {
        let Self { solver, problem, program, reason } = self;
        output::print_wrapped(
            "",
            &format!(
                "The answer of {solver} to {problem} passes {FEW_TESTS}, and fails {MANY_TESTS}, which has more tests:"
            ),
        )?;
        output::print_code(program, MAX_LINES)?;
        output::print_wrapped("  → ", reason)
    }
}

fn verdicts(folder: &Path, outcome: Outcome) -> Result<Vec<VerdictLine>> {
    let lines = RunReader::open(folder)?.verdicts();
    lines.filter(|line| line.as_ref().map_or(true, |line| line.outcome == outcome)).collect()
}

/// The head of a function, with the end of the docstring that it begins.
fn with_closed_docstring(head: String) -> String {
    if head.matches(DOCSTRING).count().is_multiple_of(2) {
        return head;
    }
    format!("{}{DOCSTRING}\n", head.trim_end())
}

/// The question up to the end of its first sentence: the head of the function.
fn question_start(problem: &str) -> Result<String> {
    let (data, settings) = (DataChoice::Sample, TaskSettings::default());
    let tasks = TaskRegistry::built_in();
    let problems = tasks.find(MANY_TESTS)?.open(&Opening::new(&data, &settings))?;
    let is_asked = |index: usize| problems.ids()[index].as_str() == problem;
    let wanted = Selection::of(problems.ids().len(), is_asked);
    let mut start = String::new();
    problems.read(&wanted, &mut |reading| {
        if let Reading::Problem(problem) = reading
            && let Question::Code(question) = &problem.question
        {
            let lines = question.prompt.lines().take_while(|line| !line.trim().is_empty());
            start = with_closed_docstring(lines.map(|line| format!("{line}\n")).collect());
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_that_is_cut_is_closed() {
        let open = "def f():\n    \"\"\"Count.\n";
        assert_eq!(with_closed_docstring(open.to_owned()), "def f():\n    \"\"\"Count.\"\"\"\n");
        for whole in ["def f():\n    \"\"\"Count.\"\"\"\n", "def f():\n", ""] {
            assert_eq!(with_closed_docstring(whole.to_owned()), whole);
        }
    }
}
