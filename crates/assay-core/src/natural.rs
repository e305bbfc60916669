//! Natural order of file names: 2 before 10.

use std::cmp::Ordering;

/// Sorts file stems: numbers by value and before names, names by character.
///
/// Equal numbers that are written differently (`7`, `07`) are compared by character, so the order is total.
pub fn sort_naturally(names: Vec<String>) -> Vec<String> {
    // Nearly all stems are small numbers: those are compared as numbers, not as text.
    let mut keyed: Vec<(u64, String)> =
        names.into_iter().map(|name| (small_number(&name), name)).collect();
    keyed.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| natural_order(&left.1, &right.1))
    });
    keyed.into_iter().map(|(_, name)| name).collect()
}

/// The stem as a number; the maximum if it is not a number or not small.
fn small_number(name: &str) -> u64 {
    match number(name) {
        Some("") => 0,
        Some(digits) => digits.parse().unwrap_or(u64::MAX),
        None => u64::MAX,
    }
}

/// Compares two stems in natural order.
pub fn natural_order(left: &str, right: &str) -> Ordering {
    match (number(left), number(right)) {
        (Some(a), Some(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
    .then_with(|| left.cmp(right))
}

/// The digits without leading zeros, if `text` consists of digits only.
fn number(text: &str) -> Option<&str> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_value_then_names() {
        let names = ["b", "10", "9", "+5", "a", "010", "2", "99999999999999999999999", "0"];
        let sorted = sort_naturally(names.map(str::to_owned).to_vec());
        let expected = ["0", "2", "9", "010", "10", "99999999999999999999999", "+5", "a", "b"];
        assert_eq!(sorted, expected);
    }
}
