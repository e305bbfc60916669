//! Python's definition of white space in strings, and its `round`.

use std::borrow::Cow;

pub(crate) use assay_syntax::{is_space, trim as strip};

/// `text.rstrip()`.
pub(crate) fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// `text.split()`.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += spaces(&bytes[at..]);
        let start = at;
        at += until_space(&bytes[at..]);
        (at > start).then(|| &text[start..at])
    })
}

/// The length in bytes of the white space at the start of these bytes.
fn spaces(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match space_length(&bytes[at..]) {
            0 => return at,
            length => at += length,
        }
    }
}

/// The number of bytes before the first white space.
fn until_space(bytes: &[u8]) -> usize {
    // Nearly all bytes of words are recognised without decoding.
    let may_be_space = |byte: &u8| *byte <= b' ' || !byte.is_ascii();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(may_be_space) {
        at += next;
        if space_length(&bytes[at..]) > 0 {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// `text.lower()`, if wanted.
pub(crate) fn lower(text: &str, wanted: bool) -> Cow<'_, str> {
    if wanted { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
}

/// The length in bytes of the white space character at the start of these bytes; 0 if there is
/// none.
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

/// `round(value, digits)`: rounds the exact binary value, ties to the even digit, as printing does.
pub(crate) fn round(value: f64, digits: usize) -> f64 {
    format!("{value:.digits$}").parse().unwrap_or(value)
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
    #[expect(clippy::float_cmp, reason = "rounding is exact")]
    fn rounds_as_python_does() {
        let cents = [(0.125, 0.12), (0.375, 0.38), (2.675, 2.67), (71.985_5, 71.99), (5.0, 5.0)];
        for (value, rounded) in cents {
            assert_eq!(round(value, 2), rounded, "{value}");
        }
        for (value, rounded) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (2.0 / 3.0, 0.667),
            (1.0 / 6.0, 0.167),
            (0.0625, 0.062),
            (0.1875, 0.188),
            (0.3125, 0.312),
            (0.0005, 0.001),
            (0.0015, 0.002),
            (0.0025, 0.003),
            (0.0035, 0.004),
            (1e-300, 0.0),
            (3.9995, 3.999),
            (-0.5, -0.5),
            (1e300, 1e300),
            (f64::INFINITY, f64::INFINITY),
        ] {
            assert_eq!(round(value, 3), rounded, "{value}");
        }
        assert!(round(f64::NAN, 3).is_nan());
    }
}
