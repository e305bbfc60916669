//! The counts that every BLEU variant needs, and their positions in its sums.

use std::ops::Range;

use super::Tokenizer;
use crate::ngrams::{MAX_ORDER, Matches, with_scratch};
use crate::python;
use crate::text::Sums;

/// The reference length that a hypothesis is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceLength {
    /// The closest; of two equally close ones the shorter.
    Closest,
    Shortest,
}

impl ReferenceLength {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Shortest => "shortest",
        }
    }

    fn choose(self, lengths: impl Iterator<Item = usize>, hypothesis: usize) -> usize {
        let chosen = match self {
            Self::Closest => lengths.min_by_key(|&length| (length.abs_diff(hypothesis), length)),
            Self::Shortest => lengths.min(),
        };
        chosen.unwrap_or_default()
    }
}

/// The counts of one pair.
pub(super) struct Pair {
    /// The number of references.
    pub(super) references: usize,
    pub(super) matches: Matches,
    /// The lengths of the hypothesis and of the reference that counts.
    pub(super) hypothesis: usize,
    pub(super) reference: usize,
}

impl Pair {
    /// Counts n-grams up to this order.
    pub(super) fn count(
        references: &[&str],
        hypothesis: &str,
        orders: usize,
        length: ReferenceLength,
        reader: TokenReader,
    ) -> Self {
        if references.contains(&hypothesis) {
            return Self::of_equals(references, hypothesis, orders, length, reader);
        }
        with_scratch(|scratch| {
            for text in references.iter().chain([&hypothesis]) {
                reader.read(text, |bytes, start, end| scratch.push_word(bytes, start, end));
                scratch.end_text();
            }
            let count = references.len();
            let hypothesis = scratch.length(count);
            let lengths = (0..count).map(|text| scratch.length(text));
            let reference = length.choose(lengths, hypothesis);
            let matches = scratch.matches(0..count, count, orders);
            Self { references: count, matches, hypothesis, reference }
        })
    }

    /// Counts a hypothesis that equals one of its references: every n-gram matches, so only the
    /// lengths have to be computed. More than half of a good model's outputs are such.
    fn of_equals(
        references: &[&str],
        hypothesis: &str,
        orders: usize,
        length: ReferenceLength,
        reader: TokenReader,
    ) -> Self {
        let hypothesis = reader.length(hypothesis);
        let reference = match (references, length) {
            ([_], _) | (_, ReferenceLength::Closest) => hypothesis,
            (references, ReferenceLength::Shortest) => {
                references.iter().map(|text| reader.length(text)).min().unwrap_or_default()
            }
        };
        let (references, matches) = (references.len(), [0; MAX_ORDER]);
        let mut pair = Self { references, matches, hypothesis, reference };
        for order in 1..=orders {
            pair.matches[order - 1] = u32::try_from(pair.total(order)).unwrap_or(u32::MAX);
        }
        pair
    }

    /// The number of n-grams of this order in the hypothesis.
    pub(super) fn total(&self, order: usize) -> usize {
        (self.hypothesis + 1).saturating_sub(order)
    }

    /// The sums of this pair, with totals of at least `least`.
    pub(super) fn sums(&self, orders: usize, least: usize) -> Vec<f64> {
        let mut sums = Vec::with_capacity(Counts::end(orders) + 2);
        sums.extend(crate::references::reference_counts(self.references));
        sums.extend([self.hypothesis as f64, self.reference as f64]);
        sums.extend(self.matches[..orders].iter().map(|&count| f64::from(count)));
        sums.extend((1..=orders).map(|order| self.total(order).max(least) as f64));
        sums
    }
}

/// The preprocessing and the tokenizer applied to a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenReader {
    pub(super) tokenizer: Tokenizer,
    pub(super) lowercase: bool,
    /// True if trailing white space is removed first. The tokenizer 13a may treat a final line
    /// break specially.
    pub(super) strip_end: bool,
}

impl TokenReader {
    /// A tokenizer without preprocessing.
    pub(super) fn plain(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, lowercase: false, strip_end: false }
    }

    /// Emits each token of a text, as bytes with a start and an end.
    fn read(self, text: &str, emit: impl FnMut(&[u8], usize, usize)) {
        let text = python::lower(text, self.lowercase);
        let text = if self.strip_end { python::strip_end(&text) } else { &text };
        self.tokenizer.split(text, emit);
    }

    /// The number of tokens in a text.
    fn length(self, text: &str) -> usize {
        let mut length = 0;
        self.read(text, |_, _, _| length += 1);
        length
    }
}

/// The counts of a corpus.
pub(super) struct Counts<'s> {
    sums: &'s Sums,
    orders: usize,
}

impl<'s> Counts<'s> {
    pub(super) fn new(sums: &'s Sums, orders: usize) -> Self {
        Self { sums, orders }
    }

    /// The position at which the sums of a particular variant start.
    pub(super) const fn end(orders: usize) -> usize {
        5 + 2 * orders
    }

    pub(super) fn hypothesis(&self) -> f64 {
        self.sums.at(3)
    }

    pub(super) fn reference(&self) -> f64 {
        self.sums.at(4)
    }

    /// Matching n-grams and all n-grams, for each order.
    pub(super) fn matches_and_totals(&self) -> impl Iterator<Item = (f64, f64)> {
        self.numbers(5..5 + self.orders).zip(self.numbers(5 + self.orders..Self::end(self.orders)))
    }

    /// Matching n-grams of this order, from 1.
    pub(super) fn matches(&self, order: usize) -> f64 {
        self.sums.at(4 + order)
    }

    fn numbers(&self, places: Range<usize>) -> impl Iterator<Item = f64> {
        places.map(|place| self.sums.at(place))
    }
}
