//! The answers of a program to the questions that it is asked: one JSON object per line, for every kind of question.

use assay_core::{Fault, FaultKind, NoAnswerKind, QuestionKind, Response};
use serde_json::{Map, Value};

use crate::lines::ProblemNames;
use crate::programs::{parse_program_line, what_is};

/// The index of a problem, and the samples of the answer to it.
type Answers = (usize, Vec<Response>);

/// The field that names the problem.
const NAME: &str = "task_id";
/// The field with the reason why there is no answer.
const ERROR: &str = "error";
/// The fields that hold a text; the first one that is present counts.
const TEXTS: [&str; 5] = ["text", "completion", "solution", "answer", "output"];
/// The same for an option.
const CHOICES: [&str; 5] = ["choice", "text", "completion", "answer", "output"];
/// The same for line numbers.
const LINES: [&str; 6] = ["lines", "line", "text", "completion", "answer", "output"];

/// Reads a line that a program printed as a JSON object with the answer to a question of this kind. `None` if it is none:
/// the line may have another format.
pub fn parse_answer_object(
    bytes: &[u8],
    kind: QuestionKind,
    names: &ProblemNames<'_>,
) -> Result<Option<Answers>, Fault> {
    let Some(object) = object(bytes)? else { return Ok(None) };
    let Some(name) = object.get(NAME).and_then(problem_name) else { return Ok(None) };
    if kind == QuestionKind::Code && !object.contains_key(ERROR) {
        return parse_program_line(bytes, names);
    }
    let index = names.any_spelling(&name)?;
    let response = response(&object, kind).map_err(|what| {
        Fault::new(FaultKind::Malformed, format!("{name:?}: {what}")).about(index)
    })?;
    Ok(Some((index, vec![response])))
}

/// The object on a line, if it is one that names a problem.
fn object(bytes: &[u8]) -> Result<Option<Map<String, Value>>, Fault> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
    if !text.trim_start().starts_with('{') {
        return Ok(None);
    }
    match serde_json::from_str(text) {
        Ok(object) => Ok(Some(object)),
        Err(error) if text.contains("\"task_id\"") => {
            let what = assay_data::json_message(&error);
            let message = format!("{what} at column {}", error.column());
            Err(Fault::new(FaultKind::Malformed, message))
        }
        Err(_) => Ok(None),
    }
}

fn problem_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn response(object: &Map<String, Value>, kind: QuestionKind) -> Result<Response, String> {
    if let Some(reason) = object.get(ERROR).filter(|reason| !reason.is_null()) {
        let reason = reason.as_str().map_or_else(|| reason.to_string(), str::to_owned);
        return Ok(Response::none(NoAnswerKind::Crashed, reason));
    }
    let fields: &[&str] = match kind {
        QuestionKind::Text | QuestionKind::Code => &TEXTS,
        QuestionKind::Choice => &CHOICES,
        QuestionKind::Line => &LINES,
    };
    let given = |key: &&&str| object.get(**key).is_some_and(|value| !value.is_null());
    let Some(&key) = fields.iter().find(given) else {
        return Err(format!("the line has no answer: it needs a {:?}", fields[0]));
    };
    let value = &object[key];
    match (kind, value) {
        (QuestionKind::Line, value) => line_numbers(key, value),
        (QuestionKind::Choice, Value::String(text)) => Ok(Response::Choice(text.trim().to_owned())),
        (_, Value::String(text)) => Ok(Response::Text(text.clone())),
        (_, other) => Err(format!("{key:?} is {}, not a text", what_is(other))),
    }
}

/// Line numbers: a number, a list of them, or a text with nothing else.
fn line_numbers(key: &str, value: &Value) -> Result<Response, String> {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let found: Option<Vec<usize>> = match value {
        Value::Array(values) => values.iter().map(number).collect(),
        Value::String(text) => {
            let words = text.split(|c: char| c == ',' || c.is_whitespace());
            words.filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
        }
        value => number(value).map(|number| vec![number]),
    };
    match found {
        Some(lines) if !lines.is_empty() && !lines.contains(&0) => Ok(Response::Lines(lines)),
        _ => Err(format!("{key:?} holds no line numbers")),
    }
}
