//! Handwritten text recognition: the share of texts that are exactly right.

use super::{Accuracy, Mismatch, Texts};

/// Compares texts exactly; case and spaces count. An image without a prediction has the empty text,
/// and images that are not in the truth are ignored.
pub fn accuracy(truth: &Texts, prediction: &Texts) -> Result<Accuracy, Mismatch> {
    if truth.is_empty() {
        return Err(Mismatch::NothingToScore);
    }
    let mut accuracy = Accuracy::default();
    for (image, text) in truth {
        let predicted = prediction.get(image).map(String::as_str);
        match predicted {
            _ if is_right(text, predicted) => accuracy.right += 1,
            Some(_) => accuracy.wrong += 1,
            None => accuracy.missing += 1,
        }
    }
    Ok(accuracy)
}

/// Returns whether a prediction is the right text; a missing one is empty.
pub fn is_right(truth: &str, prediction: Option<&str>) -> bool {
    prediction.unwrap_or_default() == truth
}
