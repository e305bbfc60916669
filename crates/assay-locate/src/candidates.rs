//! The candidate lines of a program, which are examined more closely.

use rustc_hash::FxHashMap;

use crate::lex::{self, State, Token, TokenKind};
use crate::similarity::{Pattern, Trigrams, common_prefix, common_suffix};
use crate::source::{Source, Statement, squeezed, statement};

/// The number of lines that each selection method adds.
const BY_INDEL: usize = 20;
const BY_TRIGRAMS: usize = 8;
const BY_ENDS: usize = 6;
const BY_NAMES: usize = 6;
const BY_SURROUNDINGS: usize = 8;
/// The number of best texts of which every copy is added, and the maximum number of copies.
const COPIED_TEXTS: usize = 8;
const MAX_COPIES: usize = 40;

/// The preprocessed new line.
pub(crate) struct Query<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) tokens: Vec<Token>,
    pub(crate) comment: bool,
    pub(crate) statement: Statement,
    pub(crate) squeezed: u64,
    pub(crate) pattern: Pattern,
    trigrams: Trigrams,
    /// Its distinct identifiers, with the rarity of each in the program.
    pub(crate) names: Vec<(u64, f32)>,
}

/// The relation of every line of the program to the new one.
pub(crate) struct Overview {
    /// Similarity to the new line; −1 if a line is impossible.
    pub(crate) indel: Vec<f32>,
    pub(crate) dice: Vec<f32>,
    pub(crate) ends: Vec<f32>,
    /// Shared names, weighted by rarity.
    pub(crate) shared: Vec<f32>,
}

impl<'a> Query<'a> {
    pub(crate) fn new(line: &'a [u8], source: &Source<'_>) -> Self {
        let text = line.trim_ascii();
        let mut tokens = Vec::new();
        let facts = lex::lex_line(text, &mut State::default(), &mut tokens);
        let mut query = Self {
            text,
            comment: facts.comment,
            statement: statement(text, &tokens, facts.comment),
            squeezed: squeezed(text),
            pattern: Pattern::new(text),
            trigrams: Trigrams::new(text),
            names: Vec::new(),
            tokens,
        };
        query.names = names_with_rarity(&query.tokens, source);
        query
    }
}

/// The distinct identifiers among `tokens`, with the logarithm of their rarity.
fn names_with_rarity(tokens: &[Token], source: &Source<'_>) -> Vec<(u64, f32)> {
    let mut lines: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Ident) {
        lines.entry(token.hash).or_insert((0, u32::MAX));
    }
    if lines.is_empty() {
        return Vec::new();
    }
    for at in 0..source.lines.len() {
        for token in source.tokens(at) {
            if token.kind == TokenKind::Ident
                && let Some((count, last)) = lines.get_mut(&token.hash)
                && *last != at as u32
            {
                *count += 1;
                *last = at as u32;
            }
        }
    }
    let total = source.lines.len() as f32;
    let mut names: Vec<(u64, f32)> = lines
        .into_iter()
        .map(|(hash, (count, _))| (hash, libm::logf(1.0 + total / (1.0 + count as f32))))
        .collect();
    names.sort_unstable_by_key(|(hash, _)| *hash);
    names
}

impl Overview {
    pub(crate) fn new(query: &Query<'_>, source: &Source<'_>) -> Self {
        let count = source.lines.len();
        let mut overview = Self {
            indel: vec![-1.0; count],
            dice: vec![0.0; count],
            ends: vec![0.0; count],
            shared: vec![0.0; count],
        };
        for (at, line) in source.lines.iter().enumerate() {
            let letters = line
                .text
                .iter()
                .any(|byte| byte.is_ascii_alphanumeric() || b"{}();".contains(byte));
            if !letters || line.squeezed == query.squeezed {
                continue;
            }
            overview.indel[at] = query.pattern.indel(line.text);
            overview.dice[at] = query.trigrams.dice(line.text);
            let (shorter, longer) = {
                let lengths = (line.text.len(), query.text.len());
                (lengths.0.min(lengths.1), lengths.0.max(lengths.1))
            };
            let prefix = common_prefix(line.text, query.text);
            let suffix = common_suffix(line.text, query.text).min(shorter - prefix);
            overview.ends[at] = (prefix + suffix) as f32 / longer.max(1) as f32;
            overview.shared[at] = shared_rarity(source.tokens(at), query);
        }
        overview
    }

    /// Returns whether the line at index `at` is possible.
    pub(crate) fn possible(&self, at: usize) -> bool {
        self.indel[at] >= 0.0
    }
}

/// The total rarity of the new line's names that are among `tokens`.
fn shared_rarity(tokens: &[Token], query: &Query<'_>) -> f32 {
    let mut mass = 0.0;
    for (hash, rarity) in &query.names {
        if tokens.iter().any(|token| token.hash == *hash && token.kind == TokenKind::Ident) {
            mass += rarity;
        }
    }
    mass
}

/// The candidates' line indices, in order.
pub(crate) fn choose(query: &Query<'_>, source: &Source<'_>, overview: &Overview) -> Vec<usize> {
    let count = source.lines.len();
    let possible: Vec<usize> = (0..count).filter(|&at| overview.possible(at)).collect();
    let mut chosen = vec![false; count];
    let best = top(&possible, BY_INDEL, |at| overview.indel[at]);
    let few_tokens = |at: usize| source.tokens(at).len() as f32;
    let named = |at: usize| match overview.shared[at] {
        mass if mass > 0.0 => mass - 0.02 * few_tokens(at),
        _ => f32::NEG_INFINITY,
    };
    let around = surroundings(source, overview);
    let kindred = |at: usize| {
        let line = &source.lines[at];
        let same_start = match (source.tokens(at).first(), query.tokens.first()) {
            (Some(left), Some(right)) => left.hash == right.hash,
            _ => false,
        };
        if line.statement == query.statement || same_start { around[at] } else { f32::NEG_INFINITY }
    };
    let ways = [
        best.clone(),
        top(&possible, BY_TRIGRAMS, |at| overview.dice[at]),
        top(&possible, BY_ENDS, |at| overview.ends[at]),
        top(&possible, BY_NAMES, named),
        top(&possible, BY_SURROUNDINGS, kindred),
    ];
    for at in ways.into_iter().flatten() {
        chosen[at] = true;
    }
    add_copies(source, &possible, &best, &mut chosen);
    (0..count).filter(|&at| chosen[at]).collect()
}

/// The shared names within five lines of each line.
fn surroundings(source: &Source<'_>, overview: &Overview) -> Vec<f32> {
    const REACH: usize = 5;
    let count = source.lines.len();
    (0..count)
        .map(|at| {
            let (from, to) = (at.saturating_sub(REACH), (at + REACH + 1).min(count));
            overview.shared[from..to].iter().sum()
        })
        .collect()
}

/// Adds every copy of the best texts: of twenty identical braces, the right one must not be
/// missing.
fn add_copies(source: &Source<'_>, possible: &[usize], best: &[usize], chosen: &mut [bool]) {
    let mut texts: Vec<u64> = Vec::new();
    for &at in best {
        let text = source.lines[at].squeezed;
        if !texts.contains(&text) && texts.len() < COPIED_TEXTS {
            texts.push(text);
        }
    }
    let mut copies = vec![0; texts.len()];
    for &at in possible {
        let place = texts.iter().position(|text| *text == source.lines[at].squeezed);
        if let Some(place) = place.filter(|&place| copies[place] < MAX_COPIES) {
            copies[place] += 1;
            chosen[at] = true;
        }
    }
}

/// The `most` best of `among` by `value`, best first; of equals the earlier line. Lines without a
/// value are left out.
fn top(among: &[usize], most: usize, value: impl Fn(usize) -> f32) -> Vec<usize> {
    let mut best: Vec<(f32, usize)> = among
        .iter()
        .map(|&at| (value(at), at))
        .filter(|(value, _)| *value > f32::NEG_INFINITY)
        .collect();
    let order = |left: &(f32, usize), right: &(f32, usize)| {
        right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
    };
    if best.len() > most {
        best.select_nth_unstable_by(most, order);
        best.truncate(most);
    }
    best.sort_unstable_by(order);
    best.into_iter().map(|(_, at)| at).collect()
}
