//! One JSON object with the answers to one problem, by the names that the field gives to its fields.

use std::collections::BTreeMap;
use std::fmt;

use assay_core::{Fault, FaultKind, Language, NoAnswerKind, Place, Response, Result};
use assay_data::json_message;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::lm_eval;
use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::shape::Shape;

/// The fields that name a problem; the first one that is present counts.
const NAMES: [&str; 7] = ["task_id", "problem_id", "name", "problem", "function_name", "id", INDEX];
/// The number of those that always hold a problem's name: they may not contradict each other.
const CERTAIN_NAMES: usize = 4;
/// The field with a problem's number or its position in the data.
const INDEX: &str = "idx";
const NAMES_IN_WORDS: &str = "\"task_id\", \"problem_id\", \"name\" or \"id\"";
const ANSWERS_IN_WORDS: &str = "\"completion\", \"solution\", \"samples\" or \"source_codes\"";

/// The content of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Whole programs.
    Programs,
    /// Texts that continue the prompt.
    Continuations,
    /// Either, which the text itself shows.
    Either,
    /// The attempts of an agent, as whole programs.
    Tries,
}

/// The fields that hold answers.
const ANSWERS: [(&str, Holds); 20] = [
    ("solution", Holds::Programs),
    ("completion", Holds::Continuations),
    ("samples", Holds::Continuations),
    ("source_codes", Holds::Tries),
    ("completions", Holds::Continuations),
    ("program", Holds::Programs),
    ("programs", Holds::Programs),
    ("code_list", Holds::Programs),
    ("generation", Holds::Either),
    ("generations", Holds::Either),
    ("generated_code", Holds::Either),
    ("generated_solution", Holds::Either),
    ("code", Holds::Either),
    ("answer", Holds::Either),
    ("response", Holds::Either),
    ("responses", Holds::Either),
    ("output", Holds::Either),
    ("outputs", Holds::Either),
    ("prediction", Holds::Either),
    ("predictions", Holds::Either),
];

/// The field of replies that were converted from another format.
const REPLIES: &str = "generation";

/// Fields that are passed over beside another, which holds the answer: EvalPlus prefers `solution`, MapCoder keeps
/// what the model said, and MultiPL-E's published completions come with the programs that were run.
/// A raw reply is often kept beside the completion that was cut out of it.
const PASSED_OVER: [(&str, &str); 6] = [
    ("solution", "completion"),
    ("source_codes", "responses"),
    ("completions", "programs"),
    ("completion", "response"),
    ("completion", "output"),
    ("completion", "answer"),
];

/// Other fields that say how an answer is meant.
const OTHER_LANGUAGE: &str = "score them as a task in their language, such as humanevalpack-java; `assay tasks` \
    lists the tasks";
const CONTEXT: [&str; 6] = ["prompt", "tests", "stop_tokens", "language", "test_list", "results"];

/// The fields of an object that matter here.
#[derive(Debug, Default)]
pub(super) struct Record {
    fields: BTreeMap<String, Value>,
    /// The field that holds the answer, if the user named one.
    key: Option<String>,
    /// The format that it was converted from.
    shape: Option<Shape>,
}

/// The answers in an object.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) responses: Vec<Response>,
    /// True if it is known whether they are whole programs.
    pub(super) is_settled: bool,
    pub(super) shape: Shape,
}

impl Record {
    /// Parses a line; `None` if it is blank. `key` is the field that holds the answer, if the user named one.
    pub(super) fn parse(text: &str, key: Option<&str>) -> Result<Option<Self>, Fault> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let record = Fields { key }.deserialize(&mut json);
        let record = record.and_then(|record| json.end().map(|()| record));
        record.map(Some).map_err(|error| {
            let (message, column) = (json_message(&error), error.column());
            let not_json = if error.is_syntax() || error.is_eof() { "not JSON: " } else { "" };
            Fault::new(FaultKind::Malformed, format!("{not_json}{message} at column {column}"))
        })
    }

    /// Takes an object apart that was read already.
    pub(super) fn of(object: Value, key: Option<&str>) -> Result<Self, Fault> {
        let fields = Fields { key }.deserialize(object);
        fields.map_err(|error| Fault::new(FaultKind::Malformed, json_message(&error)))
    }

    /// Returns whether it is in the format of our own `answers.jsonl`.
    pub(super) fn is_assay_line(&self) -> bool {
        let is_answer = |(key, _): &(&str, Holds)| *key != "response" && self.has(key);
        let has_answer = ANSWERS.iter().any(is_answer) || self.key.is_some();
        self.has("problem") && !(has_answer || self.fields.contains_key("results"))
    }

    /// Names its problem, unless it does so itself.
    pub(super) fn named(mut self, name: &str) -> Self {
        if NAMES.iter().all(|key| !self.has(key)) {
            self.fields.insert(NAMES[0].to_owned(), Value::from(name));
        }
        self
    }

    /// A record with only the name of its problem.
    pub(super) fn named_by(name: Value) -> Self {
        let fields = BTreeMap::from([(NAMES[0].to_owned(), name)]);
        Self { fields, ..Self::default() }
    }

    /// The record without all fields but the problem's names.
    pub(super) fn only_names(mut self) -> Self {
        self.fields.retain(|key, _| NAMES.contains(&key.as_str()));
        self
    }

    /// Adds replies, which may be whole programs or continue the prompt, in a format of this kind.
    pub(super) fn with_replies(mut self, texts: Vec<Value>, shape: Shape) -> Self {
        self.fields.insert(REPLIES.to_owned(), Value::Array(texts));
        self.shape = Some(shape);
        self
    }

    /// Collects its answers, or counts them if the task leaves their problem out.
    pub(super) fn add_to(
        self,
        collector: &mut Collector<'_>,
        place: Place,
        names: &ProblemNames<'_>,
    ) -> Result<(), Fault> {
        if lm_eval::is_line(&self) {
            let converted = lm_eval::converted(&self, collector)?;
            return converted.map_or(Ok(()), |record| record.add_to(collector, place, names));
        }
        if NAMES.iter().all(|name| !self.has(name)) {
            let prompt = self.text("prompt").map(str::to_owned);
            let given = self.answers_to("")?;
            collector.add_unnamed(place, given.responses, given.is_settled, prompt);
            return Ok(());
        }
        match self.problem(names) {
            Err(fault) => {
                let name = self.name().unwrap_or_default();
                if !names.leaves_out(&name) {
                    collector.note_unknown(&fault, name);
                    return Err(fault);
                }
                collector.count_passed_over(name);
                Ok(())
            }
            Ok((name, index)) => self.add_as(collector, place, &name, index),
        }
    }

    /// Collects its answers to the problem at `index`, which it calls `name`.
    pub(super) fn add_as(
        self,
        collector: &mut Collector<'_>,
        place: Place,
        name: &str,
        index: usize,
    ) -> Result<(), Fault> {
        let own = collector.problems.language();
        let given = self.answers_to(name).map_err(|fault| fault.about(index))?;
        if matches!(given.shape, Shape::MultiPlE | Shape::MultiPlEResults)
            && let Err(fault) = self.check_language(own)
        {
            collector.faults.advise(OTHER_LANGUAGE.to_owned());
            return Err(fault.about(index));
        }
        collector.note(given.shape);
        collector.add_named(place, index, given.responses, given.is_settled);
        Ok(())
    }

    /// The problem's name, as it is given first, and its index.
    pub(super) fn problem(&self, names: &ProblemNames<'_>) -> Result<(String, usize), Fault> {
        let name = self.name()?;
        let index = names.any_spelling(&name)?;
        if NAMES.iter().find(|key| self.has(key)) == Some(&INDEX) && name != index.to_string() {
            let message = format!(
                "{INDEX:?} {name} may be a problem's number or its position in the data: name the problem \
                 with \"task_id\""
            );
            return Err(Fault::new(FaultKind::Malformed, message));
        }
        let others = NAMES[..CERTAIN_NAMES].iter().filter_map(|key| self.name_in(key)?.ok());
        for other in others {
            if names.any_spelling(&other).is_ok_and(|found| found != index) {
                let message = format!("the line names two problems: {name:?} and {other:?}");
                return Err(Fault::new(FaultKind::Malformed, message));
            }
        }
        Ok((name, index))
    }

    /// The problem's name.
    fn name(&self) -> Result<String, Fault> {
        let name = NAMES.iter().find_map(|key| self.name_in(key));
        name.unwrap_or_else(|| {
            let message = format!("the line names no problem: it needs a {NAMES_IN_WORDS}");
            Err(Fault::new(FaultKind::Malformed, message))
        })
    }

    fn name_in(&self, key: &str) -> Option<Result<String, Fault>> {
        Some(match self.fields.get(key).filter(|value| !value.is_null())? {
            Value::String(name) => Ok(name.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => {
                let message = format!("the problem's name is {}, not a text", what_is(other));
                Err(Fault::new(FaultKind::Malformed, message))
            }
        })
    }

    /// The answers to the problem called `name`, or the fault about it.
    pub(super) fn answers_to(&self, name: &str) -> Result<Given, Fault> {
        let given = self.given().map_err(|what| {
            let named = if name.is_empty() { what } else { format!("{name:?}: {what}") };
            Fault::new(FaultKind::Malformed, named)
        })?;
        Ok(Given { shape: self.shape.unwrap_or(given.shape), ..given })
    }

    fn given(&self) -> Result<Given, String> {
        let candidate = match &self.key {
            None => self.candidate()?,
            Some(key) => {
                let value = self.fields.get(key).ok_or_else(|| format!("there is no {key:?}"))?;
                let settled =
                    |&&(name, holds): &&(&str, Holds)| name == key && holds != Holds::Either;
                let Some(known) = ANSWERS.iter().find(settled) else {
                    let responses = texts(key, value, Response::Text)?;
                    return Ok(Given { responses, is_settled: false, shape: Shape::NamedField });
                };
                Some(*known)
            }
        };
        let Some((key, holds)) = candidate else { return self.results() };
        let value = self.fields.get(key).unwrap_or(&Value::Null);
        let given = |wrap: fn(String) -> Response, shape| {
            let is_settled = holds != Holds::Either;
            Ok(Given { responses: texts(key, value, wrap)?, is_settled, shape })
        };
        match (key, holds) {
            ("solution", _) => given(Response::Program, Shape::Usual),
            ("completion", _) => given(Response::Text, Shape::Usual),
            ("samples", _) => given(Response::Text, Shape::Samples),
            ("completions", _) => match self.own_prompt() {
                // Its own prompt is what a completion continues, and not always the task's.
                Some(prompt) => {
                    let whole = |text| Response::Program(format!("{prompt}{text}"));
                    let responses = texts(key, value, whole)?;
                    Ok(Given { responses, is_settled: true, shape: Shape::MultiPlE })
                }
                None => given(Response::Text, Shape::Field(key)),
            },
            (_, Holds::Tries) => {
                // An agent's last attempt is its answer.
                let last = texts(key, value, Response::Program)?.pop();
                let none = || Response::none(NoAnswerKind::Silent, format!("{key} is empty"));
                let responses = vec![last.unwrap_or_else(none)];
                Ok(Given { responses, is_settled: true, shape: Shape::Tries })
            }
            (_, Holds::Programs) => given(Response::Program, Shape::Field(key)),
            (_, Holds::Continuations | Holds::Either) => given(Response::Text, Shape::Field(key)),
        }
    }

    /// The field that holds the answer; fields that contradict each other are an error.
    fn candidate(&self) -> Result<Option<(&'static str, Holds)>, String> {
        let passed_over = |key: &str| {
            PASSED_OVER.iter().any(|&(first, second)| second == key && self.has(first))
                // The task's own solution, in a record of MBPP.
                || (key == "code" && self.has("test_list"))
                // The number of samples that a question asks for, in a line that repeats it.
                || (key == "samples" && self.fields[key].is_number())
        };
        let there = ANSWERS.iter().filter(|(key, _)| self.has(key) && !passed_over(key));
        let there: Vec<(&str, Holds)> = there.copied().collect();
        let Some((&first, others)) = there.split_first() else { return Ok(None) };
        let differs = |(key, _): &&(&'static str, Holds)| self.fields[*key] != self.fields[first.0];
        match others.iter().find(differs) {
            Some((other, _)) => Err(format!(
                "{:?} and {other:?} hold different answers; leave one out, or name the one that counts \
                 with --key",
                first.0
            )),
            None => Ok(Some(first)),
        }
    }

    /// The prompt that completions of MultiPL-E continue.
    fn own_prompt(&self) -> Option<&str> {
        let is_multipl_e = self.has("stop_tokens") || self.has("tests");
        self.text("prompt").filter(|_| is_multipl_e)
    }

    /// The programs in MultiPL-E's results: each has the prompt before the completion, and the tests after it.
    fn results(&self) -> Result<Given, String> {
        let nothing = || format!("the line has no answer: it needs a {ANSWERS_IN_WORDS}");
        let results = self.fields.get("results").and_then(Value::as_array).ok_or_else(nothing)?;
        let tests = self.text("tests").map(|tests| format!("\n{tests}")).unwrap_or_default();
        let program = |result: &Value| {
            let program = result.get("program").and_then(Value::as_str)?;
            let program = program.strip_suffix(&tests).unwrap_or(program);
            Some(Response::Program(program.to_owned()))
        };
        let responses: Option<Vec<Response>> = results.iter().map(program).collect();
        let responses = responses.ok_or("\"results\" holds verdicts without programs")?;
        Ok(Given { responses, is_settled: true, shape: Shape::MultiPlEResults })
    }

    /// Refuses programs in another language than the task's.
    fn check_language(&self, own: Option<Language>) -> Result<(), Fault> {
        let named = self.text("language").and_then(Language::by_name);
        match (named, own) {
            (Some(named), Some(own)) if named != own => {
                let message =
                    format!("a program in {}, where {} is asked for", named.title(), own.title());
                Err(Fault::new(FaultKind::Malformed, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.get(key).is_some_and(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    pub(super) fn field(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }
}

/// Converts a text, or a list of texts, to responses.
pub(super) fn texts(
    key: &str,
    value: &Value,
    wrap: impl Fn(String) -> Response,
) -> Result<Vec<Response>, String> {
    match value {
        Value::String(text) => Ok(vec![wrap(text.clone())]),
        Value::Array(texts) => texts
            .iter()
            .enumerate()
            .map(|(at, value)| match value {
                Value::String(text) => Ok(wrap(text.clone())),
                other => Err(format!("{key:?}[{at}] is {}, not a text", what_is(other))),
            })
            .collect(),
        other => Err(format!("{key:?} is {}, not a text", what_is(other))),
    }
}

pub(crate) fn what_is(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads the fields that matter, and skips the others.
struct Fields<'k> {
    key: Option<&'k str>,
}

impl Fields<'_> {
    fn keeps(&self, key: &str) -> bool {
        let is_answer = || ANSWERS.iter().any(|(name, _)| *name == key);
        let is_known = NAMES.contains(&key) || CONTEXT.contains(&key);
        is_known || lm_eval::FIELDS.contains(&key) || is_answer() || self.key == Some(key)
    }
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Record;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with an answer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if !self.keeps(&key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let twice = format!("the key {key:?} is there twice");
            if fields.insert(key, map.next_value()?).is_some() {
                return Err(A::Error::custom(twice));
            }
        }
        Ok(Record { fields, key: self.key.map(str::to_owned), shape: None })
    }
}
