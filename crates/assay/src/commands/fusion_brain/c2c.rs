//! The challenge's code-to-code subtask, which is scored by `CodeBLEU`.

use assay_core::{Error, Estimate, Result};
use assay_metrics::fusion_brain::Texts;

/// The score of the prediction, between 0 and 1.
pub(super) fn c2c_score(truth: &Texts, prediction: &Texts) -> Result<Estimate> {
    Err(Error::refused(format!(
        "{} programs against {}: c2c cannot be scored yet",
        prediction.len(),
        truth.len()
    ))
    .hint("leave true_C2C.json out to score the other subtasks"))
}
