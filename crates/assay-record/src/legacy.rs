//! Scores of format 1.0 that were counts or groups.
//!
//! Format 1.0 has one map of numbers for everything: the counts of a corpus metric are the scores
//! `NAME.0`, `NAME.1` and so on, and the group is the score `change`, a whole number below 2^52.

use indexmap::IndexMap;

const GROUP: &str = "change";
/// The exclusive upper bound of whole numbers that represent groups.
const GROUPS: f64 = (1u64 << 52) as f64;

/// Moves counts and groups out of the scores. Scores of format 1.1 stay as they are.
pub(crate) fn split_scores(
    scores: &mut IndexMap<String, f64>,
    counts: &mut IndexMap<String, Vec<f64>>,
    group: &mut Option<String>,
) {
    if group.is_none()
        && let Some(found) = scores.get(GROUP).copied().and_then(as_group)
    {
        *group = Some(found);
        scores.shift_remove(GROUP);
    }
    if !scores.keys().any(|name| name.ends_with(".0")) {
        return;
    }
    let found = series(scores, counts);
    scores.retain(|name, _| {
        let place = as_place(name).and_then(|(metric, at)| Some((found.get(metric)?, at)));
        place.is_none_or(|(series, at)| at >= series.len())
    });
    counts.extend(found);
}

/// The numbers `NAME.0`, `NAME.1` and so on without a gap, by `NAME`.
fn series(
    scores: &IndexMap<String, f64>,
    counts: &IndexMap<String, Vec<f64>>,
) -> IndexMap<String, Vec<f64>> {
    let starts = scores.keys().filter_map(|name| name.strip_suffix(".0"));
    let metrics = starts.filter(|metric| !counts.contains_key(*metric));
    let numbers = |metric: &str| {
        (0..).map_while(|at: usize| scores.get(&format!("{metric}.{at}")).copied()).collect()
    };
    metrics.map(|metric| (metric.to_owned(), numbers(metric))).collect()
}

/// Splits `NAME.N` into the metric and the position.
fn as_place(name: &str) -> Option<(&str, usize)> {
    let (metric, digits) = name.rsplit_once('.')?;
    let at: usize = digits.parse().ok()?;
    (at.to_string() == digits).then_some((metric, at))
}

fn as_group(number: f64) -> Option<String> {
    let whole = (0.0..GROUPS).contains(&number) && number.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just checked")]
    whole.then(|| format!("{:x}", number as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(
        scores: &[(&str, f64)],
        left: &[&str],
        counts: &[(&str, &[f64])],
        group: Option<&str>,
    ) {
        let mut scores = scores.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let (mut found, mut in_group) = (IndexMap::new(), None);
        split_scores(&mut scores, &mut found, &mut in_group);
        assert_eq!(scores.keys().collect::<Vec<_>>(), left);
        let found: Vec<(&str, &[f64])> =
            found.iter().map(|(name, counts)| (name.as_str(), counts.as_slice())).collect();
        assert_eq!(found, counts);
        assert_eq!(in_group.as_deref(), group);
    }

    #[test]
    fn counts_and_groups_are_moved() {
        check(
            &[("bleu", 0.5), ("bleu.0", 1.0), ("bleu.1", 2.5), ("change", 255.0), ("loss", 1.0)],
            &["bleu", "loss"],
            &[("bleu", &[1.0, 2.5])],
            Some("ff"),
        );
        check(&[("change", 0.0)], &[], &[], Some("0"));
        check(&[("a.1", 2.0), ("a.0", 1.0)], &[], &[("a", &[1.0, 2.0])], None);
    }

    #[test]
    fn other_scores_stay() {
        check(&[("change", 0.5)], &["change"], &[], None);
        check(&[("change", -1.0)], &["change"], &[], None);
        check(&[("change", GROUPS)], &["change"], &[], None);
        check(&[("bleu-1.5", 1.0), ("pass@1", 1.0)], &["bleu-1.5", "pass@1"], &[], None);
        // Numbers after a gap were never counts.
        check(&[("a.0", 1.0), ("a.2", 2.0)], &["a.2"], &[("a", &[1.0])], None);
        check(&[("a.0", 1.0), ("a.01", 2.0)], &["a.01"], &[("a", &[1.0])], None);
    }

    proptest! {
        #[test]
        fn a_second_reading_changes_nothing(
            names in prop::collection::vec("(a|b|change|a\\.0)(\\.[0-3]|\\.00)?", 0..12),
        ) {
            let mut scores: IndexMap<String, f64> =
                names.into_iter().zip([3.0, 0.5, 7.0].into_iter().cycle()).collect();
            let (mut counts, mut group) = (IndexMap::new(), None);
            split_scores(&mut scores, &mut counts, &mut group);
            let once = (scores.clone(), counts.clone(), group.clone());
            split_scores(&mut scores, &mut counts, &mut group);
            prop_assert_eq!((scores, counts, group), once);
        }
    }
}
