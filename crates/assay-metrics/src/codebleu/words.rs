//! The two parts of CodeBLEU that compare words: plain and weighted n-grams.

use crate::python;
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest n-gram.
pub(super) const ORDERS: usize = 4;

/// The word matches of a pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordCounts {
    /// For each order, the n-grams of the hypothesis that a reference has, and all of them, at least
    /// one.
    pub(super) matched: [u64; ORDERS],
    pub(super) total: [u64; ORDERS],
    /// The same in the other direction, summed over all references: the n-grams of references that
    /// the hypothesis has. Words count in fifths: a keyword as five, any other as one.
    pub(super) recalled: [u64; ORDERS],
    pub(super) wanted: [u64; ORDERS],
    pub(super) hypothesis_length: u64,
    /// The length of the reference that is closest in length; of two equally close ones, the
    /// shorter.
    pub(super) reference_length: u64,
}

/// The weight of a keyword; any other word weighs one.
const KEYWORD: u64 = 5;

/// A lower bound for the average length of a word with the space after it, in most texts.
const BYTES_OF_A_WORD: usize = 4;

/// The rules by which words are distinguished and weighted.
pub(super) struct WordRules {
    pub(super) keywords: FxHashSet<&'static str>,
    /// True if words that represent Python's layout are converted to white space.
    pub(super) with_layout: bool,
}

impl WordRules {
    pub(super) fn compare(&self, references: &[&str], hypothesis: &str) -> WordCounts {
        if let [reference] = references
            && *reference == hypothesis
        {
            return self.compare_with_itself(hypothesis);
        }
        let mut numbers = WordNumbers::default();
        let text = hypothesis;
        let hypothesis = TextGrams::new(&numbers.of(self.split(text)));
        let references: Vec<TextGrams> = references
            .iter()
            .map(|reference| {
                if *reference == text {
                    return hypothesis.clone();
                }
                TextGrams::new(&numbers.of(self.split(reference)))
            })
            .collect();
        let weights: Vec<u64> = numbers.words().iter().map(|word| self.weight(word)).collect();
        let mut counts = WordCounts {
            hypothesis_length: hypothesis.length as u64,
            reference_length: closest(&references, hypothesis.length) as u64,
            ..WordCounts::default()
        };
        let (mut counted_here, mut best) = (Vec::new(), Vec::new());
        for order in 1..=ORDERS {
            let at = order - 1;
            let weight = |gram: Gram| match usize::try_from(gram >> FIRST_WORD) {
                Ok(word) if order == 1 => weights.get(word - 1).copied().unwrap_or(1),
                _ => 1,
            };
            let least = min_total(order);
            counted_here.clear();
            counted_here.extend(counted(&hypothesis.grams, order));
            best.clear();
            best.resize(counted_here.len(), 0);
            for reference in &references {
                let found = recall(&counted_here, &reference.grams, order, weight, &mut best);
                counts.recalled[at] += found.recalled;
                counts.wanted[at] += found.wanted.max(least);
            }
            counts.matched[at] = best.iter().sum();
            counts.total[at] = counted_here.iter().map(|(_, count)| count).sum::<u64>().max(1);
        }
        counts
    }

    /// The result of comparing a text with itself, as is the case for half of a good translator's
    /// answers.
    fn compare_with_itself(&self, text: &str) -> WordCounts {
        let words = self.split(text);
        let length = words.len() as u64;
        let mut counts = WordCounts {
            hypothesis_length: length,
            reference_length: length,
            ..WordCounts::default()
        };
        let weight = words.iter().map(|word| self.weight(word)).sum();
        for order in 1..=ORDERS {
            let at = order - 1;
            let grams = length.saturating_sub(at as u64);
            counts.matched[at] = grams;
            counts.total[at] = grams.max(1);
            counts.recalled[at] = if order == 1 { weight } else { grams };
            counts.wanted[at] = counts.recalled[at].max(min_total(order));
        }
        counts
    }

    fn weight(&self, word: &str) -> u64 {
        if self.keywords.contains(word) { KEYWORD } else { 1 }
    }

    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut words = Vec::with_capacity(text.len() / BYTES_OF_A_WORD + 1);
        words.extend(python::split(text));
        if self.with_layout { with_layout(words) } else { words }
    }
}

/// The minimum total of an order: an order without n-grams counts as one missed n-gram. Words count
/// in fifths.
fn min_total(order: usize) -> u64 {
    if order == 1 { KEYWORD } else { 1 }
}

/// The deepest indentation that is converted. No program is indented deeper, and a text that is
/// would need more tabs than there is memory.
const MAX_INDENT: i64 = 100;

/// Converts the words that represent Python's line ends and indents to white space.
fn with_layout(words: Vec<&str>) -> Vec<&str> {
    let mut rewritten = Vec::with_capacity(words.len());
    let mut indent = 0_i64;
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        if word != "NEW_LINE" {
            rewritten.push(word);
            continue;
        }
        rewritten.push("\n");
        let change = words.next_if(|next| matches!(*next, "INDENT" | "DEDENT"));
        indent += change.map_or(0, |change| if change == "INDENT" { 1 } else { -1 });
        rewritten.extend((0..indent.min(MAX_INDENT)).map(|_| "\t"));
    }
    rewritten
}

fn closest(references: &[TextGrams], length: usize) -> usize {
    let lengths = references.iter().map(|text| text.length);
    lengths.min_by_key(|&reference| (reference.abs_diff(length), reference)).unwrap_or_default()
}

/// Numbers for words, in the order of first occurrence.
#[derive(Default)]
struct WordNumbers<'t> {
    known: FxHashMap<&'t str, u32>,
    words: Vec<&'t str>,
}

impl<'t> WordNumbers<'t> {
    fn of(&mut self, words: Vec<&'t str>) -> Vec<u32> {
        self.known.reserve(words.len() / 2);
        let numbers = words.into_iter().map(|word| {
            *self.known.entry(word).or_insert_with(|| {
                self.words.push(word);
                u32::try_from(self.words.len() - 1).unwrap_or(u32::MAX)
            })
        });
        numbers.collect()
    }

    fn words(&self) -> &[&'t str] {
        &self.words
    }
}

/// The n-grams of a text, as they are compared.
#[derive(Clone)]
struct TextGrams {
    /// The number of words.
    length: usize,
    grams: Vec<Gram>,
}

impl TextGrams {
    fn new(words: &[u32]) -> Self {
        Self { length: words.len(), grams: grams(words) }
    }
}

/// Up to four words of 32 bits each in one number, the first in the highest bits; a missing word is
/// 0.
type Gram = u128;

const BITS_OF_A_WORD: usize = 32;

/// The position of the first word's bits.
const FIRST_WORD: usize = BITS_OF_A_WORD * (ORDERS - 1);

/// The n-grams of a text: each word with the three after it. They are sorted, so n-grams with the
/// same beginning are adjacent for every order.
fn grams(words: &[u32]) -> Vec<Gram> {
    let mut next: Gram = 0;
    let mut grams: Vec<Gram> = Vec::with_capacity(words.len());
    for &word in words.iter().rev() {
        next = next >> BITS_OF_A_WORD | (Gram::from(word) + 1) << FIRST_WORD;
        grams.push(next);
    }
    grams.sort_unstable();
    grams
}

/// The first `order` words of each of `grams` that has that many, with the number of times each
/// occurs, in order.
fn counted(grams: &[Gram], order: usize) -> impl Iterator<Item = (Gram, u64)> + '_ {
    let last_word = BITS_OF_A_WORD * (ORDERS - order);
    let has_all = move |gram: Gram| gram & Gram::from(u32::MAX) << last_word != 0;
    let beyond: Gram = (1 << last_word) - 1;
    let groups = grams.chunk_by(move |left, right| left ^ right <= beyond);
    let groups = groups.map(move |same| (same[0] & !beyond, same.len() as u64));
    groups.filter(move |&(gram, _)| has_all(gram))
}

/// The comparison of the n-grams of one reference.
#[derive(Default)]
struct Recall {
    recalled: u64,
    wanted: u64,
}

/// Compares the n-grams of a reference with those of the hypothesis, each with its weight, and
/// records in `best` how many of each the hypothesis may claim.
fn recall(
    given: &[(Gram, u64)],
    wanted: &[Gram],
    order: usize,
    weight: impl Fn(Gram) -> u64,
    best: &mut [u64],
) -> Recall {
    let mut found = Recall::default();
    let mut at = 0;
    for (gram, count) in counted(wanted, order) {
        let weight = weight(gram);
        found.wanted += count * weight;
        while given.get(at).is_some_and(|&(other, _)| other < gram) {
            at += 1;
        }
        if let Some(&(other, times)) = given.get(at)
            && other == gram
        {
            let both = times.min(count);
            found.recalled += both * weight;
            best[at] = best[at].max(both);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(references: &[&str], hypothesis: &str) -> WordCounts {
        let keywords = ["if", "for"].into_iter().collect();
        WordRules { keywords, with_layout: false }.compare(references, hypothesis)
    }

    #[test]
    fn n_grams_are_clipped() {
        let counts = compare(&["if a b a"], "a a a b");
        assert_eq!(counts.matched, [3, 1, 0, 0]);
        assert_eq!(counts.total, [4, 3, 2, 1]);
        assert_eq!(counts.recalled, [3, 1, 0, 0]);
        assert_eq!(counts.wanted, [8, 3, 2, 1]);
    }

    #[test]
    fn the_best_reference_counts_for_precision_and_all_for_recall() {
        let counts = compare(&["a b", "a a c d e"], "a a b");
        assert_eq!(counts.matched, [3, 2, 0, 0]);
        assert_eq!(counts.recalled, [4, 2, 0, 0]);
        assert_eq!(counts.wanted, [10, 5, 4, 3]);
        assert_eq!(counts.reference_length, 2);
    }

    #[test]
    fn a_text_is_found_in_itself() {
        for text in ["", "a", "if", "a a if b", "for a if a for a"] {
            // The space makes it a different text with the same words.
            assert_eq!(compare(&[text], text), compare(&[text], &format!("{text} ")), "{text:?}");
        }
    }

    #[test]
    fn layout_words_become_layout() {
        let words = "a NEW_LINE INDENT b NEW_LINE c NEW_LINE DEDENT DEDENT d NEW_LINE";
        let expected = ["a", "\n", "\t", "b", "\n", "\t", "c", "\n", "DEDENT", "d", "\n"];
        assert_eq!(with_layout(words.split(' ').collect()), expected);
    }
}
