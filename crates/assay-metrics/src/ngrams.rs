//! Counting the n-grams that two texts have in common, without a string or an allocation per
//! n-gram.
//!
//! Tokens become numbers. The key of an n-gram is the slot of its first n - 1 tokens in a table,
//! combined with its last token: n-grams of every order have exact keys of one machine word, and an
//! n-gram is only looked up where its prefix was found. Entries of earlier pairs count as empty, so
//! no table is cleared.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a text of 2^32 tokens does not fit into memory with its tables"
)]

mod words;

use std::cell::RefCell;
use std::ops::Range;

use words::WordTable;

/// The highest order of n-grams that can be counted.
pub(crate) const MAX_ORDER: usize = 16;

/// The number of common n-grams of each order, from 1.
pub(crate) type Matches = [u32; MAX_ORDER];

/// The largest table that is kept for the next pair; larger ones are freed.
const MAX_KEPT_SLOTS: usize = 1 << 18;

/// Calls `work` with tables that keep their memory from one pair to the next.
pub(crate) fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let result = work(scratch);
        scratch.clear_texts();
        result
    })
}

/// The texts of a pair as numbers, and the tables to compare them.
#[derive(Default)]
pub(crate) struct Scratch {
    words: WordTable,
    numbers: Vec<u32>,
    /// The end of each text in `numbers`.
    ends: Vec<usize>,
    unigrams: Vec<Occurrences>,
    ngrams: NgramTable,
    /// The reference that is being counted, numbered over all pairs.
    reference: u32,
}

impl Scratch {
    /// Adds a token to the current text: these bytes from `start` to `end`.
    #[inline]
    pub(crate) fn push_word(&mut self, bytes: &[u8], start: usize, end: usize) {
        let number = self.words.number(bytes, start, end);
        self.numbers.push(number);
    }

    /// Adds a character as a token to the current text.
    #[inline]
    pub(crate) fn push_character(&mut self, character: char) {
        let number = self.words.number_of_character(character);
        self.numbers.push(number);
    }

    /// Ends the current text. Texts are numbered from 0.
    pub(crate) fn end_text(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// The number of tokens in a text.
    pub(crate) fn length(&self, text: usize) -> usize {
        self.place(text..text + 1).len()
    }

    /// The number of n-grams of the text `hypothesis` that are also in these texts. Each counts at
    /// most as often as in the text that has it most often.
    pub(crate) fn matches(
        &mut self,
        references: Range<usize>,
        hypothesis: usize,
        orders: usize,
    ) -> Matches {
        let orders = orders.clamp(1, MAX_ORDER);
        let ends = self.common_ends(&references, hypothesis);
        self.make_room(&references, orders, ends);
        for text in references {
            self.count(text, orders, ends);
        }
        let mut matches = self.compare(hypothesis, orders, ends);
        for (before, matches) in matches.iter_mut().enumerate().take(orders) {
            *matches +=
                (ends.start.saturating_sub(before) + ends.end.saturating_sub(before)) as u32;
        }
        matches
    }

    /// The common prefix and suffix of a hypothesis and its only reference. N-grams inside them
    /// match one to one, whatever is between, and need no counting. With several references this
    /// does not hold: an occurrence skipped in one reference may be needed for the maximum over
    /// all.
    fn common_ends(&self, references: &Range<usize>, hypothesis: usize) -> CommonEnds {
        if references.len() != 1 {
            return CommonEnds::default();
        }
        let left = &self.numbers[self.place(references.clone())];
        let right = &self.numbers[self.place(hypothesis..hypothesis + 1)];
        let same = |(left, right): &(&u32, &u32)| left == right;
        let start = left.iter().zip(right).take_while(same).count();
        let rest = left[start..].iter().rev().zip(right[start..].iter().rev());
        CommonEnds { start, end: rest.take_while(same).count() }
    }

    /// Clears the texts, for the next pair.
    fn clear_texts(&mut self) {
        self.words.clear();
        self.numbers.clear();
        self.ends.clear();
        if self.ngrams.slots.len() > MAX_KEPT_SLOTS {
            self.ngrams = NgramTable::default();
        }
    }

    fn make_room(&mut self, references: &Range<usize>, orders: usize, ends: CommonEnds) {
        self.unigrams.clear();
        self.unigrams.resize(self.words.count(), Occurrences::default());
        if self.reference.checked_add(references.len() as u32 + 1).is_none() {
            self.ngrams = NgramTable::default();
            self.reference = 0;
        }
        let tokens = self.place(references.clone()).len();
        let tokens = ends.counted(tokens, orders).len();
        self.ngrams.make_room(tokens * (orders - 1), self.words.count(), self.reference);
    }

    /// The range of the tokens of consecutive texts in `numbers`.
    fn place(&self, texts: Range<usize>) -> Range<usize> {
        let end = |text: usize| if text == 0 { 0 } else { self.ends[text - 1] };
        end(texts.start)..end(texts.end)
    }

    fn count(&mut self, text: usize, orders: usize, ends: CommonEnds) {
        self.reference += 1;
        let numbers = &self.numbers[self.place(text..text + 1)];
        for start in ends.counted(numbers.len(), orders) {
            let window = &numbers[start..numbers.len().min(start + orders)];
            let spared = ends.start.saturating_sub(start);
            self.unigrams[window[0] as usize].count(self.reference, u32::from(spared == 0));
            let mut beginning = u64::from(window[0]);
            for (&token, before) in window[1..].iter().zip(1..) {
                let (place, tally) = self.ngrams.find_or_insert(beginning, token);
                tally.count(self.reference, u32::from(before >= spared));
                beginning = self.ngrams.name(place);
            }
        }
    }

    fn compare(&mut self, text: usize, orders: usize, ends: CommonEnds) -> Matches {
        let mut matches = [0; MAX_ORDER];
        let numbers = &self.numbers[self.place(text..text + 1)];
        for start in ends.counted(numbers.len(), orders) {
            let window = &numbers[start..numbers.len().min(start + orders)];
            let spared = ends.start.saturating_sub(start);
            let unigram = &mut self.unigrams[window[0] as usize];
            if unigram.reference == 0 {
                continue;
            }
            matches[0] += unigram.take(u32::from(spared == 0));
            let mut beginning = u64::from(window[0]);
            for (&token, before) in window[1..].iter().zip(1..) {
                let Some((place, tally)) = self.ngrams.find(beginning, token) else { break };
                matches[before] += tally.take(u32::from(before >= spared));
                beginning = self.ngrams.name(place);
            }
        }
        matches
    }
}

/// The number of tokens that two texts have in common at their starts, and after that at their
/// ends.
#[derive(Clone, Copy, Default)]
struct CommonEnds {
    start: usize,
    end: usize,
}

impl CommonEnds {
    /// The start positions, in a text of this length, of n-grams that are not entirely inside a
    /// common end. Short n-grams at the first of these positions are inside: they are only prefixes
    /// of longer ones, and do not count.
    fn counted(self, length: usize, orders: usize) -> Range<usize> {
        self.start.saturating_sub(orders - 1)..length - self.end
    }
}

/// The number of occurrences in the current reference, and in the one that has the most.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    reference: u32,
    now: u32,
    most: u32,
}

impl Occurrences {
    #[inline]
    fn count(&mut self, reference: u32, times: u32) {
        if self.reference != reference {
            self.reference = reference;
            self.now = 0;
        }
        self.now += times;
        self.most = self.most.max(self.now);
    }

    /// Takes up to `wanted`, which is 0 or 1, as long as some are left.
    #[inline]
    fn take(&mut self, wanted: u32) -> u32 {
        let taken = self.most.min(wanted);
        self.most -= taken;
        taken
    }
}

/// N-grams of two or more tokens: a hash table with open addressing that never moves a slot.
#[derive(Default)]
struct NgramTable {
    slots: Vec<Slot>,
    /// The number of bits of a hash that are not part of a slot's index.
    shift: u32,
    /// Slots of this reference and earlier ones count as empty.
    before: u32,
    /// The lowest name of an n-gram, above those of single tokens.
    first_name: u64,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    tally: Occurrences,
}

impl NgramTable {
    fn make_room(&mut self, ngrams: usize, tokens: usize, before: u32) {
        // A sparse table is cheap as long as it fits in the processor's L1 cache, and expensive
        // otherwise.
        let spare = if ngrams < 1 << 12 { 4 } else { 2 };
        let capacity = (ngrams * spare).next_power_of_two().max(64);
        self.slots.resize(capacity.max(self.slots.len()), Slot::default());
        self.shift = 64 - capacity.trailing_zeros();
        self.before = before;
        self.first_name = tokens as u64;
    }

    /// The name of this n-gram in the keys of n-grams that begin with it.
    #[inline]
    fn name(&self, place: usize) -> u64 {
        self.first_name + place as u64
    }

    #[inline]
    fn find(&mut self, beginning: u64, token: u32) -> Option<(usize, &mut Occurrences)> {
        let before = self.before;
        let (place, slot, _) = self.probe(beginning, token);
        (slot.tally.reference > before).then_some((place, &mut slot.tally))
    }

    #[inline]
    fn find_or_insert(&mut self, beginning: u64, token: u32) -> (usize, &mut Occurrences) {
        let before = self.before;
        let (place, slot, key) = self.probe(beginning, token);
        if slot.tally.reference <= before {
            *slot = Slot { key, tally: Occurrences::default() };
        }
        (place, &mut slot.tally)
    }

    /// The slot of an n-gram, or the empty slot where it would be inserted. There is always one:
    /// the table is at least twice as large as its contents.
    #[inline]
    fn probe(&mut self, beginning: u64, token: u32) -> (usize, &mut Slot, u64) {
        let key = beginning << 32 | u64::from(token);
        // Written so that the compiler can prove that no index is out of bounds.
        let slots = self.slots.as_mut_slice();
        let mask = slots.len() - 1;
        let mut place = (words::scatter(key) >> self.shift) as usize & mask;
        while slots[place].tally.reference > self.before && slots[place].key != key {
            place = (place + 1) & mask;
        }
        (place, &mut slots[place], key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn check(references: &[&str], hypothesis: &str, expected: &[u32]) {
        let matches = with_scratch(|scratch| {
            for text in references.iter().chain([&hypothesis]) {
                text.chars().for_each(|character| scratch.push_character(character));
                scratch.end_text();
            }
            scratch.matches(0..references.len(), references.len(), expected.len())
        });
        assert_eq!(&matches[..expected.len()], expected, "{references:?} {hypothesis:?}");
    }

    #[test]
    fn common_ngrams_are_clipped_by_the_reference_that_has_most() {
        check(&["aaab"], "aab", &[3, 2, 1, 0]);
        check(&["ab", "aab", "ba"], "aaabb", &[3, 2, 1]);
        check(&["abc"], "xyz", &[0, 0]);
        check(&[""], "", &[0, 0]);
        check(&["abcabcabc"], "abcabcabc", &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
        check(&["abxcd"], "abyabcd", &[4, 2, 0]);
    }

    /// The definition, implemented literally.
    fn count_slowly(references: &[String], hypothesis: &str, order: usize) -> u32 {
        let count = |text: &str| {
            let mut counts = BTreeMap::<Vec<char>, u32>::new();
            let text: Vec<char> = text.chars().collect();
            text.windows(order).for_each(|ngram| *counts.entry(ngram.to_vec()).or_default() += 1);
            counts
        };
        let references: Vec<_> = references.iter().map(|text| count(text)).collect();
        let most = |ngram: &Vec<char>| references.iter().filter_map(|known| known.get(ngram)).max();
        let hypothesis = count(hypothesis);
        hypothesis.iter().map(|(ngram, &count)| count.min(most(ngram).copied().unwrap_or(0))).sum()
    }

    proptest! {
        #[test]
        fn counts_as_the_definition_says(
            references in vec("[abc]{0,12}", 1..3),
            hypothesis in "[abc]{0,12}",
        ) {
            let expected: Vec<u32> =
                (1..=6).map(|order| count_slowly(&references, &hypothesis, order)).collect();
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            check(&references, &hypothesis, &expected);
        }
    }
}
