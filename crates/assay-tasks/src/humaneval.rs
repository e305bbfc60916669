//! `humaneval` and `humaneval-plus`: Python functions from their docstrings.

use std::sync::Arc;

use assay_core::{DataChoice, Language, PythonTests, Result};
use assay_data::programs::{FunctionProblem, Records};

use crate::card::card;
use crate::evalplus::{self, Family, PlusTally};
use crate::programs::{
    CodeProblem, CodeProblems, CodeReference, GradingRules, OpeningChoice, PassTally, Programs,
    RecordReader, StreamedProblems, TestSuite, Tests, only_path, problem_number,
};
use crate::sample;

/// HumanEval.
pub(crate) fn humaneval() -> Programs {
    Programs {
        card: card("humaneval"),
        open: Box::new(|data, choice| open(data, choice, &["HumanEval.jsonl"], Inputs::PassedOver)),
        normalize_name: short_name,
        grading: GradingRules::for_tests(3),
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// HumanEval+ of EvalPlus.
pub(crate) fn humaneval_plus() -> Programs {
    Programs {
        card: card("humaneval-plus"),
        open: Box::new(|data, choice| open(data, choice, PLUS_FILES, Inputs::Used)),
        grading: GradingRules::for_calls(),
        tally: PlusTally::boxed,
        ..humaneval()
    }
}

const PLUS_FILES: &[&str] =
    &["HumanEvalPlus-v0.1.10.jsonl", "HumanEvalPlus.jsonl", "HumanEvalPlus-OriginFmt.jsonl"];

const STRIPPED: &str = "stripped";

/// The words that end a continuation of the prompt.
const STOP: &[&str] = &["\nclass", "\ndef", "\n#", "\n@", "\nprint", "\nif", "\n```", "<file_sep>"];

/// The use of a file's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inputs {
    Used,
    PassedOver,
}

fn open(
    data: &DataChoice,
    choice: &OpeningChoice,
    files: &[&str],
    inputs: Inputs,
) -> Result<Box<dyn CodeProblems>> {
    let records = match data {
        DataChoice::Sample => sample::humaneval(),
        DataChoice::Paths(paths) => {
            let records = Records::find(only_path(paths, "humaneval")?, files)?;
            refuse_other_data(&records, inputs, choice.own_data)?;
            records
        }
    };
    let stripped = choice.prompt == Some(STRIPPED);
    let reader = HumanEval { stripped, inputs, own_data: choice.own_data };
    Ok(Box::new(StreamedProblems::open(records, reader)?))
}

/// Refuses the data of the other task. Own data may have any tests, but those of HumanEval+ are inputs or assertions of
/// EvalPlus's form.
fn refuse_other_data(records: &Records, inputs: Inputs, own_data: bool) -> Result<()> {
    match inputs {
        Inputs::PassedOver if own_data => Ok(()),
        // The file with inputs has HumanEval's own tests too.
        Inputs::PassedOver => {
            evalplus::refuse_other_family(records, "mbpp", "mbpp or mbpp-plus")?;
            records.refuse_other_data(
                &|record| record.contains_key("plus_input") || !evalplus::has_more_tests(record),
                "HumanEval.jsonl.gz is; EvalPlus's assertions are the data of humaneval-plus",
            )
        }
        Inputs::Used => {
            if !own_data {
                evalplus::refuse_other_family(records, "mbpp", "mbpp-plus")?;
            }
            records.refuse_other_data(
                &evalplus::has_more_tests,
                "HumanEvalPlus-v0.1.10.jsonl.gz is; HumanEval's own file is the data of the task humaneval",
            )
        }
    }
}

/// Normalizes a name: `HumanEval/7`, `HumanEval_7_filter_by_substring`, HumanEval-X's `Python/7` and `7` are the same.
fn short_name(name: &str) -> String {
    let number = ["HumanEval", "Python"].iter().find_map(|dataset| problem_number(name, dataset));
    number.or_else(|| name.strip_prefix("HumanEval/")).unwrap_or(name).to_owned()
}

struct HumanEval {
    stripped: bool,
    inputs: Inputs,
    own_data: bool,
}

impl RecordReader<FunctionProblem> for HumanEval {
    fn name(&self, record: &FunctionProblem) -> String {
        record.id.clone()
    }

    fn problem(&self, record: FunctionProblem) -> Result<CodeProblem, String> {
        let tests = match (&record.inputs, self.inputs) {
            (Some(inputs), Inputs::Used) => {
                let family = Family::HumanEval;
                Tests::Table(evalplus::table_of_inputs(family, &record, inputs, self.own_data))
            }
            (None, Inputs::Used) => Tests::Python(assertion_tests(&record)),
            (_, Inputs::PassedOver) => Tests::Python(python_tests(&record)),
        };
        let prompt = if self.stripped { record.prompt.trim() } else { &record.prompt };
        let reference = CodeReference {
            language: Language::Python,
            prompt: Arc::from(prompt),
            entry_points: [record.entry_point.clone()].into(),
            gold: Some(gold(&record).into()),
            tests: TestSuite::new(tests),
        };
        Ok(CodeProblem { prompt: prompt.to_owned(), stop: STOP.into(), reference })
    }
}

fn gold(record: &FunctionProblem) -> String {
    format!("{}{}", record.prompt, record.canonical_solution)
}

/// HumanEval's tests. They may use names that the prompt defines besides the function, such as its inverse.
fn python_tests(record: &FunctionProblem) -> PythonTests {
    let FunctionProblem { entry_point, test, .. } = record;
    let checked = format!("{test}\ncheck({entry_point})\n");
    PythonTests {
        setup: gold(record),
        entry_points: vec![entry_point.clone()],
        appended: format!("\n{checked}"),
        cases: vec![checked],
        preamble: String::new(),
    }
}

fn assertion_tests(record: &FunctionProblem) -> PythonTests {
    /// The file calls the polynomial with its arguments swapped, one of them unpacked.
    const WRONG: &str = "assert _poly(*candidate(*inp), inp) <= 0.0001";
    const RIGHT: &str = "assert abs(_poly(*inp, candidate(*inp))) <= 0.0001";
    let plain = python_tests(record);
    PythonTests {
        setup: format!("{}\n{}", evalplus::NUMBERS, plain.setup),
        cases: plain.cases.iter().map(|test| test.replace(WRONG, RIGHT)).collect(),
        appended: format!("{}\n{}", evalplus::NUMBERS, plain.appended),
        ..plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_the_same() {
        for name in
            ["7", "HumanEval/7", "HumanEval_7", "Python/7", "HumanEval_7_filter_by_substring"]
        {
            assert_eq!(short_name(name), "7");
        }
        for other in ["mbpp_7_f", "Java/7"] {
            assert_eq!(short_name(other), other);
        }
    }
}
