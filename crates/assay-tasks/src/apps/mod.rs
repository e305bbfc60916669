//! `apps-introductory`, `apps-interview` and `apps-competition`: programs for the problems of coding
//! sites, as APPS collects them.

mod program;
mod tally;

use std::sync::Arc;
use std::time::Duration;

use assay_core::{
    DataChoice, Exam, Language, MetricCard, ProblemId, PromptCard, QuestionKind, Result, Rules,
    Selection, TaskCard,
};
use assay_data::programs::apps::{AppsProblem, AppsProblems, AppsTests, Call, Level};
use assay_metrics::apps::{compat, strict};

use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, Printed, Programs, Stop, TakeItem, TestSuite,
    Tests, Total, only_path, python_text,
};
use crate::sample;
use tally::AppsTally;

/// The easiest third.
pub static APPS_INTRODUCTORY: Programs =
    task(CARD, |data, asked| open(data, asked, Level::Introductory));

/// The middle.
pub static APPS_INTERVIEW: Programs = task(
    TaskCard {
        name: "apps-interview",
        summary: "write a Python program for a coding site's problem, as in an interview",
        examples: &[
            "assay run apps-interview --data sample",
            "assay score apps-interview answers.jsonl --data apps/test.jsonl",
        ],
        ..CARD
    },
    |data, asked| open(data, asked, Level::Interview),
);

/// The hardest.
pub static APPS_COMPETITION: Programs = task(
    TaskCard {
        name: "apps-competition",
        summary: "write a Python program for a problem of a programming competition",
        examples: &[
            "assay run apps-competition --data sample",
            "assay score apps-competition answers.jsonl --data apps/test.jsonl --rules compat",
        ],
        ..CARD
    },
    |data, asked| open(data, asked, Level::Competition),
);

const fn task(card: TaskCard, open: fn(&DataChoice, &Asked) -> Result<Box<dyn Items>>) -> Programs {
    Programs {
        card,
        open,
        names: |name| {
            let name = name.strip_prefix("APPS/").unwrap_or(name);
            name.trim_start_matches('0').to_owned()
        },
        judging: JUDGING,
        tally: AppsTally::boxed,
    }
}

const JUDGING: Judging = Judging {
    stop: Stop::AtEnd,
    total: Some(Total { strict: Duration::from_mins(1), compat: Duration::from_secs(11) }),
    program: program::after_mark,
    idle: |_| "globals()[ASSAY_FUNCTION] = lambda *arguments: None\n".to_owned(),
    assemble: program::assemble,
    same_output,
    ..Judging::by_exam(4)
};

const FEW_SHOT: &str = "few-shot";

const CARD: TaskCard = TaskCard {
    name: "apps-introductory",
    version: 1,
    asks: QuestionKind::Code,
    language: Some(Language::Python),
    folder: "apps",
    summary: "write a Python program for an easy problem of a coding site",
    about: "Given the text of a problem, write a Python program that reads standard input and prints, or \
        a function of a given name. APPS has 10,000 problems of three levels with tests (Hendrycks et \
        al. 2021); its test split has 1,000 introductory, 3,000 interview and 1,000 competition ones.",
    data: "The original's folders, each a problem with question.txt, metadata.json, input_output.json, \
        solutions.json and starter_code.py, in a folder or a .tar, .tar.gz, .tar.zst or .zip of one; \
        codeparrot's JSON lines (problem_id, question, solutions, input_output, difficulty, \
        starter_code), plain or as .gz or .zst; or MapCoder's selection of 150 (description, test_list), \
        where all is standard input and what a function should give is printed as Python prints it. \
        Problems of the task's level are taken. A second problem of the same name is called NAME#2. \
        Without --data, the folder apps under ASSAY_DATA is taken. `--data sample` means the problems \
        inside the binary.",
    answers: "One JSON object a line: task_id (the problem's number), and completion or solution, which \
        both are the whole program: the prompt is not part of it. Answers to problems of other levels \
        may stand there too; they are counted in sight and passed over. Lines with a name that the \
        data has several times are answers to its problems in turn. Of an answer that has \
        \"\\nANSWER:\" in it, what follows the first is taken. In a run, what a solver says counts up to the first of \
        the stop words \\nQUESTION, \\n--- and \\nANSWER.",
    grading: "Every test runs in a process of its own with 4 s of CPU time; its verdict is a letter in \
        the record's detail: T right, F wrong, - an error or a limit, ! no Python, . not run. A program \
        passes if it passes all tests. The imports that the original promises precede every program, \
        numpy if the machine has it. A problem without tests that can be read is excluded. After 60 s of \
        CPU time, or two tests that ran out of time, the tests that are left count as not passed.",
    rules: "strict: a program runs as the main module. What it prints is right if, white space at the \
        ends of lines and blank lines at the end aside, every line has the same words in the same order; \
        where a number with a point or an exponent is expected, a number within 1e-6 of it (absolutely \
        or relatively) will do. Where a whole number is expected, only that number will do: printed, `5.0` \
        is not `5`; given by a function, a float of exactly that value is. An expected number that is \
        infinite or NaN is compared as text. What a function gives is compared in a process of its own, \
        tuples as lists; where a float is expected, within 1e-6. compat: what is printed is compared by the original's eight tries, of \
        which the last ignore order and number of words and lines; a program runs as a function of a \
        module that is not the main one, so that main guards do nothing and `global` fails; sys.exit \
        ends it well, exit() fails; what a function gives is compared by the original's rule, in the \
        program's own process, which can cheat; after 11 s of CPU time for all tests none is passed. Not \
        reproduced: that a program is loaded once for all tests of a function, that open() of any file \
        gives the input, that the limit is of the clock on the wall, and that an error of the harness \
        itself ends the problem.",
    default_rules: Rules::Strict,
    prompts: PROMPTS,
    metrics: &[
        MetricCard {
            name: "strict-accuracy",
            lower_is_better: false,
            meaning: "share of programs that pass all tests; for one sample a problem",
        },
        MetricCard {
            name: "average-accuracy",
            lower_is_better: false,
            meaning: "mean share of tests that a program passes; for one sample a problem",
        },
        MetricCard {
            name: "pass@1",
            lower_is_better: false,
            meaning: "share of programs that pass; for several samples a problem",
        },
    ],
    default_solvers: &["gold"],
    examples: &[
        "assay run apps-introductory --data sample",
        "assay score apps-introductory answers.jsonl --data APPS/test",
        "assay run apps-introductory --data test.jsonl.zst --solver gold --rules compat",
    ],
};

const PROMPTS: &[PromptCard] = &[
    PromptCard {
        name: "fine-tuning",
        meaning: "\\nQUESTION:\\n, the question, the starter code, \\nUse Standard Input format or \\nUse \
            Call-Based format, \\nANSWER:\\n; as the harness puts it",
    },
    PromptCard {
        name: FEW_SHOT,
        meaning: "the same after one example of each format, laid out as the harness did in 2022, but \
            with examples of our own: scores cannot be compared with those of then",
    },
];

/// What comes before the question in the prompt with examples.
const EXAMPLES: &str = include_str!("few_shot.txt");

/// Where a continuation of the prompt ends.
const STOP: &[&str] = &["\nQUESTION", "\n---", "\nANSWER"];

struct AppsItems {
    problems: AppsProblems,
    ids: Vec<ProblemId>,
    few_shot: bool,
}

fn open(data: &DataChoice, asked: &Asked, level: Level) -> Result<Box<dyn Items>> {
    let problems = match data {
        DataChoice::Sample => AppsProblems::of_folders(sample::apps(), level)?,
        DataChoice::Paths(paths) => AppsProblems::open(only_path(paths, "apps")?, level)?,
    };
    let ids = problems.ids().iter().map(|id| ProblemId::from(id.as_str())).collect();
    Ok(Box::new(AppsItems { problems, ids, few_shot: asked.prompt == Some(FEW_SHOT) }))
}

impl Items for AppsItems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn left_out(&self) -> &[String] {
        self.problems.of_other_levels()
    }

    fn location(&self, index: usize) -> String {
        self.problems.location(index)
    }

    fn read(&self, wanted: &Selection, take: &mut TakeItem<'_>) -> Result<()> {
        self.problems.read(wanted, &mut |index, problem| {
            take(index, problem.and_then(|problem| self.item(problem)))
        })
    }
}

impl AppsItems {
    fn item(&self, problem: AppsProblem) -> Result<Item, String> {
        let prompt = self.prompt(&problem);
        let AppsProblem { solutions, tests, .. } = problem;
        let tests = match tests? {
            AppsTests::Standard(runs) => Tests::Runs(runs),
            AppsTests::Calls { function, cases } => {
                Tests::ByTest(exam(&function, &cases), tests_alone(&cases))
            }
        };
        let reference = CodeReference {
            language: Language::Python,
            prompt: Arc::from(""),
            stop: STOP,
            gold: solutions.into_iter().next().map(Arc::from),
            tests: TestSuite::new(tests),
        };
        Ok(Item { prompt, reference })
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

/// A test as a Python tuple of what is given and what is wanted.
fn case_text(Call { inputs, output }: &Call) -> String {
    format!("({}, {})", python_text(inputs), python_text(output))
}

/// The code that is appended for each test by itself.
fn tests_alone(cases: &[Call]) -> Vec<String> {
    let compat = include_str!("compat.py");
    let alone = |(at, case): (usize, &Call)| {
        let case = case_text(case);
        format!("{compat}\nASSAY_CASES = {{{at}: {case}}}\nassay_check(assay_answer, {at})\n")
    };
    cases.iter().enumerate().map(alone).collect()
}

fn exam(function: &str, cases: &[Call]) -> Exam {
    let pairs: Vec<String> = cases.iter().map(|case| case_text(case) + ",\n").collect();
    let cases_text = format!("ASSAY_CASES = [\n{}]\n", pairs.concat());
    Exam {
        setting: format!("{}\n{cases_text}", include_str!("strict.py")),
        called: vec!["assay_answer".to_owned()],
        tests: (0..cases.len()).map(|at| format!("assay_check(assay_answer, {at})\n")).collect(),
        appended: format!("{}\n{cases_text}", include_str!("compat.py")),
        preamble: format!(
            "{}ASSAY_FUNCTION = {}\n{}",
            program::PREAMBLE,
            python_text(function),
            include_str!("calling.py")
        ),
    }
}

fn same_output(printed: Printed<'_>, rules: Rules) -> bool {
    let output = String::from_utf8_lossy(printed.output);
    match rules {
        Rules::Strict => strict(printed.wanted, &output),
        Rules::Compat => compat(printed.wanted, &output),
    }
}
