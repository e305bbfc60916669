//! Ids at the start of lines: `0<TAB>a text`, as CodeXGLUE's evaluator of code-to-text reads and writes them.

use std::collections::HashSet;

use assay_core::{Error, Result};
use serde_json::Value;

use super::lines::Lines;
use super::source::{Form, Source};
use super::values::KeyedValue;

/// The treatment of lines that start with an id and a tab.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ids {
    /// Lines are joined by their ids if all of them seem to have one.
    #[default]
    Auto,
    /// Every line has an id.
    Yes,
    /// Lines are texts as they are.
    No,
}

/// The number of lines that are looked at, and their maximum size.
const LINES: usize = 64;
const BYTES: usize = 1 << 20;

/// The beginnings of a file's first lines.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Beginnings {
    /// Whole numbers that count from 0 or 1.
    Counted,
    /// Other whole numbers, each once.
    Numbers,
    /// Whole numbers, most of them once: ids, of which some are wrong.
    Repeated,
    /// Words, each once.
    Words(Vec<String>),
    /// Not all lines have an id.
    None,
}

/// The treatment of one file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineIds {
    /// Lines are texts.
    None,
    /// Lines are joined by their ids.
    Joined,
    /// Lines are numbered, and joined by place with files that have no ids.
    Counted,
}

/// The ids with which the lines of one file start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileIds {
    /// Whole numbers.
    Numbers,
    /// Words, each once: those of the first lines.
    Words(Vec<String>),
}

/// The ids of the lines in `bytes`, judged by the first ones. `None` if lines are texts.
pub fn ids_of_lines(bytes: &[u8]) -> Option<FileIds> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(LINES);
    let size = lines.map(<[u8]>::len).sum::<usize>();
    let head = &bytes[..size];
    let whole = match head.get(..BYTES) {
        Some(start) => {
            &start[..start.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)]
        }
        None => head,
    };
    match beginnings(whole) {
        Beginnings::Counted | Beginnings::Numbers | Beginnings::Repeated => Some(FileIds::Numbers),
        Beginnings::Words(words) => Some(FileIds::Words(words)),
        Beginnings::None => None,
    }
}

/// Decides how the lines of each file are treated; files in other forms have none. Returns the files as they were.
pub(super) fn decide(sources: Vec<Source>, ids: Ids) -> Result<Vec<(Source, LineIds)>> {
    let form = |source: &Source| source.form();
    let all_lines = sources.iter().all(|source| form(source) == Form::Lines);
    let mut looked = Vec::with_capacity(sources.len());
    for source in sources {
        looked.push(match (ids, form(&source)) {
            (Ids::Auto, Form::Lines) => {
                let (head, source) = source.head(LINES, BYTES)?;
                (source, beginnings(&head))
            }
            _ => (source, Beginnings::None),
        });
    }
    let of_lines = looked.iter().filter(|(source, _)| form(source) == Form::Lines);
    let of_lines: Vec<&Beginnings> = of_lines.map(|(_, found)| found).collect();
    let treatment = match ids {
        Ids::Yes => LineIds::Joined,
        Ids::No => LineIds::None,
        Ids::Auto if of_lines.iter().all(|found| **found != Beginnings::None) => {
            if are_ids(&of_lines) { LineIds::Joined } else { LineIds::None }
        }
        Ids::Auto => {
            refuse_unordered(&looked, all_lines)?;
            let is_counted = of_lines.contains(&&Beginnings::Counted);
            if is_counted { LineIds::Counted } else { LineIds::None }
        }
    };
    let treated = looked.into_iter().map(|(source, found)| {
        let has_ids = form(&source) == Form::Lines
            && (treatment != LineIds::Counted || found == Beginnings::Counted);
        (source, if has_ids { treatment } else { LineIds::None })
    });
    Ok(treated.collect())
}

/// Returns whether the beginnings of all files are ids.
fn are_ids(files: &[&Beginnings]) -> bool {
    let is_number = |found: &&Beginnings| !matches!(found, Beginnings::Words(_));
    match files.split_first() {
        None => false,
        Some((only, [])) => **only == Beginnings::Counted,
        Some((first, others)) => {
            files.iter().all(is_number) || others.iter().all(|other| other == first)
        }
    }
}

/// Refuses numbers that are in no order, where another file has none: the lines cannot be joined.
fn refuse_unordered(files: &[(Source, Beginnings)], all_lines: bool) -> Result<()> {
    let is_unordered = |found| matches!(found, &Beginnings::Numbers | &Beginnings::Repeated);
    let numbered = files.iter().find(|(_, found)| is_unordered(found));
    match numbered {
        Some((source, _)) if all_lines => Err(Error::refused(format!(
            "{}: each line starts with a number and a tab, in no order, and other files have no such ids",
            source.name()
        ))
        .hint("give every file its ids; or score whole lines, numbers included, by --ids no")),
        _ => Ok(()),
    }
}

fn beginnings(head: &[u8]) -> Beginnings {
    let Ok(head) = std::str::from_utf8(head) else { return Beginnings::None };
    let lines: Vec<&str> = head.split_terminator('\n').collect();
    let ids: Option<Vec<&str>> =
        lines.iter().map(|line| split_id(line).map(|(id, _)| id)).collect();
    let Some(ids) = ids.filter(|ids| !ids.is_empty() && head.contains('\t')) else {
        return Beginnings::None;
    };
    let numbers: Option<Vec<u64>> = ids.iter().map(|id| id_number(id)).collect();
    let distinct = ids.iter().collect::<HashSet<_>>().len();
    let is_unique = || distinct == ids.len();
    match numbers {
        Some(numbers) if counts(&numbers) => Beginnings::Counted,
        Some(_) if is_unique() => Beginnings::Numbers,
        // Fewer numbers are labels.
        Some(_) if distinct * 2 > ids.len() => Beginnings::Repeated,
        // A number alone may be an id without a text; a word alone is a text.
        None if is_unique() && lines.iter().all(|line| line.contains('\t')) => {
            Beginnings::Words(ids.into_iter().map(str::to_owned).collect())
        }
        _ => Beginnings::None,
    }
}

fn counts(numbers: &[u64]) -> bool {
    let first = numbers.first().copied().unwrap_or(2);
    first <= 1 && numbers.iter().zip(first..).all(|(&number, expected)| number == expected)
}

/// Splits a line into its id and its text. An empty text may have lost its tab, if the id is a number.
pub fn split_id(line: &str) -> Option<(&str, &str)> {
    let (id, text) = match line.split_once('\t') {
        Some(parts) => parts,
        None => (line.trim_end_matches('\r'), ""),
    };
    let id = id.trim_start_matches('\u{feff}').trim();
    let is_id = !id.is_empty() && !id.contains(char::is_whitespace);
    (is_id && (line.contains('\t') || id_number(id).is_some())).then_some((id, text))
}

/// A whole number as it is usually written.
pub fn id_number(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|_| is_plain)
}

/// Reads lines that start with ids.
pub(super) struct IdLines {
    lines: Lines,
    /// True if the ids are only checked, and the lines are joined by place.
    is_counted: bool,
    expected: Option<u64>,
}

impl IdLines {
    pub(super) fn new(lines: Lines, is_counted: bool) -> Self {
        Self { lines, is_counted, expected: None }
    }

    pub(super) fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Returns whether its values have keys.
    pub(super) fn keyed(&self) -> bool {
        !self.is_counted
    }

    pub(super) fn next(&mut self) -> Result<Option<KeyedValue>> {
        let name = self.lines.source().name().to_owned();
        let Some((line, text)) = self.lines.next()? else { return Ok(None) };
        let refused = |what: String| {
            Error::refused(format!("{name}:{line}: {what}"))
                .hint("each line is an id, a tab and a text; --ids no scores whole lines")
        };
        let (id, text) = split_id(text)
            .ok_or_else(|| refused("the line does not start with an id and a tab".to_owned()))?;
        let value = Value::String(text.to_owned());
        if !self.is_counted {
            return Ok(Some(KeyedValue { line, key: Some(id.to_owned()), value }));
        }
        let expected = self.expected.or_else(|| id_number(id).filter(|&first| first <= 1));
        if expected.is_none() || id_number(id) != expected {
            let expected = expected.unwrap_or_default();
            return Err(refused(format!("the line has the id {id:?}, and {expected} comes next")));
        }
        self.expected = expected.map(|expected| expected.saturating_add(1));
        Ok(Some(KeyedValue { line, key: None, value }))
    }
}

/// Keys that were read. Numbers that count upwards need no memory of their own.
#[derive(Debug, Default)]
pub(super) struct SeenKeys {
    /// The first number and the one after the last.
    counted: Option<(u64, u64)>,
    others: HashSet<String>,
}

impl SeenKeys {
    /// Adds a key; returns false if it was there.
    pub(super) fn insert(&mut self, key: &str) -> bool {
        if self.contains(key) {
            return false;
        }
        match (id_number(key), &mut self.counted) {
            (Some(number), Some((_, next))) if number == *next => *next = next.saturating_add(1),
            (Some(number), none @ None) if number < u64::MAX => *none = Some((number, number + 1)),
            _ => {
                self.others.insert(key.to_owned());
            }
        }
        true
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        let is_counted = |(first, next)| id_number(key).is_some_and(|n| (first..next).contains(&n));
        self.counted.is_some_and(is_counted) || self.others.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn beginnings_are_told_apart() {
        let words =
            |words: &[&str]| Beginnings::Words(words.iter().map(|&w| w.to_owned()).collect());
        for (head, expected) in [
            ("0\ta\n1\tb b\n2\t\n", Beginnings::Counted),
            ("1\ta\n2\n3\tc", Beginnings::Counted),
            ("\u{feff}0\ta\n", Beginnings::Counted),
            ("7\ta\n3\tb\n", Beginnings::Numbers),
            ("7\ta\n7\tb\n", Beginnings::None),
            ("7\ta\n8\tc\n7\tb\n", Beginnings::Repeated),
            ("0\n1\n2\n", Beginnings::None),
            ("a\tb\nc\td\n", words(&["a", "c"])),
            ("a\tb\na\td\n", Beginnings::None),
            ("a\tb\nc\n", Beginnings::None),
            ("\tif x\n\tpass\n", Beginnings::None),
            ("two words\tb\n", Beginnings::None),
            ("0\ta\nb\n", Beginnings::None),
            ("", Beginnings::None),
            ("\n", Beginnings::None),
        ] {
            assert_eq!(beginnings(head.as_bytes()), expected, "{head:?}");
        }
        assert_eq!(beginnings(b"\xff\t1\n"), Beginnings::None);
    }

    #[test]
    fn numbers_are_written_plainly() {
        for (text, found) in
            [("0", Some(0)), ("10", Some(10)), ("01", None), ("+1", None), ("-1", None), ("", None)]
        {
            assert_eq!(id_number(text), found, "{text}");
        }
    }

    proptest! {
        #[test]
        fn keys_are_seen_once(keys in prop::collection::vec("[0-9]{1,2}|[a-c]", 0..60)) {
            let (mut seen, mut expected) = (SeenKeys::default(), HashSet::new());
            for key in keys {
                prop_assert_eq!(seen.contains(&key), expected.contains(&key));
                prop_assert_eq!(seen.insert(&key), expected.insert(key));
            }
        }

        #[test]
        fn any_head_has_beginnings(head: Vec<u8>, text in "([0-3a]|\t|\n| ){0,20}") {
            beginnings(&head);
            beginnings(text.as_bytes());
        }
    }
}
