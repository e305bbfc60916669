//! Files of programs, in the formats that the field uses.
//!
//! They are lines of JSON that name their problem: HumanEval's `completion`, EvalPlus' `solution`,
//! lists of `samples`, the `source_codes` of an agent's attempts; or the answers of our own runs.
//! Or they are one JSON array with the programs for each problem in task order, as the BigCode
//! harness writes it. Several answers to one problem are its samples, in their order.

use std::fmt;
use std::io::{self, BufRead};

use assay_core::{
    Digest, DigestOf, Fault, FaultKind, NoAnswerKind, Place, Response, Result, counted,
};
use assay_data::{json_message, strip_bom};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::ParsedAnswer;
use super::collector::Collector;
use super::lines::{MAX_LINE_BYTES, ProblemNames, each_line, parse_assay_line};
use super::not_utf8;

/// The keys that may hold the problem's name; the first one that is present counts.
const NAMES: &str = "\"task_id\", \"problem_id\", \"name\" or \"id\"";
const ANSWERS: &str = "\"completion\", \"solution\", \"samples\" or \"source_codes\"";

pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    if strip_bom(reader.fill_buf()?).trim_ascii_start().starts_with(b"[") {
        return read_array(reader, collector);
    }
    let names = ProblemNames::new(collector.problems);
    each_line(reader, &mut |line, bytes| {
        let place = Place::line(line);
        if let Err(fault) = read_line(bytes, place, &names, collector) {
            collector.faults.add(place, fault);
        }
    })
}

/// The answers in one line of a program's output: the index of their problem, and its samples in order. `None` if the
/// line is blank.
pub fn parse_program_line(
    bytes: &[u8],
    names: &ProblemNames<'_>,
) -> Result<Option<(usize, Vec<Response>)>, Fault> {
    let text = line_text(bytes)?;
    let Some(record) = ProgramRecord::parse(text)? else { return Ok(None) };
    if record.is_assay_line() {
        let ParsedAnswer { key, response } = parse_assay_line(text, names)?;
        return Ok(Some((key.index, vec![response])));
    }
    let (name, record) = record.take_name()?;
    let index = names.any_spelling(&name)?;
    Ok(Some((index, record.responses_to(&name, index)?)))
}

/// The text of a line.
fn line_text(bytes: &[u8]) -> Result<&str, Fault> {
    if bytes.len() as u64 == MAX_LINE_BYTES {
        let message = format!("the line is longer than {} MiB", MAX_LINE_BYTES >> 20);
        return Err(Fault::new(FaultKind::Malformed, message));
    }
    std::str::from_utf8(strip_bom(bytes)).map_err(|_| not_utf8())
}

/// Collects the answers of one line.
fn read_line(
    bytes: &[u8],
    place: Place,
    names: &ProblemNames<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Fault> {
    let text = line_text(bytes)?;
    match ProgramRecord::parse(text)? {
        None => {}
        Some(record) if record.is_assay_line() => {
            let ParsedAnswer { key, response } = parse_assay_line(text, names)?;
            collector.add_sample(place, key, response);
        }
        Some(record) => record.add_to(collector, place, names)?,
    }
    Ok(())
}

/// The fields of a line's object; others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename = "object")]
struct ProgramRecord {
    problem: Option<serde::de::IgnoredAny>,
    task_id: Option<Value>,
    problem_id: Option<Value>,
    name: Option<Value>,
    id: Option<Value>,
    solution: Option<Value>,
    completion: Option<Value>,
    samples: Option<Value>,
    source_codes: Option<Value>,
}

impl ProgramRecord {
    /// Parses a line; `None` if it is blank.
    fn parse(text: &str) -> Result<Option<Self>, Fault> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        serde_json::from_str(text).map(Some).map_err(|error| {
            let column = error.column();
            Fault::new(FaultKind::Malformed, format!("{} at column {column}", json_message(&error)))
        })
    }

    /// Returns whether it is in the format of our own `answers.jsonl`.
    fn is_assay_line(&self) -> bool {
        self.problem.is_some()
    }

    /// Collects its answers, or counts them if the task leaves their problem out.
    fn add_to(
        self,
        collector: &mut Collector<'_>,
        place: Place,
        names: &ProblemNames<'_>,
    ) -> Result<(), Fault> {
        let (name, record) = self.take_name()?;
        match names.any_spelling(&name) {
            Err(_) if names.leaves_out(&name) => collector.count_passed_over(name),
            found => {
                let index = found?;
                collector.add_named(place, index, record.responses_to(&name, index)?);
            }
        }
        Ok(())
    }

    /// Separates the problem's name from the rest.
    fn take_name(mut self) -> Result<(String, Self), Fault> {
        let named = [&mut self.task_id, &mut self.problem_id, &mut self.name, &mut self.id];
        let name = named.into_iter().find_map(Option::take);
        let message = match name {
            Some(Value::String(name)) => return Ok((name, self)),
            Some(Value::Number(number)) => return Ok((number.to_string(), self)),
            Some(other) => format!("the problem's name is {}, not a text", what_is(&other)),
            None => format!("the line names no problem: it needs a {NAMES}"),
        };
        Err(Fault::new(FaultKind::Malformed, message))
    }

    /// The answers to the problem called `name`, or the fault about it.
    fn responses_to(self, name: &str, index: usize) -> Result<Vec<Response>, Fault> {
        self.responses().map_err(|what| {
            Fault::new(FaultKind::Malformed, format!("{name:?}: {what}")).about(index)
        })
    }

    fn responses(self) -> Result<Vec<Response>, String> {
        if let Some(value) = self.solution {
            return texts("solution", value, Response::Program);
        }
        if let Some(value) = self.completion {
            return texts("completion", value, Response::Text);
        }
        if let Some(value) = self.samples {
            return texts("samples", value, Response::Text);
        }
        let Some(tries) = self.source_codes else {
            return Err(format!("the line has no answer: it needs a {ANSWERS}"));
        };
        // An agent's last attempt is its answer.
        let last = texts("source_codes", tries, Response::Program)?.pop();
        Ok(vec![
            last.unwrap_or_else(|| Response::none(NoAnswerKind::Silent, "source_codes is empty")),
        ])
    }
}

/// Converts a text, or a list of texts, to responses.
fn texts(key: &str, value: Value, wrap: fn(String) -> Response) -> Result<Vec<Response>, String> {
    match value {
        Value::String(text) => Ok(vec![wrap(text)]),
        Value::Array(texts) => texts
            .into_iter()
            .enumerate()
            .map(|(at, value)| match value {
                Value::String(text) => Ok(wrap(text)),
                other => Err(format!("{key:?}[{at}] is {}, not a text", what_is(&other))),
            })
            .collect(),
        other => Err(format!("{key:?} is {}, not a text", what_is(&other))),
    }
}

fn what_is(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads an array, element by element, so that only the programs are in memory.
fn read_array(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let mark = {
        let head = reader.fill_buf()?;
        head.len() - strip_bom(head).len()
    };
    reader.consume(mark);
    let names = ProblemNames::new(collector.problems);
    let mut digest = DigestOf::new();
    let mut json = serde_json::Deserializer::from_reader(reader);
    let elements = Elements { collector, names: &names, digest: &mut digest, positions: 0 };
    let outcome = elements.deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = outcome {
        if error.is_io() {
            return Err(error.into());
        }
        let place = Place { line: error.line() as u64, column: error.column() as u64 };
        let message = format!("not JSON: {}", json_message(&error));
        collector.faults.add(place, Fault::new(FaultKind::Malformed, message));
    }
    Ok(digest.finish())
}

/// Collects the elements of an array as they are read.
struct Elements<'g, 'a, 'r> {
    collector: &'g mut Collector<'a>,
    names: &'r ProblemNames<'a>,
    digest: &'g mut DigestOf,
    /// The number of elements so far that answer the problem at their index.
    positions: usize,
}

impl<'de> DeserializeSeed<'de> for Elements<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array with the programs for each problem")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        while let Some(element) = array.next_element::<Value>()? {
            self.digest.field(element.to_string().as_bytes());
            self.take(element);
        }
        let (given, total) = (self.positions, self.collector.problems.ids().len());
        if given > total {
            let message =
                format!("programs for {}, and the task has {total}", counted(given, "problem"));
            let fault = Fault::new(FaultKind::WrongCount, message);
            self.collector.faults.add(Place::FILE, fault);
        }
        Ok(())
    }
}

impl Elements<'_, '_, '_> {
    /// Collects an element: an object that names its problem, or the programs for the next problem.
    fn take(&mut self, element: Value) {
        let taken = match element {
            Value::Object(_) => ProgramRecord::deserialize(element)
                .map_err(|error| Fault::new(FaultKind::Malformed, error.to_string()))
                .and_then(|record| record.add_to(self.collector, Place::FILE, self.names)),
            programs => self.take_next(programs),
        };
        if let Err(fault) = taken {
            self.collector.faults.add(Place::FILE, fault);
        }
    }

    /// Collects the programs for the next problem.
    fn take_next(&mut self, programs: Value) -> Result<(), Fault> {
        let index = self.positions;
        self.positions += 1;
        // Surplus elements are reported once, when all are counted.
        let Some(id) = self.collector.problems.ids().get(index) else { return Ok(()) };
        let responses = texts("programs", programs, Response::Program).map_err(|what| {
            let message = format!("element {index}, for {id}: {what}");
            Fault::new(FaultKind::Malformed, message).about(index)
        })?;
        for response in responses {
            self.collector.add(Place::FILE, index, response);
        }
        Ok(())
    }
}
