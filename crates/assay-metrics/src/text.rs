//! The interface of all text metrics: a pair is counted, counts are added, a sum is scored.

use assay_core::Named;
use serde::Serialize;

/// A metric of hypotheses against references, of a whole corpus or of a single pair.
///
/// Each pair is measured by itself, so pairs can be measured anywhere and in any order; only
/// [`join`](Self::join) sees them in the corpus's order.
pub trait TextMetric: Send + Sync {
    /// Counts one pair. There is always at least one reference; any text is valid.
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums;

    /// Adds the next pair of the corpus to those before it.
    fn join(&self, total: &mut Sums, next: &Sums) {
        total.add(next);
    }

    /// The score of a corpus.
    fn score(&self, corpus: &Sums) -> Score;

    /// The score of a single pair, where that follows different rules.
    fn score_pair(&self, pair: &Sums) -> Score {
        self.score(pair)
    }

    /// The score of a corpus without rounding, from which intervals are computed; NaN if it is
    /// undefined.
    fn value(&self, corpus: &Sums) -> f64 {
        self.score(corpus).value()
    }

    /// The lowest and the highest possible score; the highest may be infinite.
    fn range(&self) -> (f64, f64);

    /// The number of pairs that count and the number of all pairs, if the score is their share.
    fn share(&self, _corpus: &Sums) -> Option<(usize, usize)> {
        None
    }

    /// The number of counts, at the end of the sums, that are the last pair's own instead of sums.
    /// They stay those of the corpus in every sample of it.
    fn last_pair_counts(&self) -> usize {
        0
    }

    /// A remark for the user about options that were not taken as given.
    fn note(&self) -> Option<String> {
        None
    }

    /// Names everything that the score of a corpus depends on.
    fn signature(&self, corpus: &Sums) -> String;
}

/// The counts of a metric, in an order that only that metric knows. Most are whole numbers, whose
/// sum does not depend on order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums(Vec<f64>);

impl Sums {
    /// Sums with these counts.
    pub fn new(counts: impl Into<Vec<f64>>) -> Self {
        Self(counts.into())
    }

    /// Adds the counts elementwise; missing ones are zero.
    pub fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (sum, count) in self.0.iter_mut().zip(&other.0) {
            *sum += count;
        }
    }

    /// The counts.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// The counts, mutably.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.0
    }

    /// The count at this position; 0 if nothing was counted.
    pub fn at(&self, place: usize) -> f64 {
        self.0.get(place).copied().unwrap_or_default()
    }
}

/// A score with all the numbers that it was made from, as printed: the score itself is the first
/// part.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Score {
    parts: Named<Part>,
}

impl Score {
    /// A score without parts yet.
    pub fn new(name: &'static str, value: f64) -> Self {
        Self { parts: Named::new() }.part(name, Part::Number(value))
    }

    /// Adds a part.
    #[must_use]
    pub fn part(mut self, name: &'static str, part: Part) -> Self {
        self.parts.insert(name.into(), part);
        self
    }

    /// The score itself.
    pub fn value(&self) -> f64 {
        match self.parts.first() {
            Some((_, Part::Number(value))) => *value,
            _ => f64::NAN,
        }
    }

    /// All parts, by name.
    pub fn parts(&self) -> &Named<Part> {
        &self.parts
    }
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Part {
    /// A number.
    Number(f64),
    /// An undefined number, such as 0/0.
    Missing,
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A count.
    Count(u64),
    /// Several counts.
    Counts(Vec<u64>),
}
