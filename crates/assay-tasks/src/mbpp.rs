//! `mbpp`, `mbpp-sanitized` and `mbpp-plus`: short Python programs from a sentence and their tests.

mod prompts;

use std::ops::ControlFlow;

use assay_core::{DataChoice, Language, PythonTests, Result};
use assay_data::programs::{FunctionProblem, MbppProblem, Records};
use assay_syntax::python::{names_defined, names_used};
use serde_json::{Map, Value};

use crate::card::card;
use crate::evalplus::{self, Family, PlusTally};
use crate::programs::{
    CodeProblem, CodeProblems, CodeReference, GradingRules, OpeningChoice, PassTally, Programs,
    RecordReader, StreamedProblems, TestSuite, Tests, only_path, problem_number,
};
use crate::sample;
use prompts::{Prompting, STOP};

/// MBPP's test split.
pub(crate) fn mbpp() -> Programs {
    Programs {
        card: card("mbpp"),
        open: Box::new(|data, choice| open(data, choice, &WHOLE)),
        normalize_name: short_name,
        grading: GradingRules::for_tests(3),
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// The problems of MBPP's test split that were checked by people.
pub(crate) fn mbpp_sanitized() -> Programs {
    Programs {
        card: card("mbpp-sanitized"),
        open: Box::new(|data, choice| open(data, choice, &SANITIZED_FILE)),
        ..mbpp()
    }
}

/// MBPP+ of EvalPlus.
pub(crate) fn mbpp_plus() -> Programs {
    Programs {
        card: card("mbpp-plus"),
        open: Box::new(open_plus),
        grading: GradingRules::for_calls(),
        tally: PlusTally::boxed,
        ..mbpp()
    }
}

/// One of Google's files.
struct Edition {
    file: &'static str,
    /// Returns true if a record can be from this file.
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

/// A problem of MBPP+ v0.1.0 that later editions do not have.
const LEFT_OUT_SINCE: &str = "Mbpp/83";

/// The numbers of the test split.
const TEST_SPLIT: std::ops::RangeInclusive<u32> = 11..=510;

fn open(
    data: &DataChoice,
    choice: &OpeningChoice,
    edition: &Edition,
) -> Result<Box<dyn CodeProblems>> {
    let records = match data {
        DataChoice::Sample => sample::mbpp(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "mbpp")?, &[edition.file])?;
            if !choice.own_data {
                records.refuse_other_data(&edition.fits, edition.hint)?;
            }
            records
        }
    };
    let prompting = Prompting::new(choice.prompt, &records)?;
    Ok(Box::new(StreamedProblems::open(records, Mbpp { prompting, split: !choice.own_data })?))
}

fn open_plus(data: &DataChoice, choice: &OpeningChoice<'_>) -> Result<Box<dyn CodeProblems>> {
    let records = match data {
        DataChoice::Sample => sample::mbpp_plus(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "mbpp-plus")?, PLUS_FILES)?;
            if !choice.own_data {
                evalplus::refuse_other_family(&records, "HumanEval", "humaneval-plus")?;
            }
            records.refuse_other_data(
                &evalplus::has_more_tests,
                "MbppPlus-v0.2.0.jsonl.gz is; Google's files are the data of mbpp and mbpp-sanitized",
            )?;
            records
        }
    };
    // Only the form with assertions lacks the name of the function.
    if records.first()?.is_none_or(|first| first.contains("\"entry_point\"")) {
        let family = if is_first_edition(&records)? { Family::FirstMbpp } else { Family::Mbpp };
        return Ok(Box::new(StreamedProblems::open(
            records,
            MbppPlus { family, own_data: choice.own_data },
        )?));
    }
    let prompting = Prompting::docstring();
    Ok(Box::new(StreamedProblems::open(records, Mbpp { prompting, split: false })?))
}

/// Returns true if a file is MBPP+ v0.1.0: it has a problem that was removed later, and was scored by other rules.
fn is_first_edition(records: &Records) -> Result<bool> {
    let mut found = false;
    records.each(&mut |_, problem: FunctionProblem| {
        found |= problem.id == LEFT_OUT_SINCE;
        Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

/// Normalizes a name: `Mbpp/11`, `MBPP/11`, `mbpp_11_remove_Occ` and `11` are the same.
fn short_name(name: &str) -> String {
    let known = ["Mbpp/", "MBPP/", "mbpp/"];
    let rest = || known.iter().find_map(|prefix| name.strip_prefix(prefix));
    problem_number(name, "mbpp").or_else(rest).unwrap_or(name).to_owned()
}

struct Mbpp {
    prompting: Prompting,
    /// True if only problems of the test split count.
    split: bool,
}

impl RecordReader<MbppProblem> for Mbpp {
    fn name(&self, record: &MbppProblem) -> String {
        match record.number() {
            Some(number) => format!("Mbpp/{number}"),
            None => record.id.clone(),
        }
    }

    fn includes(&self, record: &MbppProblem) -> bool {
        !self.split || record.number().is_some_and(|number| TEST_SPLIT.contains(&number))
    }

    fn problem(&self, record: MbppProblem) -> Result<CodeProblem, String> {
        let tests = match &record.test {
            Some(test) => assertion_tests(&record, test),
            None => python_tests(&record, &record.test_list.join("\n")),
        };
        let prompt = self.prompting.prompt(&record);
        let reference = CodeReference {
            language: Language::Python,
            prompt: self.prompting.begins_program(&prompt).into(),
            entry_points: tests.named_entry_points().map(str::to_owned).collect(),
            gold: Some(record.code.into()),
            tests: TestSuite::new(Tests::Python(tests)),
        };
        Ok(CodeProblem { prompt, stop: self.prompting.stop().into(), reference })
    }
}

/// MBPP's tests. Their setup code uses the candidate's own classes.
fn python_tests(record: &MbppProblem, tests: &str) -> PythonTests {
    let imports = record.imports.join("\n");
    let whole = format!("{}\n{tests}\n", record.set_up);
    let used = names_used(&whole);
    let defined = names_defined(&record.code).into_iter();
    PythonTests {
        setup: format!("{imports}\n{}", record.code),
        entry_points: defined
            .filter(|name| used.contains(name))
            .chain([PythonTests::ALL_DEFINED])
            .map(str::to_owned)
            .collect(),
        cases: vec![whole],
        appended: format!("{imports}\n{tests}\n"),
        preamble: imports,
    }
}

fn assertion_tests(record: &MbppProblem, test: &str) -> PythonTests {
    let plain = python_tests(record, test);
    PythonTests {
        setup: format!("{}\n{}", evalplus::NUMBERS, plain.setup),
        appended: format!("{}\n{}", evalplus::NUMBERS, plain.appended),
        ..plain
    }
}

struct MbppPlus {
    family: Family,
    own_data: bool,
}

impl RecordReader<FunctionProblem> for MbppPlus {
    fn name(&self, record: &FunctionProblem) -> String {
        record.id.clone()
    }

    fn problem(&self, record: FunctionProblem) -> Result<CodeProblem, String> {
        let tests = match &record.inputs {
            Some(inputs) => {
                let (family, own_data) = (self.family, self.own_data);
                Tests::Table(evalplus::table_of_inputs(family, &record, inputs, own_data))
            }
            None => Tests::Python(PythonTests {
                setup: record.canonical_solution.clone(),
                entry_points: vec![record.entry_point.clone()],
                cases: vec![record.test.clone()],
                appended: record.test.clone(),
                preamble: String::new(),
            }),
        };
        let reference = CodeReference {
            language: Language::Python,
            prompt: record.prompt.as_str().into(),
            entry_points: [record.entry_point.clone()].into(),
            gold: Some(format!("{}{}", record.prompt, record.canonical_solution).into()),
            tests: TestSuite::new(tests),
        };
        Ok(CodeProblem { prompt: record.prompt, stop: STOP.into(), reference })
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
        let reader = Mbpp { prompting: Prompting::docstring(), split: true };
        let problems = StreamedProblems::open(records, reader).unwrap();
        assert_eq!(problems.ids(), ["Mbpp/11".into(), "Mbpp/510".into()]);
        assert_eq!(problems.left_out(), ["Mbpp/10", "Mbpp/511"]);
    }
}
