//! Files of right answers, and where to find them.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use assay_data::find_file;
use assay_metrics::fusion_brain::integral::Subtask;

/// A file of right answers.
pub(super) struct Truth {
    pub(super) name: String,
    pub(super) bytes: Cow<'static, [u8]>,
}

impl Truth {
    /// The file embedded in the binary.
    pub(super) fn sample(subtask: Subtask, bytes: &'static [u8]) -> Self {
        Self { name: format!("sample/true_{}.json", subtask.file_name()), bytes: bytes.into() }
    }

    /// Reads a file, or the subtask's file in a folder.
    pub(super) fn open(path: &Path, subtask: Subtask) -> Result<Self> {
        if !path.is_dir() {
            return Self::read(path);
        }
        let found = find_file(path, &file_names("true", subtask))?;
        let found = found.ok_or_else(|| {
            let name = subtask.file_name();
            Error::refused(format!("there is no true_{name}.json in {}", path.display()))
                .hint("name the file of right answers with --data")
        })?;
        Self::read(&found)
    }

    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| Error::reading("read", path, error))?;
        Ok(Self { name: path.display().to_string(), bytes: bytes.into() })
    }

    /// The error for a file without keys.
    pub(super) fn nothing_to_score(&self) -> Error {
        Error::refused(format!("{}: there is nothing to score", self.name))
            .hint("a truth has at least one key")
    }
}

/// The only path given as data.
pub(super) fn only_path<'a>(task: &str, paths: &'a [PathBuf]) -> Result<&'a Path> {
    match paths {
        [path] => Ok(path),
        _ => Err(Error::usage(format!("{task} takes one truth")).hint("give --data once")),
    }
}

/// Every name that the challenge's texts use for a subtask's file of this kind, the usual one first.
pub(super) fn file_names(kind: &str, subtask: Subtask) -> Vec<String> {
    let names: &[&str] = match subtask {
        // With Cyrillic letters, as they were once typed.
        Subtask::C2c => &["C2C", "С2С", "С2C", "C2С"],
        Subtask::Htr => &["HTR"],
        Subtask::Zsod => &["zsOD", "OD"],
        Subtask::Vqa => &["VQA"],
    };
    names.iter().map(|name| format!("{kind}_{name}.json")).collect()
}
