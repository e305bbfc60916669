//! The number of references per pair in a corpus, from sums that do not depend on order.

use crate::text::Sums;

/// The number of sums that [`reference_counts`] needs, at the front.
pub(crate) const REFERENCE_COUNTS: usize = 3;

/// The counts of one pair: 1, its number of references and the square of that. All pairs have the
/// same number of references exactly if the sums of the three are in proportion.
pub(crate) fn reference_counts(references: usize) -> [f64; REFERENCE_COUNTS] {
    let references = references as f64;
    [1.0, references, references * references]
}

/// The number of pairs in a corpus.
pub(crate) fn pairs(corpus: &Sums) -> f64 {
    corpus.at(0)
}

/// The number of references that every pair has; `var` if it differs.
pub(crate) fn references_per_pair(corpus: &Sums) -> String {
    let (pairs, references, squares) = (corpus.at(0), corpus.at(1), corpus.at(2));
    if (pairs * squares - references * references).abs() < 0.5 {
        format!("{}", if pairs > 0.0 { references / pairs } else { 0.0 })
    } else {
        "var".to_owned()
    }
}
