//! Handwritten text recognition: the share of texts that are exactly right.

/// Returns whether a prediction is exactly the right text; case and spaces count, and a missing one is empty.
pub fn is_right(truth: &str, prediction: Option<&str>) -> bool {
    prediction.unwrap_or_default() == truth
}
