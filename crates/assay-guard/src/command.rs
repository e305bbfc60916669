//! The description of a command that is started with a guard.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The standard input of a command.
#[derive(Debug, Default)]
pub enum Input {
    /// Nothing can be read.
    #[default]
    Null,
    /// A pipe whose other end is [`Guarded::stdin`](crate::Guarded::stdin).
    Piped,
    /// A file, which is read from its current position.
    File(File),
}

/// The standard output or the standard error of a command.
#[derive(Debug, Default)]
pub enum Output {
    /// Everything is dropped.
    #[default]
    Null,
    /// A pipe whose other end is in [`Guarded`](crate::Guarded).
    Piped,
    /// A file, such as a log.
    File(File),
}

/// A command that is started with a guard. Unless it is said otherwise, it has no input, its output is dropped, and it
/// has the working folder and the environment of this process.
#[derive(Debug)]
pub struct GuardedCommand {
    pub(crate) words: Vec<OsString>,
    pub(crate) folder: Option<PathBuf>,
    /// Variables that are set, or removed if they have no value.
    pub(crate) variables: Vec<(OsString, Option<OsString>)>,
    pub(crate) stdin: Input,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

impl GuardedCommand {
    /// A command without arguments. The program is looked for in `PATH`, unless it contains a slash.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            words: vec![program.as_ref().to_owned()],
            folder: None,
            variables: Vec::new(),
            stdin: Input::Null,
            stdout: Output::Null,
            stderr: Output::Null,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// Sets the working folder.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// Sets the standard input.
    #[must_use]
    pub fn stdin(mut self, input: Input) -> Self {
        self.stdin = input;
        self
    }

    /// Sets the standard output.
    #[must_use]
    pub fn stdout(mut self, output: Output) -> Self {
        self.stdout = output;
        self
    }

    /// Sets the standard error.
    #[must_use]
    pub fn stderr(mut self, output: Output) -> Self {
        self.stderr = output;
        self
    }
}

/// The three files of a command, in the order of their numbers.
pub(crate) type Files = [OwnedFd; 3];
