//! A candidate's standing among the others.

use super::Feature;

/// For every feature but those that are the same for all candidates, the gap to the best other
/// candidate is added: what matters is not how good a line is but how much better than the rest.
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

/// The gap that goes with a feature.
pub(super) fn gap_of(feature: &Feature) -> Feature {
    Feature { name: format!("{}, gap", feature.name), group: feature.group, gap: true }
}
