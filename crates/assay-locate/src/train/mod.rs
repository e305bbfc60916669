//! Training: tables of candidates in, a forest out.
//!
//! Gradient boosting over histograms, with one question a task: which candidate is it? The loss is
//! the cross entropy of a softmax over the task's candidates, so scores are log-odds and turn into
//! probabilities. Nothing depends on the number of threads: each feature's histogram is summed by one
//! thread, in order.

mod bins;
mod boost;
mod grow;

pub use bins::{Bins, Examples};
pub use boost::{Settings, Trainer};
