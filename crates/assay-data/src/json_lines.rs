//! A data set with a JSON object a line, wherever it lies, to be read again and again.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result, split_lines};

use crate::Store;
use crate::texts::{Form, Source};
use crate::without_mark;

/// A file of JSON lines: by itself, compressed or not, or in a folder or an archive.
#[derive(Debug)]
pub struct JsonLines {
    location: String,
    place: Lies,
}

#[derive(Debug)]
enum Lies {
    Alone(PathBuf),
    Within(Store, String),
}

/// Takes a line and its number.
pub type TakeLine<'a> = dyn FnMut(u64, &str) -> Result<ControlFlow<()>> + 'a;

impl JsonLines {
    /// The file at `path`, or the first that is `wanted` in the folder or archive there
    /// ([`Store::find`]).
    pub fn open(path: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Option<Self>> {
        if path.is_file() && is_json_lines(&path.to_string_lossy()) {
            return Ok(Some(Self::alone(path.to_owned())));
        }
        let found = Store::find(path, wanted)?;
        Ok(found.map(|(store, name)| match store.file(&name) {
            Some(path) => Self::alone(path),
            None => Self::within(store, name),
        }))
    }

    /// The first file that is `wanted` in `store`.
    pub fn from_store(store: Store, wanted: &dyn Fn(&str) -> bool) -> Result<Option<Self>> {
        Ok(store.first(wanted)?.map(|name| Self::within(store, name)))
    }

    fn alone(path: PathBuf) -> Self {
        Self { location: path.display().to_string(), place: Lies::Alone(path) }
    }

    fn within(store: Store, name: String) -> Self {
        Self { location: format!("{}/{name}", store.location()), place: Lies::Within(store, name) }
    }

    /// Where it lies.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Reads every line that is not blank, from the first, until `take` breaks.
    pub fn each(&self, take: &mut TakeLine<'_>) -> Result<()> {
        match &self.place {
            Lies::Alone(path) => self.each_of_file(path, take),
            Lies::Within(store, name) => {
                let paths = std::slice::from_ref(name);
                store.read(paths, &mut |_, content| {
                    let bytes = content.map_err(|reason| {
                        Error::refused(format!("{} {reason}", self.location))
                            .hint("fetch or unpack it again")
                    })?;
                    for (line, number) in split_lines(without_mark(&bytes)).zip(1..) {
                        if self.line(number, line, take)?.is_break() {
                            break;
                        }
                    }
                    Ok(ControlFlow::Break(()))
                })
            }
        }
    }

    fn each_of_file(&self, path: &Path, take: &mut TakeLine<'_>) -> Result<()> {
        let mut source = Source::open(path, Some(Form::JsonLines))?;
        let mut line = Vec::new();
        let mut number = 0;
        while source.read_line(&mut line)? {
            number += 1;
            let text = if number == 1 { without_mark(&line) } else { &line };
            if self.line(number, text, take)?.is_break() {
                break;
            }
            line.clear();
        }
        Ok(())
    }

    fn line(&self, number: u64, line: &[u8], take: &mut TakeLine<'_>) -> Result<ControlFlow<()>> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let text = std::str::from_utf8(line).map_err(|_| {
            Error::refused(format!("{}:{number} is not UTF-8", self.location))
                .hint("fetch it again, or convert it")
        })?;
        take(number, text)
    }

    /// The error that a line is not what it should be.
    pub fn refuse(&self, number: u64, what: &str, cure: &str) -> Error {
        Error::refused(format!("{}:{number}: {what}", self.location)).hint(cure.to_owned())
    }
}

/// Whether a file's name is one of JSON lines, compressed or not.
pub fn is_json_lines(name: &str) -> bool {
    let stem = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    stem.ends_with(".jsonl") || stem.ends_with(".ndjson")
}

/// What serde says, without the place within the line.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(what, _)| what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lines_from_a_file_a_packed_one_and_an_archive() {
        let scratch = tempfile::tempdir().unwrap();
        let text = "\u{feff}{\"a\": 1}\n\n  {\"a\": 2}\r\n";
        let plain = scratch.path().join("x.jsonl");
        std::fs::write(&plain, text).unwrap();
        let packed = scratch.path().join("y.jsonl.zst");
        std::fs::write(&packed, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
        let memory =
            Store::memory("m", vec![("d/x.jsonl".to_owned(), text.as_bytes().to_vec().into())]);
        let all = |lines: &JsonLines| {
            let mut found = Vec::new();
            lines
                .each(&mut |number, line| {
                    found.push((number, line.to_owned()));
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
            found
        };
        let expected = [(1, "{\"a\": 1}".to_owned()), (3, "{\"a\": 2}".to_owned())];
        let wanted: &dyn Fn(&str) -> bool = &|name| name.ends_with("x.jsonl");
        for path in [&plain, &packed, scratch.path()] {
            assert_eq!(all(&JsonLines::open(path, wanted).unwrap().unwrap()), expected);
        }
        let within = JsonLines::from_store(memory, wanted).unwrap().unwrap();
        assert_eq!(all(&within), expected);
        assert_eq!(within.location(), "m/d/x.jsonl");
        assert!(JsonLines::open(scratch.path(), &|_| false).unwrap().is_none());
    }
}
