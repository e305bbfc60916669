//! The source of answers: a stream, a file or a folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use assay_core::{AnswerForm, Cancel, Error, Problems, Result, Selection};
use assay_data::{Store, is_archive_name};

use crate::cancellable::WaitingReader;
use crate::{AnswerFile, parts, programs};

/// The source of a set of answers.
pub enum AnswerSource<'a> {
    /// Answers that are read from front to back, with their name in messages.
    Stream(Box<dyn BufRead + 'a>, String),
    /// The same from an open file, which may be a pipe or a terminal that makes its reader wait.
    File(File, String),
    /// A folder of files, for each part of the task or for each problem.
    Folder(PathBuf),
    /// An archive, which may hold one file of answers or a folder.
    Archive(PathBuf),
}

impl<'a> AnswerSource<'a> {
    /// Answers from a reader, called `name` in messages.
    pub fn stream(reader: impl BufRead + 'a, name: impl Into<String>) -> Self {
        Self::Stream(Box::new(reader), name.into())
    }

    /// Answers from standard input.
    pub fn standard_input() -> Result<Self> {
        let name = "standard input".to_owned();
        let file = io::stdin().as_fd().try_clone_to_owned();
        let file = file.map_err(|error| Error::reading("open", Path::new(&name), error))?;
        Ok(Self::File(File::from(file), name))
    }

    /// Answers from a file, a folder or an archive.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::reading("open", path, error);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let name = path.to_string_lossy();
        if is_archive_name(&name) || programs::is_log_name(&name) {
            return Ok(Self::Archive(path.to_owned()));
        }
        Ok(Self::of_file(file, path))
    }

    fn of_file(file: File, path: &Path) -> Self {
        Self::File(file, path.display().to_string())
    }

    /// Its name in messages.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Owned(match self {
            Self::Stream(_, name) | Self::File(_, name) => name.clone(),
            Self::Folder(path) | Self::Archive(path) => path.display().to_string(),
        })
    }

    /// Reads the answers to `problems`, unless `cancel` is raised.
    pub fn read(self, cancel: &Cancel, problems: &dyn Problems) -> Result<AnswerFile> {
        self.read_chosen(cancel, problems, &Selection::all(problems.ids().len()), None)
    }

    /// Reads the answers to those of `problems` that are chosen, unless `cancel` is raised. `key` is the field that holds
    /// a program, if the user names one.
    pub fn read_chosen(
        self,
        cancel: &Cancel,
        problems: &dyn Problems,
        chosen: &Selection,
        key: Option<&str>,
    ) -> Result<AnswerFile> {
        let form = problems.answer_rules().form;
        match self {
            Self::Stream(mut reader, name) => {
                AnswerFile::read_chosen(cancel, reader.as_mut(), &name, problems, chosen, key)
            }
            Self::File(file, name) => {
                let file = WaitingReader::new(file, cancel);
                let mut reader = BufReader::with_capacity(1 << 16, file);
                AnswerFile::read_chosen(cancel, &mut reader, &name, problems, chosen, key)
            }
            Self::Folder(path) if form == AnswerForm::Parts => {
                parts::read(&path, cancel, problems, chosen)
            }
            Self::Folder(path) if form == AnswerForm::Programs => {
                programs::read_files(&path, cancel, problems, chosen, key)
            }
            Self::Folder(path) => {
                let message = format!("{} is a folder, not a file of answers", path.display());
                Err(Error::refused(message).hint("name the file of answers in it"))
            }
            Self::Archive(path) if form == AnswerForm::Programs => {
                let names = Store::open(&path)?.scan(&|_| false, &mut |_, _| {})?;
                if programs::is_log(&names) {
                    return programs::read_log(&path, cancel, problems, chosen, key);
                }
                if names.iter().filter(|name| programs::is_file_of_answers(name)).count() > 1 {
                    return programs::read_files(&path, cancel, problems, chosen, key);
                }
                Self::read_packed(&path, cancel, problems, chosen, key)
            }
            Self::Archive(path) => Self::read_packed(&path, cancel, problems, chosen, key),
        }
    }

    /// Reads the one file in an archive.
    fn read_packed(
        path: &Path,
        cancel: &Cancel,
        problems: &dyn Problems,
        chosen: &Selection,
        key: Option<&str>,
    ) -> Result<AnswerFile> {
        let file = File::open(path).map_err(|error| Error::reading("open", path, error))?;
        Self::of_file(file, path).read_chosen(cancel, problems, chosen, key)
    }
}
