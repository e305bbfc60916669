//! How many references the pairs of a corpus have, in sums that add up in any order.

use crate::text::Sums;

/// How many sums [`reference_counts`] takes, at the front.
pub(crate) const REFERENCE_COUNTS: usize = 3;

/// One pair, its references and their square: the references of all pairs are equally many exactly
/// if the sums of the three are in proportion.
pub(crate) fn reference_counts(references: usize) -> [f64; REFERENCE_COUNTS] {
    let references = references as f64;
    [1.0, references, references * references]
}

/// How many pairs a corpus has.
pub(crate) fn pairs(corpus: &Sums) -> f64 {
    corpus.at(0)
}

/// How many references every pair has; `var` if not all have as many.
pub(crate) fn references_per_pair(corpus: &Sums) -> String {
    let (pairs, references, squares) = (corpus.at(0), corpus.at(1), corpus.at(2));
    if (pairs * squares - references * references).abs() < 0.5 {
        format!("{}", if pairs > 0.0 { references / pairs } else { 0.0 })
    } else {
        "var".to_owned()
    }
}
