//! Metrics: pure functions from an answer and its reference to numbers.
//!
//! A text metric is a file with a card, which describes it, and a builder: see [`registry`].

pub mod apps;
pub mod bleu;
mod brevity;
pub mod card;
pub mod chrf;
pub mod classification;
pub mod codebleu;
pub mod corpus;
pub mod exact;
pub mod fusion_brain;
pub mod line;
mod ngrams;
mod parts;
pub mod pass_at_k;
mod python;
mod references;
pub mod registry;
pub mod text;
