//! The values of a source in any form: a line of text is a value too.

use assay_core::{Error, Result};
use serde_json::Value;

use super::document::{Document, not_json};
use super::ids::{IdLines, LineIds};
use super::lines::Lines;
use super::source::{Form, Source};
use super::unique::UniqueKeys;

/// A value and its position.
#[derive(Debug)]
pub(super) struct KeyedValue {
    /// The line on which it begins.
    pub(super) line: u64,
    /// Its key, in a document that is an object.
    pub(super) key: Option<String>,
    pub(super) value: Value,
}

/// Reads one value at a time.
pub(super) enum Values {
    Lines(Lines),
    IdLines(IdLines),
    JsonLines(Lines),
    Json(Box<Document>),
}

impl Values {
    pub(super) fn open(source: Source) -> Result<Self> {
        Ok(match source.form() {
            Form::Lines => Self::Lines(Lines::new(source)),
            Form::JsonLines => Self::JsonLines(Lines::new(source.strip_bom()?)),
            Form::Json => Self::Json(Box::new(Document::open(source.strip_bom()?)?)),
        })
    }

    /// The values of a source whose lines may start with ids.
    pub(super) fn open_with(source: Source, ids: LineIds) -> Result<Self> {
        match ids {
            LineIds::None => Self::open(source),
            LineIds::Joined | LineIds::Counted => {
                Ok(Self::IdLines(IdLines::new(Lines::new(source), ids == LineIds::Counted)))
            }
        }
    }

    /// Returns whether its values have keys.
    pub(super) fn keyed(&self) -> bool {
        match self {
            Self::Json(document) => document.keyed(),
            Self::IdLines(lines) => lines.keyed(),
            Self::Lines(_) | Self::JsonLines(_) => false,
        }
    }

    /// The source's name in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Lines(lines) | Self::JsonLines(lines) => lines.source().name(),
            Self::IdLines(lines) => lines.lines().source().name(),
            Self::Json(document) => document.source().name(),
        }
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Result<Option<KeyedValue>> {
        match self {
            Self::Lines(lines) => Ok(lines.next()?.map(|(line, text)| KeyedValue {
                line,
                key: None,
                value: Value::String(text.to_owned()),
            })),
            Self::IdLines(lines) => lines.next(),
            Self::JsonLines(lines) => json_line(lines),
            Self::Json(document) => document.next(),
        }
    }
}

fn json_line(lines: &mut Lines) -> Result<Option<KeyedValue>> {
    let Some((line, text)) = lines.next()? else { return Ok(None) };
    match serde_json::from_str(text) {
        Ok(UniqueKeys(value)) => Ok(Some(KeyedValue { line, key: None, value })),
        Err(_) if text.trim().is_empty() => {
            let message = format!("{}:{line}: the line is empty", lines.source().name());
            Err(Error::refused(message).hint("each line is a JSON value: leave it out"))
        }
        Err(error) => {
            let column = (error.column() as u64).max(1);
            Err(not_json(lines.source().name(), line, column, &error)
                .hint("each line is a JSON value; a file of plain texts has another extension"))
        }
    }
}
