//! Hypotheses with their references, from one file that contains both or from several.

use assay_core::Result;
use serde::Serialize;
use serde_json::{Number, Value};

use super::field::{Keys, ValueFault, hypothesis, kind, missing, of_object, references};
use super::join::Joined;
use super::source::{Form, Source};
use super::values::{KeyedValue, Values};

/// A text and its references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Its name.
    pub id: PairId,
    /// The texts that it is compared with, at least one.
    pub references: Vec<String>,
    /// The text that is scored.
    pub hypothesis: String,
}

impl Pair {
    /// The total size of its texts in bytes.
    pub fn size(&self) -> usize {
        self.hypothesis.len() + self.references.iter().map(String::len).sum::<usize>()
    }
}

/// The name of a pair: the one in its file, or else its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PairId {
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}

impl From<u64> for PairId {
    fn from(place: u64) -> Self {
        Self::Number(place.into())
    }
}

/// Reads one pair at a time; iteration ends after the first error.
pub struct Pairs {
    reader: Option<Reader>,
    names: Vec<String>,
}

enum Reader {
    Together(Values),
    Joined(Box<Joined>),
}

impl Pairs {
    /// The pairs of a file of objects `{"id", "refs", "hyp"}`. A form without objects is read as
    /// JSON lines.
    pub fn together(source: Source) -> Result<Self> {
        let names = vec![source.name().to_owned()];
        let source = match source.form() {
            Form::Lines => source.with_form(Form::JsonLines),
            _ => source,
        };
        Ok(Self { reader: Some(Reader::Together(Values::open(source)?)), names })
    }

    /// Hypotheses and references from separate files. There may be several files of references:
    /// each of them has one or more references for each hypothesis.
    pub fn join(
        hypotheses: (Source, Keys),
        references: impl IntoIterator<Item = (Source, Keys)>,
    ) -> Result<Self> {
        let joined = Joined::open(hypotheses, references)?;
        let names = joined.names();
        Ok(Self { reader: Some(Reader::Joined(Box::new(joined))), names })
    }

    /// The files' names in messages.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl Iterator for Pairs {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = match self.reader.as_mut()? {
            Reader::Together(values) => next_of(values),
            Reader::Joined(joined) => joined.next(),
        };
        if !matches!(read, Ok(Some(_))) {
            self.reader = None;
        }
        read.transpose()
    }
}

fn next_of(values: &mut Values) -> Result<Option<Pair>> {
    let Some(KeyedValue { line, key, value }) = values.next()? else { return Ok(None) };
    let unnamed = || key.clone().map_or_else(|| line.into(), PairId::Text);
    match pair(value, unnamed) {
        Ok(pair) => Ok(Some(pair)),
        Err(fault) => Err(fault.at(values.name(), line, key.as_deref())),
    }
}

const A_PAIR: &str = r#"a pair is {"id": …, "refs": ["…"], "hyp": "…"}"#;

fn pair(value: Value, unnamed: impl FnOnce() -> PairId) -> Result<Pair, ValueFault> {
    let Value::Object(mut object) = value else {
        let what = format!("{}, where a pair is expected", kind(&value));
        return Err(ValueFault::new(what, A_PAIR));
    };
    if object.contains_key("refs") && object.contains_key("ref") {
        return Err(ValueFault::new(r#"there are "refs" and "ref""#, "leave one of them out"));
    }
    // Before anything is taken out of it: the message lists the existing keys.
    for keys in [Keys::new(&["refs", "ref"]), Keys::new(&["hyp"])] {
        if !keys.is_in(&object) {
            return Err(missing(&object, &keys));
        }
    }
    let references = of_object(&mut object, &Keys::new(&["refs", "ref"]), references)?;
    let hypothesis = of_object(&mut object, &Keys::new(&["hyp"]), hypothesis)?;
    let id = object.remove("id").map_or_else(|| Ok(unnamed()), id)?;
    Ok(Pair { id, references, hypothesis })
}

fn id(value: Value) -> Result<PairId, ValueFault> {
    let cure = "an id is a text or a number; without one, a pair is called by its line";
    match value {
        Value::String(text) => Ok(PairId::Text(text)),
        Value::Number(number) if is_exact(&number) => Ok(PairId::Number(number)),
        Value::Number(_) => {
            Err(ValueFault::new("key \"id\": the number has too many digits", "write it as a text"))
        }
        other => {
            let what = format!("key \"id\": {}, where an id is expected", kind(&other));
            Err(ValueFault::new(what, cure))
        }
    }
}

/// Returns whether the number is printed exactly as it was read: a whole number beyond 64 bits is
/// not.
fn is_exact(number: &Number) -> bool {
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    !number.is_f64() || number.as_f64().is_some_and(|number| number.abs() < WHOLE)
}
