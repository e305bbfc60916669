//! The error type of the workspace: a message, the kind that decides the exit code, and a hint.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;

use crate::exit_code;

/// Shorthand for results with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The side that is at fault; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command was called wrongly.
    Usage,
    /// A file or answer that was given is invalid.
    Refused,
    /// An operation failed that should have worked.
    Failed,
}

/// A message for a person, with an optional hint and cause.
///
/// Messages are lower-case fragments without a final period; they name the file and, where there
/// is one, the line.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// The command was called wrongly.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message.into())
    }

    /// An input was refused.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message.into())
    }

    /// An operation failed that should have worked.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message.into())
    }

    /// An error on the input file `path` while doing `verb` ("read", "open"). A file that is missing, or is not a
    /// regular file, counts as refused input, not as a failure of assay.
    pub fn reading(verb: &str, path: &Path, source: io::Error) -> Self {
        use io::ErrorKind as Io;
        let kind = match source.kind() {
            Io::NotFound
            | Io::IsADirectory
            | Io::NotADirectory
            | Io::InvalidData
            | Io::UnexpectedEof
            | Io::PermissionDenied => ErrorKind::Refused,
            _ => ErrorKind::Failed,
        };
        Self::new(kind, format!("failed to {verb} {}", path.display())).because(source)
    }

    /// An error on `path` while doing `verb` ("write", "make").
    pub fn writing(verb: &str, path: &Path, source: io::Error) -> Self {
        Self::failed(format!("failed to {verb} {}", path.display())).because(source)
    }

    /// Adds a hint: what the user can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint if there is none yet.
    #[must_use]
    pub fn or_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The hint: what the user can do about it.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The process's exit code for this error.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage => exit_code::USAGE,
            ErrorKind::Refused => exit_code::REFUSED,
            ErrorKind::Failed => exit_code::FAILED,
        }
    }

    fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, hint: None, source: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
