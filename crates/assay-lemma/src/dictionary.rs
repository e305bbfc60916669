//! Known words: every split of a word into prefix, stem and suffix that some lexeme allows.
//!
//! A written «е» may mean «ё». All strings are therefore sorted as if «ё» were «е», so that one
//! search finds every spelling.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::strings::Strings;
use crate::table::{Columns, Form, Grouped, ParseOrder, Prediction, Table, TableError};
use crate::tags::Tag;

/// The code of a letter that no word of the dictionary has.
const FOREIGN: u8 = u8::MAX;

/// All known words, and the predictions for endings.
#[derive(Debug, Clone)]
pub struct Dictionary {
    columns: Columns,
    /// The codes of «е» and «ё».
    e: u8,
    yo: u8,
}

/// One reading of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) paradigm: u16,
    pub(crate) form: u16,
    pub(crate) tag: Tag,
    pub(crate) lemma: Vec<char>,
}

/// The readings of an ending.
pub(crate) struct Ending<'a> {
    /// The letters, with «ё» where it belongs.
    pub(crate) letters: Vec<char>,
    pub(crate) predictions: &'a [Prediction],
}

impl Dictionary {
    /// Unpacks a dictionary.
    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        Self::checked(Columns::decode(bytes)?)
    }

    /// Packs the dictionary, under the name of its version.
    pub fn encode(&self, version: &str) -> Result<Vec<u8>, TableError> {
        self.columns.encode(version)
    }

    /// Builds a dictionary; its words do not have special orders yet.
    pub fn new(table: &Table) -> Result<Self, TableError> {
        let texts = table.prefixes.iter().chain(&table.suffixes);
        let stems = table.lexemes.iter().map(|lexeme| &lexeme.stem);
        let letters = texts.chain(stems).flat_map(|text| text.chars());
        let alphabet: Vec<char> = letters.collect::<BTreeSet<_>>().into_iter().collect();
        let columns = Columns { alphabet, tags: table.tags.clone(), ..Columns::default() };
        let mut dictionary = Self::checked(columns)?;
        dictionary.add_words(table);
        dictionary.add_endings(table);
        Self::checked(dictionary.columns)
    }

    /// Sets the words whose parses have a special order.
    pub fn set_orders(&mut self, mut orders: Vec<ParseOrder>) {
        let key = |order: &ParseOrder| self.codes(&order.word.chars().collect::<Vec<_>>());
        orders.sort_by_key(key);
        self.columns.ordered = orders.iter().map(key).collect();
        self.columns.orders = Grouped::default();
        for order in orders {
            self.columns.orders.push(order.places);
        }
    }

    /// The paradigm and form of every reading of `word`, in the dictionary's order.
    pub fn forms(&self, word: &str) -> Vec<(u16, u16)> {
        let word: Vec<char> = word.chars().collect();
        self.readings(&word).iter().map(|reading| (reading.paradigm, reading.form)).collect()
    }

    /// Every reading of `word`: the written spelling first, then with «ё» for «е», then by
    /// paradigm.
    pub(crate) fn readings(&self, word: &[char]) -> Vec<Reading> {
        let codes = self.codes(word);
        let mut found = Vec::new();
        for prefix in 0..self.columns.prefixes.len() {
            let start = self.columns.prefixes.get(prefix).len();
            if codes.starts_with(self.columns.prefixes.get(prefix)) {
                for split in start..=codes.len() {
                    self.read_split(&codes, prefix, start..split, &mut found);
                }
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found.into_iter().map(|(_, reading)| reading).collect()
    }

    /// The readings of a word whose stem is the range `stem`.
    fn read_split(
        &self,
        word: &[u8],
        prefix: usize,
        stem: Range<usize>,
        found: &mut Vec<((Vec<usize>, u64), Reading)>,
    ) {
        let columns = &self.columns;
        let (stem_as_written, suffix_as_written) = (&word[stem.clone()], &word[stem.end..]);
        let suffixes = self.find(&columns.suffixes, suffix_as_written);
        if suffixes.is_empty() {
            return;
        }
        for at in self.find(&columns.stems, stem_as_written) {
            let known_stem = columns.stems.get(at);
            let Some(in_stem) = self.corrections(stem_as_written, known_stem) else { continue };
            for &paradigm in columns.paradigms.get(at) {
                let forms = columns.forms.get(paradigm.into());
                for (number, form) in forms.iter().enumerate() {
                    if usize::from(form.prefix) != prefix || !suffixes.contains(&form.suffix.into())
                    {
                        continue;
                    }
                    let suffix = columns.suffixes.get(form.suffix.into());
                    let Some(in_suffix) = self.corrections(suffix_as_written, suffix) else {
                        continue;
                    };
                    let places = in_stem.iter().map(|place| stem.start + place);
                    let corrections =
                        places.chain(in_suffix.iter().map(|place| stem.end + place)).collect();
                    // Paradigms have far fewer forms than 2^16.
                    let number = u16::try_from(number).unwrap_or(u16::MAX);
                    let reading = Reading {
                        paradigm,
                        form: number,
                        tag: columns.tags[usize::from(form.tag)],
                        lemma: self.lemma(forms, known_stem),
                    };
                    found.push(((corrections, rank(paradigm, number)), reading));
                }
            }
        }
    }

    fn lemma(&self, forms: &[Form], stem: &[u8]) -> Vec<char> {
        let Some(first) = forms.first() else { return self.letters(stem) };
        let prefix = self.columns.prefixes.get(first.prefix.into());
        let suffix = self.columns.suffixes.get(first.suffix.into());
        self.letters(&[prefix, stem, suffix].concat())
    }

    /// Returns the predictions for the ending of a word with this prefix, separately for each
    /// spelling.
    pub(crate) fn endings(&self, prefix: usize, ending: &[char]) -> Vec<Ending<'_>> {
        let Some((endings, predictions)) = self.columns.endings.get(prefix) else {
            return Vec::new();
        };
        let codes = self.codes(ending);
        let mut found: Vec<(Vec<usize>, usize)> = self
            .find(endings, &codes)
            .filter_map(|at| Some((self.corrections(&codes, endings.get(at))?, at)))
            .collect();
        found.sort();
        let ending = |(_, at): (_, usize)| Ending {
            letters: self.letters(endings.get(at)),
            predictions: predictions.get(at),
        };
        found.into_iter().map(ending).collect()
    }

    /// The tag with this number.
    pub(crate) fn tag(&self, number: u16) -> Tag {
        self.columns.tags[usize::from(number)]
    }

    /// Reads a word as a form of a paradigm: returns the number of its tag, and the word's lemma.
    pub(crate) fn read_as(
        &self,
        word: &[char],
        paradigm: u16,
        form: u16,
    ) -> Option<(u16, Vec<char>)> {
        let forms = self.columns.forms.get(paradigm.into());
        let form_number = usize::from(form);
        let form = forms.get(form_number)?;
        if form_number == 0 {
            return Some((form.tag, word.to_vec()));
        }
        let prefix = self.columns.prefixes.get(form.prefix.into()).len();
        let end = word.len().saturating_sub(self.columns.suffixes.get(form.suffix.into()).len());
        let stem = word.get(prefix..end).unwrap_or_default();
        let first = forms.first()?;
        let mut lemma = self.letters(self.columns.prefixes.get(first.prefix.into()));
        lemma.extend_from_slice(stem);
        lemma.extend(self.letters(self.columns.suffixes.get(first.suffix.into())));
        Some((form.tag, lemma))
    }

    /// The prefixes of forms, by number.
    pub(crate) fn prefixes(&self) -> impl DoubleEndedIterator<Item = (usize, Vec<char>)> {
        (0..self.columns.prefixes.len()).map(|at| (at, self.letters(self.columns.prefixes.get(at))))
    }

    /// The indices of a word's parses, most likely first, if they have a special order.
    pub(crate) fn order(&self, word: &[char]) -> Option<&[u8]> {
        let codes = self.codes(word);
        let at = self.columns.ordered.find(|known| known.cmp(codes.as_slice()));
        at.into_iter().next().map(|at| self.columns.orders.get(at))
    }

    fn add_words(&mut self, table: &Table) {
        let code = |text: &str| self.codes(&text.chars().collect::<Vec<_>>());
        let prefixes = table.prefixes.iter().map(|text| code(text)).collect();
        let mut suffixes: Vec<(usize, Vec<u8>)> =
            table.suffixes.iter().map(|text| code(text)).enumerate().collect();
        suffixes.sort_by(|(_, left), (_, right)| self.compare(left, right).then(left.cmp(right)));
        let mut place = vec![0u16; suffixes.len()];
        for (new, (old, _)) in (0u16..).zip(&suffixes) {
            place[*old] = new;
        }
        let mut lexemes: Vec<(Vec<u8>, u16)> =
            table.lexemes.iter().map(|lexeme| (code(&lexeme.stem), lexeme.paradigm)).collect();
        lexemes
            .sort_by(|left, right| self.compare(&left.0, &right.0).then_with(|| left.cmp(right)));
        self.columns.prefixes = prefixes;
        self.columns.suffixes = suffixes.iter().map(|(_, codes)| codes).collect();
        for forms in &table.paradigms {
            let renumbered =
                forms.iter().map(|form| Form { suffix: place[usize::from(form.suffix)], ..*form });
            self.columns.forms.push(renumbered);
        }
        for same in lexemes.chunk_by(|left, right| left.0 == right.0) {
            self.columns.stems.push(&same[0].0);
            self.columns.paradigms.push(same.iter().map(|(_, paradigm)| *paradigm));
        }
    }

    fn add_endings(&mut self, table: &Table) {
        for endings in &table.predictions {
            let mut endings: Vec<(Vec<u8>, &[Prediction])> = endings
                .iter()
                .map(|(text, found)| {
                    (self.codes(&text.chars().collect::<Vec<_>>()), found.as_slice())
                })
                .collect();
            endings
                .sort_by(|(left, _), (right, _)| self.compare(left, right).then(left.cmp(right)));
            let strings = endings.iter().map(|(codes, _)| codes).collect();
            let mut grouped = Grouped::default();
            for (_, found) in &endings {
                grouped.push(found.iter().copied());
            }
            self.columns.endings.push((strings, grouped));
        }
    }

    /// Checks that all indices are in range.
    fn checked(columns: Columns) -> Result<Self, TableError> {
        let holds = |holds: bool| {
            if holds { Ok(()) } else { Err(TableError::new("it points to what is not there")) }
        };
        let code = |letter: char| columns.alphabet.binary_search(&letter).ok();
        let code = |letter| code(letter).and_then(|at| u8::try_from(at).ok()).unwrap_or(FOREIGN);
        let (e, yo) = (code('е'), code('ё'));
        holds(columns.alphabet.len() < usize::from(FOREIGN))?;
        let letters = |strings: &Strings| {
            strings.iter().flatten().all(|&code| usize::from(code) < columns.alphabet.len())
        };
        holds(letters(&columns.prefixes) && letters(&columns.suffixes) && letters(&columns.stems))?;
        holds(columns.forms.items().iter().all(|form| {
            usize::from(form.suffix) < columns.suffixes.len()
                && usize::from(form.tag) < columns.tags.len()
                && usize::from(form.prefix) < columns.prefixes.len()
        }))?;
        let paradigms = columns.forms.len();
        holds(columns.stems.len() == columns.paradigms.len())?;
        holds(columns.paradigms.items().iter().all(|&at| usize::from(at) < paradigms))?;
        for (endings, predictions) in &columns.endings {
            holds(letters(endings) && endings.len() == predictions.len())?;
            holds(predictions.items().iter().all(|found| usize::from(found.paradigm) < paradigms))?;
        }
        holds(columns.ordered.len() == columns.orders.len())?;
        Ok(Self { columns, e, yo })
    }

    fn codes(&self, word: &[char]) -> Vec<u8> {
        let code = |letter| self.columns.alphabet.binary_search(letter).ok();
        let code = |letter| code(letter).and_then(|at| u8::try_from(at).ok()).unwrap_or(FOREIGN);
        word.iter().map(code).collect()
    }

    fn letters(&self, codes: &[u8]) -> Vec<char> {
        codes
            .iter()
            .filter_map(|&code| self.columns.alphabet.get(usize::from(code)).copied())
            .collect()
    }

    fn find(&self, strings: &Strings, wanted: &[u8]) -> Range<usize> {
        strings.find(|known| self.compare(known, wanted))
    }

    /// Compares as if «ё» were «е».
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let fold = |code: &u8| if *code == self.yo { self.e } else { *code };
        left.iter().map(fold).cmp(right.iter().map(fold))
    }

    /// Returns the positions at which «ё» must replace «е» to turn the written word into the known
    /// spelling; `None` if the two differ otherwise.
    fn corrections(&self, written: &[u8], known: &[u8]) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        for (at, (&written, &known)) in written.iter().zip(known).enumerate() {
            if written == self.e && known == self.yo {
                places.push(at);
            } else if written != known {
                return None;
            }
        }
        Some(places)
    }
}

/// The position of a reading among those of one spelling in pymorphy: by the base64 text of
/// paradigm and form.
fn rank(paradigm: u16, form: u16) -> u64 {
    let bits = (u64::from(paradigm) << 16 | u64::from(form)) << 4;
    let in_ascii = |digit: u64| match digit {
        62 => 0,
        63 => 1,
        52..62 => digit - 50,
        _ => digit + 12,
    };
    (0..6).rev().fold(0, |key, at| key << 6 | in_ascii(bits >> (6 * at) & 63))
}
