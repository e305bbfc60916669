//! The dictionary as plain columns, packed into one file and back.
//!
//! A line of ASCII contains the format and version; the rest is one zstd frame.

use std::fmt;

use crate::bytes::{Reader, Writer};
use crate::strings::Strings;
use crate::tags::Tag;

const MAGIC: &str = "assay-lemma-1 ";
/// The number of prefixes: forms are prefix + stem + suffix.
const PREFIXES: usize = 3;
/// The highest zstd level without long windows, which would cost memory to unpack.
const LEVEL: i32 = 22;

/// The reason why a table cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError(String);

impl TableError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the table of Russian lemmas is broken: {}", self.0)
    }
}

impl std::error::Error for TableError {}

/// One form of a paradigm: indices into [`Table::suffixes`], [`Table::tags`] and
/// [`Table::prefixes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The part after the stem.
    pub suffix: u16,
    /// The form's tag.
    pub tag: u16,
    /// The part before the stem.
    pub prefix: u8,
}

/// A stem with its paradigm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    /// The letters that all forms share.
    pub stem: String,
    /// Its index in [`Table::paradigms`].
    pub paradigm: u16,
}

/// The number of known words with an ending, for one form of one paradigm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// The number of words.
    pub count: u32,
    /// The paradigm.
    pub paradigm: u16,
    /// The form's index in the paradigm.
    pub form: u16,
}

/// A word whose parses are sorted by frequency in texts, unlike in the dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseOrder {
    /// The word.
    pub word: String,
    /// The indices of its parses, most likely first.
    pub places: Vec<u8>,
}

/// The input from which a dictionary is built.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The parts that can precede a stem.
    pub prefixes: Vec<String>,
    /// The parts that can follow a stem.
    pub suffixes: Vec<String>,
    /// The tags of forms.
    pub tags: Vec<Tag>,
    /// The paradigms; the first form of each is the lemma.
    pub paradigms: Vec<Vec<Form>>,
    /// Every known word.
    pub lexemes: Vec<Lexeme>,
    /// The endings of known words for each prefix, with predictions for words that have them.
    pub predictions: Vec<Vec<(String, Vec<Prediction>)>>,
}

/// The version of a packed table.
pub(crate) fn version(bytes: &[u8]) -> Option<&str> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    std::str::from_utf8(line).ok()?.strip_prefix(MAGIC)
}

/// The columns of a table, with words as letter codes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) alphabet: Vec<char>,
    pub(crate) prefixes: Strings,
    pub(crate) suffixes: Strings,
    pub(crate) tags: Vec<Tag>,
    pub(crate) forms: Grouped<Form>,
    pub(crate) stems: Strings,
    pub(crate) paradigms: Grouped<u16>,
    pub(crate) endings: Vec<(Strings, Grouped<Prediction>)>,
    pub(crate) ordered: Strings,
    pub(crate) orders: Grouped<u8>,
}

/// Lists of lists, in two blocks of memory.
#[derive(Debug, Clone)]
pub(crate) struct Grouped<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Grouped<T> {
    pub(crate) fn get(&self, at: usize) -> &[T] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.items[start..self.ends[at] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.ends.push(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
    }

    fn lengths(&self) -> impl ExactSizeIterator<Item = u64> {
        (0..self.ends.len()).map(|at| self.get(at).len() as u64)
    }

    fn new(items: Vec<T>, lengths: &[u32]) -> Result<Self, TableError> {
        let mut end = 0u32;
        let mut ends = Vec::with_capacity(lengths.len());
        for length in lengths {
            end = end.saturating_add(*length);
            ends.push(end);
        }
        if end as usize != items.len() {
            return Err(TableError::new("a column has another length than its groups"));
        }
        Ok(Self { items, ends })
    }
}

impl Columns {
    /// Packs the columns, with their version.
    pub(crate) fn encode(&self, version: &str) -> Result<Vec<u8>, TableError> {
        let mut to = Writer::default();
        to.numbers(self.alphabet.iter().map(|&letter| u64::from(letter as u32)));
        to.strings(&self.prefixes);
        to.strings(&self.suffixes);
        to.numbers(self.tags.iter().map(|tag| tag.bits()));
        let forms = self.forms.items();
        to.numbers(self.forms.lengths());
        to.pairs(&forms.iter().map(|form| form.suffix).collect::<Vec<_>>());
        to.pairs(&forms.iter().map(|form| form.tag).collect::<Vec<_>>());
        to.numbers(forms.iter().map(|form| u64::from(form.prefix)));
        to.strings(&self.stems);
        to.numbers(self.paradigms.lengths());
        to.pairs(self.paradigms.items());
        for (endings, predictions) in &self.endings {
            let all = predictions.items();
            to.strings(endings);
            to.numbers(predictions.lengths());
            to.numbers(all.iter().map(|found| u64::from(found.count)));
            to.pairs(&all.iter().map(|found| found.paradigm).collect::<Vec<_>>());
            to.pairs(&all.iter().map(|found| found.form).collect::<Vec<_>>());
        }
        to.strings(&self.ordered);
        to.numbers(self.orders.lengths());
        to.numbers(self.orders.items().iter().map(|&place| u64::from(place)));
        let body = zstd::bulk::compress(&to.finish(), LEVEL)
            .map_err(|error| TableError::new(error.to_string()))?;
        Ok([MAGIC.as_bytes(), version.as_bytes(), b"\n", &body].concat())
    }

    /// Unpacks the columns. The dictionary checks that indices are in range.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        let version = version(bytes).ok_or_else(|| TableError::new("it does not start as one"))?;
        let body = zstd::decode_all(&bytes[MAGIC.len() + version.len() + 1..])
            .map_err(|error| TableError::new(error.to_string()))?;
        let mut from = Reader::new(&body);
        let letters: Vec<u32> = from.numbers()?;
        let alphabet = letters.into_iter().map(char::from_u32).collect::<Option<_>>();
        let mut columns = Self {
            alphabet: alphabet.ok_or_else(|| TableError::new("a letter is none"))?,
            prefixes: from.strings()?,
            suffixes: from.strings()?,
            tags: from.numbers::<u64>()?.into_iter().map(Tag::from_bits).collect(),
            ..Self::default()
        };
        let lengths: Vec<u32> = from.numbers()?;
        let (suffixes, tags) = (from.pairs()?, from.pairs()?);
        let prefixes: Vec<u8> = from.numbers()?;
        let forms = suffixes.iter().zip(&tags).zip(&prefixes);
        let forms = forms.map(|((&suffix, &tag), &prefix)| Form { suffix, tag, prefix }).collect();
        columns.forms = Grouped::new(forms, &lengths)?;
        columns.stems = from.strings()?;
        let lengths: Vec<u32> = from.numbers()?;
        columns.paradigms = Grouped::new(from.pairs()?, &lengths)?;
        for _ in 0..PREFIXES {
            columns.endings.push(predictions(&mut from)?);
        }
        columns.ordered = from.strings()?;
        let lengths: Vec<u32> = from.numbers()?;
        columns.orders = Grouped::new(from.numbers()?, &lengths)?;
        Ok(columns)
    }
}

fn predictions(from: &mut Reader<'_>) -> Result<(Strings, Grouped<Prediction>), TableError> {
    let endings = from.strings()?;
    let lengths: Vec<u32> = from.numbers()?;
    let counts: Vec<u32> = from.numbers()?;
    let (paradigms, forms) = (from.pairs()?, from.pairs()?);
    let all = counts.iter().zip(&paradigms).zip(&forms);
    let all =
        all.map(|((&count, &paradigm), &form)| Prediction { count, paradigm, form }).collect();
    Ok((endings, Grouped::new(all, &lengths)?))
}
