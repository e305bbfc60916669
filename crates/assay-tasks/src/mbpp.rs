//! `mbpp`, `mbpp-sanitized` and `mbpp-plus`: short programs of Python from a sentence and its tests.

mod prompts;

use std::ops::ControlFlow;

use assay_core::{DataChoice, Exam, Language, QuestionKind, Result, Rules, TaskCard};
use assay_data::programs::{FunctionProblem, MbppProblem, Records};
use serde_json::{Map, Value};

use crate::evalplus::{self, Family, PlusTally};
use crate::humaneval::{BASE_PASS_AT_K, PASS_AT_K};
use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, PassTally, Programs, Streamed, Telling, TestSuite,
    Tests, multipl_e_number, names_defined, names_used, only_path,
};
use crate::sample;
use prompts::{PROMPTS, Prompting, STOP};

/// MBPP's test split.
pub static MBPP: Programs = Programs {
    card: CARD,
    open: |data, asked| open(data, asked, &WHOLE),
    names: short_name,
    judging: Judging::by_exam(3),
    tally: |settings| Box::new(PassTally::new(settings)),
};

/// The problems of MBPP's test split that people looked over.
pub static MBPP_SANITIZED: Programs = Programs {
    card: SANITIZED_CARD,
    open: |data, asked| open(data, asked, &SANITIZED_FILE),
    names: short_name,
    judging: Judging::by_exam(3),
    tally: |settings| Box::new(PassTally::new(settings)),
};

/// MBPP+ of EvalPlus.
pub static MBPP_PLUS: Programs = Programs {
    card: PLUS_CARD,
    open: open_plus,
    names: short_name,
    judging: Judging::by_calls(),
    tally: PlusTally::boxed,
};

/// One of Google's files.
struct Edition {
    file: &'static str,
    /// Whether a record can be one of it.
    fits: fn(&Map<String, Value>) -> bool,
    hint: &'static str,
}

const WHOLE: Edition = Edition {
    file: "mbpp.jsonl",
    fits: |record| record.contains_key("text"),
    hint: "mbpp.jsonl is, where a problem has text; the sanitized file is the data of the task \
        mbpp-sanitized, EvalPlus's of mbpp-plus",
};
const SANITIZED_FILE: Edition = Edition {
    file: "sanitized-mbpp.json",
    fits: |record| record.contains_key("prompt") && !record.contains_key("test"),
    hint: "sanitized-mbpp.json is, where a problem has prompt and no test; the whole file is the data \
        of the task mbpp, EvalPlus's of mbpp-plus",
};

const PLUS_FILES: &[&str] = &[
    "MbppPlus-v0.2.0.jsonl",
    "MbppPlus.jsonl",
    "MbppPlus-v0.1.0.jsonl",
    "MbppPlus-OriginFmt.jsonl",
];

/// A problem of MBPP+ v0.1.0 that later ones do not have.
const LEFT_OUT_SINCE: &str = "Mbpp/83";

/// The numbers of the test split.
const TEST_SPLIT: std::ops::RangeInclusive<u32> = 11..=510;

const CARD: TaskCard = TaskCard {
    name: "mbpp",
    version: 1,
    asks: QuestionKind::Code,
    language: Some(Language::Python),
    folder: "mbpp",
    summary: "write a short Python program from a sentence and its tests",
    about: "Given a sentence and assertions, write the function that they are about. MBPP has 974 such \
        problems, of which 500 are the test split (Austin et al. 2021).",
    data: "mbpp.jsonl, plain or as .gz or .zst: one JSON object a line with task_id, text, code, \
        test_list and test_setup_code; or the folder that it lies in. Problems 11 to 510 are taken. \
        Without --data, the folder mbpp under ASSAY_DATA is taken. `--data sample` means the problems \
        inside the binary.",
    answers: "One JSON object a line: task_id (11, Mbpp/11, MBPP/11 or mbpp_11_remove_Occ), and either \
        completion, which is appended to the prompt where that is code, or solution, which is the whole \
        program. They are taken as they are. In a run, what a solver says counts up to the first of the stop words \
        \\nclass, \\nassert, \\n\"\"\", \\nprint, \\nif, \\n<|/ and \\n```, or of [DONE] for the prompt \
        paper.",
    grading: "A program passes if it passes test_list within 3 s of CPU time; challenge_test_list does \
        not count. It runs in a sandbox.",
    rules: "strict: the tests run in a process of their own, where the program cannot reach them; only \
        its functions and classes are asked, and plain values come back; test_setup_code counts. \
        compat: program and tests are one program, as in the original, which it can cheat; \
        test_setup_code is left out, as the harness does, so that problem 367 cannot be passed.",
    default_rules: Rules::Strict,
    prompts: PROMPTS,
    metrics: &[PASS_AT_K],
    default_solvers: &["gold"],
    examples: &[
        "assay run mbpp --data sample",
        "assay score mbpp samples.jsonl --prompt google",
        "assay run mbpp --data mbpp.jsonl --solver gold",
    ],
};

const SANITIZED_CARD: TaskCard = TaskCard {
    name: "mbpp-sanitized",
    summary: "write a short Python program: MBPP's problems that people looked over",
    about: "The 257 problems of MBPP's test split that people looked over and mended, of 427 in all \
        (Austin et al. 2021).",
    data: "sanitized-mbpp.json: a JSON array of objects with task_id, prompt, code, test_imports and \
        test_list; or the folder that it lies in. Problems 11 to 510 are taken. Without --data, the \
        folder mbpp under ASSAY_DATA is taken. `--data sample` means the problems inside the binary.",
    rules: "strict: the tests run in a process of their own, where the program cannot reach them; only \
        its functions and classes are asked, and plain values come back; what test_imports names is \
        given to the program too. compat: program and tests are one program, which can cheat.",
    examples: &[
        "assay run mbpp-sanitized --data sample",
        "assay score mbpp-sanitized samples.jsonl",
    ],
    ..CARD
};

const PLUS_CARD: TaskCard = TaskCard {
    name: "mbpp-plus",
    folder: "mbpp_plus",
    summary: "write a short Python program from a sentence and its tests, with many more tests",
    about: "Problems of sanitized MBPP with about 35 times as many tests, by EvalPlus (Liu et al. 2023): \
        378 in v0.2.0, 399 in v0.1.0. The prompt is a docstring of the sentence and its first \
        assertion.",
    data: "MbppPlus-v0.2.0.jsonl or MbppPlus-v0.1.0.jsonl (inputs; the expected results come from \
        running the reference solution) or MbppPlus-OriginFmt.jsonl (tests with assertions), plain or \
        as .gz or .zst; or the folder that they lie in, of which the first is taken. Without --data, \
        the folder mbpp_plus under ASSAY_DATA is taken. `--data sample` means the problems inside the \
        binary.",
    answers: "One JSON object a line: task_id (11, Mbpp/11, MBPP/11 or mbpp_11_remove_Occ), and either \
        completion, which is appended to the prompt, or solution, which is the whole program. They are taken as they are. \
        In a run, what a solver says counts up to the first of the stop words \\nclass, \\nassert, \
        \\n\"\"\", \\nprint, \\nif, \\n<|/ and \\n```.",
    grading: "A program passes if it answers all inputs of MBPP and of EvalPlus as the reference does, by \
        EvalPlus's rules of comparison: results are equal, or floats that differ by 1e-6 or 1e-7 of their \
        size; some problems have rules of their own. One call may take 1 s of CPU time (--timeout) or four \
        times what the reference takes, whichever is more, and all calls of a suite together 60 s. v0.1.0 is compared by the rules of EvalPlus \
        0.2, with which its scores were published. base-pass@k is that of MBPP's tests alone, \
        where the file tells them apart.",
    rules: "strict: the tests run in a process of their own, where the program cannot reach them. \
        compat: program and tests are one program, which can cheat; what passes is told of all tests \
        together.",
    prompts: &[],
    metrics: &[PASS_AT_K, BASE_PASS_AT_K],
    examples: &[
        "assay run mbpp-plus --data sample",
        "assay score mbpp-plus samples.jsonl --data MbppPlus-v0.1.0.jsonl.zst",
    ],
    ..CARD
};

fn open(data: &DataChoice, asked: &Asked, edition: &Edition) -> Result<Box<dyn Items>> {
    let records = match data {
        DataChoice::Sample => sample::mbpp(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "mbpp")?, &[edition.file])?;
            records.refuse_other_data(&edition.fits, edition.hint)?;
            records
        }
    };
    let prompting = Prompting::new(asked.prompt, &records)?;
    Ok(Box::new(Streamed::open(records, Mbpp { prompting, split: true })?))
}

fn open_plus(data: &DataChoice, _asked: &Asked) -> Result<Box<dyn Items>> {
    let records = match data {
        DataChoice::Sample => sample::mbpp_plus(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "mbpp-plus")?, PLUS_FILES)?;
            records.refuse_other_data(
                &evalplus::has_more_tests,
                "MbppPlus-v0.2.0.jsonl.gz is; Google's files are the data of mbpp and mbpp-sanitized",
            )?;
            records
        }
    };
    // Only the form with assertions has no name of the function.
    if records.first()?.is_none_or(|first| first.contains("\"entry_point\"")) {
        let family = if is_first_edition(&records)? { Family::FirstMbpp } else { Family::Mbpp };
        return Ok(Box::new(Streamed::open(records, MbppPlus { family })?));
    }
    let prompting = Prompting::docstring();
    Ok(Box::new(Streamed::open(records, Mbpp { prompting, split: false })?))
}

/// Whether a file is MBPP+ v0.1.0: it has a problem that was left out since, and was scored by other
/// rules.
fn is_first_edition(records: &Records) -> Result<bool> {
    let mut found = false;
    records.each(&mut |_, problem: FunctionProblem| {
        found |= problem.id == LEFT_OUT_SINCE;
        Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

/// `Mbpp/11`, `MBPP/11`, `mbpp_11_remove_Occ` and `11` are the same.
fn short_name(name: &str) -> String {
    let short = ["Mbpp/", "MBPP/", "mbpp/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    short.or_else(|| multipl_e_number(name, "mbpp")).unwrap_or(name).to_owned()
}

struct Mbpp {
    prompting: Prompting,
    /// Whether only problems of the test split count.
    split: bool,
}

impl Telling<MbppProblem> for Mbpp {
    fn name(&self, record: &MbppProblem) -> String {
        format!("Mbpp/{}", record.number)
    }

    fn counts(&self, record: &MbppProblem) -> bool {
        !self.split || TEST_SPLIT.contains(&record.number)
    }

    fn item(&self, record: MbppProblem) -> Result<Item, String> {
        let exam = match &record.test {
            Some(test) => exam_of_assertions(&record, test),
            None => exam(&record, &record.test_list.join("\n")),
        };
        let prompt = self.prompting.prompt(&record);
        let reference = CodeReference {
            language: Language::Python,
            prompt: self.prompting.begins_program(&prompt).into(),
            stop: self.prompting.stop(),
            gold: Some(record.code.into()),
            tests: TestSuite::new(Tests::Exam(exam)),
        };
        Ok(Item { prompt, reference })
    }
}

/// What the tests set up, they set up with the program's own classes.
fn exam(record: &MbppProblem, tests: &str) -> Exam {
    let imports = record.imports.join("\n");
    let whole = format!("{}\n{tests}\n", record.set_up);
    let used = names_used(&whole);
    let defined = names_defined(&record.code).into_iter();
    Exam {
        setting: format!("{imports}\n{}", record.code),
        called: defined
            .filter(|name| used.contains(name))
            .chain([Exam::ALL_DEFINED])
            .map(str::to_owned)
            .collect(),
        tests: vec![whole],
        appended: format!("{imports}\n{tests}\n"),
        preamble: imports,
    }
}

fn exam_of_assertions(record: &MbppProblem, test: &str) -> Exam {
    let plain = exam(record, test);
    Exam {
        setting: format!("{}\n{}", evalplus::NUMBERS, plain.setting),
        appended: format!("{}\n{}", evalplus::NUMBERS, plain.appended),
        ..plain
    }
}

struct MbppPlus {
    family: Family,
}

impl Telling<FunctionProblem> for MbppPlus {
    fn name(&self, record: &FunctionProblem) -> String {
        record.id.clone()
    }

    fn item(&self, record: FunctionProblem) -> Result<Item, String> {
        let tests = match &record.inputs {
            Some(inputs) => Tests::Table(evalplus::table_of_inputs(self.family, &record, inputs)),
            None => Tests::Exam(Exam {
                setting: record.canonical_solution.clone(),
                called: vec![record.entry_point.clone()],
                tests: vec![record.test.clone()],
                appended: record.test.clone(),
                preamble: String::new(),
            }),
        };
        let reference = CodeReference {
            language: Language::Python,
            prompt: record.prompt.as_str().into(),
            stop: STOP,
            gold: Some(format!("{}{}", record.prompt, record.canonical_solution).into()),
            tests: TestSuite::new(tests),
        };
        Ok(Item { prompt: record.prompt, reference })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_the_same() {
        for name in ["11", "Mbpp/11", "MBPP/11", "mbpp/11", "mbpp_11_remove_Occ"] {
            assert_eq!(short_name(name), "11");
        }
        assert_eq!(short_name("HumanEval_11_f"), "HumanEval_11_f");
    }

    #[test]
    fn problems_outside_of_the_test_split_are_left_out_by_name() {
        let problem = |number: u32| {
            format!(
                r#"{{"task_id": {number}, "text": "t", "code": "c", "test_list": ["assert a"]}}"#
            )
        };
        let lines = [10, 11, 510, 511].map(problem).join("\n");
        let records = Records::memory("mbpp.jsonl", lines.into_bytes());
        let telling = Mbpp { prompting: Prompting::docstring(), split: true };
        let items = Streamed::open(records, telling).unwrap();
        assert_eq!(items.ids(), ["Mbpp/11".into(), "Mbpp/510".into()]);
        assert_eq!(items.left_out(), ["Mbpp/10", "Mbpp/511"]);
    }
}
