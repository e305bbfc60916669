//! Plain words for the messages of JSON errors.
//!
//! `serde` describes values and types in Rust's words: "expected struct Line". People who write files read these
//! messages, so they are put into JSON's words.

use std::borrow::Cow;

const EXPECTED: &str = ", expected ";
const TYPE: &str = "invalid type: ";
const VALUE: &str = "invalid value: ";
const LENGTH: &str = "invalid length ";
const VARIANT: &str = "unknown variant ";
const NO_VARIANT: &str = "data did not match any variant of ";
const KINDS: [&str; 5] = [TYPE, VALUE, LENGTH, VARIANT, NO_VARIANT];
/// The text before the position that `serde_json` appends.
const POSITION: &str = " at line ";

/// The message of a JSON error in JSON's own words: "the number 3, where a text is expected".
pub fn plain_json_words(message: &str) -> Cow<'_, str> {
    let (what, position) = split_position(message);
    match reworded(what) {
        Some(what) => Cow::Owned(format!("{what}{position}")),
        None => Cow::Borrowed(message),
    }
}

/// Splits off the position at the end: " at line 1 column 5".
fn split_position(message: &str) -> (&str, &str) {
    let is_position = |text: &str| {
        let numbers = text[POSITION.len()..].split_once(" column ");
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        numbers.is_some_and(|(line, column)| is_number(line) && is_number(column))
    };
    match message.rfind(POSITION) {
        Some(at) if is_position(&message[at..]) => message.split_at(at),
        _ => (message, ""),
    }
}

fn reworded(message: &str) -> Option<String> {
    let at = KINDS.iter().filter_map(|kind| begins(message, kind)).min()?;
    let (key, message) = message.split_at(at);
    if message.starts_with(NO_VARIANT) {
        return Some(format!("{key}a value that has none of the forms that are read here"));
    }
    let (found, expected) = message.rsplit_once(EXPECTED)?;
    if let Some(found) = found.strip_prefix(TYPE).or_else(|| found.strip_prefix(VALUE)) {
        return Some(format!("{key}{}, where {} is expected", given(found), wanted(expected)));
    }
    if let Some(name) = found.strip_prefix(VARIANT) {
        return Some(format!("{key}{name} is not {}", expected.replacen("one of", "among", 1)));
    }
    let length = found.strip_prefix(LENGTH)?;
    let items = if length == "1" { "item" } else { "items" };
    Some(format!("{key}{length} {items}, where {} is expected", wanted(expected)))
}

/// The beginning of serde's own message, which may follow the key that it is about: `"a": invalid type: …`.
fn begins(message: &str, kind: &str) -> Option<usize> {
    let places = message.match_indices(kind).map(|(at, _)| at);
    places.into_iter().find(|&at| at == 0 || message[..at].ends_with("\": "))
}

/// A value that was found.
fn given(found: &str) -> String {
    let quoted = |prefix| found.strip_prefix(prefix);
    if let Some(number) = quoted("integer `").or_else(|| quoted("floating point `")) {
        return format!("the number {}", number.trim_end_matches('`'));
    }
    if let Some(value) = quoted("boolean `") {
        return value.trim_end_matches('`').to_owned();
    }
    if let Some(text) = quoted("string ") {
        return format!("the text {text}");
    }
    if let Some(text) = quoted("character `") {
        return format!("the text {:?}", text.trim_end_matches('`'));
    }
    let plain = match found {
        "sequence" => "a list",
        "map" => "an object",
        "unit value" | "null" | "Option value" => "null",
        // Values of enums and the like do not occur in JSON.
        _ if is_rust(found) => "another value",
        other => other,
    };
    plain.to_owned()
}

/// The kinds of whole numbers, with their ranges.
const WHOLE: [(&str, &str); 12] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number that is not negative"),
    ("u128", "a whole number that is not negative"),
    ("usize", "a whole number that is not negative"),
    ("i8", "a whole number from -128 to 127"),
    ("i16", "a whole number from -32768 to 32767"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("i128", "a whole number"),
    ("isize", "a whole number"),
];

/// A value that was expected.
fn wanted(expected: &str) -> String {
    if let Some((_, range)) = WHOLE.iter().find(|(name, _)| *name == expected) {
        return (*range).to_owned();
    }
    if let Some(length) = length_of_list(expected) {
        let items = if length == "1" { "item" } else { "items" };
        return format!("a list of {length} {items}");
    }
    let plain = match expected {
        "f32" | "f64" | "a number" => "a number",
        "a string" | "a borrowed string" | "str" | "a character" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" | "null" => "null",
        "option" => "a value or null",
        "any value" | "any valid JSON value" => "a JSON value",
        "field identifier" | "variant identifier" => "a name",
        "string or map" => "a text or an object",
        _ if expected.starts_with("tuple ") => "a list",
        _ if expected.starts_with("unit struct ") => "null",
        _ if expected.starts_with("enum ") => "one of the known names",
        _ if expected.contains("tagged enum ") => "an object that names its kind",
        _ if is_rust(expected) => "an object",
        other => other,
    };
    plain.to_owned()
}

/// The length in "a tuple of size 2", "an array of length 2" and "tuple struct P with 2 elements".
fn length_of_list(expected: &str) -> Option<&str> {
    let length = expected
        .strip_prefix("a tuple of size ")
        .or_else(|| expected.strip_prefix("an array of length "))
        .or_else(|| {
            let (_, with) = expected.strip_prefix("tuple ")?.split_once(" with ")?;
            with.strip_suffix(" elements").or_else(|| with.strip_suffix(" element"))
        })?;
    (!length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit())).then_some(length)
}

/// Returns true if a description is about a type of Rust.
fn is_rust(text: &str) -> bool {
    let kinds = ["struct ", "enum ", "tuple ", "newtype ", "unit ", "variant"];
    let tagged = ["internally tagged", "adjacently tagged", "externally tagged", "untagged"];
    text == "enum"
        || kinds.iter().chain(&tagged).any(|kind| text.starts_with(kind))
        || text.ends_with(" variant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_has_names_of_types() {
        for (message, plain) in [
            (
                "invalid type: string \"x\", expected struct Line at line 1 column 3",
                "the text \"x\", where an object is expected at line 1 column 3",
            ),
            ("invalid type: sequence, expected a string", "a list, where a text is expected"),
            (
                "invalid type: map, expected a sequence at line 2 column 9",
                "an object, where a list is expected at line 2 column 9",
            ),
            (
                "invalid type: boolean `true`, expected u64",
                "true, where a whole number that is not negative is expected",
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "the number -1, where a whole number from 0 to 4294967295 is expected",
            ),
            (
                "invalid type: floating point `1.5`, expected usize",
                "the number 1.5, where a whole number that is not negative is expected",
            ),
            (
                "invalid length 3, expected an array of length 2",
                "3 items, where a list of 2 items is expected",
            ),
            (
                "invalid length 1, expected tuple struct Pair with 2 elements",
                "1 item, where a list of 2 items is expected",
            ),
            ("invalid type: null, expected f64", "null, where a number is expected"),
            (
                "data did not match any variant of untagged enum Answer",
                "a value that has none of the forms that are read here",
            ),
            ("unknown variant `x`, expected one of `a`, `b`", "`x` is not among `a`, `b`"),
            (
                "invalid type: map, expected internally tagged enum Ending",
                "an object, where an object that names its kind is expected",
            ),
            (
                "missing field `prompt` at line 1 column 2",
                "missing field `prompt` at line 1 column 2",
            ),
            ("expected value at line 1 column 2", "expected value at line 1 column 2"),
            (
                "EOF while parsing a list at line 1 column 3",
                "EOF while parsing a list at line 1 column 3",
            ),
            (
                "\"q\": \"a\": invalid type: null, expected a string",
                "\"q\": \"a\": null, where a text is expected",
            ),
            // A text from the file may say anything.
            (
                "invalid type: string \" at line x, expected struct Y\", expected a map",
                "the text \" at line x, expected struct Y\", where an object is expected",
            ),
            (
                "invalid type: integer `1`, expected a box of four numbers",
                "the number 1, where a box of four numbers is expected",
            ),
        ] {
            assert_eq!(plain_json_words(message), plain);
        }
    }
}
