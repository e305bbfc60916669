//! Comparison of a candidate with the others.

use super::Feature;

/// Adds the gap to the best other candidate, for every feature except those that are equal for all
/// candidates: not the quality of a line matters, but how much better it is than the rest.
pub(super) fn compare(rows: &mut [Vec<f32>], plain: usize) {
    for feature in 0..plain {
        let (mut best, mut second, mut place) = (f32::NEG_INFINITY, f32::NEG_INFINITY, 0);
        for (at, row) in rows.iter().enumerate() {
            let value = row[feature];
            if value > best {
                (second, best, place) = (best, value, at);
            } else if value > second {
                second = value;
            }
        }
        for (at, row) in rows.iter_mut().enumerate() {
            let other = if at == place { second } else { best };
            row.push(if other.is_finite() { row[feature] - other } else { 0.0 });
        }
    }
}

/// The gap that belongs to a feature.
pub(super) fn gap_of(feature: &Feature) -> Feature {
    Feature { name: format!("{}, gap", feature.name), group: feature.group, gap: true }
}
