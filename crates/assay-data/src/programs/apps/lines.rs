//! APPS as JSON lines: codeparrot's, and MapCoder's selection of 150.

use std::borrow::Cow;
use std::ops::ControlFlow;

use assay_core::{Error, Result, Selection};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::cases::{read_input_output, read_test_list};
use super::{AppsProblem, Level, Names, TakeProblem, read_solutions};
use crate::json::json_line_message;
use crate::programs::origin::Origin;
use crate::programs::records::{Record, Records};

/// The lines of one level.
#[derive(Debug)]
pub(super) struct Lines {
    records: Records,
    /// The numbers of the lines, in order.
    numbers: Vec<u64>,
}

/// The fields that are read first.
struct Head {
    id: String,
    difficulty: Option<String>,
}

impl Record for Head {
    const FORM: &'static str = "problem_id (or id), question (or description), difficulty, and \
        input_output (or test_list)";
    const ORIGIN: Origin = Origin::Apps;

    fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct HeadLine<'a> {
            #[serde(alias = "problem_id", borrow)]
            id: &'a RawValue,
            difficulty: Option<String>,
        }
        let HeadLine { id, difficulty } =
            serde_json::from_str(text).map_err(|error| json_line_message(&error))?;
        let id = name_of(id).ok_or("problem_id is neither a number nor a text")?;
        Ok(Self { id, difficulty })
    }
}

impl Head {
    fn level(&self) -> Result<Level, String> {
        let difficulty = self.difficulty.as_ref().ok_or("missing field `difficulty`")?;
        let level = Level::by_name(difficulty);
        level.ok_or_else(|| format!("difficulty: there is no level called {difficulty:?}"))
    }
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(alias = "description")]
    question: String,
    #[serde(default)]
    starter_code: Option<String>,
    #[serde(default, borrow)]
    solutions: Option<&'a RawValue>,
    #[serde(default, borrow)]
    input_output: Option<&'a RawValue>,
    #[serde(default, borrow)]
    test_list: Option<&'a RawValue>,
}

impl Lines {
    pub(super) fn scan(records: Records, wanted: Option<Level>) -> Result<(Self, Names)> {
        let (mut numbers, mut names) = (Vec::new(), Names::default());
        records.each(&mut |number, head: Head| {
            let level = wanted.map(|_| head.level()).transpose().map_err(|what| {
                Error::refused(format!("{}:{number}: {what}", records.name())).hint(format!(
                    "a record has {}: correct the file, or fetch it again",
                    Head::FORM
                ))
            })?;
            if level == wanted {
                names.of_level.push(head.id);
                numbers.push(number);
            } else {
                names.of_other_levels.push(head.id);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((Self { records, numbers }, names))
    }

    pub(super) fn location(&self) -> &str {
        self.records.name()
    }

    pub(super) fn place(&self, index: usize) -> String {
        format!("{}:{}", self.records.name(), self.numbers[index])
    }

    pub(super) fn read(&self, wanted: &Selection, take: &mut TakeProblem<'_>) -> Result<()> {
        let mut indices = wanted.indices().peekable();
        self.records.texts(&mut |number, line| {
            let Some(&index) = indices.peek() else { return Ok(ControlFlow::Break(())) };
            if self.numbers.get(index) != Some(&number) {
                return Ok(ControlFlow::Continue(()));
            }
            indices.next();
            take(index, problem(line))
        })
    }
}

fn name_of(id: &RawValue) -> Option<String> {
    match id.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(id.get()).ok(),
        Some(b'0'..=b'9') => Some(id.get().to_owned()),
        _ => None,
    }
}

fn problem(line: &str) -> Result<AppsProblem, String> {
    let row: Row<'_> = serde_json::from_str(line).map_err(|error| json_line_message(&error))?;
    let solutions = row.solutions.map_or_else(|| "".into(), document);
    let tests = match (row.input_output, row.test_list) {
        (Some(tests), _) => read_input_output(&document(tests)),
        (None, Some(tests)) => read_test_list(tests.get()),
        (None, None) => Err("it has no tests".to_owned()),
    };
    Ok(AppsProblem {
        question: row.question,
        starter_code: row.starter_code.unwrap_or_default(),
        solutions: read_solutions(&solutions)?,
        tests,
    })
}

/// A JSON document that is given directly, as a text, or as null.
fn document(value: &RawValue) -> Cow<'_, str> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(value.get()).unwrap_or_default().into(),
        Some(b'n') => "".into(),
        _ => value.get().into(),
    }
}
