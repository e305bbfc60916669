//! The penalty for hypotheses that are shorter than their references, shared by most of BLEU's
//! family.

/// The penalty: 1 if the hypothesis is at least as long as the reference, less if it is shorter, 0
/// if it is empty.
pub(crate) fn brevity_penalty(hypothesis: f64, reference: f64) -> f64 {
    if hypothesis >= reference {
        1.0
    } else if hypothesis > 0.0 {
        libm::exp(1.0 - reference / hypothesis)
    } else {
        0.0
    }
}
