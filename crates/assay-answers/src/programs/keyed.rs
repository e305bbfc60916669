//! One JSON object whose keys name the problems, and EvalPlus's results, which have such an object in them.

use std::fmt;
use std::io::{self, BufRead};

use assay_core::{Digest, DigestOf, Fault, FaultKind, Place, Response, Result};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::array::read_document;
use super::record::{Record, texts, what_is};
use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::shape::Shape;

/// The first keys of EvalPlus's results; the programs are under the last one.
const RESULTS: [&str; 3] = ["date", "hash", PROGRAMS];
const PROGRAMS: &str = "eval";

/// Returns whether a file with this beginning is one object with the programs of each problem.
pub(super) fn begins(head: &[u8], names: &ProblemNames<'_>) -> bool {
    first_key(head).is_some_and(|key| {
        RESULTS.contains(&key.as_str())
            || names.any_spelling(&key).is_ok()
            || names.leaves_out(&key)
    })
}

/// The first key of the object that begins here.
pub(super) fn first_key(head: &[u8]) -> Option<String> {
    let inside = head.strip_prefix(b"{")?.trim_ascii_start();
    let mut keys = serde_json::Deserializer::from_slice(inside).into_iter::<String>();
    keys.next()?.ok()
}

pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let names = ProblemNames::new(collector.problems);
    let mut digest = DigestOf::new();
    let members = Members { collector, names: &names, digest: &mut digest, is_nested: false };
    if let Err((place, fault)) = read_document(reader, members)? {
        collector.faults.add(place, fault);
    }
    Ok(digest.finish())
}

/// Collects the members of an object as they are read.
struct Members<'g, 'a, 'r> {
    collector: &'g mut Collector<'a>,
    names: &'r ProblemNames<'a>,
    digest: &'g mut DigestOf,
    /// True within EvalPlus's results.
    is_nested: bool,
}

impl<'de> DeserializeSeed<'de> for Members<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the programs of each problem")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut is_results = false;
        while let Some(key) = map.next_key::<String>()? {
            is_results |= !self.is_nested && RESULTS.contains(&key.as_str());
            if is_results && key == PROGRAMS {
                map.next_value_seed(self.nested())?;
            } else if is_results {
                map.next_value::<IgnoredAny>()?;
            } else {
                let value = map.next_value::<Value>()?;
                self.digest.field(key.as_bytes());
                self.digest.field(value.to_string().as_bytes());
                self.take(&key, value);
            }
        }
        Ok(())
    }
}

impl<'a> Members<'_, 'a, '_> {
    fn nested(&mut self) -> Members<'_, 'a, '_> {
        let Self { collector, names, digest, .. } = self;
        Members { collector, names, digest, is_nested: true }
    }

    /// Collects the programs under a key.
    fn take(&mut self, key: &str, value: Value) {
        let taken = match self.names.any_spelling(key) {
            Ok(index) => self.add(key, index, value),
            Err(_) if self.names.leaves_out(key) => {
                self.collector.count_passed_over(key.to_owned());
                Ok(())
            }
            Err(fault) => {
                self.collector.note_unknown(&fault, key.to_owned());
                Err(fault)
            }
        };
        if let Err(fault) = taken {
            self.collector.faults.add(Place::FILE, fault);
        }
    }

    /// Collects a text, an object, or a list of either.
    fn add(&mut self, key: &str, index: usize, value: Value) -> Result<(), Fault> {
        let is_object = |value: &Value| value.is_object();
        match value {
            Value::Array(records) if records.first().is_some_and(is_object) => {
                for record in records {
                    self.add_record(key, index, record)?;
                }
                Ok(())
            }
            record @ Value::Object(_) => self.add_record(key, index, record),
            value => {
                let given = texts("programs", &value, Response::Text).map_err(|_| {
                    let message = format!("{key:?} is {}, which holds no program", what_is(&value));
                    Fault::new(FaultKind::Malformed, message).about(index)
                })?;
                self.collector.note(Shape::Keyed);
                self.collector.add_named(Place::FILE, index, given, false);
                Ok(())
            }
        }
    }

    fn add_record(&mut self, key: &str, index: usize, record: Value) -> Result<(), Fault> {
        let given = Record::of(record, self.collector.key)?.answers_to(key)?;
        self.collector.note(if self.is_nested { Shape::EvalPlusResults } else { Shape::Keyed });
        self.collector.add_named(Place::FILE, index, given.responses, given.is_settled);
        Ok(())
    }
}
