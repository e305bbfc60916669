//! The two parts of CodeBLEU that compare words: plain and weighted n-grams.

use assay_syntax::{Language, is_space};
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest n-gram.
pub(super) const ORDERS: usize = 4;

/// What comparing the words of a pair found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordCounts {
    /// For each order, the n-grams of the hypothesis that a reference has, and all of them, at least
    /// one.
    pub(super) matched: [u64; ORDERS],
    pub(super) total: [u64; ORDERS],
    /// The same the other way round, for all references together: the n-grams of references that the
    /// hypothesis has. Words count in fifths: a keyword for five, any other for one.
    pub(super) recalled: [u64; ORDERS],
    pub(super) wanted: [u64; ORDERS],
    pub(super) hypothesis_length: u64,
    /// The length of the reference that is closest in length, of two the shorter.
    pub(super) reference_length: u64,
}

/// What a keyword weighs, where any other word weighs one.
const KEYWORD: u64 = 5;

/// How words are told apart and weighed.
pub(super) struct Words {
    pub(super) keywords: FxHashSet<&'static str>,
    /// The language whose words are rewritten before.
    pub(super) rewritten: Option<Language>,
}

impl Words {
    pub(super) fn compare(&self, references: &[&str], hypothesis: &str) -> WordCounts {
        let mut numbers = Numbers::default();
        let hypothesis = numbers.of(self.split(hypothesis));
        let references: Vec<Vec<u32>> =
            references.iter().map(|text| numbers.of(self.split(text))).collect();
        let weights: Vec<u64> = numbers
            .words()
            .iter()
            .map(|word| if self.keywords.contains(word) { KEYWORD } else { 1 })
            .collect();
        let mut counts = WordCounts {
            hypothesis_length: hypothesis.len() as u64,
            reference_length: closest(&references, hypothesis.len()) as u64,
            ..WordCounts::default()
        };
        for order in 1..=ORDERS {
            count_order(&mut counts, order, &hypothesis, &references, &weights);
        }
        counts
    }

    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let words = text.split(is_space).filter(|word| !word.is_empty());
        match self.rewritten {
            Some(Language::Python) => with_layout(words.collect()),
            _ => words.collect(),
        }
    }
}

/// Python's line ends and indents, which stand there as words, as what they mean.
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
        rewritten.extend((0..indent).map(|_| "\t"));
    }
    rewritten
}

fn closest(references: &[Vec<u32>], length: usize) -> usize {
    let lengths = references.iter().map(Vec::len);
    lengths.min_by_key(|&reference| (reference.abs_diff(length), reference)).unwrap_or_default()
}

/// Numbers for words, in the order of first sight.
#[derive(Default)]
struct Numbers<'t> {
    known: FxHashMap<&'t str, u32>,
    words: Vec<&'t str>,
}

impl<'t> Numbers<'t> {
    fn of(&mut self, words: Vec<&'t str>) -> Vec<u32> {
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

/// An n-gram as one number: four words of 32 bits.
type Gram = u128;

fn grams(words: &[u32], order: usize) -> Vec<Gram> {
    let pack = |gram: &[u32]| gram.iter().fold(0, |packed, &word| packed << 32 | Gram::from(word));
    let mut grams: Vec<Gram> = words.windows(order).map(pack).collect();
    grams.sort_unstable();
    grams
}

fn count_order(
    counts: &mut WordCounts,
    order: usize,
    hypothesis: &[u32],
    references: &[Vec<u32>],
    weights: &[u64],
) {
    let at = order - 1;
    let weight = |gram: Gram| match usize::try_from(gram) {
        Ok(word) if order == 1 => weights.get(word).copied().unwrap_or(1),
        _ => 1,
    };
    // An order that has no n-grams counts as one that was missed; words count in fifths.
    let least = if order == 1 { KEYWORD } else { 1 };
    let given = grams(hypothesis, order);
    // For each n-gram of the hypothesis, how often the reference has it that has it most often.
    let mut best: Vec<u64> = vec![0; given.len()];
    for reference in references {
        let wanted = grams(reference, order);
        let (mut recalled, mut total) = (0, 0);
        let mut start = 0;
        for same in wanted.chunk_by(Gram::eq) {
            let (gram, count) = (same[0], same.len() as u64);
            total += count * weight(gram);
            start += given[start..].partition_point(|&other| other < gram);
            let found = given[start..].partition_point(|&other| other == gram) as u64;
            if found > 0 {
                recalled += found.min(count) * weight(gram);
                best[start] = best[start].max(found.min(count));
            }
        }
        counts.recalled[at] += recalled;
        counts.wanted[at] += total.max(least);
    }
    counts.matched[at] = best.iter().sum();
    counts.total[at] = (given.len() as u64).max(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(references: &[&str], hypothesis: &str) -> WordCounts {
        let keywords = ["if", "for"].into_iter().collect();
        Words { keywords, rewritten: None }.compare(references, hypothesis)
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
    fn layout_words_become_layout() {
        let words = "a NEW_LINE INDENT b NEW_LINE c NEW_LINE DEDENT DEDENT d NEW_LINE";
        let expected = ["a", "\n", "\t", "b", "\n", "\t", "c", "\n", "DEDENT", "d", "\n"];
        assert_eq!(with_layout(words.split(' ').collect()), expected);
    }
}
