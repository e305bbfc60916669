//! The Fusion Brain Challenge of 2021: handwriting, detection, questions about images, and their sum.
//!
//! Each scorer follows the challenge's own script, rule by rule, one answer at a time.

pub mod htr;
pub mod integral;
pub mod vqa;
pub mod zsod;

mod contractions;
mod normalise;

pub use normalise::{normalise_en, normalise_ru};

/// Finds the lemma of a Russian word.
pub type Lemma<'a> = &'a dyn Fn(&str) -> String;

/// The numbers of right and wrong answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Right answers.
    pub right: usize,
    /// Wrong answers.
    pub wrong: usize,
    /// Wrong answers that are missing.
    pub missing: usize,
}

impl Accuracy {
    /// The number of all questions.
    pub fn total(&self) -> usize {
        self.right + self.wrong + self.missing
    }

    /// The share of right answers; 0 if there are no questions.
    pub fn value(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            total => self.right as f64 / total as f64,
        }
    }
}
