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
/// A field that every question has: a line with it repeats the question.
const PROMPT: &str = "prompt";
/// The fields that hold a text; the first one that is present counts. A field that questions have too comes last: a line
/// that repeats its question has the question's.
const TEXTS: [&str; 5] = ["completion", "solution", "answer", "output", "text"];
/// The same for an option.
const CHOICES: [&str; 5] = ["choice", "completion", "answer", "output", "text"];
/// The same for line numbers.
const LINES: [&str; 6] = ["lines", "completion", "answer", "output", "line", "text"];

/// Reads a line that a program printed as a JSON object with the answer to a question of this kind. `None` if it is none:
/// the line may have another format.
pub fn parse_answer_object(
    bytes: &[u8],
    kind: QuestionKind,
    names: &ProblemNames<'_>,
) -> Result<Option<Answers>, Fault> {
    let Some(object) = object(bytes)? else { return Ok(None) };
    let Some(name) = object.get(NAME).and_then(problem_name) else { return Ok(None) };
    if kind == QuestionKind::Code && !has(&object, ERROR) {
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
    let given = |key: &&&str| has(object, key) && !is_questions(object, key, kind);
    let Some(&key) = fields.iter().find(given) else {
        return Err(format!("the line has no answer: it needs a {:?}", asked_for(kind)));
    };
    let value = &object[key];
    match (kind, value) {
        (QuestionKind::Line, value) => line_numbers(key, value),
        (QuestionKind::Choice, Value::String(text)) => Ok(Response::Choice(text.trim().to_owned())),
        (_, Value::String(text)) => Ok(Response::Text(text.clone())),
        (_, other) => Err(format!("{key:?} is {}, not a text", what_is(other))),
    }
}

/// The field in which an answer of a kind is asked for.
fn asked_for(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Code => "completion",
        QuestionKind::Text => "text",
        QuestionKind::Choice => "choice",
        QuestionKind::Line => "lines",
    }
}

fn has(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).is_some_and(|value| !value.is_null())
}

/// Returns true if a field is the question's, which asks about a line of a program: the line is a text, as no answer in
/// `line` need be.
fn is_questions(object: &Map<String, Value>, key: &str, kind: QuestionKind) -> bool {
    let repeats = kind == QuestionKind::Line && has(object, PROMPT);
    repeats && key == "line" && object[key].is_string()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::few;

    fn read(line: &str, kind: QuestionKind) -> Result<Option<Answers>, Fault> {
        let problems = few(3);
        parse_answer_object(line.as_bytes(), kind, &ProblemNames::new(&problems))
    }

    fn check(line: &str, kind: QuestionKind, expected: Response) {
        assert_eq!(read(line, kind).unwrap(), Some((1, vec![expected])), "{line}");
    }

    #[test]
    fn every_kind_of_question_is_answered() {
        let text = || Response::Text("a\nb".to_owned());
        check(r#"{"task_id": "P/1", "text": "a\nb"}"#, QuestionKind::Text, text());
        check(r#"{"task_id": "P/1", "completion": "a\nb"}"#, QuestionKind::Text, text());
        check(r#"{"task_id": 1, "completion": "a\nb"}"#, QuestionKind::Code, text());
        let whole = Response::Program("a".to_owned());
        check(r#"{"task_id": "P/1", "solution": "a"}"#, QuestionKind::Code, whole);
        let choice = Response::Choice("B".to_owned());
        check(r#"{"task_id": "P/1", "choice": "B"}"#, QuestionKind::Choice, choice.clone());
        check(r#"{"task_id": "P/1", "completion": " B\n"}"#, QuestionKind::Choice, choice);
        for lines in ["\"lines\": [7, 3]", "\"completion\": \"7, 3\\n\"", "\"text\": \"7 3\""] {
            let line = format!("{{\"task_id\": \"P/1\", {lines}}}");
            check(&line, QuestionKind::Line, Response::Lines(vec![7, 3]));
        }
        for kind in [QuestionKind::Code, QuestionKind::Text, QuestionKind::Line] {
            let none = Response::none(NoAnswerKind::Crashed, "too long");
            check(r#"{"task_id": "P/1", "error": "too long"}"#, kind, none);
        }
    }

    #[test]
    fn a_line_that_repeats_its_question_is_read_by_its_answer() {
        let question =
            r#"{"task_id": "P/1", "kind": "x", "prompt": "?", "samples": 2, "first": 0, "#;
        let text = || Response::Text("b".to_owned());
        let program = || Response::Program("b".to_owned());
        let line = || Response::Lines(vec![3]);
        for (fields, kind, expected) in [
            (r#""text": "a", "completion": "b"}"#, QuestionKind::Text, text()),
            (r#""text": "b"}"#, QuestionKind::Text, text()),
            (r#""text": "b", "error": null}"#, QuestionKind::Text, text()),
            (
                r#""stop": ["x"], "language": "python", "completion": "b"}"#,
                QuestionKind::Code,
                text(),
            ),
            (
                r#""stop": ["x"], "language": "python", "solution": "b"}"#,
                QuestionKind::Code,
                program(),
            ),
            (r#""solution": "b", "error": null}"#, QuestionKind::Code, program()),
            (r#""text": "a\n", "line": "1", "completion": "3"}"#, QuestionKind::Line, line()),
            (r#""text": "a\n", "line": "1", "lines": [3]}"#, QuestionKind::Line, line()),
            (r#""text": "a\n", "line": 3}"#, QuestionKind::Line, line()),
            (r#""text": "3", "line": "1"}"#, QuestionKind::Line, line()),
        ] {
            check(&format!("{question}{fields}"), kind, expected);
        }
    }

    #[test]
    fn other_lines_are_left_to_other_formats() {
        for line in ["", "D/Tasks/1.txt 7", "{x}", "{\"a\": 1}", "[1]", "int f() { return 1; }"] {
            assert_eq!(read(line, QuestionKind::Text).unwrap(), None, "{line}");
        }
    }

    #[test]
    fn an_object_without_an_answer_is_a_fault() {
        for (line, kind) in [
            (r#"{"task_id": "P/1"}"#, QuestionKind::Text),
            (r#"{"task_id": "P/1", "text": 7}"#, QuestionKind::Text),
            (r#"{"task_id": "P/9", "text": "a"}"#, QuestionKind::Text),
            (r#"{"task_id": "P/1", "text": "a"#, QuestionKind::Text),
            (r#"{"task_id": "P/1", "lines": []}"#, QuestionKind::Line),
            (r#"{"task_id": "P/1", "lines": [0]}"#, QuestionKind::Line),
            (r#"{"task_id": "P/1", "lines": [-1]}"#, QuestionKind::Line),
            (r#"{"task_id": "P/1", "text": "line 7"}"#, QuestionKind::Line),
            (r#"{"task_id": "P/1", "choice": ["A"]}"#, QuestionKind::Choice),
            (r#"{"task_id": "P/1", "error": null}"#, QuestionKind::Text),
            (r#"{"task_id": "P/1", "error": null}"#, QuestionKind::Code),
            (r#"{"task_id": "P/1", "prompt": "?", "samples": 2}"#, QuestionKind::Code),
        ] {
            read(line, kind).unwrap_err();
        }
    }
}
