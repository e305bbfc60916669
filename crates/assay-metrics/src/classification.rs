//! Scores of classifiers from pairs of true and predicted labels, with scikit-learn's conventions:
//! 0/0 is 0.

use std::collections::BTreeMap;

/// The confusion matrix: the number of times each label was predicted for each true label.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion<L> {
    labels: Vec<L>,
    /// Rows are true labels, columns predicted ones.
    counts: Vec<Vec<u64>>,
}

/// Precision, recall and their harmonic mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PrecisionRecall {
    /// The share of predictions that are right.
    pub precision: f64,
    /// The share of true labels that were predicted.
    pub recall: f64,
    /// The harmonic mean of both. For a macro average: the mean of the labels' own.
    pub f1: f64,
}

impl<L: Ord + Clone> Confusion<L> {
    /// Counts pairs of a true and a predicted label.
    pub fn new(pairs: impl IntoIterator<Item = (L, L)>) -> Self {
        let mut pair_counts = BTreeMap::<(L, L), u64>::new();
        for pair in pairs {
            *pair_counts.entry(pair).or_default() += 1;
        }
        let mut labels: Vec<L> =
            pair_counts.keys().flat_map(|(truth, predicted)| [truth, predicted]).cloned().collect();
        labels.sort();
        labels.dedup();
        let mut counts = vec![vec![0; labels.len()]; labels.len()];
        let place = |label: &L| labels.binary_search(label).unwrap_or_default();
        for ((truth, predicted), count) in &pair_counts {
            counts[place(truth)][place(predicted)] = *count;
        }
        Self { labels, counts }
    }

    /// All labels, true or predicted, in order.
    pub fn labels(&self) -> &[L] {
        &self.labels
    }

    /// The number of predictions of each label for each true label: one row per true label.
    pub fn counts(&self) -> &[Vec<u64>] {
        &self.counts
    }

    /// The share of right predictions.
    pub fn accuracy(&self) -> f64 {
        share(self.right(), self.pairs())
    }

    /// The figures of one label against all others; 0 if no pair has it.
    pub fn binary(&self, positive: &L) -> PrecisionRecall {
        self.labels
            .binary_search(positive)
            .map_or_else(|_| PrecisionRecall::default(), |at| self.of(at))
    }

    /// The means of all labels' figures.
    pub fn macro_average(&self) -> PrecisionRecall {
        let all: Vec<PrecisionRecall> = (0..self.labels.len()).map(|at| self.of(at)).collect();
        let mean = |figure: fn(&PrecisionRecall) -> f64| {
            let sum: f64 = all.iter().map(figure).sum();
            if all.is_empty() { 0.0 } else { sum / all.len() as f64 }
        };
        PrecisionRecall {
            precision: mean(|figures| figures.precision),
            recall: mean(|figures| figures.recall),
            f1: mean(|figures| figures.f1),
        }
    }

    /// The figures over all predictions. With one label per pair, all three are the accuracy.
    pub fn micro_average(&self) -> PrecisionRecall {
        let accuracy = self.accuracy();
        PrecisionRecall { precision: accuracy, recall: accuracy, f1: accuracy }
    }

    /// Matthews' correlation coefficient, for any number of labels (Gorodkin's): 1 for a perfect
    /// prediction, 0 for one that says nothing about the truth.
    pub fn matthews(&self) -> f64 {
        let pairs = i128::from(self.pairs());
        let truths = (0..self.labels.len()).map(|at| i128::from(self.of_truth(at)));
        let predictions = (0..self.labels.len()).map(|at| i128::from(self.of_prediction(at)));
        let both: i128 = truths.clone().zip(predictions.clone()).map(|(t, p)| t * p).sum();
        let spread_of_truth = pairs * pairs - truths.map(|count| count * count).sum::<i128>();
        let spread_of_prediction =
            pairs * pairs - predictions.map(|count| count * count).sum::<i128>();
        let spread = spread_of_truth as f64 * spread_of_prediction as f64;
        if spread == 0.0 {
            return 0.0;
        }
        (i128::from(self.right()) * pairs - both) as f64 / spread.sqrt()
    }

    fn of(&self, label: usize) -> PrecisionRecall {
        let right = self.counts[label][label];
        let (truth, predicted) = (self.of_truth(label), self.of_prediction(label));
        PrecisionRecall {
            precision: share(right, predicted),
            recall: share(right, truth),
            f1: share(2 * right, truth + predicted),
        }
    }

    fn of_truth(&self, label: usize) -> u64 {
        self.counts[label].iter().sum()
    }

    fn of_prediction(&self, label: usize) -> u64 {
        self.counts.iter().map(|row| row[label]).sum()
    }

    fn right(&self) -> u64 {
        (0..self.labels.len()).map(|label| self.counts[label][label]).sum()
    }

    fn pairs(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels are single characters, and `a` is the positive one; the expected figures are
    /// scikit-learn's own.
    fn check(truth: &str, predicted: &str, binary: [f64; 3], averaged: [f64; 3], others: [f64; 2]) {
        let confusion = Confusion::new(truth.chars().zip(predicted.chars()));
        let close = |found: PrecisionRecall, expected: [f64; 3]| {
            let found = [found.precision, found.recall, found.f1];
            let differ = |(found, expected): (f64, f64)| (found - expected).abs() > 1e-15;
            assert!(!found.into_iter().zip(expected).any(differ), "{found:?} {expected:?}");
        };
        let [accuracy, matthews] = others;
        close(confusion.binary(&'a'), binary);
        close(confusion.macro_average(), averaged);
        close(confusion.micro_average(), [accuracy; 3]);
        assert!((confusion.accuracy() - accuracy).abs() < 1e-15);
        assert!((confusion.matthews() - matthews).abs() < 1e-15, "{truth} {predicted}");
    }

    #[test]
    fn figures_are_those_of_the_package() {
        let third = 1.0 / 3.0;
        check(
            "abacabca",
            "abcabbca",
            [2.0 * third, 0.5, 0.571_428_571_428_571_4],
            [0.611_111_111_111_111, 2.0 * third, 0.623_809_523_809_523_8],
            [0.625, 0.439_155_032_826_839_93],
        );
        check("aabbccdd", "bbaaddcc", [0.0; 3], [0.0; 3], [0.0, -third]);
        check("aaaa", "aaaa", [1.0; 3], [1.0; 3], [1.0, 0.0]);
        check("ab", "ba", [0.0; 3], [0.0; 3], [0.0, -1.0]);
        check(
            "abcde",
            "aaaaa",
            [0.2, 1.0, third],
            [0.04, 0.2, 0.066_666_666_666_666_67],
            [0.2, 0.0],
        );
        check(
            "aabbbccd",
            "aabbaccc",
            [2.0 * third, 1.0, 0.8],
            [0.583_333_333_333_333_3, 2.0 * third, 0.6],
            [0.75, 0.682_523_632_789_935_1],
        );
        check("", "", [0.0; 3], [0.0; 3], [0.0, 0.0]);
        check("bc", "bc", [0.0; 3], [1.0; 3], [1.0, 1.0]);
    }

    #[test]
    fn rows_are_truths_and_columns_predictions() {
        let confusion = Confusion::new([("no", "yes"), ("no", "yes"), ("maybe", "no")]);
        assert_eq!(confusion.labels(), ["maybe", "no", "yes"]);
        assert_eq!(confusion.counts(), [[0, 1, 0], [0, 0, 2], [0, 0, 0]]);
    }
}
