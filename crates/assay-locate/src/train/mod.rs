//! Training: tables of candidates in, a forest out.
//!
//! Gradient boosting over histograms, with one question per task: which candidate is right? The
//! loss is the cross entropy of a softmax over the task's candidates, so scores are log-odds and
//! give probabilities. Nothing depends on the number of threads: each feature's histogram is summed
//! by one thread, in order.

mod bins;
mod boost;
mod grow;

pub use bins::{Bins, Examples};
pub use boost::{Settings, Trainer};
