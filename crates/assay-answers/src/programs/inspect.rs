//! inspect's logs: one JSON object with a list of samples, or a `.eval` archive with a file for each.
//!
//! Scores are ignored: what a model said is graded anew. The epochs of a sample, and the choices of an epoch, are the
//! samples of its problem.

use std::fmt;
use std::io::{self, BufRead};
use std::path::Path;

use assay_core::{
    Cancel, Digest, DigestOf, Error, Fault, FaultKind, NoAnswerKind, Place, Problems, Response,
    Result, Selection,
};
use assay_data::{Store, json_message};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::array::read_document;
use super::keyed::first_key;
use super::record::Record;
use crate::AnswerFile;
use crate::collector::Collector;
use crate::lines::ProblemNames;
use crate::shape::Shape;

/// The first key of a log.
const FIRST: &str = "version";
const SAMPLES: &str = "samples";
/// The extension of an archive.
const EXTENSION: &str = ".eval";
/// The name of an archive's header, and the folder of its samples.
const HEADER: [&str; 2] = ["header.json", "_journal/start.json"];
const FOLDER: &str = "samples/";

/// Returns true if a file with this beginning is a log.
pub(super) fn begins(head: &[u8], names: &ProblemNames<'_>) -> bool {
    first_key(head).is_some_and(|key| key == FIRST) && names.any_spelling(FIRST).is_err()
}

/// Returns true if a file's name is that of an archive.
pub(crate) fn is_archive_name(name: &str) -> bool {
    name.ends_with(EXTENSION)
}

/// Returns true if an archive with these files is a log.
pub(crate) fn is_archive(names: &[String]) -> bool {
    names.iter().any(|name| HEADER.contains(&name.as_str()))
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let mut log = Log { samples: Vec::new(), digest: DigestOf::new() };
    match read_document(reader, &mut log)? {
        Err((place, fault)) => collector.faults.add(place, fault),
        Ok(()) => log.add_to(collector),
    }
    Ok(log.digest.finish())
}

/// Reads a log that is an archive.
pub(crate) fn read_archive(
    path: &Path,
    cancel: &Cancel,
    problems: &dyn Problems,
    chosen: &Selection,
    key: Option<&str>,
) -> Result<AnswerFile> {
    let mut collector = Collector::new(problems, chosen, key);
    let mut log = Log { samples: Vec::new(), digest: DigestOf::new() };
    let is_sample = |name: &str| name.starts_with(FOLDER) && name.ends_with(".json");
    Store::open(path)?.scan(&is_sample, &mut |name, content| {
        if cancel.is_cancelled() {
            return;
        }
        let read = content.and_then(|bytes| {
            serde_json::from_slice::<Sample>(&bytes).map_err(|error| json_message(&error))
        });
        match read {
            Ok(sample) => log.take(sample),
            Err(what) => {
                let fault = Fault::new(FaultKind::Malformed, format!("{name}: {what}"));
                collector.faults.add(Place::FILE, fault);
            }
        }
    })?;
    if cancel.is_cancelled() {
        return Err(Error::failed("interrupted"));
    }
    log.add_to(&mut collector);
    Ok(collector.finish(log.digest.finish()))
}

/// The replies of all samples of a log.
struct Log {
    samples: Vec<Said>,
    digest: DigestOf,
}

/// The reply of one sample.
struct Said {
    name: Value,
    epoch: u64,
    texts: Vec<String>,
    /// The reason why there is no text.
    error: Option<String>,
}

impl Log {
    fn take(&mut self, sample: Sample) {
        let said = sample.said();
        self.digest.field(said.name.to_string().as_bytes());
        for text in &said.texts {
            self.digest.field(text.as_bytes());
        }
        self.samples.push(said);
    }

    fn add_to(&mut self, collector: &mut Collector<'_>) {
        if self.samples.is_empty() && collector.faults.is_empty() {
            let message = "the log holds no samples".to_owned();
            collector.faults.add(Place::FILE, Fault::new(FaultKind::Malformed, message));
        }
        let names = ProblemNames::new(collector.problems);
        // An archive's files are in the order of their names.
        self.samples.sort_by_key(|said| said.epoch);
        for said in self.samples.drain(..) {
            if let Err(fault) = said.add_to(collector, &names) {
                collector.faults.add(Place::FILE, fault);
            }
        }
    }
}

impl Said {
    fn add_to(self, collector: &mut Collector<'_>, names: &ProblemNames<'_>) -> Result<(), Fault> {
        if self.name.is_number() && names.any_spelling("0").is_ok() {
            let message = format!(
                "the sample {} may be a problem's number or its place in the log, which counts from 1: its id or \
                 the \"task_id\" in its metadata should be the problem's name",
                self.name
            );
            return Err(Fault::new(FaultKind::Malformed, message));
        }
        let record = Record::named_by(self.name);
        if let Some(why) = self.error {
            let (_, index) = record.problem(names)?;
            let none = vec![Response::none(NoAnswerKind::Crashed, why)];
            collector.note(Shape::Inspect);
            collector.add_named(Place::FILE, index, none, true);
            return Ok(());
        }
        let texts = self.texts.into_iter().map(Value::from).collect();
        record.with_replies(texts, Shape::Inspect).add_to(collector, Place::FILE, names)
    }
}

/// A sample, as far as it matters here.
#[derive(Deserialize)]
struct Sample {
    id: Value,
    #[serde(default)]
    epoch: u64,
    #[serde(default)]
    metadata: Option<Metadata>,
    #[serde(default)]
    output: Option<Output>,
    #[serde(default)]
    error: Option<Failure>,
}

/// Names of the problem that are more certain than the sample's id.
#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    task_id: Value,
    #[serde(default)]
    problem_id: Value,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    completion: Value,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: String,
}

impl Sample {
    fn said(self) -> Said {
        let Metadata { task_id, problem_id } = self.metadata.unwrap_or_default();
        let names = [task_id, problem_id, self.id];
        let is_name = |name: &Value| name.is_string() || name.is_number();
        let name = names.into_iter().find(is_name).unwrap_or_default();
        let texts = self.output.map(Output::texts).unwrap_or_default();
        let silent = || "the log has no output of the model".to_owned();
        let why = || self.error.map_or_else(silent, |error| first_line(&error.message));
        let error = texts.is_empty().then(why);
        Said { name, epoch: self.epoch, texts, error }
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().take(200).collect()
}

impl Output {
    fn texts(self) -> Vec<String> {
        if self.choices.is_empty() {
            let text = text_of(&self.completion);
            return if text.is_empty() { Vec::new() } else { vec![text] };
        }
        self.choices.into_iter().map(|choice| text_of(&choice.message.content)).collect()
    }
}

/// A message's text: a text, or the parts of a list that are texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let is_text = |part: &&Value| part.get("type").is_none_or(|kind| kind == "text");
            let text = |part: &Value| part.get("text")?.as_str().map(str::to_owned);
            parts.iter().filter(is_text).filter_map(text).collect()
        }
        _ => String::new(),
    }
}

impl<'de> DeserializeSeed<'de> for &mut Log {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Log {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a log of inspect")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == SAMPLES {
                map.next_value_seed(Samples(&mut *self))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Takes the samples of a list as they are read.
struct Samples<'l>(&'l mut Log);

impl<'de> DeserializeSeed<'de> for Samples<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(sample) = list.next_element::<Sample>()? {
            self.0.take(sample);
        }
        Ok(())
    }
}
