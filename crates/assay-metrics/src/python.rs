//! What Python's strings call white space, and how its `round` rounds.

use std::borrow::Cow;

pub(crate) use assay_syntax::{is_space, trim as strip};

/// `text.rstrip()`.
pub(crate) fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// `text.split()`.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// `text.lower()`, if wanted.
pub(crate) fn lower(text: &str, wanted: bool) -> Cow<'_, str> {
    if wanted { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
}

/// How many bytes the white space takes that these bytes start with; 0 if they start otherwise.
pub(crate) fn space_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\t'..=b'\r' | 0x1c..=b' ', ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// `round(value, 2)`: of the exact binary value, ties to the even digit, as printing does.
pub(crate) fn round_to_cents(value: f64) -> f64 {
    format!("{value:.2}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_the_same_in_bytes_and_characters() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            let expected = if is_space(character) { text.len() } else { 0 };
            assert_eq!(space_length(text.as_bytes()), expected, "{character:?}");
        }
    }

    #[test]
    fn rounds_as_python_does() {
        let cases = [(0.125, 0.12), (0.375, 0.38), (2.675, 2.67), (71.985_5, 71.99), (5.0, 5.0)];
        for (value, rounded) in cases {
            assert!((round_to_cents(value) - rounded).abs() < 1e-15, "{value}");
        }
    }
}
