//! Comparison of a program's output with an APPS test's expected output, by the original's rule and
//! by a sound one.

use std::collections::BTreeSet;

use crate::python::{round, split, strip, strip_end};

/// The tolerance for a printed real number, both absolute and relative to the expected one.
const TOLERANCE: f64 = 1e-6;

/// The sound rule. Trailing white space and blank lines at the end are ignored; otherwise each line
/// must have the same words in the same order. Where a real number is expected, that is one written
/// with a point or an exponent, any number within 1e-6 (absolute or relative) is accepted. Whole
/// numbers, infinities and NaN are compared as text, so `5.0` is not `5`.
pub fn strict(expected: &str, printed: &str) -> bool {
    let lines = |text: &str| text.lines().map(strip_end).map(str::to_owned).collect::<Vec<_>>();
    let (mut expected, mut printed) = (lines(expected), lines(printed));
    for lines in [&mut expected, &mut printed] {
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
    }
    expected.len() == printed.len()
        && expected.iter().zip(&printed).all(|(expected, printed)| same_words(expected, printed))
}

fn same_words(expected: &str, printed: &str) -> bool {
    let (mut expected, mut printed) = (split(expected), split(printed));
    loop {
        match (expected.next(), printed.next()) {
            (None, None) => return true,
            (Some(expected), Some(printed)) if same_word(expected, printed) => {}
            _ => return false,
        }
    }
}

fn same_word(expected: &str, printed: &str) -> bool {
    if expected == printed {
        return true;
    }
    let Some((expected, printed)) = parse_real(expected).zip(printed.parse::<f64>().ok()) else {
        return false;
    };
    (expected - printed).abs() <= TOLERANCE * expected.abs().max(1.0)
}

/// Parses a number that is written with a point or an exponent.
fn parse_real(word: &str) -> Option<f64> {
    let marked = word.contains(['.', 'e', 'E']) && word.contains(|c: char| c.is_ascii_digit());
    word.parse().ok().filter(|number: &f64| marked && number.is_finite())
}

/// The original's rule: the first of its eight attempts that succeeds. The last two compare lines
/// and the words of a line as sets, so neither their order nor their number matters.
pub fn compat(expected: &str, printed: &str) -> bool {
    let lines = split_lines(printed);
    let joined = |strip_each: fn(&str) -> &str| {
        lines.iter().map(|line| strip_each(line)).collect::<Vec<_>>().join("\n")
    };
    let whole = |text: String| strip(&text) == strip(expected);
    // The third attempt compares the lines with the unstripped expected text, which is stricter.
    if whole(joined(|line| line)) || whole(joined(strip)) {
        return true;
    }
    let wanted: Vec<&str> =
        expected.split('\n').filter(|line| !line.is_empty()).map(strip).collect();
    let found: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
    lines == wanted
        || found == wanted
        || all_close(&found, &wanted)
        || sets_of_words(&found) == with_empty_lines(&wanted, sets_of_words(&wanted))
        || same_rounded(&found, &wanted)
}

/// Returns whether both are all numbers, one per line, and close by numpy's `allclose`.
fn all_close(found: &[&str], wanted: &[&str]) -> bool {
    let Some((found, wanted)) = numbers(found).zip(numbers(wanted)) else {
        return false;
    };
    let close = |found: f64, wanted: f64| {
        let within = (found - wanted).abs() <= 1e-8 + 1e-5 * wanted.abs();
        found.total_cmp(&wanted).is_eq() && !found.is_nan() || wanted.is_finite() && within
    };
    found.len() == wanted.len()
        && found.iter().zip(&wanted).all(|(&found, &wanted)| close(found, wanted))
}

fn numbers(words: &[&str]) -> Option<Vec<f64>> {
    words.iter().map(|word| number(word)).collect()
}

type Sets<T> = BTreeSet<BTreeSet<T>>;

/// The set of words of each line that is not blank.
fn sets_of_words<'a>(lines: &[&'a str]) -> Sets<&'a str> {
    lines
        .iter()
        .map(|line| split(line).collect())
        .filter(|set: &BTreeSet<_>| !set.is_empty())
        .collect()
}

/// Adds an empty set if the expected lines contain a blank one; blank printed lines are left out.
fn with_empty_lines<T: Ord>(wanted: &[&str], mut sets: Sets<T>) -> Sets<T> {
    if wanted.iter().any(|line| line.is_empty()) {
        sets.insert(BTreeSet::new());
    }
    sets
}

/// Returns whether both have the same sets of words, all of them numbers, after rounding to three
/// decimals.
fn same_rounded(found: &[&str], wanted: &[&str]) -> bool {
    let (found, sets) = (rounded(found), rounded(wanted));
    found.zip(sets).is_some_and(|(found, sets)| found == with_empty_lines(wanted, sets))
}

/// Numbers are compared by their bits; NaN equals nothing.
fn rounded(lines: &[&str]) -> Option<Sets<u64>> {
    let bits = |word: &str| {
        let number = round(number(word)?, 3);
        // Adding 0 turns -0 into 0.
        (!number.is_nan()).then(|| (number + 0.0).to_bits())
    };
    let sets = lines.iter().map(|line| split(line).map(bits).collect::<Option<BTreeSet<u64>>>());
    let sets = sets.collect::<Option<Sets<u64>>>()?;
    Some(sets.into_iter().filter(|set| !set.is_empty()).collect())
}

/// `float(word)`.
fn number(word: &str) -> Option<f64> {
    let word = strip(word);
    if !word.contains('_') {
        return word.parse().ok();
    }
    let digit = |letter: Option<&u8>| letter.is_some_and(u8::is_ascii_digit);
    let bytes = word.as_bytes();
    let between_digits = |at: usize| at > 0 && digit(bytes.get(at - 1)) && digit(bytes.get(at + 1));
    let sound = (0..bytes.len()).all(|at| bytes[at] != b'_' || between_digits(at));
    sound.then(|| word.replace('_', "").parse().ok()).flatten()
}

/// `text.splitlines()`.
fn split_lines(text: &str) -> Vec<&str> {
    let ends = |letter: char| matches!(letter, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(ends) {
        lines.push(&rest[..at]);
        let end = if rest[at..].starts_with("\r\n") {
            2
        } else {
            rest[at..].chars().next().map_or(1, char::len_utf8)
        };
        rest = &rest[at + end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Expected, printed, the original's verdict as measured, the sound one.
    const CASES: &[(&str, &str, bool, bool)] = &[
        ("a b\nc\n", "a b  \n  c \n\n", true, true),
        ("a\nb", "a\n\nb", true, false),
        ("a b", "a  b", true, true),
        ("YES", "Yes", false, false),
        ("0.3333333333", "0.33333333", true, true),
        ("1000000", "1000009", true, false),
        ("1000000", "1000020", false, false),
        ("1.0 2.0", "1 2", true, true),
        ("a\nb", "b\na", true, false),
        ("a b", "b a", true, false),
        ("a a b", "a b b", true, false),
        ("a\na\nb", "a\nb\nb", true, false),
        ("a", "a\nb", false, false),
        ("1.0001 2", "1.0004 2", true, false),
        ("", "", true, true),
        ("a", "", false, false),
        // Cases beyond the measured ones: blank lines, notations, words that are not numbers.
        ("a\n\nb", "a\nb", true, false),
        ("a\n \nb", "a\nb", false, false),
        ("1", "1.0", true, false),
        ("1e3", "1000", true, true),
        ("1_000", "1000", true, false),
        ("nan", "NaN", false, false),
        ("inf", "Infinity", true, false),
        ("-0.0001 x", "0 x", false, false),
        ("-0.0001 1", "0 1", true, false),
        ("a\r\nb\r\n", "a\nb\n", true, true),
        ("5\n", "5\x0c", true, true),
        ("1.5", "1.5.", false, false),
        (".", "e", false, false),
        ("2432902008176640000", "2432902008176640000.0", true, false),
        ("2432902008176640000", "2.43290200817664e18", true, false),
        ("15511210043330985984000000", "15511210043330986000000000", true, false),
        ("1e999", "5.0", false, false),
        ("5.0", "1e999", false, false),
        ("1e999", "1e999", true, true),
    ];

    #[test]
    fn the_published_verdicts() {
        for &(expected, printed, by_compat, by_strict) in CASES {
            assert_eq!(compat(expected, printed), by_compat, "{expected:?} {printed:?}");
            assert_eq!(strict(expected, printed), by_strict, "{expected:?} {printed:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_itself_and_compat_allows_what_strict_allows(
            expected in "([a-c0-9.e-]{0,4}[ \n]{0,2}){0,6}",
            printed in "([a-c0-9.e-]{0,4}[ \n]{0,2}){0,6}",
        ) {
            prop_assert!(strict(&expected, &expected));
            prop_assert!(compat(&expected, &expected));
            let close = printed.split_whitespace().all(|word| word.parse::<f64>().is_err());
            if close && strict(&expected, &printed) {
                prop_assert!(compat(&expected, &printed), "{:?} {:?}", expected, printed);
            }
        }

        #[test]
        fn a_whole_number_has_one_spelling(expected in "-?[1-9][0-9]{0,40}", off in 1u32..9) {
            prop_assert!(strict(&expected, &expected));
            let number: f64 = expected.parse().unwrap();
            for rough in [format!("{number}.0"), format!("{number:e}"), format!("{number:.1}"), format!("{expected}.0")] {
                prop_assert!(!strict(&expected, &rough), "{} {}", expected, rough);
            }
            // The last digit differs by one: far within 1e-6 for a long number.
            let (start, last) = expected.split_at(expected.len() - 1);
            let last = (last.parse::<u32>().unwrap() + off) % 10;
            let other = format!("{start}{last}");
            prop_assert_eq!(strict(&expected, &other), expected == other);
        }

        #[test]
        fn a_real_number_is_taken_within_the_tolerance(expected in -1e12f64..1e12, share in -3.0f64..3.0) {
            let printed = expected + share * TOLERANCE * expected.abs().max(1.0);
            // Values at the limit itself are skipped: there rounding decides.
            prop_assume!((share.abs() - 1.0).abs() > 1e-3);
            let texts = (format!("{expected:?}"), format!("{printed:?}"));
            prop_assert_eq!(strict(&texts.0, &texts.1), share.abs() < 1.0, "{:?}", texts);
        }

        #[test]
        fn what_is_no_finite_number_is_a_text(
            expected in "(-?(1e999|[1-9]E[3-9][0-9]{2}|inf|nan|NaN|Infinity))",
            printed in "(-?[0-9]{1,3}\\.[0-9]|inf|-inf|nan|1e999)",
        ) {
            prop_assert_eq!(strict(&expected, &printed), expected == printed);
            if printed.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
                prop_assert!(!strict("5.0", &printed));
            }
        }

        #[test]
        fn any_texts_can_be_compared(expected in "\\PC*", printed: String) {
            let _ = compat(&expected, &printed);
            let _ = strict(&expected, &printed);
        }
    }
}
