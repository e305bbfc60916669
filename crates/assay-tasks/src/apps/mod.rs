//! `apps-introductory`, `apps-interview` and `apps-competition`: programs for problems of coding sites, as collected
//! by APPS.

mod program;
mod tally;

use std::sync::Arc;
use std::time::Duration;

use assay_core::{DataChoice, Language, ProblemId, PythonTests, Result, Rules, Selection};
use assay_data::programs::apps::{AppsProblem, AppsProblems, AppsTests, Call, Level};
use assay_metrics::apps::{compat, strict};

use crate::card::card;
use crate::programs::{
    CodeProblem, CodeProblems, CodeReference, GradingRules, OpeningChoice, ProgramOutput, Programs,
    Stop, TestSuite, Tests, TotalCpuTime, VisitCodeProblem, only_path, python_text,
};
use crate::sample;
use tally::AppsTally;

/// APPS's problems of one level.
pub(crate) fn apps(level: Level) -> Programs {
    Programs {
        card: card(&format!("apps-{}", level.name())),
        open: Box::new(move |data, choice| open(data, choice, level)),
        normalize_name: |name| {
            let name = name.strip_prefix("APPS/").unwrap_or(name);
            name.trim_start_matches('0').to_owned()
        },
        grading: GRADING,
        tally: AppsTally::boxed,
    }
}

const GRADING: GradingRules = GradingRules {
    stop: Stop::AtEnd,
    total: Some(TotalCpuTime { strict: Duration::from_mins(1), compat: Duration::from_secs(11) }),
    program: program::after_mark,
    stub: |_| "globals()[ASSAY_FUNCTION] = lambda *arguments: None\n".to_owned(),
    assemble: program::assemble,
    same_output,
    ..GradingRules::for_tests(4)
};

const FEW_SHOT: &str = "few-shot";

/// The text before the question in the prompt with examples.
const EXAMPLES: &str = include_str!("few_shot.txt");

/// The words that end a continuation of the prompt.
const STOP: &[&str] = &["\nQUESTION", "\n---", "\nANSWER"];

struct AppsCodeProblems {
    problems: AppsProblems,
    ids: Vec<ProblemId>,
    few_shot: bool,
}

fn open(data: &DataChoice, choice: &OpeningChoice, level: Level) -> Result<Box<dyn CodeProblems>> {
    let problems = match data {
        DataChoice::Sample => AppsProblems::of_folders(sample::apps(), Some(level))?,
        DataChoice::Paths(paths) => {
            let level = Some(level).filter(|_| !choice.own_data);
            AppsProblems::open(only_path(paths, "apps")?, level)?
        }
    };
    let ids = problems.ids().iter().map(|id| ProblemId::from(id.as_str())).collect();
    Ok(Box::new(AppsCodeProblems { problems, ids, few_shot: choice.prompt == Some(FEW_SHOT) }))
}

impl CodeProblems for AppsCodeProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn left_out(&self) -> &[String] {
        self.problems.of_other_levels()
    }

    fn location(&self, index: usize) -> String {
        self.problems.location(index)
    }

    fn read(&self, wanted: &Selection, take: &mut VisitCodeProblem<'_>) -> Result<()> {
        self.problems.read(wanted, &mut |index, problem| {
            take(index, problem.and_then(|problem| self.problem(problem)))
        })
    }
}

impl AppsCodeProblems {
    fn problem(&self, problem: AppsProblem) -> Result<CodeProblem, String> {
        let prompt = self.prompt(&problem);
        let AppsProblem { solutions, tests, .. } = problem;
        let (entry_points, tests) = match tests? {
            AppsTests::Standard(runs) => (Vec::new(), Tests::InputOutput(runs)),
            AppsTests::Calls { function, cases } => {
                let tests = python_tests(&function, &cases);
                (vec![function], Tests::PythonByCase(tests, single_test_code(&cases)))
            }
        };
        let reference = CodeReference {
            language: Language::Python,
            prompt: Arc::from(""),
            entry_points: entry_points.into(),
            gold: solutions.into_iter().next().map(Arc::from),
            tests: TestSuite::new(tests),
        };
        Ok(CodeProblem { prompt, stop: STOP.into(), reference })
    }

    fn prompt(&self, problem: &AppsProblem) -> String {
        let AppsProblem { question, starter_code, tests, .. } = problem;
        let format = match tests {
            Ok(AppsTests::Calls { .. }) => "\nUse Call-Based format",
            _ => "\nUse Standard Input format",
        };
        let examples = if self.few_shot { EXAMPLES } else { "" };
        format!("{examples}\nQUESTION:\n{question}{starter_code}{format}\nANSWER:\n")
    }
}

/// A test as a Python tuple of input and expected output.
fn case_text(Call { inputs, output }: &Call) -> String {
    format!("({}, {})", python_text(inputs), python_text(output))
}

/// The code that is appended for each test alone.
fn single_test_code(cases: &[Call]) -> Vec<String> {
    let compat = include_str!("compat.py");
    let alone = |(at, case): (usize, &Call)| {
        let case = case_text(case);
        format!("{compat}\nASSAY_CASES = {{{at}: {case}}}\nassay_check(assay_answer, {at})\n")
    };
    cases.iter().enumerate().map(alone).collect()
}

fn python_tests(function: &str, cases: &[Call]) -> PythonTests {
    let pairs: Vec<String> = cases.iter().map(|case| case_text(case) + ",\n").collect();
    let cases_text = format!("ASSAY_CASES = [\n{}]\n", pairs.concat());
    PythonTests {
        setup: format!(
            "{}\nASSAY_FUNCTION = {}\n{cases_text}",
            include_str!("strict.py"),
            python_text(function)
        ),
        entry_points: vec!["assay_answer".to_owned()],
        cases: (0..cases.len()).map(|at| format!("assay_check(assay_answer, {at})\n")).collect(),
        appended: format!("{}\n{cases_text}", include_str!("compat.py")),
        preamble: format!(
            "{}ASSAY_FUNCTION = {}\n{}",
            program::PREAMBLE,
            python_text(function),
            include_str!("calling.py")
        ),
    }
}

fn same_output(printed: ProgramOutput<'_>, rules: Rules) -> bool {
    let output = String::from_utf8_lossy(printed.output);
    match rules {
        Rules::Strict => strict(printed.expected, &output),
        Rules::Compat => compat(printed.expected, &output),
    }
}
