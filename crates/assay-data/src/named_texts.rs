//! JSON objects of names and texts, as Fusion Brain's answers and truths are stored, with the
//! position of every member.

use std::collections::HashMap;
use std::fmt;

use assay_core::{Error, Place, Result};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json::{JsonFault, TextPlaces, parse_document};
use crate::strip_bom;

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    /// Its name.
    pub name: String,
    /// The position at which its value starts.
    pub place: Place,
    /// Its text, or the kind of value found instead: "a number".
    pub text: Result<String, &'static str>,
}

/// Returns whether these bytes start like a JSON object that is empty or has a name.
pub fn starts_as_object(bytes: &[u8]) -> bool {
    let inside = strip_bom(bytes).trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| matches!(inside.trim_ascii_start().first(), Some(b'"' | b'}')))
}

/// Reads the members of the object in `bytes`, in their order. A name may occur more than once: the
/// caller decides what that means.
pub fn named_texts(bytes: &[u8]) -> Result<Vec<NamedText>, JsonFault> {
    let (text, Members(members)) = parse_document(bytes)?;
    let mut places = TextPlaces::new(text);
    let named = members.into_iter().map(|(name, value)| {
        let at = (value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        NamedText { name, place: places.at(at), text: text_of(value) }
    });
    Ok(named.collect())
}

/// Reads the members of the object in the file called `file`, in their order. Anything but one text
/// for each name is refused with its position; `shape` describes the object in the hint.
pub fn unique_texts(bytes: &[u8], file: &str, shape: &str) -> Result<Vec<(String, String)>> {
    let members = named_texts(bytes).map_err(|JsonFault { place, message }| {
        Error::refused(format!("{}: {message}", place.within(file)))
            .hint(format!("expected {shape}"))
    })?;
    let mut first = HashMap::new();
    let mut texts = Vec::with_capacity(members.len());
    for NamedText { name, place, text } in members {
        let here = place.within(file);
        if let Some(before) = first.insert(name.clone(), place) {
            let message =
                format!("{here}: {name:?} is there twice, first at {}", before.within(file));
            return Err(Error::refused(message).hint("a name has one text: leave the other out"));
        }
        let text = text.map_err(|what| {
            Error::refused(format!("{here}: {name:?} is {what}, not a text"))
                .hint("write it as a JSON string")
        })?;
        texts.push((name, text));
    }
    Ok(texts)
}

fn text_of(value: &RawValue) -> Result<String, &'static str> {
    let what = match value.get().as_bytes().first() {
        Some(b'"') => "no sound text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    };
    serde_json::from_str(value.get()).map_err(|_| what)
}

/// The members of an object, including repeated names, borrowed from its text.
#[derive(Default)]
pub(crate) struct Members<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of names and texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_come_in_order_with_their_places() {
        let text =
            "{\n  \"b\": \"x\",\n  \"ä\": \"ü\", \"b\": 3, \"n\": null, \"o\": {}, \"l\": [1]}";
        let named = named_texts(text.as_bytes()).unwrap();
        let shown: Vec<String> = named
            .iter()
            .map(|NamedText { name, place, text }| format!("{} {name} {text:?}", place.within("")))
            .collect();
        let expected = [
            ":2:8 b Ok(\"x\")",
            ":3:8 ä Ok(\"ü\")",
            ":3:18 b Err(\"a number\")",
            ":3:26 n Err(\"null\")",
            ":3:37 o Err(\"an object\")",
            ":3:46 l Err(\"a list\")",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_no_object_is_named_with_its_place() {
        for (bytes, place, message) in [
            (&b"{\"a\": \"b\""[..], ":1:9", "EOF while parsing an object"),
            (b"{\"a\": \"b\",\n \"c\" 3}", ":2:6", "expected `:`"),
            (b"{\"a\": \"b\"}\n{}", ":2:1", "trailing characters"),
            (b"[1]", ":1", "a list, where an object of names and texts is expected"),
            (b"{\"a\":\n \"\xff\"}", ":2:3", "not UTF-8"),
            (b"{\"a\": \"b\nc\"}", ":1:8", "control character"),
            ("{\"ä\": \"größe\" 3}".as_bytes(), ":1:15", "expected `,` or `}`"),
        ] {
            let error = named_texts(bytes).unwrap_err();
            assert!(error.message.contains(message), "{error:?}");
            assert_eq!(error.place.within(""), place, "{error:?}");
        }
    }

    #[test]
    fn an_object_is_known_by_its_start() {
        for text in ["{}", " {\n \"a\": 1", "\u{feff}{\"", "{ }"] {
            assert!(starts_as_object(text.as_bytes()), "{text:?}");
        }
        for text in ["", "{", "{ return x ; }", "[\"a\"]", "def f", "{{}"] {
            assert!(!starts_as_object(text.as_bytes()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(members in prop::collection::vec((".{0,9}", ".{0,30}"), 0..30)) {
            let members: Vec<(String, String)> = members;
            let inner: Vec<String> = members
                .iter()
                .map(|(name, text)| format!(
                    "{}:\n{}",
                    serde_json::to_string(name).unwrap(),
                    serde_json::to_string(text).unwrap()
                ))
                .collect();
            let named = named_texts(format!("{{{}}}", inner.join(",")).as_bytes()).unwrap();
            for (at, (named, (name, text))) in named.iter().zip(&members).enumerate() {
                prop_assert_eq!(&named.name, name);
                prop_assert_eq!(named.text.as_ref(), Ok(text));
                prop_assert_eq!(named.place, Place { line: at as u64 + 2, column: 1 });
            }
            prop_assert_eq!(named.len(), members.len());
        }

        #[test]
        fn any_bytes_are_an_object_or_a_place_with_a_message(bytes: Vec<u8>) {
            match named_texts(&bytes) {
                Ok(named) => prop_assert!(named.iter().all(|named| named.place.line > 0)),
                Err(error) => prop_assert!(!error.message.is_empty()),
            }
        }
    }
}
