//! The source of answers: a stream, a file or a folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use assay_core::{AnswerForm, Cancel, Error, Problems, Result, Selection};

use crate::{AnswerFile, parts};

/// The source of a set of answers.
pub enum AnswerSource<'a> {
    /// Answers that are read from front to back, with their name in messages.
    Stream(Box<dyn BufRead + 'a>, String),
    /// A folder of files, one for each part of the task.
    Folder(PathBuf),
}

impl<'a> AnswerSource<'a> {
    /// Answers from a reader, called `name` in messages.
    pub fn stream(reader: impl BufRead + 'a, name: impl Into<String>) -> Self {
        Self::Stream(Box::new(reader), name.into())
    }

    /// Answers from standard input.
    pub fn standard_input() -> Self {
        Self::stream(BufReader::new(io::stdin()), "standard input")
    }

    /// Answers from a file or a folder.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::reading("open", path, error);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        Ok(Self::stream(BufReader::with_capacity(1 << 16, file), path.display().to_string()))
    }

    /// Its name in messages.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Owned(match self {
            Self::Stream(_, name) => name.clone(),
            Self::Folder(path) => path.display().to_string(),
        })
    }

    /// Reads the answers to `problems`, unless `cancel` is raised.
    pub fn read(self, cancel: &Cancel, problems: &dyn Problems) -> Result<AnswerFile> {
        self.read_chosen(cancel, problems, &Selection::all(problems.ids().len()))
    }

    /// Reads the answers to those of `problems` that are chosen, unless `cancel` is raised.
    pub fn read_chosen(
        self,
        cancel: &Cancel,
        problems: &dyn Problems,
        chosen: &Selection,
    ) -> Result<AnswerFile> {
        match self {
            Self::Stream(mut reader, name) => {
                AnswerFile::read_chosen(cancel, reader.as_mut(), &name, problems, chosen)
            }
            Self::Folder(path) if problems.answer_rules().form == AnswerForm::Parts => {
                parts::read(&path, cancel, problems, chosen)
            }
            Self::Folder(path) => {
                let message = format!("{} is a folder, not a file of answers", path.display());
                Err(Error::refused(message).hint("name the file of answers in it"))
            }
        }
    }
}
