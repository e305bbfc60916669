//! BLEU as `CodeXGLUE`'s code-to-text evaluator computes it: the mean of smoothed sentence scores.

use super::Tokenizer;
use super::counts::{Pair, ReferenceLength, TokenReader};
use crate::references::{REFERENCE_COUNTS, pairs, reference_counts, references_per_pair};
use crate::text::{Part, Score, Sums, TextMetric};

const ORDERS: usize = 4;

/// The mean of the sentence scores, from 0 to 100, with the means of their precisions.
///
/// A text with at least one token scores 100 against itself. A hypothesis without a token or
/// without a match scores more than 0, by the smallest positive number. The sums are not whole
/// numbers, so another order of the pairs may change the last digits.
#[derive(Debug, Clone)]
pub(super) struct CodeToText {
    version: String,
}

impl CodeToText {
    /// Creates the metric, which has no options.
    pub(super) fn new(version: &str) -> Self {
        Self { version: version.to_owned() }
    }
}

impl TextMetric for CodeToText {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let reader = TokenReader::plain(Tokenizer::CodeToText);
        let pair = Pair::count(references, hypothesis, ORDERS, ReferenceLength::Shortest, reader);
        let mut sums = reference_counts(pair.references).to_vec();
        sums.push(sentence_score(&pair));
        sums.extend((1..=ORDERS).map(|order| precision(&pair, order)));
        Sums::new(sums)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let pairs = pairs(corpus);
        if pairs == 0.0 {
            return Score::new("score", f64::NAN).part("score", Part::Missing);
        }
        let mean = |place: usize| corpus.at(REFERENCE_COUNTS + place) * 100.0 / pairs;
        Score::new("score", mean(0))
            .part("precisions", Part::Numbers((1..=ORDERS).map(mean).collect()))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 100.0)
    }

    fn signature(&self, corpus: &Sums) -> String {
        format!(
            "bleu|variant:codexglue-c2t|smooth:add-one-from-2|tok:codexglue|order:{ORDERS}|refs:{}|\
             scale:100|nrefs:{}|version:{}",
            ReferenceLength::Shortest.name(),
            references_per_pair(corpus),
            self.version,
        )
    }
}

fn sentence_score(pair: &Pair) -> f64 {
    let logs = (1..=ORDERS).map(|order| {
        let one = if order == 1 { 0.0 } else { 1.0 };
        let log = |count: f64| libm::log(count + one + f64::MIN_POSITIVE);
        log(f64::from(pair.matches[order - 1])) - log(pair.total(order) as f64)
    });
    let mean = logs.sum::<f64>() / ORDERS as f64;
    let brevity = 1.0 - (pair.reference as f64 + 1.0) / (pair.hypothesis as f64 + 1.0);
    libm::exp(mean + brevity.min(0.0))
}

fn precision(pair: &Pair, order: usize) -> f64 {
    match pair.total(order) {
        0 => 0.0,
        total => {
            let matches = f64::from(pair.matches[order - 1]) + f64::MIN_POSITIVE;
            libm::exp(libm::log(matches) - libm::log(total as f64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_evaluator() {
        let sum = "Returns the sum of two numbers.";
        let pairs = [
            (sum, sum, 100.0),
            (sum, "Return the sum of the two numbers", 40.614_925_799_324_63),
            (sum, "", 0.091_188_196_555_451_63),
            ("Get a value", "xyz", 4.493_053_873_107_152e-76),
            (
                "Open the file-name at path/to/x.",
                "Opens file_name at path.to/x , 3.5 times",
                23.266_541_684_590_06,
            ),
            (
                "Parse XML & return <b>node</b>",
                "parse xml &amp; return node",
                20.230_980_375_234_633,
            ),
            ("a", "a", 100.0),
            ("Create a new user", "create user", 43.173_061_492_439_62),
        ];
        let metric = CodeToText::new("0");
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() <= 1e-12 * expected, "{found} for {expected}");
        };
        let mut corpus = Sums::default();
        for (reference, hypothesis, expected) in pairs {
            let pair = metric.measure(&[reference], hypothesis);
            close(metric.score_pair(&pair).value(), expected);
            metric.join(&mut corpus, &pair);
        }
        close(metric.score(&corpus).value(), 40.922_087_193_518_045);
    }
}
