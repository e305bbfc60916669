//! The JSON files of the Fusion Brain Challenge: predictions and truths of its subtasks.
//!
//! Reading any file ends in values or in a message that names the file, the position and the key.
//! Duplicate keys are refused: Python would silently keep the last.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

use assay_core::{Error, Result, counted, shown_name};
use serde::de::{self, DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json::{JsonFault, json_message, parse_document};
use crate::named_texts::unique_texts;

/// Texts by key: predictions of C2C, HTR and VQA, and truths of the first two.
pub type Texts = BTreeMap<String, String>;
/// The boxes (left, top, width, height) of each phrase of each image.
pub type Detections = BTreeMap<String, Phrases>;
/// The boxes of each phrase of one image.
pub type Phrases = BTreeMap<String, Vec<[f64; 4]>>;
/// The right answers to questions.
pub type QuestionTruths = BTreeMap<String, QuestionTruth>;

/// A question's right answers and its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionTruth {
    /// The answers that are right.
    pub answers: Vec<String>,
    /// True if it is asked in Russian, false for English.
    pub is_russian: bool,
}

/// Reads texts by key from the file called `name`.
pub fn texts(bytes: &[u8], name: &str) -> Result<Texts> {
    let texts = unique_texts(bytes, name, r#"{"0": "text", …}"#)?;
    Ok(texts.into_iter().collect())
}

/// Reads boxes by image and phrase.
pub fn detections(bytes: &[u8], name: &str) -> Result<Detections> {
    let shape = r#"{"0.jpg": {"a phrase": [[x, y, width, height], …], …}, …}"#;
    let images = read::<Keyed<Keyed<Boxes>>>(bytes, name, shape)?.0;
    Ok(images.into_iter().map(|(image, all)| (image, without_types(all))).collect())
}

/// Reads the boxes of one image by phrase; an error is a message without a position.
pub fn phrases(text: &str) -> Result<Phrases, String> {
    let phrases: Keyed<Boxes> = serde_json::from_str(text).map_err(|error| json_message(&error))?;
    Ok(without_types(phrases))
}

fn without_types(phrases: Keyed<Boxes>) -> Phrases {
    phrases.0.into_iter().map(|(phrase, boxes)| (phrase, boxes.0)).collect()
}

/// Reads values of any type by key; each is given as its JSON.
pub fn values(bytes: &[u8], name: &str) -> Result<BTreeMap<String, String>> {
    let values = read::<Keyed<Box<RawValue>>>(bytes, name, r#"{"0": …, …}"#)?.0;
    Ok(values.into_iter().map(|(key, value)| (key, value.get().to_owned())).collect())
}

/// Reads the right answers by question.
pub fn questions(bytes: &[u8], name: &str) -> Result<QuestionTruths> {
    let shape = r#"{"0": {"answer": "text" or ["text", …], "lang": "ru" or "en"}, …}"#;
    let records = read::<Keyed<Record>>(bytes, name, shape)?.0;
    let question = |record: Record| QuestionTruth {
        answers: record.answer.0,
        is_russian: record.lang == QuestionLanguage::Ru,
    };
    Ok(records.into_iter().map(|(key, record)| (key, question(record))).collect())
}

fn read<T: DeserializeOwned>(bytes: &[u8], name: &str, shape: &str) -> Result<T> {
    let parsed = parse_document(bytes).map_err(|JsonFault { place, message }| {
        Error::refused(format!("{}: {message}", place.within(name)))
            .hint(format!("expected {shape}"))
    });
    Ok(parsed?.1)
}

/// An object whose keys are unique; errors in a value name its key.
struct Keyed<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeyedVisitor(PhantomData))
    }
}

struct KeyedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for KeyedVisitor<T> {
    type Value = Keyed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keyed<T>, A::Error> {
        let mut all = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            match all.entry(key) {
                Entry::Occupied(twice) => {
                    let key = shown_name(twice.key());
                    return Err(de::Error::custom(format!("\"{key}\" is there twice")));
                }
                Entry::Vacant(place) => {
                    let value = map.next_value();
                    let key = shown_name(place.key()).into_owned();
                    let named = |error| de::Error::custom(format!("\"{key}\": {error}"));
                    let value = value.map_err(named)?;
                    place.insert(value);
                }
            }
        }
        Ok(Keyed(all))
    }
}

/// The boxes of a phrase; `[[]]` means none.
struct Boxes(Vec<[f64; 4]>);

impl<'de> Deserialize<'de> for Boxes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let lists = Vec::<Sides>::deserialize(deserializer)?;
        if let [Sides(only)] = lists.as_slice()
            && only.is_empty()
        {
            return Ok(Self(Vec::new()));
        }
        let boxed = |(at, Sides(sides)): (usize, Sides)| {
            <[f64; 4]>::try_from(sides.as_slice()).map_err(|_| {
                let count = counted(sides.len(), "number");
                de::Error::custom(format!("box {} has {count}, not 4", at + 1))
            })
        };
        Ok(Self(lists.into_iter().enumerate().map(boxed).collect::<Result<_, D::Error>>()?))
    }
}

/// A list of numbers, of which a box has four.
struct Sides(Vec<f64>);

impl<'de> Deserialize<'de> for Sides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SidesVisitor;
        impl<'de> Visitor<'de> for SidesVisitor {
            type Value = Sides;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a box of four numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sides, A::Error> {
                let mut sides = Vec::with_capacity(4);
                while let Some(side) = list.next_element::<f64>()? {
                    sides.push(side);
                }
                Ok(Sides(sides))
            }
        }
        deserializer.deserialize_seq(SidesVisitor)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object with an answer and a language")]
struct Record {
    answer: Answers,
    lang: QuestionLanguage,
    #[serde(default, rename = "question_id")]
    _question_id: Option<IgnoredAny>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum QuestionLanguage {
    Ru,
    En,
}

/// One text, or a list of them.
struct Answers(Vec<String>);

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnswersVisitor;
        impl<'de> Visitor<'de> for AnswersVisitor {
            type Value = Answers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an answer or a list of answers")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Answers, E> {
                Ok(Answers(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Answers, A::Error> {
                let mut answers = Vec::new();
                while let Some(answer) = list.next_element()? {
                    answers.push(answer);
                }
                Ok(Answers(answers))
            }
        }
        deserializer.deserialize_any(AnswersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: fmt::Debug>(read: fn(&[u8], &str) -> Result<T>, text: &[u8]) -> String {
        read(text, "f.json").unwrap_err().to_string()
    }

    #[test]
    fn reads_what_the_challenge_writes() {
        assert_eq!(texts(br#"{"0.png": "a"}"#, "f").unwrap()["0.png"], "a");
        assert_eq!(texts("\u{feff}{\"0\": \"a\"}".as_bytes(), "f").unwrap()["0"], "a");
        let found = detections(br#"{"0.jpg":{"x":[[1,2,3.5,4]],"y":[],"z":[[]]}}"#, "f").unwrap();
        assert_eq!(found["0.jpg"]["x"], [[1.0, 2.0, 3.5, 4.0]]);
        assert!(found["0.jpg"]["y"].is_empty() && found["0.jpg"]["z"].is_empty());
        let text = r#"{"0":{"answer":["да","ага"],"question_id":7,"lang":"ru"},
            "1":{"lang":"en","answer":"yes","more":{}}}"#;
        let found = questions(text.as_bytes(), "f").unwrap();
        assert_eq!(
            found["0"],
            QuestionTruth { answers: vec!["да".into(), "ага".into()], is_russian: true }
        );
        assert_eq!(found["1"], QuestionTruth { answers: vec!["yes".into()], is_russian: false });
    }

    #[test]
    fn texts_that_are_none_are_refused_with_their_place() {
        for (text, message) in [
            (b"\n\xff".as_slice(), "f.json:2:1: not UTF-8"),
            (b"", "f.json:1: not JSON: EOF while parsing a value"),
            (b"[]", "f.json:1: a list, where an object of names and texts is expected"),
            (b"{\"a\":\n5}", "f.json:2:1: \"a\" is a number, not a text"),
            (b"{\"a\":\"\",\n\"a\":\"\"}", "f.json:2:5: \"a\" is there twice, first at f.json:1:6"),
            (b"{\"a\":\"\"} x", "f.json:1:10: not JSON: trailing characters"),
        ] {
            assert_eq!(refused(texts, text), message);
        }
    }

    #[test]
    fn boxes_that_are_none_are_refused_with_their_place() {
        for (boxes, message) in [
            ("[[1,2,3]]", "20: \"i\": \"p\": box 1 has 3 numbers, not 4"),
            ("[[1,2,3,4],[]]", "25: \"i\": \"p\": box 2 has 0 numbers, not 4"),
            ("[[1,2,3,NaN]]", "19: \"i\": \"p\": expected value"),
            ("[[1,2,3,1e999]]", "23: \"i\": \"p\": number out of range"),
            ("[[1,2,3,\"4\"]]", "21: \"i\": \"p\": the text \"4\", where a number is expected"),
            (
                "[1,2,3,4]",
                "12: \"i\": \"p\": the number 1, where a box of four numbers is expected",
            ),
        ] {
            let text = format!("{{\"i\":{{\"p\":{boxes}}}}}");
            assert_eq!(refused(detections, text.as_bytes()), format!("f.json:1:{message}"));
        }
        let deep = format!("{{\"i\":{}", "[".repeat(1 << 20));
        assert!(refused(detections, deep.as_bytes()).contains("where an object"));
        let deep = format!("{{\"i\":{{\"p\":{}", "[".repeat(1 << 20));
        assert!(refused(detections, deep.as_bytes()).contains("where a number is expected"));
    }

    #[test]
    fn questions_that_are_none_are_refused_with_their_key() {
        for (record, message) in [
            (r#"{"answer":"a"}"#, "missing field `lang`"),
            (r#"{"lang":"en"}"#, "missing field `answer`"),
            (r#"{"answer":"a","lang":"de"}"#, "`de` is not `ru` or `en`"),
            (r#"{"answer":5,"lang":"en"}"#, "an answer or a list of answers is expected"),
            (r#"{"answer":["a",null],"lang":"en"}"#, "where a text is expected"),
            (r#"{"answer":"a","answer":"b","lang":"en"}"#, "duplicate field `answer`"),
            ("7", "an object with an answer and a language is expected"),
        ] {
            let found = refused(questions, format!("{{\"q\":{record}}}").as_bytes());
            assert!(found.starts_with("f.json:1:") && found.contains(": \"q\": "), "{found}");
            assert!(found.contains(message), "{found}");
        }
        let deep = format!("{{\"q\":{{\"question_id\":{}", "[".repeat(1 << 20));
        assert!(refused(questions, deep.as_bytes()).contains("EOF while parsing a list"));
    }
}
