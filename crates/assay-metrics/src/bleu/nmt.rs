//! BLEU as TensorFlow's translation examples compute it: Hugging Face's `bleu` with the tokenizer
//! 13a, and `CodeXGLUE`'s evaluators of code with white space.

use super::Tokenizer;
use super::counts::{Counts, Pair, ReferenceLength, TokenReader};
use crate::parts;
use crate::python::round;
use crate::references::references_per_pair;
use crate::text::{Part, Score, Sums, TextMetric};

/// The formula that both variants share.
#[derive(Debug, Clone)]
struct Formula {
    smooth: bool,
    max_order: usize,
    version: String,
}

/// The result of the formula.
struct FormulaResult {
    bleu: f64,
    precisions: Vec<f64>,
    penalty: f64,
    ratio: f64,
    hypothesis: f64,
    reference: f64,
}

impl Formula {
    fn measure(&self, tokenizer: Tokenizer, references: &[&str], hypothesis: &str) -> Sums {
        let reader = TokenReader::plain(tokenizer);
        let pair =
            Pair::count(references, hypothesis, self.max_order, ReferenceLength::Shortest, reader);
        Sums::new(pair.sums(self.max_order, 0))
    }

    fn value(&self, corpus: &Sums) -> FormulaResult {
        let counts = Counts::new(corpus, self.max_order);
        let (hypothesis, reference) = (counts.hypothesis(), counts.reference());
        let one = if self.smooth { 1.0 } else { 0.0 };
        let share = |(matches, total): (f64, f64)| divide(matches + one, total + one);
        let precisions: Vec<f64> = counts.matches_and_totals().map(share).collect();
        // The originals divide by zero if all hypotheses are empty, or all references.
        let ratio = divide(hypothesis, reference);
        let penalty = match ratio {
            0.0 => 0.0,
            ratio if ratio > 1.0 => 1.0,
            ratio => libm::exp(1.0 - 1.0 / ratio),
        };
        let bleu = penalty * geometric_mean(&precisions);
        FormulaResult { bleu, precisions, penalty, ratio, hypothesis, reference }
    }

    fn signature(&self, variant: &str, tokenizer: &str, scale: u32, corpus: &Sums) -> String {
        format!(
            "bleu|variant:{variant}|smooth:{}|tok:{tokenizer}|order:{}|refs:{}|\
             scale:{scale}|nrefs:{}|version:{}",
            if self.smooth { "add-one" } else { "none" },
            self.max_order,
            ReferenceLength::Shortest.name(),
            references_per_pair(corpus),
            self.version,
        )
    }
}

/// Divides; 0/0 is 0.
fn divide(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The geometric mean; 0 if one of the precisions is 0.
fn geometric_mean(precisions: &[f64]) -> f64 {
    if precisions.iter().any(|&precision| precision <= 0.0) {
        return 0.0;
    }
    let weight = 1.0 / precisions.len() as f64;
    libm::exp(precisions.iter().map(|&precision| weight * libm::log(precision)).sum())
}

/// Hugging Face's `bleu`, from 0 to 1: tokens of 13a, lengths of the shortest references.
///
/// Without smoothing, a text scores 1 against itself if it has at least `max_order` tokens; with
/// smoothing, if it has any. If either side has no token, the score is 0.
#[derive(Debug, Clone)]
pub(super) struct HuggingFace(Formula);

impl HuggingFace {
    /// Creates the metric; `smooth` adds one match and one n-gram to every order.
    pub(super) fn new(smooth: bool, max_order: usize, version: &str) -> Self {
        Self(Formula { smooth, max_order, version: version.to_owned() })
    }
}

impl TextMetric for HuggingFace {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        self.0.measure(Tokenizer::V13a, references, hypothesis)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let value = self.0.value(corpus);
        Score::new("score", value.bleu)
            .part("precisions", Part::Numbers(value.precisions))
            .part("brevity_penalty", Part::Number(value.penalty))
            .part("length_ratio", Part::Number(value.ratio))
            .part("translation_length", parts::count(value.hypothesis))
            .part("reference_length", parts::count(value.reference))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn signature(&self, corpus: &Sums) -> String {
        self.0.signature("hf", "13a", 1, corpus)
    }
}

/// The score that `CodeXGLUE`'s evaluators of code print, from 0 to 100: tokens split at white
/// space, rounded to two digits, together with the unrounded value. A pair's score is not rounded.
#[derive(Debug, Clone)]
pub(super) struct Nmt(Formula);

impl Nmt {
    /// Creates the metric; `smooth` adds one match and one n-gram to every order.
    pub(super) fn new(smooth: bool, max_order: usize, version: &str) -> Self {
        Self(Formula { smooth, max_order, version: version.to_owned() })
    }
}

impl TextMetric for Nmt {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        self.0.measure(Tokenizer::Whitespace, references, hypothesis)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let unrounded = self.value(corpus);
        Score::new("score", round(unrounded, 2)).part("unrounded", Part::Number(unrounded))
    }

    fn score_pair(&self, pair: &Sums) -> Score {
        Score::new("score", self.value(pair))
    }

    fn value(&self, corpus: &Sums) -> f64 {
        100.0 * self.0.value(corpus).bleu
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 100.0)
    }

    fn signature(&self, corpus: &Sums) -> String {
        self.0.signature("nmt", "whitespace", 100, corpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected, "{found} instead of {expected}");
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let pairs = [
            ("r = int(''.join(map(str, x)))", "r = int(''.join(map(str, x)))", 1.0),
            (
                "print([key for key in d if d[key] == 1])",
                "print([k for k in d if d[k] == 1])",
                0.577_796_616_851_288_2,
            ),
            (
                "SELECT count(*) FROM head WHERE age  >  56",
                "SELECT COUNT(*) FROM head WHERE age > 56",
                0.826_516_818_379_380_2,
            ),
            (
                "boolean function ( ) { return isParsed ; }",
                "boolean function() { return parsed; }",
                0.707_106_781_186_547_5,
            ),
            ("x", "y", 0.840_896_415_253_714_5),
            ("x", "", 0.0),
        ];
        let (smooth, rough) = (HuggingFace::new(true, 4, "0"), HuggingFace::new(false, 4, "0"));
        let mut corpus = Sums::default();
        for (reference, hypothesis, expected) in pairs {
            let pair = smooth.measure(&[reference], hypothesis);
            close(smooth.score_pair(&pair).value(), expected);
            smooth.join(&mut corpus, &pair);
        }
        close(smooth.score(&corpus).value(), 0.748_807_714_291_242_3);
        close(rough.score(&corpus).value(), 0.743_536_386_639_580_4);
        let lengths = ["translation_length", "reference_length"];
        let lengths = lengths.map(|name| smooth.score(&corpus).parts().get(name).cloned());
        assert_eq!(lengths, [Some(Part::Count(55)), Some(Part::Count(56))]);
    }

    #[test]
    fn empty_texts_score_zero_where_the_originals_divide_by_zero() {
        for smooth in [false, true] {
            let variants: [Box<dyn TextMetric>; 2] =
                [Box::new(HuggingFace::new(smooth, 4, "0")), Box::new(Nmt::new(smooth, 4, "0"))];
            for metric in variants {
                for (reference, hypothesis) in [("a b c d", ""), ("", "a b c d"), ("", "")] {
                    let mut corpus = Sums::default();
                    for _ in 0..2 {
                        metric.join(&mut corpus, &metric.measure(&[reference], hypothesis));
                    }
                    assert!(metric.score(&corpus).value().abs() < f64::MIN_POSITIVE);
                    assert!(metric.value(&corpus).abs() < f64::MIN_POSITIVE);
                }
                // One empty hypothesis among others is no matter: the corpus has a length.
                let mut corpus = metric.measure(&["a b c d"], "");
                metric.join(&mut corpus, &metric.measure(&["a b c d"], "a b c d"));
                assert!(metric.score(&corpus).value() > 0.3);
            }
        }
    }

    #[test]
    fn a_corpus_is_rounded_and_a_pair_is_not() {
        let metric = Nmt::new(true, 4, "0");
        let pair = metric.measure(&["a b c d e"], "a b c d f");
        let unrounded =
            100.0 * libm::exp((libm::log(5.0 / 6.0 * 0.8 * 0.75) + libm::log(2.0 / 3.0)) / 4.0);
        close(metric.score_pair(&pair).value(), unrounded);
        close(metric.score(&pair).value(), round(unrounded, 2));
        let Some(Part::Number(beside)) = metric.score(&pair).parts().get("unrounded").cloned()
        else {
            panic!("there is no unrounded score");
        };
        close(beside, unrounded);
    }
}
