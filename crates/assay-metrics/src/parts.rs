//! Sums converted to counts, for printing.

use crate::text::Part;

/// A count that was added up as a float.
pub(crate) fn count(sum: f64) -> Part {
    Part::Count(whole(sum))
}

/// Counts that were added up as floats; they stay floats if not all are whole.
pub(crate) fn counts(sums: Vec<f64>) -> Part {
    if sums.iter().all(|sum| sum.fract() == 0.0) {
        Part::Counts(sums.into_iter().map(whole).collect())
    } else {
        Part::Numbers(sums)
    }
}

/// A count that was added up as a float, as a number of things.
pub(crate) fn whole_number(sum: f64) -> usize {
    usize::try_from(whole(sum)).unwrap_or(usize::MAX)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sums of counts")]
fn whole(sum: f64) -> u64 {
    sum as u64
}
