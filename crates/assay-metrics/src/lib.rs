//! Metrics: pure functions from an answer and its reference to numbers.

pub mod codebleu;
pub mod line;
pub mod text;
