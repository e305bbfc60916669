//! A file of records, one JSON object per line or one JSON array of objects, plain or compressed.

use std::borrow::Cow;
use std::fmt;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::origin::{self, Origin};
use crate::Store;
use crate::packing::name_when_unpacked;
use crate::store::not_a_file;
use crate::texts::{Document, Form, Lines, Source};

/// The extensions of compressed files, and the empty one.
const EXTENSIONS: [&str; 3] = ["", ".gz", ".zst"];

/// A record that can be read from a line of JSON.
pub trait Record: Sized {
    /// The fields of a record, for the hint of an error.
    const FORM: &'static str;
    /// The datasets that have such records.
    const ORIGIN: Origin;

    /// Parses a JSON object; an error says what is wrong with it, and names the key.
    fn parse(text: &str) -> Result<Self, String>;
}

/// A file of records that is read from front to back, any number of times, with one record at a
/// time in memory.
#[derive(Debug, Clone)]
pub struct Records {
    name: String,
    place: RecordsIn,
}

/// The location of a file of records.
#[derive(Debug, Clone)]
enum RecordsIn {
    File(PathBuf),
    Memory(Cow<'static, [u8]>),
}

/// Receives a record and the line on which it begins; breaks to end the reading.
pub type TakeRecord<'a, R> = dyn FnMut(u64, R) -> Result<ControlFlow<()>> + 'a;

/// Receives the text of a record and the line on which it begins.
pub(super) type TakeText<'a> = dyn FnMut(u64, &str) -> Result<ControlFlow<()>> + 'a;

impl Records {
    /// The file at `path`; in a folder, the first of the files called `names`, compressed or not.
    pub fn find(path: &Path, names: &[&str]) -> Result<Self> {
        if !path.is_dir() {
            refuse_pipe(path)?;
            return Ok(Self::file(path));
        }
        let candidates =
            names.iter().flat_map(|name| EXTENSIONS.map(|ending| format!("{name}{ending}")));
        let found = candidates.map(|name| path.join(name)).find(|file| file.is_file());
        found.map(|file| Self::file(&file)).ok_or_else(|| {
            let names = names.join(" and no ");
            Error::refused(format!("{} holds no {names}", path.display()))
                .hint("it may also end in .gz or .zst; name another file with --data")
        })
    }

    /// The file of JSON lines at `path`; or the first one for which `wanted` holds in the folder or
    /// archive there ([`Store::find`]), which is kept in memory if it is in an archive.
    pub fn look_for(path: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Option<Self>> {
        if path.is_file() && is_json_lines(&path.to_string_lossy()) {
            return Ok(Some(Self::file(path)));
        }
        let Some((store, name)) = Store::find(path, wanted)? else { return Ok(None) };
        if let Some(path) = store.file(&name) {
            return Ok(Some(Self::file(&path)));
        }
        Self::from_store(&store, &|path| path == name)
    }

    /// The first file in `store`, by name, for which `wanted` holds, kept in memory.
    pub fn from_store(store: &Store, wanted: &dyn Fn(&str) -> bool) -> Result<Option<Self>> {
        let Some(name) = store.first(wanted)? else { return Ok(None) };
        let location = format!("{}/{name}", store.location());
        let mut found = None;
        store.read(&[name], &mut |_, content| {
            let bytes = content.map_err(|reason| {
                Error::refused(format!("{location} {reason}")).hint("fetch or unpack it again")
            })?;
            found = Some(Self::memory(&location, bytes));
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// A file in memory, such as one inside the binary. The name selects the format.
    pub fn memory(name: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { name: name.to_owned(), place: RecordsIn::Memory(bytes.into()) }
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Passes every record to `take`. The first that cannot be read is refused by file, line and
    /// key.
    pub fn each<R: Record>(&self, take: &mut TakeRecord<'_, R>) -> Result<()> {
        self.texts(&mut |line, text| {
            let record = R::parse(text).map_err(|what| {
                let form = R::FORM;
                let cure = match origin::other_than(R::ORIGIN, text) {
                    Some(other) => format!("these are {other}; a record of this task has {form}"),
                    None => format!("a record has {form}: correct the file, or fetch it again"),
                };
                Error::refused(format!("{}:{line}: {what}", self.name)).hint(cure)
            })?;
            take(line, record)
        })
    }

    /// Refuses a file whose first record belongs to another task: its score would have the wrong
    /// name.
    pub fn refuse_other_data(
        &self,
        fits: &dyn Fn(&Map<String, Value>) -> bool,
        hint: &str,
    ) -> Result<()> {
        let Some(first) = self.first()? else { return Ok(()) };
        // For anything but an object, reading it gives a better message.
        match serde_json::from_str(&first) {
            Ok(Value::Object(record)) if !fits(&record) => {
                let keys: Vec<&str> = record.keys().map(String::as_str).collect();
                let keys = keys.join(", ");
                Err(Error::refused(format!(
                    "{} is not this task's data: its first problem has {keys}",
                    self.name
                ))
                .hint(hint))
            }
            _ => Ok(()),
        }
    }

    /// The text of the first record.
    pub fn first(&self) -> Result<Option<String>> {
        let mut first = None;
        self.texts(&mut |_, text| {
            first = Some(text.to_owned());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(first)
    }

    fn file(path: &Path) -> Self {
        Self { name: path.display().to_string(), place: RecordsIn::File(path.to_owned()) }
    }

    fn source(&self) -> Result<Source> {
        match &self.place {
            RecordsIn::File(path) => Source::open(path, None),
            RecordsIn::Memory(bytes) => Source::unpacked(&self.name, Cursor::new(bytes.clone())),
        }
    }

    /// Passes the text of every record to `take`, with the line on which it begins.
    pub(super) fn texts(&self, take: &mut TakeText<'_>) -> Result<()> {
        let source = self.source()?.strip_bom()?;
        if source.form() == Form::Json {
            let mut document = Document::open(source)?;
            while let Some((line, _, value)) = document.next_as::<Box<RawValue>>()? {
                if take(line, value.get())?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        let mut lines = Lines::new(source);
        loop {
            lines.skip_blank()?;
            let Some((line, text)) = lines.next()? else { break };
            if !text.trim().is_empty() && take(line, text)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Refuses a pipe or a device: data is read several times.
fn refuse_pipe(path: &Path) -> Result<()> {
    // Other errors are reported when the file is opened.
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(not_a_file(path)),
        _ => Ok(()),
    }
}

/// Reads a problem's name, which may be written as a number.
pub(super) fn name_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    struct Name;

    impl Visitor<'_> for Name {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a name or a number")
        }

        fn visit_str<E>(self, name: &str) -> Result<String, E> {
            Ok(name.to_owned())
        }

        fn visit_u64<E>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }
    }

    deserializer.deserialize_any(Name)
}

/// Returns whether a file's name is that of JSON lines, compressed or not.
pub(super) fn is_json_lines(name: &str) -> bool {
    let stem = name_when_unpacked(name);
    stem.ends_with(".jsonl") || stem.ends_with(".ndjson")
}
