//! JSON as Python writes it: with `NaN` and `Infinity`, which JSON does not have.

use std::borrow::Cow;

use memchr::memmem;

/// The words, each with a number of the same length.
const WORDS: [(&str, &str); 2] = [("Infinity", "0.000000"), ("NaN", "0.0")];

/// The text with Python's words replaced by numbers; every byte keeps its position.
pub(super) fn as_json(text: &str) -> Cow<'_, str> {
    let has = |(word, _): &(&str, &str)| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !WORDS.iter().any(has) {
        return text.into();
    }
    let mut json = String::with_capacity(text.len());
    let (mut rest, mut quoted) = (text, false);
    while let Some(at) = rest.find(['"', '\\', 'I', 'N']) {
        let (before, from) = rest.split_at(at);
        json.push_str(before);
        let (written, taken) = next_part(from, &mut quoted);
        json.push_str(written);
        rest = &from[taken..];
    }
    json.push_str(rest);
    json.into()
}

/// Returns the replacement of the beginning of a text, and that beginning's length.
fn next_part<'a>(from: &'a str, quoted: &mut bool) -> (&'a str, usize) {
    let first = from.chars().next().map_or(0, char::len_utf8);
    if from.starts_with('\\') {
        let escaped = from[first..].chars().next().map_or(0, char::len_utf8);
        return (&from[..first + escaped], first + escaped);
    }
    if from.starts_with('"') {
        *quoted = !*quoted;
    } else if !*quoted
        && let Some((word, number)) = WORDS.iter().find(|(word, _)| from.starts_with(word))
    {
        return (number, word.len());
    }
    (&from[..first], first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_become_numbers_outside_of_texts() {
        let check = |text: &str, json: &str| assert_eq!(as_json(text), json);
        check("[NaN, -Infinity, Infinity]", "[0.0, -0.000000, 0.000000]");
        check(r#"["NaN", "a\"NaN", NaN]"#, r#"["NaN", "a\"NaN", 0.0]"#);
        check(r#"["\\", NaN]"#, r#"["\\", 0.0]"#);
        check("[1]", "[1]");
        check("N\\", "N\\");
    }

    proptest! {
        #[test]
        fn every_byte_keeps_its_place(text in "([\"\\\\INé,]|NaN|Infinity){0,20}") {
            prop_assert_eq!(as_json(&text).len(), text.len());
        }
    }
}
