//! Confidence in numbers: sums that do not depend on order, 95 % intervals, and paired comparisons.

mod draw;
mod interval;
mod jackknife;
mod paired;
mod ratio;
mod sum;

pub use interval::{METHOD, bounded_mean, proportion};
pub use jackknife::{CORPUS_METHOD, GROUPED_METHOD, corpus_metric, grouped_corpus_metric};
pub use paired::{
    DIFFERENCE_METHOD, MAX_GROUPS, Resampling, TEST_METHOD, bootstrap_interval, group_of, p_value,
};
pub use ratio::{METHOD as RATIO_METHOD, SUM_METHOD, ratio, sum_of_independent};
pub use sum::ExactSum;
