//! Metrics: pure functions from an answer and its reference to numbers.

pub mod fusion_brain;
pub mod line;
pub mod text;
