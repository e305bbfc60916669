//! The items of a JSON document, with only one of them in memory at a time.
//!
//! The document's own brackets, commas and colons are found here; the values between them are
//! parsed separately.

use assay_core::{Error, Result};
use memchr::{memchr_iter, memrchr};
use serde::de::DeserializeOwned;

use crate::json_message;

use super::lines::not_utf8;
use super::source::Source;
use super::unique::UniqueKeys;
use super::values::KeyedValue;

const CURE: &str =
    "the file is one JSON document; one with a value on each line has a name that ends in .jsonl";

/// An array's or an object's items.
pub(crate) struct Document {
    source: Source,
    keyed: bool,
    place: BytePosition,
    part: Vec<u8>,
    part_start: BytePosition,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// After the opening bracket.
    Opened,
    /// After a comma.
    Within,
    /// After the closing bracket.
    Closed,
}

/// A position in a file: a line from 1, and the number of bytes before it in that line.
#[derive(Debug, Clone, Copy)]
struct BytePosition {
    line: u64,
    before: u64,
}

impl BytePosition {
    fn pass(&mut self, bytes: &[u8]) {
        let feeds = memchr_iter(b'\n', bytes).count();
        let last = memrchr(b'\n', bytes);
        self.line += feeds as u64;
        let since = bytes.len() - last.map_or(0, |last| last + 1);
        self.before = if feeds > 0 { 0 } else { self.before } + since as u64;
    }

    /// This position relative to the start of a part, which counts its lines from 1.
    fn after(self, part: Self) -> Self {
        let before = if self.line == 1 { part.before + self.before } else { self.before };
        Self { line: part.line + self.line - 1, before }
    }
}

impl Document {
    pub(crate) fn open(source: Source) -> Result<Self> {
        let place = BytePosition { line: 1, before: 0 };
        let mut document = Self {
            source,
            keyed: false,
            place,
            part: Vec::new(),
            part_start: place,
            stage: Stage::Opened,
        };
        match document.after_space()? {
            Some(b'[') => {}
            Some(b'{') => document.keyed = true,
            _ => return Err(document.wrong("expected an array or an object")),
        }
        document.pass(1)?;
        Ok(document)
    }

    /// Returns whether it is an object, whose items have keys.
    pub(super) fn keyed(&self) -> bool {
        self.keyed
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn next(&mut self) -> Result<Option<KeyedValue>> {
        let next = self.next_as()?;
        Ok(next.map(|(line, key, UniqueKeys(value))| KeyedValue { line, key, value }))
    }

    /// The next item: the line on which it begins, its key in an object, and its value.
    pub(crate) fn next_as<T: DeserializeOwned>(
        &mut self,
    ) -> Result<Option<(u64, Option<String>, T)>> {
        if self.stage == Stage::Closed {
            return Ok(None);
        }
        let close = if self.keyed { b'}' } else { b']' };
        let first = self.after_space()?;
        if self.stage == Stage::Opened && first == Some(close) {
            return self.close().map(|()| None);
        }
        let line = self.place.line;
        let key = if self.keyed { Some(self.key()?) } else { None };
        let value = self.part()?;
        match self.after_space()? {
            Some(b',') => {
                self.pass(1)?;
                self.stage = Stage::Within;
            }
            Some(byte) if byte == close => self.close()?,
            _ => {
                return Err(self.wrong(if self.keyed {
                    "expected , or }"
                } else {
                    "expected , or ]"
                }));
            }
        }
        Ok(Some((line, key, value)))
    }

    fn key(&mut self) -> Result<String> {
        let key = self.part()?;
        if self.after_space()? != Some(b':') {
            return Err(self.wrong("expected : after a key"));
        }
        self.pass(1)?;
        Ok(key)
    }

    /// Skips the closing bracket, after which nothing may follow.
    fn close(&mut self) -> Result<()> {
        self.pass(1)?;
        self.stage = Stage::Closed;
        match self.after_space()? {
            None => Ok(()),
            Some(_) => Err(self.wrong("something follows the end of the document")),
        }
    }

    /// Reads the value before the document's next comma, colon or closing bracket.
    fn part<T: DeserializeOwned>(&mut self) -> Result<T> {
        self.part.clear();
        self.part_start = self.place;
        let mut scan = Scan::default();
        loop {
            let chunk = self.source.peek()?;
            let end = chunk.iter().position(|&byte| scan.ends_before(byte));
            let taken = end.unwrap_or(chunk.len());
            self.part.extend_from_slice(&chunk[..taken]);
            let ended = end.is_some() || chunk.is_empty();
            self.place.pass(&self.part[self.part.len() - taken..]);
            self.source.pass(taken);
            if ended {
                break;
            }
        }
        if self.part.trim_ascii().is_empty() {
            return Err(self.wrong("expected a value"));
        }
        self.parse()
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        let text = std::str::from_utf8(&self.part).map_err(|error| {
            let mut place = self.part_start;
            place.pass(&self.part[..error.valid_up_to()]);
            not_utf8(self.source.name(), place.line, place.before + 1)
        })?;
        serde_json::from_str(text).map_err(|error| {
            let found = BytePosition { line: error.line() as u64, before: error.column() as u64 };
            let found = found.after(self.part_start);
            not_json(self.source.name(), found.line, found.before.max(1), &error).hint(CURE)
        })
    }

    /// The next byte that is not white space.
    fn after_space(&mut self) -> Result<Option<u8>> {
        loop {
            let chunk = self.source.peek()?;
            let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let space = chunk.iter().take_while(|byte| white(byte)).count();
            let next = chunk.get(space).copied();
            let ended = chunk.is_empty();
            self.pass(space)?;
            if next.is_some() || ended {
                return Ok(next);
            }
        }
    }

    fn pass(&mut self, bytes: usize) -> Result<()> {
        let chunk = self.source.peek()?;
        self.place.pass(&chunk[..bytes.min(chunk.len())]);
        self.source.pass(bytes);
        Ok(())
    }

    fn wrong(&self, what: &str) -> Error {
        let BytePosition { line, before } = self.place;
        Error::refused(format!("{}:{line}:{}: not JSON: {what}", self.source.name(), before + 1))
            .hint(CURE)
    }
}

/// Scans JSON just far enough to find the end of a part of a document.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Scan {
    fn ends_before(&mut self, byte: u8) -> bool {
        if self.quoted {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            self.quoted = !ends;
            return false;
        }
        match byte {
            b'"' => self.quoted = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' | b',' | b':' if self.depth == 0 => return true,
            b']' | b'}' => self.depth -= 1,
            _ => {}
        }
        false
    }
}

/// The error for text that is not JSON, with its position.
pub(super) fn not_json(name: &str, line: u64, column: u64, error: &serde_json::Error) -> Error {
    // The error's own position is relative to the part.
    Error::refused(format!("{name}:{line}:{column}: not JSON: {}", json_message(error)))
}
