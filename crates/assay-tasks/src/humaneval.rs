//! `humaneval` and `humaneval-plus`: functions of Python from their docstrings.

use std::sync::Arc;

use assay_core::{
    DataChoice, Exam, Language, MetricCard, PromptCard, QuestionKind, Result, Rules, TaskCard,
};
use assay_data::programs::{FunctionProblem, Records};

use crate::evalplus::{self, Family, PlusTally};
use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, PassTally, Programs, Streamed, Telling, TestSuite,
    Tests, multipl_e_number, only_path,
};
use crate::sample;

/// HumanEval.
pub static HUMANEVAL: Programs = Programs {
    card: CARD,
    open: |data, asked| open(data, asked, &["HumanEval.jsonl"], Inputs::PassedOver),
    names: short_name,
    judging: Judging::by_exam(3),
    tally: |settings| Box::new(PassTally::new(settings)),
};

/// HumanEval+ of EvalPlus.
pub static HUMANEVAL_PLUS: Programs = Programs {
    card: PLUS_CARD,
    open: |data, asked| open(data, asked, PLUS_FILES, Inputs::Used),
    names: short_name,
    judging: Judging::by_calls(),
    tally: PlusTally::boxed,
};

const PLUS_FILES: &[&str] =
    &["HumanEvalPlus-v0.1.10.jsonl", "HumanEvalPlus.jsonl", "HumanEvalPlus-OriginFmt.jsonl"];

const STRIPPED: &str = "stripped";

/// Where a continuation of the prompt ends.
const STOP: &[&str] = &["\nclass", "\ndef", "\n#", "\n@", "\nprint", "\nif", "\n```", "<file_sep>"];

const PROMPTS: &[PromptCard] = &[
    PromptCard {
        name: "unstripped",
        meaning: "the data's prompt as it is, as OpenAI's scorer and EvalPlus take it; the harness's \
            humaneval-unstripped",
    },
    PromptCard {
        name: STRIPPED,
        meaning: "the prompt without the white space around it; the harness's humaneval. It costs \
            some models tens of points",
    },
];

const CARD: TaskCard = TaskCard {
    name: "humaneval",
    version: 1,
    asks: QuestionKind::Code,
    language: Some(Language::Python),
    folder: "humaneval",
    summary: "write a Python function from its docstring",
    about: "Given the beginning of a Python program, up to the docstring of its last function, write \
        on. HumanEval has 164 such problems, each with tests (Chen et al. 2021).",
    data: "HumanEval.jsonl, plain or as .gz or .zst: one JSON object a line with task_id, prompt, \
        entry_point, canonical_solution and test; or the folder that it lies in. Without --data, the \
        folder humaneval under ASSAY_DATA is taken. `--data sample` means the problems inside the \
        binary.",
    answers: "One JSON object a line: task_id, and either completion, which is appended to the prompt, \
        or solution, which is the whole program. They are taken as they are. In a run, what a solver \
        says counts up to the first of the stop words \\nclass, \\ndef, \\n#, \\n@, \\nprint, \\nif, \
        \\n``` and <file_sep>.",
    grading: "A program passes if it passes the problem's tests within 3 s of CPU time. It runs in a \
        sandbox.",
    rules: "strict: the tests run in a process of their own, where the program cannot reach them; only \
        the function is asked, and plain values come back. compat: program and tests are one program, \
        as in the original, which it can cheat, and which may use what the tests import.",
    default_rules: Rules::Strict,
    prompts: PROMPTS,
    metrics: &[PASS_AT_K],
    default_solvers: &["gold"],
    examples: &[
        "assay run humaneval --data sample",
        "assay score humaneval samples.jsonl",
        "assay run humaneval --data HumanEval.jsonl.gz --solver gold --rules compat",
    ],
};

const PLUS_CARD: TaskCard = TaskCard {
    name: "humaneval-plus",
    folder: "humaneval_plus",
    summary: "write a Python function from its docstring, with many more tests",
    about: "HumanEval's 164 problems with about 80 times as many tests, by EvalPlus (Liu et al. 2023): \
        programs that pass HumanEval by luck fail here.",
    data: "HumanEvalPlus-v0.1.10.jsonl (inputs; the expected results come from running the reference \
        solution) or HumanEvalPlus-OriginFmt.jsonl (tests with assertions), plain or as .gz or .zst; or \
        the folder that they lie in, of which the former is taken. Without --data, the folder \
        humaneval_plus under ASSAY_DATA is taken. `--data sample` means the problems inside the binary.",
    grading: "A program passes if it answers all inputs of HumanEval and of EvalPlus as the reference does, \
        by EvalPlus's rules of comparison: results are equal, or floats that differ by 1e-6 or 1e-7 of their \
        size. One call may take 1 s of CPU time (--timeout) or four times what the reference takes, whichever \
        is more, and all calls of a suite together 60 s. base-pass@k is that of HumanEval's tests alone, where the file tells them \
        apart.",
    rules: "strict: the tests run in a process of their own, where the program cannot reach them; the \
        assertions on HumanEval/32 in the file of assertions, which no program can pass, are mended. \
        compat: program and tests are one program, which can cheat; what passes is told of all tests \
        together.",
    metrics: &[PASS_AT_K, BASE_PASS_AT_K],
    examples: &[
        "assay run humaneval-plus --data sample",
        "assay score humaneval-plus samples.jsonl",
    ],
    ..CARD
};

/// What every task of programs is ranked by.
pub(crate) const PASS_AT_K: MetricCard =
    MetricCard { name: "pass@1", lower_is_better: false, meaning: "share of programs that pass" };

/// What is told of the original's tests.
pub(crate) const BASE_PASS_AT_K: MetricCard = MetricCard {
    name: "base-pass@1",
    lower_is_better: false,
    meaning: "share of programs that pass the original's tests",
};

/// Whether a file's inputs are tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inputs {
    Used,
    PassedOver,
}

fn open(
    data: &DataChoice,
    asked: &Asked,
    files: &[&str],
    inputs: Inputs,
) -> Result<Box<dyn Items>> {
    let records = match data {
        DataChoice::Sample => sample::humaneval(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "humaneval")?, files)?;
            if inputs == Inputs::PassedOver {
                // The file with inputs has HumanEval's own tests too.
                records.refuse_other_data(
                    &|record| {
                        record.contains_key("plus_input") || !evalplus::has_more_tests(record)
                    },
                    "HumanEval.jsonl.gz is; EvalPlus's assertions are the data of humaneval-plus",
                )?;
            } else {
                records.refuse_other_data(
                    &evalplus::has_more_tests,
                    "HumanEvalPlus-v0.1.10.jsonl.gz is; HumanEval's own file is the data of the task \
                     humaneval",
                )?;
            }
            records
        }
    };
    let stripped = asked.prompt == Some(STRIPPED);
    Ok(Box::new(Streamed::open(records, HumanEval { stripped, inputs })?))
}

/// `HumanEval/7`, `HumanEval_7_filter_by_substring` and `7` are the same.
fn short_name(name: &str) -> String {
    let short = name.strip_prefix("HumanEval/");
    short.or_else(|| multipl_e_number(name, "HumanEval")).unwrap_or(name).to_owned()
}

struct HumanEval {
    stripped: bool,
    inputs: Inputs,
}

impl Telling<FunctionProblem> for HumanEval {
    fn name(&self, record: &FunctionProblem) -> String {
        record.id.clone()
    }

    fn item(&self, record: FunctionProblem) -> Result<Item, String> {
        let tests = match (&record.inputs, self.inputs) {
            (Some(inputs), Inputs::Used) => {
                Tests::Table(evalplus::table_of_inputs(Family::HumanEval, &record, inputs))
            }
            (None, Inputs::Used) => Tests::Exam(exam_of_assertions(&record)),
            (_, Inputs::PassedOver) => Tests::Exam(exam(&record)),
        };
        let prompt = if self.stripped { record.prompt.trim() } else { &record.prompt };
        let reference = CodeReference {
            language: Language::Python,
            prompt: Arc::from(prompt),
            stop: STOP,
            gold: Some(gold(&record).into()),
            tests: TestSuite::new(tests),
        };
        Ok(Item { prompt: prompt.to_owned(), reference })
    }
}

fn gold(record: &FunctionProblem) -> String {
    format!("{}{}", record.prompt, record.canonical_solution)
}

/// The tests may use what the prompt defines besides the function, such as its inverse.
fn exam(record: &FunctionProblem) -> Exam {
    let FunctionProblem { entry_point, test, .. } = record;
    let checked = format!("{test}\ncheck({entry_point})\n");
    Exam {
        setting: gold(record),
        called: vec![entry_point.clone()],
        appended: format!("\n{checked}"),
        tests: vec![checked],
        preamble: String::new(),
    }
}

fn exam_of_assertions(record: &FunctionProblem) -> Exam {
    /// The polynomial is called with its arguments swapped, one of them taken apart.
    const WRONG: &str = "assert _poly(*candidate(*inp), inp) <= 0.0001";
    const RIGHT: &str = "assert abs(_poly(*inp, candidate(*inp))) <= 0.0001";
    let plain = exam(record);
    Exam {
        setting: format!("{}\n{}", evalplus::NUMBERS, plain.setting),
        tests: plain.tests.iter().map(|test| test.replace(WRONG, RIGHT)).collect(),
        appended: format!("{}\n{}", evalplus::NUMBERS, plain.appended),
        ..plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_the_same() {
        for name in ["7", "HumanEval/7", "HumanEval_7_filter_by_substring"] {
            assert_eq!(short_name(name), "7");
        }
        assert_eq!(short_name("mbpp_7_f"), "mbpp_7_f");
    }
}
