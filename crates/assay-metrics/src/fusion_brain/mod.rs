//! The Fusion Brain Challenge of 2021: handwriting, detection, questions about images, and their sum.
//!
//! Each scorer follows the challenge's own script, rule by rule; where that script would fail with
//! an error, the result is a [`Mismatch`].

pub mod htr;
pub mod integral;
pub mod vqa;
pub mod zsod;

mod contractions;
mod normalise;

use std::collections::BTreeMap;
use std::fmt;

pub use normalise::{normalise_en, normalise_ru};

/// Finds the lemma of a Russian word.
pub type Lemma<'a> = &'a dyn Fn(&str) -> String;

/// Texts by the name of the item they answer.
pub type Texts = BTreeMap<String, String>;

/// The reason why a prediction cannot be scored against a truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The truth is empty, so that a mean over it would divide by zero.
    NothingToScore,
    /// The prediction lacks a key of the truth.
    Missing(String),
    /// The prediction has a key that the truth does not have.
    Unknown(String),
    /// The prediction for an image lacks a phrase.
    MissingPhrase {
        /// The image's key.
        image: String,
        /// The phrase.
        phrase: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToScore => f.write_str("there is nothing to score"),
            Self::Missing(key) => write!(f, "{key:?} is missing"),
            Self::Unknown(key) => write!(f, "{key:?} is not in the truth"),
            Self::MissingPhrase { image, phrase } => {
                write!(f, "{image:?} lacks the phrase {phrase:?}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

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

/// Rejects an empty truth, and predictions with other keys than the truth.
fn same_keys<T, P>(
    truth: &BTreeMap<String, T>,
    prediction: &BTreeMap<String, P>,
) -> Result<(), Mismatch> {
    if let Some(key) = truth.keys().find(|key| !prediction.contains_key(*key)) {
        return Err(Mismatch::Missing(key.clone()));
    }
    if let Some(key) = prediction.keys().find(|key| !truth.contains_key(*key)) {
        return Err(Mismatch::Unknown(key.clone()));
    }
    if truth.is_empty() { Err(Mismatch::NothingToScore) } else { Ok(()) }
}
