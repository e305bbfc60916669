//! The texts of a JSON value: a text, several, or an object with a field that holds them.

use assay_core::Error;
use serde_json::{Map, Value};

/// The fields that are tried in an object, in this order.
#[derive(Debug, Clone)]
pub struct Keys(Vec<String>);

impl Keys {
    /// Only the field with this name.
    pub fn named(key: &str) -> Self {
        Self(vec![key.to_owned()])
    }

    /// The usual names of hypotheses.
    pub fn of_hypotheses() -> Self {
        Self::new(&["hyp", "hypothesis", "prediction", "text", "code"])
    }

    /// The usual names of references, and the names of a language.
    pub fn of_references(language: &[&str]) -> Self {
        let usual = ["refs", "references", "ref", "reference", "text", "code"];
        Self::new(&[&usual, language].concat())
    }

    /// The names of hypotheses in an object that also holds references.
    pub(super) fn of_hypotheses_in_pairs() -> Self {
        Self::new(&["hyp", "hypothesis", "prediction"])
    }

    /// The names of references in an object that also holds a hypothesis.
    pub(super) fn of_references_in_pairs() -> Self {
        Self::new(&["refs", "references", "ref", "reference"])
    }

    pub(super) fn new(keys: &[&str]) -> Self {
        Self(keys.iter().map(|&key| key.to_owned()).collect())
    }

    /// Takes the first of the fields out of an object, with its key.
    fn take(&self, object: &mut Map<String, Value>) -> Option<(&str, Value)> {
        self.0.iter().find_map(|key| Some((key.as_str(), object.remove(key)?)))
    }

    /// Returns whether an object has one of the fields.
    pub(super) fn is_in(&self, object: &Map<String, Value>) -> bool {
        self.0.iter().any(|key| object.contains_key(key))
    }
}

/// A text, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Texts {
    One(String),
    Several(Vec<String>),
}

/// A fault in a value, with a hint.
#[derive(Debug)]
pub(super) struct ValueFault {
    what: String,
    cure: String,
}

impl ValueFault {
    pub(super) fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cure: cure.into() }
    }

    /// The error for an item in the file called `name`.
    pub(super) fn at(self, name: &str, line: u64, key: Option<&str>) -> Error {
        let key = key.map(|key| format!("key {key:?}: ")).unwrap_or_default();
        Error::refused(format!("{name}:{line}: {key}{}", self.what)).hint(self.cure)
    }
}

const A_TEXT: &str = "a text is a JSON string";

/// A check of texts: one, or at least one.
pub(super) type Want<T> = fn(Texts) -> Result<T, ValueFault>;

/// Checks that a hypothesis is one text.
pub(super) fn hypothesis(texts: Texts) -> Result<String, ValueFault> {
    match texts {
        Texts::One(text) => Ok(text),
        Texts::Several(_) => {
            Err(ValueFault::new("an array, where one text is expected", "a hypothesis is one text"))
        }
    }
}

/// Checks that there is at least one reference.
pub(super) fn references(texts: Texts) -> Result<Vec<String>, ValueFault> {
    match texts {
        Texts::One(text) => Ok(vec![text]),
        Texts::Several(texts) if texts.is_empty() => {
            let what = "an empty array, where references are expected";
            Err(ValueFault::new(what, "give a text, or an array of at least one text"))
        }
        Texts::Several(texts) => Ok(texts),
    }
}

/// The texts of a value; those of an object are in one of its fields.
pub(super) fn of_value<T>(value: Value, keys: &Keys, want: Want<T>) -> Result<T, ValueFault> {
    match value {
        Value::Object(mut object) => of_object(&mut object, keys, want),
        other => plain_texts(other).and_then(want),
    }
}

/// The texts of an object's field, which is taken out of it.
pub(super) fn of_object<T>(
    object: &mut Map<String, Value>,
    keys: &Keys,
    want: Want<T>,
) -> Result<T, ValueFault> {
    let (key, value) = keys.take(object).ok_or_else(|| missing(object, keys))?;
    plain_texts(value)
        .and_then(want)
        .map_err(|fault| ValueFault { what: format!("key {key:?}: {}", fault.what), ..fault })
}

fn plain_texts(value: Value) -> Result<Texts, ValueFault> {
    match value {
        Value::String(text) => Ok(Texts::One(text)),
        Value::Array(values) => {
            let texts = values.into_iter().zip(1..).map(|(value, place)| match value {
                Value::String(text) => Ok(text),
                other => {
                    let what = format!("item {place} of the array is {}, not a text", kind(&other));
                    Err(ValueFault::new(what, A_TEXT))
                }
            });
            texts.collect::<Result<_, _>>().map(Texts::Several)
        }
        other => {
            Err(ValueFault::new(format!("{}, where a text is expected", kind(&other)), A_TEXT))
        }
    }
}

/// The maximum number of an object's keys that a message names.
const MAX_NAMED: usize = 8;

pub(super) fn missing(object: &Map<String, Value>, keys: &Keys) -> ValueFault {
    let wanted: Vec<String> = keys.0.iter().map(|key| format!("{key:?}")).collect();
    let there: Vec<String> = object.keys().take(MAX_NAMED).map(|key| format!("{key:?}")).collect();
    let more = if object.len() > MAX_NAMED { ", …" } else { "" };
    let cure = match there.as_slice() {
        [] => "the object is empty".to_owned(),
        there => format!("its keys are {}{more}", there.join(", ")),
    };
    let wanted = match wanted.as_slice() {
        [one] => format!("the object has no key {one}"),
        several => format!("the object has none of the keys {}", several.join(", ")),
    };
    ValueFault::new(wanted, cure)
}

/// The kind of a value, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
