//! A measured corpus, kept in groups of pairs, so that its score can be computed again on parts and
//! resamples of it.

use assay_core::Estimate;
use assay_stats::{
    GROUPED_METHOD, METHOD, Resampling, group_of, grouped_corpus_metric, proportion,
};

use crate::text::{Sums, TextMetric};

/// The counts of one metric over the outputs of one system.
///
/// Memory is bounded: beyond [`assay_stats::MAX_GROUPS`] pairs, several pairs share a group.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    total: Sums,
    n: u64,
    /// The counts of each group, one after the other.
    groups: Vec<f64>,
    /// The number of counts of a group.
    width: usize,
}

impl Corpus {
    /// Adds the next pair.
    pub fn add(&mut self, metric: &dyn TextMetric, pair: &Sums) {
        let counts = pair.as_slice();
        let start = group_of(self.n) * self.width;
        match self.groups.get_mut(start..start + self.width) {
            Some(group) if self.n > 0 => {
                group.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            _ => {
                self.width = counts.len();
                self.groups.extend_from_slice(counts);
            }
        }
        metric.join(&mut self.total, pair);
        self.n += 1;
    }

    /// The counts of all pairs.
    pub fn total(&self) -> &Sums {
        &self.total
    }

    /// The number of pairs.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The score without rounding, with its 95 % interval; `None` if it is undefined.
    pub fn estimate(&self, metric: &dyn TextMetric) -> Option<Estimate> {
        if let Some((right, pairs)) = metric.share(&self.total) {
            return proportion(right, pairs);
        }
        let pairs = usize::try_from(self.n).unwrap_or(usize::MAX);
        let value = metric.value(&self.total);
        grouped_corpus_metric(value, &self.left_out(metric), pairs, metric.range())
    }

    /// The scores with each group left out in turn.
    fn left_out(&self, metric: &dyn TextMetric) -> Vec<f64> {
        let without = |group: &[f64]| {
            let rest = self.total.as_slice().iter().zip(group).map(|(sum, count)| sum - count);
            metric.value(&self.with_last_pair(metric, rest.collect()))
        };
        self.rows().map(without).collect()
    }

    /// The scores of bootstrap samples. All systems of a corpus are drawn alike.
    pub fn bootstrap(
        &self,
        metric: &dyn TextMetric,
        resampling: Resampling,
    ) -> impl Iterator<Item = f64> {
        resampling.draws(self.rows().len()).map(move |times| {
            let mut sums = vec![0.0; self.width];
            for (group, times) in self.rows().zip(times).filter(|(_, times)| *times > 0) {
                let times = f64::from(times);
                sums.iter_mut().zip(group).for_each(|(sum, count)| *sum += times * count);
            }
            metric.value(&self.with_last_pair(metric, sums))
        })
    }

    /// The differences to a baseline on the same pairs, after random groups were swapped.
    pub fn swapped(
        &self,
        baseline: &Self,
        metric: &dyn TextMetric,
        resampling: Resampling,
    ) -> impl Iterator<Item = f64> {
        let gaps: Vec<f64> =
            baseline.groups.iter().zip(&self.groups).map(|(there, here)| there - here).collect();
        let last = group_of(self.n.saturating_sub(1));
        resampling.swaps(self.rows().len()).map(move |swapped| {
            let mut moved = vec![0.0; self.width];
            let groups = gaps.chunks_exact(self.width.max(1)).zip(&swapped);
            for (group, _) in groups.filter(|(_, swapped)| **swapped) {
                moved.iter_mut().zip(group).for_each(|(sum, count)| *sum += count);
            }
            // The last pair takes its own counts along.
            let (mine, other) =
                if swapped.get(last) == Some(&true) { (baseline, self) } else { (self, baseline) };
            let changed = |corpus: &Self, sign: f64, whose_last: &Self| {
                let sums = corpus.total.as_slice().iter().zip(&moved);
                let sums = sums.map(|(sum, moved)| sum + sign * moved).collect();
                metric.value(&whose_last.with_last_pair(metric, sums))
            };
            changed(self, 1.0, mine) - changed(baseline, -1.0, other)
        })
    }

    /// The groups' counts.
    fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.groups.chunks_exact(self.width.max(1))
    }

    /// Sums with the counts that are the last pair's own: every sample ends with that pair.
    fn with_last_pair(&self, metric: &dyn TextMetric, mut sums: Vec<f64>) -> Sums {
        let kept = sums.len().saturating_sub(metric.last_pair_counts());
        if let Some(last) = self.total.as_slice().get(kept..)
            && last.len() + kept == sums.len()
        {
            sums[kept..].copy_from_slice(last);
        }
        Sums::new(sums)
    }
}

/// The name of the method of a metric's interval.
pub fn interval_method(metric: &dyn TextMetric, corpus: &Sums) -> &'static str {
    match metric.share(corpus) {
        Some(_) => METHOD,
        None => GROUPED_METHOD,
    }
}

/// The rule for the last pair in samples of a corpus, if the score depends on which pair that is.
pub fn last_pair_rule(metric: &dyn TextMetric) -> Option<&'static str> {
    (metric.last_pair_counts() > 0).then_some("fixed")
}
