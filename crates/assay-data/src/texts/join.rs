//! Hypotheses and references from separate files: line by line, or key by key.

use std::collections::HashMap;

use assay_core::{Error, Result, counted};

use super::field::{Keys, Want, hypothesis, of_value, references};
use super::ids::{Ids, LineIds, SeenKeys, decide, id_number};
use super::pairs::{Pair, PairId};
use super::source::Source;
use super::values::{KeyedValue, Values};

/// A file of texts.
struct Column {
    values: Values,
    keys: Keys,
    /// The items that were read before their turn, because their order differs from that of the
    /// first file of references. The number is the item's index among them.
    early: HashMap<String, (usize, KeyedValue)>,
    /// The number of items that were read early.
    read_early: usize,
}

/// Reads one pair at a time.
pub(super) struct Joined {
    /// One for each system.
    hypotheses: Vec<Column>,
    /// The first determines the order of the pairs and their keys.
    references: Vec<Column>,
    keyed: bool,
    count: u64,
    /// Keys whose pair was read.
    seen: SeenKeys,
    /// The files whose lines start with ids.
    with_ids: Vec<String>,
}

impl Joined {
    pub(super) fn open(
        hypotheses: impl IntoIterator<Item = (Source, Keys)>,
        references: impl IntoIterator<Item = (Source, Keys)>,
        ids: Ids,
    ) -> Result<Self> {
        let mut hypotheses: Vec<(Source, Keys)> = hypotheses.into_iter().collect();
        let systems = hypotheses.len();
        hypotheses.extend(references);
        let (sources, keys): (Vec<Source>, Vec<Keys>) = hypotheses.into_iter().unzip();
        let treated = decide(sources, ids)?;
        let has_ids = |(source, ids): &(Source, LineIds)| {
            (*ids != LineIds::None).then(|| source.name().to_owned())
        };
        let with_ids: Vec<String> = treated.iter().filter_map(has_ids).collect();
        let mut columns = Vec::with_capacity(treated.len());
        for ((source, ids), keys) in treated.into_iter().zip(keys) {
            columns.push(Column::open(source, ids, keys)?);
        }
        let Some(first) = columns.first() else {
            return Err(Error::usage("there are no files of texts"));
        };
        let keyed = first.values.keyed();
        if let Some(other) = columns.iter().find(|column| column.values.keyed() != keyed) {
            return Err(unlike(first, other));
        }
        let references = columns.split_off(systems);
        let hypotheses = columns;
        let seen = SeenKeys::default();
        Ok(Self { hypotheses, references, keyed, count: 0, seen, with_ids })
    }

    /// The files whose lines start with ids, which are no part of the texts.
    pub(super) fn with_ids(&self) -> &[String] {
        &self.with_ids
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.columns().map(|column| column.values.name().to_owned()).collect()
    }

    pub(super) fn next(&mut self) -> Result<Option<Pair>> {
        if self.keyed { self.next_by_key() } else { self.next_by_place() }
    }

    /// The word for the keys.
    fn what(&self) -> &'static str {
        self.columns().next().map_or(KEY, Column::what)
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.hypotheses.iter().chain(&self.references)
    }

    fn next_by_place(&mut self) -> Result<Option<Pair>> {
        let columns = self.hypotheses.iter_mut().chain(&mut self.references);
        let read: Vec<Option<KeyedValue>> =
            columns.map(|column| column.values.next()).collect::<Result<_>>()?;
        match read.iter().flatten().count() {
            0 => Ok(None),
            there if there == read.len() => {
                self.count += 1;
                self.pair(self.count.into(), read.into_iter().flatten().collect()).map(Some)
            }
            _ => Err(self.unequal(read.into_iter().map(|item| Some(item?.line)).collect())),
        }
    }

    /// The pair of these items, one of each column.
    fn pair(&self, id: PairId, items: Vec<KeyedValue>) -> Result<Pair> {
        let mut items = items.into_iter();
        let mut hypotheses = Vec::with_capacity(self.hypotheses.len());
        for (column, item) in self.hypotheses.iter().zip(items.by_ref()) {
            hypotheses.push(column.texts(item, hypothesis)?);
        }
        let mut texts = Vec::with_capacity(items.len());
        for (column, item) in self.references.iter().zip(items) {
            texts.append(&mut column.texts(item, references)?);
        }
        Ok(Pair { id, references: texts, hypotheses })
    }

    /// The error for files of different lengths; `lines` are the next lines of the longer ones.
    fn unequal(&mut self, lines: Vec<Option<u64>>) -> Error {
        let columns = self.hypotheses.iter_mut().chain(&mut self.references);
        let mut counts = Vec::new();
        for (column, line) in columns.zip(lines) {
            let mut count = self.count + u64::from(line.is_some());
            // An error further down would only hide this one.
            while line.is_some() && matches!(column.values.next(), Ok(Some(_))) {
                count += 1;
            }
            counts.push((count, line, column.values.name()));
        }
        let short = counts.iter().min_by_key(|(count, ..)| count);
        let long = counts.iter().max_by_key(|(count, line, _)| (count, line.is_some()));
        let (Some((fewer, _, short)), Some((more, line, long))) = (short, long) else {
            return Error::failed("nothing was read");
        };
        let line = line.unwrap_or_default();
        Error::refused(format!(
            "{short} has {} and {long} has {}: {long}:{line} has no partner",
            counted(*fewer, "text"),
            counted(*more, "text")
        ))
        .hint(
            "texts are joined by position: the third text belongs to the third of each other file",
        )
    }

    fn next_by_key(&mut self) -> Result<Option<Pair>> {
        let what = self.what();
        let Some((leader, others)) = self.references.split_first_mut() else { return Ok(None) };
        let Some((key, item)) = leader.next_with_key()? else { return self.left_over() };
        if !self.seen.insert(&key) {
            return Err(twice(what, leader.values.name(), item.line, &key));
        }
        let line = item.line;
        let missing = |column: &Column, leader: &Column| {
            alone(what, leader.values.name(), line, &key, column.values.name())
        };
        let mut take =
            |column: &mut Column| column.take(&key)?.ok_or_else(|| missing(column, leader));
        let more = others.iter_mut().map(&mut take).collect::<Result<Vec<_>>>()?;
        let mut items = self.hypotheses.iter_mut().map(take).collect::<Result<Vec<_>>>()?;
        items.push(item);
        items.extend(more);
        let id = id_number(&key).filter(|_| !self.with_ids.is_empty());
        self.pair(id.map_or(PairId::Text(key), PairId::from), items).map(Some)
    }

    /// The end, unless a file has keys that the first file of references does not have.
    fn left_over(&mut self) -> Result<Option<Pair>> {
        let what = self.what();
        let leader = self.names().swap_remove(self.hypotheses.len());
        let others = self.references.iter_mut().skip(1);
        for column in others.chain(&mut self.hypotheses) {
            let early = column.early.drain().min_by_key(|(_, (place, _))| *place);
            let early = early.map(|(key, (_, item))| (key, item));
            let Some((key, item)) =
                early.map_or_else(|| column.next_with_key(), |it| Ok(Some(it)))?
            else {
                continue;
            };
            let name = column.values.name();
            return Err(if self.seen.contains(&key) {
                twice(what, name, item.line, &key)
            } else {
                alone(what, name, item.line, &key, &leader)
            });
        }
        Ok(None)
    }
}

impl Column {
    fn open(source: Source, ids: LineIds, keys: Keys) -> Result<Self> {
        let values = Values::open_with(source, ids)?;
        Ok(Self { values, keys, early: HashMap::new(), read_early: 0 })
    }

    /// The word for its keys.
    fn what(&self) -> &'static str {
        if matches!(self.values, Values::IdLines(_)) { ID } else { KEY }
    }

    fn texts<T>(&self, item: KeyedValue, want: Want<T>) -> Result<T> {
        let KeyedValue { line, key, value } = item;
        of_value(value, &self.keys, want)
            .map_err(|fault| fault.at(self.values.name(), line, key.as_deref()))
    }

    fn next_with_key(&mut self) -> Result<Option<(String, KeyedValue)>> {
        let item = self.values.next()?;
        Ok(item.and_then(|item| Some((item.key.clone()?, item))))
    }

    /// The item with this key, wherever it is in the file.
    fn take(&mut self, key: &str) -> Result<Option<KeyedValue>> {
        if let Some((_, item)) = self.early.remove(key) {
            return Ok(Some(item));
        }
        while let Some((found, item)) = self.next_with_key()? {
            if found == key {
                return Ok(Some(item));
            }
            let line = item.line;
            self.read_early += 1;
            if self.early.insert(found.clone(), (self.read_early, item)).is_some() {
                return Err(twice(self.what(), self.values.name(), line, &found));
            }
        }
        Ok(None)
    }
}

fn unlike(first: &Column, other: &Column) -> Error {
    let (first, other) = (&first.values, &other.values);
    let (keyed, plain) = if first.keyed() { (first, other) } else { (other, first) };
    Error::refused(format!("{} has keys and {} has none", keyed.name(), plain.name()))
        .hint(
            "files are joined by key if each is a JSON object or has lines with ids (--ids yes), and by place if \
             none is",
        )
}

fn twice(what: &str, name: &str, line: u64, key: &str) -> Error {
    Error::refused(format!("{name}:{line}: {what} {key:?} is there twice"))
        .hint(format!("{} names one text; leave the other out", with_article(what)))
}

fn alone(what: &str, name: &str, line: u64, key: &str, other: &str) -> Error {
    let otherwise = if what == ID { "; --ids no scores whole lines" } else { "" };
    Error::refused(format!("{name}:{line}: {what} {key:?} is not in {other}")).hint(format!(
        "files that are joined by {what} have the same {what}s, in any order{otherwise}"
    ))
}

const ID: &str = "id";
const KEY: &str = "key";

fn with_article(what: &str) -> &'static str {
    if what == ID { "an id" } else { "a key" }
}
