//! Metrics: pure functions from an answer and its reference to numbers.

pub mod apps;
pub mod bleu;
mod brevity;
pub mod chrf;
pub mod classification;
pub mod codebleu;
pub mod exact;
pub mod fusion_brain;
pub mod line;
mod ngrams;
mod parts;
pub mod pass_at_k;
mod python;
mod references;
pub mod text;

pub use ngrams::MOST_ORDERS;
