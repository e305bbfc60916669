//! The figures of measured texts: an interval for each score, and the difference of each system to
//! the first one.

use assay_core::{Cancel, Estimate, Result};
use assay_metrics::corpus::Corpus;
use assay_metrics::text::TextMetric;
use assay_stats::{Resampling, bootstrap_interval, p_value};
use rayon::prelude::*;

use crate::measure::{Measured, workers};

/// A score with its interval, and its difference to the baseline.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The unrounded score with its interval; `None` if it is undefined.
    pub estimate: Option<Estimate>,
    /// The difference to the baseline; `None` for the baseline itself.
    pub difference: Option<Difference>,
}

/// The difference between the scores of a system and the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The system's score minus the baseline's; NaN if one of them is undefined.
    pub value: f64,
    /// The interval of a paired bootstrap; `None` if the score of a sample is undefined.
    pub interval: Option<(f64, f64)>,
    /// The p-value of approximate randomisation; `None` if the score of a sample is undefined.
    pub p: Option<f64>,
}

/// Computes the figures: for each system, those of each metric. The first system is the baseline.
///
/// `None` if cancelled. The result does not depend on `jobs`.
pub fn figures(
    measured: &Measured,
    metrics: &[&dyn TextMetric],
    resampling: Resampling,
    jobs: usize,
    cancel: &Cancel,
) -> Result<Option<Vec<Vec<Figure>>>> {
    let Some((baseline, others)) = measured.corpora.split_first() else {
        return Ok(Some(Vec::new()));
    };
    let estimates = |corpora: &[Corpus]| -> Vec<Option<Estimate>> {
        corpora.iter().zip(metrics).map(|(corpus, metric)| corpus.estimate(*metric)).collect()
    };
    let alone = |estimate| Figure { estimate, difference: None };
    let first = estimates(baseline).into_iter().map(alone).collect();
    let pairs: Vec<(usize, usize)> = (0..others.len())
        .flat_map(|system| (0..metrics.len()).map(move |metric| (system, metric)))
        .collect();
    let compare = |&(system, metric): &(usize, usize)| {
        let test = Comparison { resampling, metric: metrics[metric], cancel };
        let difference = test.difference(&others[system][metric], &baseline[metric]);
        let estimate = others[system][metric].estimate(metrics[metric]);
        Figure { estimate, difference: Some(difference) }
    };
    let compared: Vec<Figure> = match workers(jobs)? {
        Some(workers) if !pairs.is_empty() => {
            workers.install(|| pairs.par_iter().map(compare).collect())
        }
        _ => pairs.iter().map(compare).collect(),
    };
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let others = compared.chunks(metrics.len().max(1)).map(<[Figure]>::to_vec);
    Ok(Some(std::iter::once(first).chain(others).collect()))
}

/// The comparison of two systems by one metric.
struct Comparison<'a> {
    resampling: Resampling,
    metric: &'a dyn TextMetric,
    cancel: &'a Cancel,
}

impl Comparison<'_> {
    fn difference(&self, system: &Corpus, baseline: &Corpus) -> Difference {
        let (metric, resampling) = (self.metric, self.resampling);
        let value = metric.value(system.total()) - metric.value(baseline.total());
        let samples =
            system.bootstrap(metric, resampling).zip(baseline.bootstrap(metric, resampling));
        let drawn = self.collect(samples.map(|(system, baseline)| system - baseline));
        let swapped = self.collect(system.swapped(baseline, metric, resampling));
        let (low, high) = metric.range();
        let n = usize::try_from(system.n()).unwrap_or(usize::MAX);
        Difference {
            value,
            interval: bootstrap_interval(&drawn, n),
            p: p_value(value, &swapped, high - low),
        }
    }

    /// Collects samples until the user cancels.
    fn collect(&self, samples: impl Iterator<Item = f64>) -> Vec<f64> {
        samples.take_while(|_| !self.cancel.is_cancelled()).collect()
    }
}
