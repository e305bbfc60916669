//! Confidence in numbers: sums that do not depend on order, and 95 % intervals.

#[cfg(test)]
mod draw;
mod interval;
mod jackknife;
mod ratio;
mod sum;

pub use interval::{METHOD, bounded_mean, proportion};
pub use jackknife::{CORPUS_METHOD, corpus_metric};
pub use ratio::{METHOD as RATIO_METHOD, SUM_METHOD, ratio, sum_of_independent};
pub use sum::ExactSum;
