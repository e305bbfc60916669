//! BLEU as NLTK's `corpus_bleu` computes it, with the smoothing methods of Chen and Cherry (2014).

use assay_core::{Error, Result};
use assay_stats::ExactSum;

use super::Tokenizer;
use super::counts::{Counts, Pair, ReferenceLength, TokenReader};
use super::options::positive;
use crate::brevity::brevity_penalty;
use crate::references::references_per_pair;
use crate::text::{Part, Score, Sums, TextMetric};

/// NLTK's BLEU of tokens split at white space, from 0 to 1. A pair is a corpus of one.
///
/// Methods 5, 6 and 7 use the last pair of a corpus a second time, so for them the order matters.
/// Method 6 fails in NLTK if no 3-gram matches but some token does; the score is then missing here.
/// Identical texts score 1 if they have at least `max_order` tokens; shorter ones score less with
/// most methods. Methods 5 and 7 give identical texts more than 1.
#[derive(Debug, Clone)]
pub(super) struct Nltk {
    smoothing: NltkSmoothing,
    max_order: usize,
    version: String,
}

/// The treatment of orders without a match, with the method's parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NltkSmoothing {
    /// Replaces 0 with the smallest positive number.
    Method0,
    /// This many matches instead of 0.
    Method1(f64),
    /// One more match and one more n-gram, from order 2 on.
    Method2,
    /// 1/2, 1/4, … matches.
    Method3,
    /// As method 3, but less for short texts: divided by this.
    Method4(f64),
    /// The mean with the orders below and above.
    Method5,
    /// Smoothed towards the value expected from the lower orders, with this weight.
    Method6(f64),
    /// Method 4 and then method 5.
    Method7(f64),
}

impl NltkSmoothing {
    /// The method called `method0` … `method7`, with parameter `value` or else NLTK's default.
    pub(super) fn new(name: &str, value: Option<f64>) -> Result<Self> {
        let (epsilon, five) = (value.unwrap_or(0.1), value.unwrap_or(5.0));
        let (method, tunable) = match name {
            "method0" => (Self::Method0, false),
            "method1" => (Self::Method1(epsilon), true),
            "method2" => (Self::Method2, false),
            "method3" => (Self::Method3, false),
            "method4" => (Self::Method4(five), true),
            "method5" => (Self::Method5, false),
            "method6" => (Self::Method6(five), true),
            "method7" => (Self::Method7(five), true),
            _ => {
                return Err(Error::usage(format!("nltk has no smoothing `{name}`"))
                    .hint("it has method0 to method7"));
            }
        };
        positive(name, value, tunable)?;
        Ok(method)
    }

    /// The method's name, with its parameter if that is not NLTK's default.
    fn name(self) -> String {
        let (name, value) = match self {
            Self::Method0 => ("method0", None),
            Self::Method1(epsilon) => ("method1", Some(epsilon)),
            Self::Method2 => ("method2", None),
            Self::Method3 => ("method3", None),
            Self::Method4(k) => ("method4", Some(k)),
            Self::Method5 => ("method5", None),
            Self::Method6(alpha) => ("method6", Some(alpha)),
            Self::Method7(k) => ("method7", Some(k)),
        };
        match (value, Self::new(name, None)) {
            (Some(value), Ok(usual)) if usual != self => format!("{name}[{value}]"),
            _ => name.to_owned(),
        }
    }
}

/// The number of counts of the last pair: its length and its matches of the extra order.
const LAST_PAIR_COUNTS: usize = 2;

/// The additional order that methods 5 and 7 count in the last pair.
const EXTRA_ORDER: usize = 5;

impl Nltk {
    /// Creates the metric with this smoothing, for orders up to `max_order`.
    pub(super) fn new(smoothing: NltkSmoothing, max_order: usize, version: &str) -> Result<Self> {
        if matches!(smoothing, NltkSmoothing::Method6(_)) && max_order < 3 {
            return Err(Error::usage("smoothing `method6` needs a max order of at least 3"));
        }
        Ok(Self { smoothing, max_order, version: version.to_owned() })
    }

    /// The smoothed precisions whose geometric mean is the score. `None` where NLTK fails.
    fn smooth(&self, corpus: &Sums) -> Option<Vec<f64>> {
        let counts = Counts::new(corpus, self.max_order);
        let raw: Vec<_> = counts.matches_and_totals().collect();
        let length = counts.hypothesis();
        let last = LastPair::of(corpus, self.max_order);
        Some(match self.smoothing {
            NltkSmoothing::Method0 => fill_zeros(&raw, |_, _| f64::MIN_POSITIVE),
            NltkSmoothing::Method1(epsilon) => fill_zeros(&raw, |total, _| epsilon / total),
            NltkSmoothing::Method2 => with_one_more(&raw),
            NltkSmoothing::Method3 => fill_zeros(&raw, |total, half| half / total),
            NltkSmoothing::Method4(k) => fill_zeros_by_length(&raw, k, length),
            NltkSmoothing::Method5 => with_neighbours(fill_zeros(&raw, |_, _| 0.0), &last),
            NltkSmoothing::Method6(alpha) => return with_prior(&raw, alpha, &last),
            NltkSmoothing::Method7(k) => {
                with_neighbours(fill_zeros_by_length(&raw, k, length), &last)
            }
        })
    }
}

impl TextMetric for Nltk {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let orders = self.max_order.max(EXTRA_ORDER);
        let reader = TokenReader::plain(Tokenizer::Whitespace);
        let pair = Pair::count(references, hypothesis, orders, ReferenceLength::Closest, reader);
        let mut sums = pair.sums(self.max_order, 1);
        sums.extend([pair.hypothesis as f64, f64::from(pair.matches[EXTRA_ORDER - 1])]);
        Sums::new(sums)
    }

    fn join(&self, total: &mut Sums, next: &Sums) {
        total.add(next);
        let last = Counts::end(self.max_order)..;
        if let (Some(total), Some(next)) =
            (total.as_mut_slice().get_mut(last.clone()), next.as_slice().get(last))
            && total.len() == next.len()
        {
            total.copy_from_slice(next);
        }
    }

    fn score(&self, corpus: &Sums) -> Score {
        let counts = Counts::new(corpus, self.max_order);
        let (hypothesis, reference) = (counts.hypothesis(), counts.reference());
        if counts.matches(1) == 0.0 {
            return Score::new("score", 0.0);
        }
        let penalty = brevity_penalty(hypothesis, reference);
        let Some(precisions) = self.smooth(corpus) else {
            return Score::new("score", f64::NAN).part("score", Part::Missing);
        };
        let weight = 1.0 / self.max_order as f64;
        let positive = precisions.into_iter().filter(|&precision| precision > 0.0);
        let logs: ExactSum = positive.map(|precision| weight * libm::log(precision)).collect();
        Score::new("score", penalty * libm::exp(logs.value()))
    }

    /// Methods 5 and 7 average the first precision with one more than it: 4/3 is never exceeded.
    /// Method 6 divides the matches of all pairs by the length of the last one: nothing limits it.
    fn range(&self) -> (f64, f64) {
        let highest = match self.smoothing {
            NltkSmoothing::Method5 | NltkSmoothing::Method7(_) => 4.0 / 3.0,
            NltkSmoothing::Method6(_) => f64::INFINITY,
            _ => 1.0,
        };
        (0.0, highest)
    }

    fn last_pair_counts(&self) -> usize {
        use NltkSmoothing::{Method5, Method6, Method7};
        match self.smoothing {
            Method5 | Method6(_) | Method7(_) => LAST_PAIR_COUNTS,
            _ => 0,
        }
    }

    fn signature(&self, corpus: &Sums) -> String {
        format!(
            "bleu|variant:nltk|smooth:{}|tok:whitespace|order:{}|refs:{}|\
             scale:1|nrefs:{}|version:{}",
            self.smoothing.name(),
            self.max_order,
            ReferenceLength::Closest.name(),
            references_per_pair(corpus),
            self.version,
        )
    }
}

/// The counts of the last pair.
struct LastPair {
    length: f64,
    /// Matches of the extra order.
    matches: f64,
}

impl LastPair {
    fn of(corpus: &Sums, max_order: usize) -> Self {
        let place = Counts::end(max_order);
        Self { length: corpus.at(place), matches: corpus.at(place + 1) }
    }

    /// The number of n-grams of this order in its hypothesis.
    fn total(&self, order: usize) -> f64 {
        (self.length + 1.0 - order as f64).max(0.0)
    }
}

/// The precisions, with each zero replaced: `instead` is given the number of n-grams of its order,
/// and 1/2 for the first zero, 1/4 for the second, ….
fn fill_zeros(raw: &[(f64, f64)], instead: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut half = 1.0;
    let precision = |&(matches, total): &(f64, f64)| {
        if matches > 0.0 {
            return matches / total;
        }
        half /= 2.0;
        instead(total, half)
    };
    raw.iter().map(precision).collect()
}

/// A single token has no length to scale by: its zeros stay, and do not count.
fn fill_zeros_by_length(raw: &[(f64, f64)], k: f64, length: f64) -> Vec<f64> {
    let scale = if length > 1.0 { libm::log(length) / k } else { 0.0 };
    fill_zeros(raw, |total, half| half * scale / total)
}

fn with_one_more(raw: &[(f64, f64)]) -> Vec<f64> {
    let more = |(order, &(matches, total)): (usize, &(f64, f64))| {
        let one = if order == 0 { 0.0 } else { 1.0 };
        (matches + one) / (total + one)
    };
    raw.iter().enumerate().map(more).collect()
}

/// The mean of each precision with the one below, which is averaged already, and the one above.
fn with_neighbours(mut precisions: Vec<f64>, last: &LastPair) -> Vec<f64> {
    let mut below = precisions.first().copied().unwrap_or_default() + 1.0;
    precisions.push(last.matches / last.total(EXTRA_ORDER).max(1.0));
    let mean = |pair: &[f64]| {
        below = (below + pair[0] + pair[1]) / 3.0;
        below
    };
    precisions.windows(2).map(mean).collect()
}

/// Each order from 3 on is expected to relate to the order below it as that one relates to the next
/// lower.
fn with_prior(raw: &[(f64, f64)], alpha: f64, last: &LastPair) -> Option<Vec<f64>> {
    if raw.get(2)?.0 == 0.0 {
        return None;
    }
    let mut precisions = fill_zeros(raw, |_, _| 0.0);
    for at in 2..precisions.len() {
        let prior = precisions[at - 1] * precisions[at - 1] / precisions[at - 2];
        precisions[at] = (raw[at].0 + alpha * prior) / (last.total(at + 1) + alpha);
    }
    Some(precisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All expected values are NLTK's own, for methods 0 to 7.
    fn check(pairs: &[(&[&str], &str)], expected: [f64; 8]) {
        for (method, expected) in expected.into_iter().enumerate() {
            let smoothing = NltkSmoothing::new(&format!("method{method}"), None).unwrap();
            let metric = Nltk::new(smoothing, 4, "0").unwrap();
            let mut corpus = Sums::default();
            for (references, hypothesis) in pairs {
                metric.join(&mut corpus, &metric.measure(references, hypothesis));
            }
            let found = metric.score(&corpus).value();
            let close = (found - expected).abs() <= 1e-12 * expected;
            assert!(close, "method {method}: {found} instead of {expected}");
        }
    }

    #[test]
    fn scores_are_those_of_the_package() {
        let fox: (&[&str], &str) = (
            &["the quick brown fox jumps over the dog", "a fast brown fox leaps"],
            "the quick fox jumps over the lazy dog",
        );
        let numbers: (&[&str], &str) = (&["one two three four"], "one two three five six");
        let (plain, with_fifth) = (0.375_966_352_946_701_7, 0.451_187_703_514_953_63);
        let corpus = |method6| {
            let method2 = 0.460_249_537_136_194_04;
            [plain, plain, method2, plain, plain, with_fifth, method6, with_fifth]
        };
        check(&[fox, numbers], corpus(0.638_167_650_253_864_1));
        check(&[numbers, fox], corpus(0.480_996_872_268_776_24));
        check(
            &[numbers],
            [
                6.868_092_060_565_11e-78,
                0.265_914_794_847_249_45,
                0.494_923_200_383_976_5,
                0.397_635_364_383_525_3,
                0.299_509_814_362_910_46,
                0.355_586_747_197_343_3,
                0.395_779_843_052_233_2,
                0.391_726_378_778_283_1,
            ],
        );
    }

    #[test]
    fn where_the_package_fails_the_score_is_missing() {
        let metric = Nltk::new(NltkSmoothing::Method6(5.0), 4, "0").unwrap();
        let score = |reference: &str| metric.score(&metric.measure(&[reference], "a b c d"));
        assert_eq!(score("a b").parts().get("score"), Some(&Part::Missing));
        assert_eq!(score("x y").parts().get("score"), Some(&Part::Number(0.0)));
    }
}
