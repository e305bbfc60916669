//! The numbers that describe a candidate.
//!
//! Each group of features is a file with one function that puts its numbers, always the same ones
//! in the same order, into a [`Sink`]. The same code names them, computes them for training and
//! computes them for prediction. Afterwards most of them are compared with those of the other
//! candidates.

mod edit;
mod neighbours;
mod relative;
mod scope;
mod shape;
mod text;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::candidates::{Overview, Query, choose};
use crate::lex::{Token, TokenKind, sub_words};
use crate::source::Source;

pub(crate) use neighbours::FAR;

/// The maximum number of word parts of a line that are looked up around every candidate. A line
/// with more is a literal full of data, and would take minutes.
const MAX_WORDS: usize = 4096;

/// The candidates of one task and their features.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The candidates' lines, from 0.
    pub lines: Vec<usize>,
    /// The number of values per candidate.
    pub width: usize,
    /// The numbers, candidate after candidate.
    pub values: Vec<f32>,
}

impl Table {
    /// The candidates of a task with their features.
    pub fn new(line: &[u8], program: &[u8]) -> Self {
        let source = Source::new(program);
        let query = Query::new(line, &source);
        let overview = Overview::new(&query, &source);
        let lines = choose(&query, &source, &overview);
        let task = TaskContext::new(&query, &source, &overview, &lines);
        let mut rows: Vec<Vec<f32>> = Vec::with_capacity(lines.len());
        let mut plain = 0;
        for &at in &lines {
            let mut values = Values(Vec::with_capacity(512));
            describe(&task, &Candidate::new(&task, at), &mut values);
            plain = values.0.len();
            rows.push(values.0);
        }
        relative::compare(&mut rows, plain);
        let width = rows.first().map_or(0, Vec::len);
        Self { lines, width, values: rows.concat() }
    }

    /// The features of the candidate at `index`.
    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.width..(index + 1) * self.width]
    }
}

/// A feature: its name and its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its unique name.
    pub name: String,
    /// The group of features that it belongs to.
    pub group: &'static str,
    /// True if it is not the number itself but the gap to the best other candidate.
    pub gap: bool,
}

type Describe = fn(&TaskContext<'_>, &Candidate<'_>, &mut dyn Sink);

/// The groups of features, in the order of their features.
const GROUPS: [(&str, Describe); 5] = [
    ("text", text::describe),
    ("scope", scope::describe),
    ("edit", edit::describe),
    ("shape", shape::describe),
    ("neighbours", neighbours::describe),
];

/// The name of the gaps as a group.
const GAPS: &str = "gaps";

/// The names of the groups of features. The last one, the gaps, overlaps all others.
pub fn groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(name, _)| *name).chain([GAPS])
}

impl Feature {
    /// Returns whether it belongs to the group.
    pub fn is_of(&self, group: &str) -> bool {
        if group == GAPS { self.gap } else { self.group == group }
    }
}

/// The features, in order: first the plain ones, then their gaps.
pub fn features() -> Vec<Feature> {
    let source = Source::new(b"a b;\nc d;\n");
    let query = Query::new(b"a c;", &source);
    let overview = Overview::new(&query, &source);
    let lines = vec![0, 1];
    let task = TaskContext::new(&query, &source, &overview, &lines);
    let mut plain = Vec::new();
    for (group, describe) in GROUPS {
        let mut names = Names(Vec::new());
        describe(&task, &Candidate::new(&task, 0), &mut names);
        plain.extend(names.0.into_iter().map(|name| Feature { name, group, gap: false }));
    }
    let gaps: Vec<Feature> = plain.iter().map(relative::gap_of).collect();
    plain.extend(gaps);
    plain
}

fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    for (_, describe) in GROUPS {
        describe(task, candidate, out);
    }
}

/// Receives features.
pub(crate) trait Sink {
    /// Adds a feature with a formatted name, which is not formatted if only values are computed.
    fn put_named(&mut self, name: fmt::Arguments<'_>, value: f32);

    /// Adds a feature.
    fn put(&mut self, name: &str, value: f32) {
        self.put_named(format_args!("{name}"), value);
    }
}

struct Values(Vec<f32>);

impl Sink for Values {
    fn put_named(&mut self, _name: fmt::Arguments<'_>, value: f32) {
        self.0.push(value);
    }
}

struct Names(Vec<String>);

impl Sink for Names {
    fn put_named(&mut self, name: fmt::Arguments<'_>, _value: f32) {
        self.0.push(name.to_string());
    }
}

/// The data that the candidates of one task share.
pub(crate) struct TaskContext<'a> {
    pub(crate) query: &'a Query<'a>,
    pub(crate) source: &'a Source<'a>,
    pub(crate) overview: &'a Overview,
    pub(crate) candidates: &'a [usize],
    /// The lines that contain each name of the new line or a candidate, in order.
    pub(crate) occurrences: FxHashMap<u64, Vec<u32>>,
    /// The rarity of each of those names in the program.
    rarity: FxHashMap<u64, f32>,
    /// The lines that contain each word part of the new line or a candidate, in order.
    pub(crate) word_lines: FxHashMap<u64, Vec<u32>>,
    /// The word parts of the new line, sorted.
    pub(crate) words: Vec<u64>,
    /// The new line's tokens, sorted by hash.
    pub(crate) bag: Vec<u64>,
}

impl<'a> TaskContext<'a> {
    fn new(
        query: &'a Query<'a>,
        source: &'a Source<'a>,
        overview: &'a Overview,
        candidates: &'a [usize],
    ) -> Self {
        let mut occurrences: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        let of_candidates = candidates.iter().flat_map(|&at| source.tokens(at));
        for token in query.tokens.iter().chain(of_candidates) {
            if token.kind == TokenKind::Ident {
                occurrences.entry(token.hash).or_default();
            }
        }
        for at in 0..source.lines.len() {
            for token in source.tokens(at) {
                if token.kind == TokenKind::Ident
                    && let Some(lines) = occurrences.get_mut(&token.hash)
                    && lines.last() != Some(&(at as u32))
                {
                    lines.push(at as u32);
                }
            }
        }
        let mut words = words_in(query.text, &query.tokens);
        words.sort_unstable();
        let mut bag: Vec<u64> = query.tokens.iter().map(|token| token.hash).collect();
        bag.sort_unstable();
        let word_lines = word_lines(source, candidates, &words);
        let total = source.lines.len() as f32;
        let rarity = occurrences
            .iter()
            .map(|(name, lines)| (*name, libm::logf(1.0 + total / (1.0 + lines.len() as f32))))
            .collect();
        Self { query, source, overview, candidates, occurrences, rarity, word_lines, words, bag }
    }

    /// The word parts of the line at `at`, sorted.
    pub(crate) fn words_of(&self, at: usize) -> Vec<u64> {
        let mut words = words_in(self.source.lines[at].text, self.source.tokens(at));
        words.sort_unstable();
        words
    }

    /// The rarity of a name in the program.
    pub(crate) fn rarity(&self, name: u64) -> f32 {
        self.rarity.get(&name).copied().unwrap_or_default()
    }
}

fn has_words(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Ident | TokenKind::Literal)
}

/// The word parts of a line, in order, up to the limit.
fn words_in(text: &[u8], tokens: &[Token]) -> Vec<u64> {
    let mut words = Vec::new();
    for token in tokens.iter().filter(|token| has_words(token)) {
        sub_words(&text[token.start as usize..token.end as usize], |part| {
            if words.len() < MAX_WORDS {
                words.push(part);
            }
        });
    }
    words
}

/// The lines that contain each word part of the new line or of a candidate. A file repeats its
/// names, so each is split once.
fn word_lines(
    source: &Source<'_>,
    candidates: &[usize],
    words: &[u64],
) -> FxHashMap<u64, Vec<u32>> {
    let mut lines: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for &word in words {
        lines.entry(word).or_default();
    }
    for &at in candidates {
        for part in words_in(source.lines[at].text, source.tokens(at)) {
            lines.entry(part).or_default();
        }
    }
    let mut parts: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    for at in 0..source.lines.len() {
        for token in source.tokens(at).iter().filter(|token| has_words(token)) {
            let parts = parts.entry(token.hash).or_insert_with(|| {
                let mut wanted = Vec::new();
                sub_words(source.text(at, token), |part| {
                    if lines.contains_key(&part) {
                        wanted.push(part);
                    }
                });
                wanted
            });
            for part in parts {
                if let Some(lines) = lines.get_mut(part)
                    && lines.last() != Some(&(at as u32))
                {
                    lines.push(at as u32);
                }
            }
        }
    }
    lines
}

/// A candidate line.
pub(crate) struct Candidate<'a> {
    pub(crate) at: usize,
    pub(crate) text: &'a [u8],
    /// Names of the new line that the candidate lacks, names of the candidate that the new line
    /// lacks, and all names of the new line.
    pub(crate) new_names: Vec<u64>,
    pub(crate) old_names: Vec<u64>,
    pub(crate) all_names: Vec<u64>,
    pub(crate) words: Vec<u64>,
    pub(crate) bag: Vec<u64>,
}

impl<'a> Candidate<'a> {
    fn new(task: &TaskContext<'a>, at: usize) -> Self {
        let names = |tokens: &[crate::lex::Token]| {
            let idents = tokens.iter().filter(|token| token.kind == TokenKind::Ident);
            let mut names: Vec<u64> = idents.map(|token| token.hash).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let here = names(task.source.tokens(at));
        let all_names = names(&task.query.tokens);
        let without = |from: &[u64], other: &[u64]| -> Vec<u64> {
            from.iter().copied().filter(|name| other.binary_search(name).is_err()).collect()
        };
        let mut bag: Vec<u64> = task.source.tokens(at).iter().map(|token| token.hash).collect();
        bag.sort_unstable();
        Self {
            at,
            text: task.source.lines[at].text,
            new_names: without(&all_names, &here),
            old_names: without(&here, &all_names),
            all_names,
            words: task.words_of(at),
            bag,
        }
    }
}

/// `yes` as 0 or 1.
pub(crate) fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// `part` divided by `whole`; 0/0 is 0.
pub(crate) fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
