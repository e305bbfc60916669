//! APPS as JSON lines: codeparrot's, and MapCoder's selection of 150.

use std::borrow::Cow;
use std::ops::ControlFlow;

use assay_core::{Result, Selection};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::cases::{read_input_output, read_test_list};
use super::{AppsProblem, Level, TakeProblem, read_solutions};
use crate::json_lines::{JsonLines, without_place};

/// What helps where a line is not a problem.
const CURE: &str = "a line has problem_id (or id), question (or description), difficulty, and \
    input_output (or test_list)";

/// The lines of one level.
#[derive(Debug)]
pub(super) struct Lines {
    lines: JsonLines,
    /// The numbers of the lines, in order.
    numbers: Vec<u64>,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(alias = "problem_id", borrow)]
    id: &'a RawValue,
    difficulty: String,
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
    pub(super) fn scan(lines: JsonLines, level: Level) -> Result<(Self, Vec<String>)> {
        let (mut numbers, mut ids) = (Vec::new(), Vec::new());
        lines.each(&mut |number, line| {
            let Head { id, difficulty } = serde_json::from_str(line)
                .map_err(|error| lines.refuse(number, &without_place(&error), CURE))?;
            let of = Level::by_name(&difficulty).ok_or_else(|| {
                let what = format!("there is no level called {difficulty:?}");
                lines.refuse(number, &what, "the levels are introductory, interview, competition")
            })?;
            if of == level {
                let id = name_of(id).ok_or_else(|| {
                    lines.refuse(number, "its id is neither a number nor a text", CURE)
                })?;
                ids.push(id);
                numbers.push(number);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((Self { lines, numbers }, ids))
    }

    pub(super) fn location(&self) -> &str {
        self.lines.location()
    }

    pub(super) fn place(&self, rank: usize) -> String {
        format!("{}:{}", self.lines.location(), self.numbers[rank])
    }

    pub(super) fn read(&self, wanted: &Selection, take: &mut TakeProblem<'_>) -> Result<()> {
        let mut ranks = wanted.ranks().peekable();
        self.lines.each(&mut |number, line| {
            let Some(&rank) = ranks.peek() else { return Ok(ControlFlow::Break(())) };
            if self.numbers.get(rank) != Some(&number) {
                return Ok(ControlFlow::Continue(()));
            }
            ranks.next();
            take(rank, problem(line))
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
    let row: Row<'_> = serde_json::from_str(line).map_err(|error| without_place(&error))?;
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

/// A JSON document that stands there as it is, or as a text, or as null.
fn document(value: &RawValue) -> Cow<'_, str> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(value.get()).unwrap_or_default().into(),
        Some(b'n') => "".into(),
        _ => value.get().into(),
    }
}
