//! JSON objects of names and texts, as Fusion Brain's answers and truths are kept, with the place of
//! everything in them.

use std::fmt;

use assay_core::{Place, split_lines};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::without_mark;

/// One member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedText {
    /// Its name.
    pub name: String,
    /// Where its value starts.
    pub place: Place,
    /// Its text, or what stands there instead: "a number".
    pub text: Result<String, &'static str>,
}

/// Why something is no JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnObject {
    /// Where reading ended.
    pub place: Place,
    /// What is wrong there.
    pub message: String,
}

/// Whether these bytes start as a JSON object with a name in it does, or as an empty one.
pub fn starts_as_object(bytes: &[u8]) -> bool {
    let inside = without_mark(bytes).trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| matches!(inside.trim_ascii_start().first(), Some(b'"' | b'}')))
}

/// The members of the object in `bytes`, in their order. A name may occur more than once: who reads
/// them decides what that means.
pub fn named_texts(bytes: &[u8]) -> Result<Vec<NamedText>, NotAnObject> {
    let bytes = without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let place = Places::new(&before).at(before.len());
        NotAnObject { place, message: "not UTF-8".to_owned() }
    })?;
    let Members(members) = serde_json::from_str(text).map_err(|error| {
        let place = place_of(&error, text);
        let message = error.to_string();
        // The place is told apart from the message.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        NotAnObject { place, message: format!("not JSON: {message}") }
    })?;
    let mut places = Places::new(text);
    let named = members.into_iter().map(|(name, value)| {
        let at = (value.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        NamedText { name, place: places.at(at), text: text_of(value) }
    });
    Ok(named.collect())
}

/// Where serde stopped, whose columns are bytes: a column is the letter that its byte belongs to.
fn place_of(error: &serde_json::Error, text: &str) -> Place {
    let line = split_lines(text.as_bytes()).nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = &line[..error.column().min(line.len())];
    let within = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    let beyond = error.column() - before.len();
    Place { line: error.line() as u64, column: (within + beyond) as u64 }
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

/// The members of an object, repeated names and all, borrowed from its text.
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

/// Turns offsets into places, in one pass as long as they grow.
struct Places<'a> {
    text: &'a str,
    offset: usize,
    place: Place,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, offset: 0, place: Place { line: 1, column: 1 } }
    }

    fn at(&mut self, offset: usize) -> Place {
        for letter in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if letter == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        self.offset = offset.max(self.offset);
        self.place
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
            (b"[1]", ":1", "invalid type: sequence, expected an object of names and texts"),
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
