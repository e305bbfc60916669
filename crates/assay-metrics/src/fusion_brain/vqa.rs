//! Questions about images: the share of answers that are right after normalisation.
//!
//! Only the prediction is normalised; a truth that is not in normalised form never matches.

use std::collections::BTreeMap;

use super::{Accuracy, Lemma, Mismatch, Texts, normalise_en, normalise_ru, same_keys};
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

/// The right answers by the number of the question.
pub type Truths = BTreeMap<String, Truth>;

/// Returns whether any question needs lemmas.
pub fn needs_lemmas(truth: &Truths) -> bool {
    truth.values().any(|truth| truth.language == QuestionLanguage::Russian)
}

/// Compares answers; both must be to the same questions. Without lemmas, Russian words are compared
/// as they are.
pub fn accuracy(
    truth: &Truths,
    prediction: &Texts,
    lemma: Option<Lemma<'_>>,
) -> Result<Accuracy, Mismatch> {
    same_keys(truth, prediction)?;
    let mut accuracy = Accuracy::default();
    for (question, truth) in truth {
        let predicted =
            prediction.get(question).ok_or_else(|| Mismatch::Missing(question.clone()))?;
        if is_right(truth, predicted, lemma) {
            accuracy.right += 1;
        } else {
            accuracy.wrong += 1;
        }
    }
    Ok(accuracy)
}

/// Returns whether a prediction, after normalisation, is one of the right answers.
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
