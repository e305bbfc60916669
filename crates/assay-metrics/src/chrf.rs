//! chrF and chrF++ (Popović 2015, 2017) as sacreBLEU computes them: F scores of character n-grams
//! and word n-grams.

use assay_core::{Error, Result};

use crate::bleu::SACREBLEU_VERSION;
use crate::card::{OptionCard, OptionKind, TextMetricCard, VariantCard};
use crate::ngrams::{MAX_ORDER, Matches, Scratch, with_scratch};
use crate::parts;
use crate::python;
use crate::references::{REFERENCE_COUNTS, reference_counts, references_per_pair};
use crate::registry::{MetricOptions, TextMetricKind};
use crate::text::{Score, Sums, TextMetric};

/// chrF on the command line.
pub(crate) static CHRF: TextMetricKind = TextMetricKind::new(
    TextMetricCard {
        name: "chrf",
        summary: "chrF: character n-grams that hypothesis and references share",
        variants: &[
            VariantCard::new("chrf", "N-grams of characters"),
            VariantCard::new("chrf++", "N-grams of characters and of words"),
        ],
        default_variant: "chrf",
        needs_language: false,
        options: &[
            OptionCard::new(
                "char-order",
                "N",
                OptionKind::Integer(1..=MAX_ORDER),
                "The longest n-grams of characters. Default: 6",
            ),
            OptionCard::new(
                "word-order",
                "N",
                OptionKind::Integer(0..=MAX_ORDER),
                "The longest n-grams of words. Default: 0, and 2 for chrf++",
            ),
            OptionCard::new(
                "beta",
                "B",
                OptionKind::Integer(0..=1000),
                "The weight of recall relative to precision. Default: 2",
            ),
            OptionCard::flag("lowercase", "Ignore case"),
            OptionCard::flag("whitespace", "Count white space too"),
            OptionCard::flag(
                "eps-smoothing",
                "Count orders that a text is too short for as nearly 0, instead of not at all",
            ),
        ],
        examples: &[
            "assay metric chrf --refs ref.txt --hyp out.txt",
            "assay metric chrf --variant chrf++ --pairs pairs.jsonl --per-pair --json",
        ],
    },
    build,
);

fn build(options: &MetricOptions) -> Result<Box<dyn TextMetric>> {
    let plus_plus = options.variant_name() == "chrf++";
    let word_order = options.integer("word-order").unwrap_or(if plus_plus { 2 } else { 0 });
    if plus_plus && word_order == 0 {
        return Err(Error::usage("chrf++ without words is chrf").hint("choose --variant chrf"));
    }
    let default = ChrfOptions::default();
    let chosen = ChrfOptions {
        char_order: options.integer("char-order").unwrap_or(default.char_order),
        word_order,
        beta: options.integer("beta").unwrap_or(default.beta),
        lowercase: options.flag("lowercase"),
        whitespace: options.flag("whitespace"),
        eps_smoothing: options.flag("eps-smoothing"),
    };
    Ok(Box::new(chosen.build()?))
}

/// The options of a chrF score. The default is chrF2, with characters up to order 6.
#[derive(Debug, Clone)]
pub struct ChrfOptions {
    /// The highest order of character n-grams.
    pub char_order: usize,
    /// The highest order of word n-grams: 0 for chrF, 2 for chrF++.
    pub word_order: usize,
    /// The weight of recall relative to precision.
    pub beta: u32,
    /// True if case is ignored.
    pub lowercase: bool,
    /// True if white space counts as characters.
    pub whitespace: bool,
    /// True if orders for which one side is too short count as nearly 0, as in `chrF++.py`;
    /// otherwise they are left out.
    pub eps_smoothing: bool,
}

impl Default for ChrfOptions {
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

impl ChrfOptions {
    /// Builds the metric, or says which option cannot be used.
    pub fn build(self) -> Result<Chrf> {
        let Self { char_order, word_order, .. } = self;
        if char_order == 0 && word_order == 0 || char_order.max(word_order) > MAX_ORDER {
            return Err(Error::usage(format!(
                "the orders are {char_order} for characters and {word_order} for words, \
                 not up to {MAX_ORDER} and one of them at least 1"
            )));
        }
        Ok(Chrf(self))
    }
}

/// chrF, from 0 to 100. With several references, each pair uses the one with the best score.
///
/// A text with a character other than white space scores 100 against itself, up to the last digits;
/// with `eps_smoothing`, only if it has at least as many characters and words as there are orders.
#[derive(Debug, Clone)]
pub struct Chrf(ChrfOptions);

/// The value used for 0/0.
const EPSILON: f64 = 1e-16;

/// The numbers of n-grams of one order: in the hypothesis, in the reference, in both.
type Counts = [f64; 3];

impl Chrf {
    /// The name of the score, such as `chrF2++`.
    pub fn name(&self) -> String {
        format!("chrF{}{}", self.0.beta, "+".repeat(self.0.word_order))
    }

    /// The counts for the reference that gives the best score.
    fn best_counts(&self, references: &[&str], hypothesis: &str) -> Vec<Counts> {
        let characters =
            self.compare(references, hypothesis, self.0.char_order, |text, scratch| {
                let counted = |character: &char| self.0.whitespace || !python::is_space(*character);
                text.chars()
                    .filter(counted)
                    .for_each(|character| scratch.push_character(character));
            });
        let words = self.compare(references, hypothesis, self.0.word_order, push_words);
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
                read(&python::lower(text, self.0.lowercase), scratch);
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
        let factor = f64::from(self.0.beta) * f64::from(self.0.beta);
        if self.0.eps_smoothing {
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
        let orders = self.0.char_order + self.0.word_order;
        let at = |place: usize| corpus.at(REFERENCE_COUNTS + place);
        let counts: Vec<Counts> =
            (0..orders).map(|order| [0, 1, 2].map(|part| at(3 * order + part))).collect();
        let column = |part: usize| parts::counts(counts.iter().map(|count| count[part]).collect());
        Score::new("score", self.f_score(&counts))
            .part("hypothesis_ngrams", column(0))
            .part("reference_ngrams", column(1))
            .part("common_ngrams", column(2))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 100.0)
    }

    /// sacreBLEU's own signature, with beta added if it is not 2: sacreBLEU has it in the score's
    /// name.
    fn signature(&self, corpus: &Sums) -> String {
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let beta = if self.0.beta == 2 { String::new() } else { format!("|beta:{}", self.0.beta) };
        format!(
            "nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}{beta}|version:{SACREBLEU_VERSION}",
            references_per_pair(corpus),
            if self.0.lowercase { "lc" } else { "mixed" },
            yes(!self.0.eps_smoothing),
            self.0.char_order,
            self.0.word_order,
            yes(self.0.whitespace),
        )
    }
}

/// The counts for each order. N-grams of the hypothesis count only in orders in which the reference
/// has some.
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

/// Pushes the words of a text, split at white space. One punctuation mark at the end of a word, or
/// else at its start, is a separate word.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All expected values are sacreBLEU's own.
    fn check(options: ChrfOptions, score: f64, pairs: [f64; 2], signature: &str) {
        let metric = options.build().unwrap();
        let cat = ["The cat is on the mat.", "A cat sat on a mat"];
        let measured = [
            metric.measure(&cat, "The cat sat, on the mat."),
            metric.measure(&["hello world!"], "Hello (world)!"),
        ];
        let mut corpus = Sums::default();
        for (pair, expected) in measured.iter().zip(pairs) {
            metric.join(&mut corpus, pair);
            let found = metric.score_pair(pair).value();
            assert!((found - expected).abs() < 1e-12 * expected, "{found} for {expected}");
        }
        let found = metric.score(&corpus).value();
        assert!((found - score).abs() < 1e-12 * score, "{found} instead of {score}");
        assert_eq!(metric.signature(&corpus), signature);
    }

    #[test]
    fn scores_and_signatures_are_those_of_the_package() {
        check(
            ChrfOptions::default(),
            57.855_805_257_690_676,
            [66.287_554_307_874_94, 42.912_058_500_667_825],
            "nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
        );
        let plus = ChrfOptions { word_order: 2, ..ChrfOptions::default() };
        assert_eq!(plus.clone().build().unwrap().name(), "chrF2++");
        check(
            plus.clone(),
            58.072_977_318_307_16,
            [68.197_741_022_282_61, 36.374_224_776_408_6],
            "nrefs:var|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0",
        );
        check(
            ChrfOptions { lowercase: true, whitespace: true, ..plus.clone() },
            68.169_340_763_219_62,
            [74.880_444_359_880_46, 51.559_409_156_677_29],
            "nrefs:var|case:lc|eff:yes|nc:6|nw:2|space:yes|version:2.6.0",
        );
        check(
            ChrfOptions { eps_smoothing: true, ..plus },
            58.064_696_669_588_22,
            [68.195_217_010_113_25, 36.347_451_559_517_63],
            "nrefs:var|case:mixed|eff:no|nc:6|nw:2|space:no|version:2.6.0",
        );
    }

    #[test]
    fn orders_of_nothing_are_refused() {
        for char_order in [0, 17] {
            assert!(ChrfOptions { char_order, ..ChrfOptions::default() }.build().is_err());
        }
    }
}
