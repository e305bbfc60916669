//! Questions about images: the share of answers that are right after normalisation.
//!
//! Only the prediction is normalised; a truth that is not in normalised form never matches.

use super::{Accuracy, Lemma, normalise_en, normalise_ru};
use crate::python::round;

/// The language of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionLanguage {
    /// English.
    English,
    /// Russian: words are reduced to their lemmas.
    Russian,
}

/// The right answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// The answers that are right.
    pub answers: Vec<String>,
    /// The language.
    pub language: QuestionLanguage,
}

/// Returns whether a prediction, after normalisation, is one of the right answers. Without lemmas, Russian words are
/// compared as they are.
pub fn is_right(truth: &Truth, predicted: &str, lemma: Option<Lemma<'_>>) -> bool {
    let normal = match truth.language {
        QuestionLanguage::English => normalise_en(predicted),
        QuestionLanguage::Russian => normalise_ru(predicted, lemma),
    };
    truth.answers.contains(&normal)
}

/// The accuracy as the official script prints it, rounded to three decimals.
pub fn official_accuracy(accuracy: &Accuracy) -> f64 {
    round(accuracy.value(), 3)
}
