//! JSON documents, with the positions of their errors.

use assay_core::{Place, plain_json_words, split_lines};
use serde::Deserialize;
use serde_json::error::Category;

use crate::strip_bom;

/// The reason why bytes are not the expected JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFault {
    /// The position at which reading stopped.
    pub place: Place,
    /// A description of the error.
    pub message: String,
}

/// The message of an error in plain words, without the position that serde appends to it.
pub fn json_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    plain_json_words(message.strip_suffix(&position).unwrap_or(&message)).into_owned()
}

/// The message of an error in a text of one line, whose number is known: it has the column only.
pub(crate) fn json_line_message(error: &serde_json::Error) -> String {
    let not_json = match error.classify() {
        Category::Syntax | Category::Eof => "not JSON: ",
        Category::Data | Category::Io => "",
    };
    format!("{not_json}{} (column {})", json_message(error), error.column())
}

/// Reads one JSON document; also returns its text, without a byte order mark.
pub(crate) fn parse_document<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
) -> Result<(&'a str, T), JsonFault> {
    let bytes = strip_bom(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let place = TextPlaces::new(&before).at(before.len());
        JsonFault { place, message: "not UTF-8".to_owned() }
    })?;
    let parsed = serde_json::from_str(text).map_err(|error| {
        let message = json_message(&error);
        let message = match error.classify() {
            Category::Syntax | Category::Eof => format!("not JSON: {message}"),
            Category::Data | Category::Io => message,
        };
        JsonFault { place: place_of(&error, text), message }
    })?;
    Ok((text, parsed))
}

/// The position at which serde stopped. Its columns are bytes; here a column is the character that
/// contains the byte.
fn place_of(error: &serde_json::Error, text: &str) -> Place {
    let line = split_lines(text.as_bytes()).nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = &line[..error.column().min(line.len())];
    let within = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    let beyond = error.column() - before.len();
    Place { line: error.line() as u64, column: (within + beyond) as u64 }
}

/// Converts offsets into positions, in one pass as long as they increase.
pub(crate) struct TextPlaces<'a> {
    text: &'a str,
    offset: usize,
    place: Place,
}

impl<'a> TextPlaces<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, place: Place { line: 1, column: 1 } }
    }

    pub(crate) fn at(&mut self, offset: usize) -> Place {
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
