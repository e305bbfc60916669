//! The lines of a source: each ends with a line feed, which the last one may lack.

use assay_core::{Error, Result};

use super::source::Source;

/// Reads one line at a time, into a reused buffer.
pub(crate) struct Lines {
    source: Source,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, line: Vec::new(), number: 0 }
    }

    /// The next line without its line ending, and its number from 1.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &str)>> {
        self.line.clear();
        if !self.source.read_line(&mut self.line)? {
            return Ok(None);
        }
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some((self.number, line))),
            Err(error) => {
                Err(not_utf8(self.source.name(), self.number, error.valid_up_to() as u64 + 1))
            }
        }
    }

    /// Skips blank lines, which are counted in the line numbers.
    pub(crate) fn skip_blank(&mut self) -> Result<()> {
        self.number += self.source.skip_blank_lines()?;
        Ok(())
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }
}

/// The error for a byte of a line, counted from 1, that is not UTF-8.
pub(super) fn not_utf8(name: &str, line: u64, byte: u64) -> Error {
    Error::refused(format!("{name}:{line}: not UTF-8 at byte {byte} of the line"))
        .hint("convert the file, such as by `iconv -f WINDOWS-1252 -t UTF-8`")
}
