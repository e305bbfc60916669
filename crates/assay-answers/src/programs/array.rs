//! One JSON array: the programs for each problem in task order, as the BigCode harness writes it, or objects that name
//! their problem.

use std::fmt;
use std::io::{self, BufRead};

use assay_core::{Digest, DigestOf, Fault, FaultKind, Place, Response, Result};
use assay_data::{json_message, strip_bom};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::record::{Record, texts};
use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::shape::Shape;

/// Reads an array, element by element, so that only the programs are in memory.
pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let names = ProblemNames::new(collector.problems);
    let mut digest = DigestOf::new();
    let elements = Elements { collector, names: &names, digest: &mut digest, positions: 0 };
    let outcome = read_document(reader, elements)?;
    if let Err((place, fault)) = outcome {
        collector.faults.add(place, fault);
    }
    Ok(digest.finish())
}

/// Reads one JSON document into a seed; the inner error is a mistake in the document.
pub(super) fn read_document<'de, S: DeserializeSeed<'de>>(
    reader: &mut dyn BufRead,
    seed: S,
) -> io::Result<Result<S::Value, (Place, Fault)>> {
    let mark = {
        let head = reader.fill_buf()?;
        head.len() - strip_bom(head).len()
    };
    reader.consume(mark);
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = seed.deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    match read {
        Err(error) if error.is_io() => Err(error.into()),
        Err(error) => {
            let place = Place { line: error.line() as u64, column: error.column() as u64 };
            let message = format!("not JSON: {}", json_message(&error));
            Ok(Err((place, Fault::new(FaultKind::Malformed, message))))
        }
        Ok(value) => Ok(Ok(value)),
    }
}

/// The cure for a file of references.
const GENERATIONS: &str = "this is BigCode's references.json: the tests of the problems; give generations.json, which is \
     written beside it";

/// Returns true if an element is one of BigCode's references: assertions, or a function that checks a candidate and a
/// call of it. The programs of a problem are in a list.
fn are_tests(element: &Value) -> bool {
    let Value::String(text) = element else { return false };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let checks = || text.contains("def check(") && text.trim_end().ends_with(')');
    lines.peek().is_some() && (lines.all(|line| line.starts_with("assert ")) || checks())
}

/// Collects the elements of an array as they are read.
struct Elements<'g, 'a, 'r> {
    collector: &'g mut Collector<'a>,
    names: &'r ProblemNames<'a>,
    digest: &'g mut DigestOf,
    /// The number of elements so far that answer the problem at their index.
    positions: usize,
}

impl<'de> DeserializeSeed<'de> for Elements<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array with the programs for each problem")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        while let Some(element) = array.next_element::<Value>()? {
            self.digest.field(element.to_string().as_bytes());
            self.take(element);
        }
        let (given, total) = (self.positions, self.collector.problems.ids().len());
        if given > total {
            let message = format!("programs for {given} problems, and the task has {total}");
            let fault = Fault::new(FaultKind::WrongCount, message);
            self.collector.faults.add(Place::FILE, fault);
        }
        Ok(())
    }
}

impl Elements<'_, '_, '_> {
    /// Collects an element: an object that names its problem, or the programs for the next problem.
    fn take(&mut self, element: Value) {
        let taken = match element {
            Value::Object(_) => Record::of(element, self.collector.key)
                .and_then(|record| record.add_to(self.collector, Place::FILE, self.names)),
            programs => self.take_next(&programs),
        };
        if let Err(fault) = taken {
            self.collector.faults.add(Place::FILE, fault);
        }
    }

    /// Collects the programs for the next problem.
    fn take_next(&mut self, programs: &Value) -> Result<(), Fault> {
        let index = self.positions;
        self.positions += 1;
        // Surplus elements are reported once, when all are counted.
        let Some(id) = self.collector.problems.ids().get(index) else { return Ok(()) };
        if are_tests(programs) {
            self.collector.faults.advise(GENERATIONS.to_owned());
            let message = format!("element {index}, for {id}, holds tests and no programs");
            return Err(Fault::new(FaultKind::Malformed, message).about(index));
        }
        let responses = texts("programs", programs, Response::Program).map_err(|what| {
            let message = format!("element {index}, for {id}: {what}");
            Fault::new(FaultKind::Malformed, message).about(index)
        })?;
        self.collector.note(Shape::TaskOrder);
        for response in responses {
            self.collector.add(Place::FILE, index, response);
        }
        Ok(())
    }
}
