//! Questions about images: the share of answers that are right after they were normalised.
//!
//! Only the prediction is normalised; a truth that is not written in the normalised way is never met.

use std::collections::BTreeMap;

use super::{Accuracy, Lemma, Mismatch, Texts, normalise_en, normalise_ru, same_keys};
use crate::python::round;

/// The language of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
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
    pub language: Language,
}

/// The right answers by the number of the question.
pub type Truths = BTreeMap<String, Truth>;

/// Whether a question needs lemmas at all.
pub fn needs_lemmas(truth: &Truths) -> bool {
    truth.values().any(|truth| truth.language == Language::Russian)
}

/// Compares answers; both must be to the same questions. Without lemmas, Russian words are taken as
/// they are.
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

/// Whether a prediction is one of the right answers after it was normalised.
pub fn is_right(truth: &Truth, predicted: &str, lemma: Option<Lemma<'_>>) -> bool {
    let normal = match truth.language {
        Language::English => normalise_en(predicted),
        Language::Russian => normalise_ru(predicted, lemma),
    };
    truth.answers.contains(&normal)
}

/// The accuracy as the official script prints it, rounded to three decimals.
pub fn official(accuracy: &Accuracy) -> f64 {
    round(accuracy.value(), 3)
}
