//! The content of a message, which is a text or a list of parts.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

/// One part of a content; only texts are of use.
#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

/// Reads a content: a text, nothing, or a list of parts, whose texts are put together.
pub(crate) fn content<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    struct Content;
    impl<'de> Visitor<'de> for Content {
        type Value = Option<String>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a text or a list of parts")
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(text.to_owned()))
        }

        fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
            Ok(Some(text))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
            let mut text = String::new();
            while let Some(part) = parts.next_element::<PartOrOther>()? {
                text.push_str(&part.0);
            }
            Ok(Some(text))
        }
    }
    from.deserialize_any(Content)
}

/// The text of a part, which may also be a text itself.
struct PartOrOther(String);

impl<'de> Deserialize<'de> for PartOrOther {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Text(String),
            Part(Part),
            Other(IgnoredAny),
        }
        Ok(Self(match Shape::deserialize(from)? {
            Shape::Text(text) => text,
            Shape::Part(Part { text }) => text.unwrap_or_default(),
            Shape::Other(_) => String::new(),
        }))
    }
}
