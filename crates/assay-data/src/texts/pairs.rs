//! Hypotheses with their references, from one file that contains both or from several.

use assay_core::{Error, Result};
use serde::Serialize;
use serde_json::{Number, Value};

use super::field::{Keys, ValueFault, hypothesis, kind, missing, of_object, references};
use super::ids::Ids;
use super::join::Joined;
use super::source::{Form, Source};
use super::values::{KeyedValue, Values};

/// A text of each system and their references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Its name.
    pub id: PairId,
    /// The texts that they are compared with, at least one.
    pub references: Vec<String>,
    /// The texts that are scored: one for each file of hypotheses, in the order of the files.
    pub hypotheses: Vec<String>,
}

impl Pair {
    /// The total size of its texts in bytes.
    pub fn size(&self) -> usize {
        self.hypotheses.iter().chain(&self.references).map(String::len).sum()
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
    with_ids: Vec<String>,
}

enum Reader {
    Together(Vec<Values>),
    Joined(Box<Joined>),
}

impl Pairs {
    /// The pairs of files of objects `{"id", "refs", "hyp"}`. A form without objects is read as
    /// JSON lines. Several files have the same ids and references in the same order, and a text
    /// of another system each.
    pub fn together(sources: impl IntoIterator<Item = Source>) -> Result<Self> {
        let open = |source: Source| match source.form() {
            Form::Lines => Values::open(source.with_form(Form::JsonLines)),
            _ => Values::open(source),
        };
        let files = sources.into_iter().map(open).collect::<Result<Vec<Values>>>()?;
        let names = files.iter().map(|file| file.name().to_owned()).collect();
        Ok(Self { reader: Some(Reader::Together(files)), names, with_ids: Vec::new() })
    }

    /// Hypotheses and references from separate files. There may be several files of references:
    /// each of them has one or more references for each hypothesis. Each file of hypotheses has
    /// the texts of a system. Lines may start with ids.
    pub fn join(
        hypotheses: impl IntoIterator<Item = (Source, Keys)>,
        references: impl IntoIterator<Item = (Source, Keys)>,
        ids: Ids,
    ) -> Result<Self> {
        let joined = Joined::open(hypotheses, references, ids)?;
        let (names, with_ids) = (joined.names(), joined.with_ids().to_vec());
        Ok(Self { reader: Some(Reader::Joined(Box::new(joined))), names, with_ids })
    }

    /// The names of the files whose lines start with ids, which are no part of the texts. If not all files have them,
    /// they are joined by position.
    pub fn with_ids(&self) -> &[String] {
        &self.with_ids
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
            Reader::Together(files) => next_of_all(files),
            Reader::Joined(joined) => joined.next(),
        };
        if !matches!(read, Ok(Some(_))) {
            self.reader = None;
        }
        read.transpose()
    }
}

/// The next pair of all files, which differ in their hypotheses only.
fn next_of_all(files: &mut [Values]) -> Result<Option<Pair>> {
    let read = files.iter_mut().map(next_of).collect::<Result<Vec<_>>>()?;
    if let Some(short) = read.iter().position(Option::is_none) {
        let long = read.iter().zip(&*files).find_map(|(pair, file)| Some((pair.as_ref()?, file)));
        return match long {
            Some(((line, _), long)) => Err(ends_before(&files[short], long, *line)),
            None => Ok(None),
        };
    }
    let mut pairs = files.iter().zip(read.into_iter().flatten());
    let Some((first, (line, mut whole))) = pairs.next() else { return Ok(None) };
    for (file, (other_line, other)) in pairs {
        if let Some(what) = difference(&whole, &other) {
            return Err(unlike(what, (file, other_line), (first, line)));
        }
        whole.hypotheses.extend(other.hypotheses);
    }
    Ok(Some(whole))
}

/// The difference that keeps two pairs from being joined.
fn difference(left: &Pair, right: &Pair) -> Option<&'static str> {
    if left.id != right.id {
        return Some("the id differs");
    }
    (left.references != right.references).then_some("the references differ")
}

const SAME_PAIRS: &str =
    "several files of pairs have the same ids and references in the same order";

fn ends_before(short: &Values, long: &Values, line: u64) -> Error {
    Error::refused(format!("{}:{line}: {} ends before this pair", long.name(), short.name()))
        .hint(SAME_PAIRS)
}

fn unlike(what: &str, (file, line): (&Values, u64), (first, at): (&Values, u64)) -> Error {
    Error::refused(format!("{}:{line}: {what} from {}:{at}", file.name(), first.name()))
        .hint(SAME_PAIRS)
}

fn next_of(values: &mut Values) -> Result<Option<(u64, Pair)>> {
    let Some(KeyedValue { line, key, value }) = values.next()? else { return Ok(None) };
    let unnamed = || key.clone().map_or_else(|| line.into(), PairId::Text);
    match pair(value, unnamed) {
        Ok(pair) => Ok(Some((line, pair))),
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
    let of_references = Keys::of_references_in_pairs();
    let of_hypothesis = Keys::of_hypotheses_in_pairs();
    // Before anything is taken out of it: the message lists the existing keys.
    for keys in [&of_references, &of_hypothesis] {
        if !keys.is_in(&object) {
            return Err(missing(&object, keys));
        }
    }
    let references = of_object(&mut object, &of_references, references)?;
    let hypotheses = vec![of_object(&mut object, &of_hypothesis, hypothesis)?];
    let id = object.remove("id").map_or_else(|| Ok(unnamed()), id)?;
    Ok(Pair { id, references, hypotheses })
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
