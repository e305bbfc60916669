//! chrF and chrF++ (Popović 2015, 2017) as sacreBLEU computes them: F scores of character n-grams,
//! and of words.

use assay_core::{Error, Result};

use crate::bleu::SACREBLEU_VERSION;
use crate::ngrams::{MOST_ORDERS, Matches, Scratch, with_scratch};
use crate::parts;
use crate::python;
use crate::references::{REFERENCE_COUNTS, reference_counts, references_per_pair};
use crate::text::{Score, Sums, TextMetric};

/// chrF, from 0 to 100. Of several references, each pair takes the one that it scores best with.
///
/// A text with a character that is no white space scores 100 against itself, up to the last digits;
/// with `eps_smoothing` only from as many characters and words as there are orders on.
#[derive(Debug, Clone)]
pub struct Chrf {
    char_order: usize,
    word_order: usize,
    beta: u32,
    /// Whether case does not matter.
    pub lowercase: bool,
    /// Whether white space counts as characters do.
    pub whitespace: bool,
    /// Whether orders that one side is too short for count as nearly 0, as in `chrF++.py`; they do
    /// not count otherwise.
    pub eps_smoothing: bool,
}

impl Default for Chrf {
    /// chrF2 with characters up to order 6.
    fn default() -> Self {
        Self {
            char_order: 6,
            word_order: 0,
            beta: 2,
            lowercase: false,
            whitespace: false,
            eps_smoothing: false,
        }
    }
}

/// What stands for a share of nothing.
const EPSILON: f64 = 1e-16;

/// How many n-grams of an order the hypothesis has, how many the reference, how many are common.
type Counts = [f64; 3];

impl Chrf {
    /// Characters and words up to these orders; recall weighs `beta` times as much as precision.
    pub fn new(char_order: usize, word_order: usize, beta: u32) -> Result<Self> {
        if char_order + word_order == 0 || char_order.max(word_order) > MOST_ORDERS {
            return Err(Error::usage(format!(
                "the orders are {char_order} for characters and {word_order} for words, \
                 not up to {MOST_ORDERS} and one of them at least 1"
            )));
        }
        Ok(Self { char_order, word_order, beta, ..Self::default() })
    }

    /// What the score is called, such as `chrF2++`.
    pub fn name(&self) -> String {
        format!("chrF{}{}", self.beta, "+".repeat(self.word_order))
    }

    /// The counts of the best reference, and how well the hypothesis does with it.
    fn best_counts(&self, references: &[&str], hypothesis: &str) -> Vec<Counts> {
        let characters = self.compare(references, hypothesis, self.char_order, |text, scratch| {
            let counted = |character: &char| self.whitespace || !python::is_space(*character);
            text.chars().filter(counted).for_each(|character| scratch.push_character(character));
        });
        let words = self.compare(references, hypothesis, self.word_order, push_words);
        let mut best = (-1.0, Vec::new());
        for (mut counts, words) in characters.into_iter().zip(words) {
            counts.extend(words);
            let score = self.f_score(&counts);
            if score > best.0 {
                best = (score, counts);
            }
        }
        best.1
    }

    /// The counts of each reference, for each order.
    fn compare(
        &self,
        references: &[&str],
        hypothesis: &str,
        orders: usize,
        read: impl Fn(&str, &mut Scratch),
    ) -> Vec<Vec<Counts>> {
        if orders == 0 {
            return vec![Vec::new(); references.len()];
        }
        with_scratch(|scratch| {
            for text in references.iter().chain([&hypothesis]) {
                read(&python::lower(text, self.lowercase), scratch);
                scratch.end_text();
            }
            let last = references.len();
            let compare = |text: usize| {
                let matches = scratch.matches(text..text + 1, last, orders);
                counts(&matches, orders, scratch.length(last), scratch.length(text))
            };
            (0..last).map(compare).collect()
        })
    }

    fn f_score(&self, counts: &[Counts]) -> f64 {
        let factor = f64::from(self.beta) * f64::from(self.beta);
        if self.eps_smoothing {
            let sum: f64 = counts.iter().map(|counts| smoothed_f(counts, factor)).sum();
            return 100.0 * sum / counts.len() as f64;
        }
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        for [hypothesis, reference, common] in counts {
            if *hypothesis > 0.0 && *reference > 0.0 {
                precision += common / hypothesis;
                recall += common / reference;
                orders += 1.0;
            }
        }
        if precision + recall == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precision / orders, recall / orders);
        100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))
    }
}

impl TextMetric for Chrf {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let best = self.best_counts(references, hypothesis);
        let mut sums = Vec::with_capacity(REFERENCE_COUNTS + 3 * best.len());
        sums.extend(reference_counts(references.len()));
        sums.extend(best.into_iter().flatten());
        Sums::new(sums)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let orders = self.char_order + self.word_order;
        let at = |place: usize| corpus.at(REFERENCE_COUNTS + place);
        let counts: Vec<Counts> =
            (0..orders).map(|order| [0, 1, 2].map(|part| at(3 * order + part))).collect();
        let column = |part: usize| parts::counts(counts.iter().map(|count| count[part]).collect());
        Score::new("score", self.f_score(&counts))
            .part("hypothesis_ngrams", column(0))
            .part("reference_ngrams", column(1))
            .part("common_ngrams", column(2))
    }

    /// sacreBLEU's own. Beta is in it only if it is not 2: sacreBLEU has it in the score's name.
    fn signature(&self, corpus: &Sums) -> String {
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let beta = if self.beta == 2 { String::new() } else { format!("|beta:{}", self.beta) };
        format!(
            "nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}{beta}|version:{SACREBLEU_VERSION}",
            references_per_pair(corpus),
            if self.lowercase { "lc" } else { "mixed" },
            yes(!self.eps_smoothing),
            self.char_order,
            self.word_order,
            yes(self.whitespace),
        )
    }
}

/// Those of the hypothesis count only where the reference has some of that order.
fn counts(matches: &Matches, orders: usize, hypothesis: usize, reference: usize) -> Vec<Counts> {
    let of_order = |order: usize| {
        let total = |length: usize| (length + 1).saturating_sub(order) as f64;
        let counted = if total(reference) > 0.0 { total(hypothesis) } else { 0.0 };
        [counted, total(reference), f64::from(matches[order - 1])]
    };
    (1..=orders).map(of_order).collect()
}

fn smoothed_f([hypothesis, reference, common]: &Counts, factor: f64) -> f64 {
    let share = |whole: f64| if whole > 0.0 { common / whole } else { EPSILON };
    let (precision, recall) = (share(*hypothesis), share(*reference));
    let divisor = factor * precision + recall;
    if divisor > 0.0 { (1.0 + factor) * precision * recall / divisor } else { EPSILON }
}

/// Words at white space; one punctuation mark at the end of a word, or else at its start, is a word of
/// its own.
fn push_words(text: &str, scratch: &mut Scratch) {
    let punctuation = |character: char| character.is_ascii_punctuation();
    for word in python::split(text) {
        let bytes = word.as_bytes();
        if word.chars().nth(1).is_none() {
            scratch.push_word(bytes, 0, bytes.len());
        } else if word.ends_with(punctuation) {
            scratch.push_word(bytes, 0, bytes.len() - 1);
            scratch.push_word(bytes, bytes.len() - 1, bytes.len());
        } else if word.starts_with(punctuation) {
            scratch.push_word(bytes, 0, 1);
            scratch.push_word(bytes, 1, bytes.len());
        } else {
            scratch.push_word(bytes, 0, bytes.len());
        }
    }
}
