//! BLEU as sacreBLEU computes it.

use std::fmt;

use assay_core::{Error, Result};

use super::Tokenizer;
use super::counts::{Counts, Pair, ReferenceLength, TokenReader};
use super::options::positive;
use crate::brevity::brevity_penalty;
use crate::parts;
use crate::references::references_per_pair;
use crate::text::{Part, Score, Sums, TextMetric};

/// The version of sacreBLEU whose scores these are.
pub const SACREBLEU_VERSION: &str = "2.6.0";

/// sacreBLEU's BLEU, from 0 to 100.
///
/// As a pair, a text with at least one token scores 100 against itself, up to the last digit; as a
/// corpus, only with at least `max_order` tokens.
#[derive(Debug, Clone)]
pub(super) struct SacreBleu {
    /// The tokenizer.
    pub(super) tokenizer: Tokenizer,
    /// The treatment of orders without a match.
    pub(super) smoothing: SacreSmoothing,
    /// True if case is ignored.
    pub(super) lowercase: bool,
    /// The highest order.
    pub(super) max_order: usize,
    /// True if orders are left out for which no hypothesis is long enough. By default they are left
    /// out for a pair, and kept for a corpus.
    pub(super) effective_order: Option<bool>,
}

impl Default for SacreBleu {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::V13a,
            smoothing: SacreSmoothing::Exp,
            lowercase: false,
            max_order: 4,
            effective_order: None,
        }
    }
}

/// The treatment of orders without a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SacreSmoothing {
    /// Nothing: the score is 0.
    None,
    /// This many matches instead of 0.
    Floor(f64),
    /// This many more matches and n-grams, from order 2 on.
    AddK(f64),
    /// 1/2, 1/4, … matches.
    Exp,
}

impl SacreSmoothing {
    /// The smoothing with this name, with parameter `value` or else sacreBLEU's default.
    pub(super) fn new(name: &str, value: Option<f64>) -> Result<Self> {
        let (smoothing, tunable) = match name {
            "none" => (Self::None, false),
            "floor" => (Self::Floor(value.unwrap_or(0.1)), true),
            "add-k" => (Self::AddK(value.unwrap_or(1.0)), true),
            "exp" => (Self::Exp, false),
            _ => {
                return Err(Error::usage(format!("sacrebleu has no smoothing `{name}`"))
                    .hint("it has none, floor, add-k and exp"));
            }
        };
        positive(name, value, tunable)?;
        Ok(smoothing)
    }
}

impl fmt::Display for SacreSmoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Floor(value) => write!(f, "floor[{}]", digits(*value)),
            Self::AddK(value) => write!(f, "add-k[{}]", digits(*value)),
            Self::Exp => f.write_str("exp"),
        }
    }
}

/// Formats a value with two digits, as sacreBLEU prints it, or with all digits if two would make it
/// ambiguous.
fn digits(value: f64) -> String {
    let two = format!("{value:.2}");
    let is_exact = two.parse().is_ok_and(|read: f64| read.to_bits() == value.to_bits());
    if is_exact { two } else { value.to_string() }
}

impl SacreBleu {
    /// The score of these counts.
    fn score_counts(&self, corpus: &Sums, effective_order: bool) -> Score {
        let counts = Counts::new(corpus, self.max_order);
        let (hypothesis, reference) = (counts.hypothesis(), counts.reference());
        let penalty = brevity_penalty(hypothesis, reference);
        let (mut matches, mut totals): (Vec<f64>, Vec<f64>) = counts.matches_and_totals().unzip();
        let precisions = self.precisions(&mut matches, &mut totals);
        let orders = if effective_order { precisions.len() } else { self.max_order };
        let score = penalty * geometric_mean(&precisions, orders);
        let missing = self.max_order - precisions.len();
        let precisions = [precisions, vec![0.0; missing]].concat();
        Score::new("score", score)
            .part("counts", parts::counts(matches))
            .part("totals", parts::counts(totals))
            .part("precisions", Part::Numbers(precisions))
            .part("bp", Part::Number(penalty))
            .part("sys_len", parts::count(hypothesis))
            .part("ref_len", parts::count(reference))
    }

    /// The precisions, in percent, of the orders that have n-grams; none if nothing matches.
    /// Smoothing changes the given counts.
    fn precisions(&self, matches: &mut [f64], totals: &mut [f64]) -> Vec<f64> {
        if matches.iter().all(|&count| count == 0.0) {
            return Vec::new();
        }
        let mut precisions = Vec::with_capacity(self.max_order);
        let mut half = 1.0;
        for (matches, total) in matches.iter_mut().zip(totals) {
            if let SacreSmoothing::AddK(k) = self.smoothing
                && !precisions.is_empty()
            {
                *matches += k;
                *total += k;
            }
            if *total == 0.0 {
                break;
            }
            precisions.push(if *matches > 0.0 {
                100.0 * *matches / *total
            } else {
                100.0 * self.instead_of_zero(&mut half) / *total
            });
        }
        precisions
    }

    fn instead_of_zero(&self, half: &mut f64) -> f64 {
        match self.smoothing {
            SacreSmoothing::None | SacreSmoothing::AddK(_) => 0.0,
            SacreSmoothing::Floor(value) => value,
            SacreSmoothing::Exp => {
                *half /= 2.0;
                *half
            }
        }
    }
}

impl TextMetric for SacreBleu {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let reader =
            TokenReader { tokenizer: self.tokenizer, lowercase: self.lowercase, strip_end: true };
        let pair =
            Pair::count(references, hypothesis, self.max_order, ReferenceLength::Closest, reader);
        Sums::new(pair.sums(self.max_order, 0))
    }

    fn score(&self, corpus: &Sums) -> Score {
        self.score_counts(corpus, self.effective_order.unwrap_or(false))
    }

    fn score_pair(&self, pair: &Sums) -> Score {
        self.score_counts(pair, self.effective_order.unwrap_or(true))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 100.0)
    }

    /// sacreBLEU's own signature, with the highest order added if it is not 4: sacreBLEU omits it.
    fn signature(&self, corpus: &Sums) -> String {
        let order =
            if self.max_order == 4 { String::new() } else { format!("|order:{}", self.max_order) };
        format!(
            "nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}{order}|version:{SACREBLEU_VERSION}",
            references_per_pair(corpus),
            if self.lowercase { "lc" } else { "mixed" },
            if self.effective_order == Some(true) { "yes" } else { "no" },
            tokenizer_name(self.tokenizer),
            self.smoothing,
        )
    }
}

/// The geometric mean over `orders` precisions; missing ones are 0, and then so is the mean.
fn geometric_mean(precisions: &[f64], orders: usize) -> f64 {
    let is_zero = |precision: &f64| *precision == 0.0;
    if precisions.is_empty() || precisions.len() < orders || precisions.iter().any(is_zero) {
        return 0.0;
    }
    let logs: f64 = precisions.iter().map(|&precision| libm::log(precision)).sum();
    libm::exp(logs / orders as f64)
}

/// sacreBLEU's name for a tokenizer.
pub(super) fn tokenizer_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::Whitespace => "none",
        Tokenizer::V13a => "13a",
        Tokenizer::International => "intl",
        Tokenizer::Characters => "char",
        Tokenizer::CodeToText => "codexglue",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both expected values are sacreBLEU's own.
    fn check(metric: &SacreBleu, score: f64, signature: &str) {
        let mut corpus = Sums::default();
        let cat = ["The cat is on the mat.", "A cat sat on a mat"];
        metric.join(&mut corpus, &metric.measure(&cat, "The cat sat, on the mat."));
        metric.join(&mut corpus, &metric.measure(&["hello world!"], "Hello (world)!"));
        let found = metric.score(&corpus).value();
        assert!((found - score).abs() < 1e-12 * score, "{found} instead of {score}");
        assert_eq!(metric.signature(&corpus), signature);
    }

    #[test]
    fn scores_and_signatures_are_those_of_the_package() {
        check(
            &SacreBleu::default(),
            31.614_875_844_889_426,
            "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
        );
        check(
            &SacreBleu {
                tokenizer: Tokenizer::International,
                lowercase: true,
                ..SacreBleu::default()
            },
            32.458_679_918_757_58,
            "nrefs:var|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0",
        );
        check(
            &SacreBleu { smoothing: SacreSmoothing::AddK(0.5), ..SacreBleu::default() },
            36.333_112_311_850_63,
            "nrefs:var|case:mixed|eff:no|tok:13a|smooth:add-k[0.50]|version:2.6.0",
        );
    }

    #[test]
    fn values_that_differ_sign_differently() {
        for (value, expected) in
            [(0.1, "0.10"), (1.0, "1.00"), (0.101, "0.101"), (0.104, "0.104"), (0.25, "0.25")]
        {
            assert_eq!(SacreSmoothing::Floor(value).to_string(), format!("floor[{expected}]"));
            assert_eq!(SacreSmoothing::AddK(value).to_string(), format!("add-k[{expected}]"));
        }
    }
}
