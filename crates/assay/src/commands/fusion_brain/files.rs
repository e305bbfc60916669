//! The challenge's files: where they lie and under which of their names.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use assay_core::{Digest, Error, Result};
use assay_metrics::fusion_brain::integral::Subtask;

/// A file that was given.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Given {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| Error::reading("read", path, error))?;
        Ok(Self { name: path.display().to_string(), bytes })
    }

    /// Reads a file, or standard input if it is called `-`.
    pub(super) fn read_or_stdin(path: &Path) -> Result<Self> {
        if path.as_os_str() != "-" {
            return Self::read(path)
                .map_err(|error| error.or_hint("`-` reads the prediction from standard input"));
        }
        let mut bytes = Vec::new();
        io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Error::failed("failed to read standard input").because(error))?;
        Ok(Self { name: "standard input".to_owned(), bytes })
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// A folder of truths or of predictions.
pub(super) struct Folder<'a> {
    path: &'a Path,
    kind: &'static str,
}

impl<'a> Folder<'a> {
    /// Opens a folder whose files are called `kind`_SUBTASK.json.
    pub(super) fn open(path: &'a Path, kind: &'static str) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| Error::reading("open", path, error))?;
        if !metadata.is_dir() {
            return Err(Error::refused(format!("{} is no folder", path.display()))
                .hint(format!("its files are called {kind}_HTR.json and so on")));
        }
        Ok(Self { path, kind })
    }

    /// The subtask's file, if there is one.
    pub(super) fn find(&self, subtask: Subtask) -> Result<Option<Given>> {
        let there: Vec<PathBuf> = self.names(subtask).filter(|path| path.exists()).collect();
        match there.as_slice() {
            [] => Ok(None),
            [one] => Given::read(one).map(Some),
            [one, other, ..] => {
                let names = format!("{} and {}", one.display(), other.display());
                Err(Error::refused(format!("{names} are both there")).hint("keep one of them"))
            }
        }
    }

    /// The subtask's file, which must be there.
    pub(super) fn get(&self, subtask: Subtask) -> Result<Given> {
        self.find(subtask)?.ok_or_else(|| {
            let (name, path) = (subtask.name(), self.path.display());
            let file = format!("{}_{}.json", self.kind, subtask.file_name());
            Error::refused(format!("there is no {file} in {path}"))
                .hint(format!("give the file, or take the truth of {name} away to leave it out"))
        })
    }

    /// Every name that the challenge's texts give to the file.
    fn names(&self, subtask: Subtask) -> impl Iterator<Item = PathBuf> {
        let names: &[&str] = match subtask {
            // With Cyrillic letters, as they were typed once.
            Subtask::C2c => &["C2C", "С2С", "С2C", "C2С"],
            Subtask::Htr => &["HTR"],
            Subtask::Zsod => &["zsOD", "OD"],
            Subtask::Vqa => &["VQA"],
        };
        names.iter().map(|name| self.path.join(format!("{}_{name}.json", self.kind)))
    }
}
