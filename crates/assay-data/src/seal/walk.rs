//! The files of a folder that is to be sealed, and those that cannot be.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

use super::paths;

/// The maximum number of faults that a message names.
const MAX_NAMED: usize = 20;

/// The relative paths of all files under `root`, in any order, except those of `leave_out`.
/// Anything but a plain file or folder with a plain name makes the whole folder refused.
pub(super) fn walk(root: &Path, leave_out: &[PathBuf]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut faults = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            let path = entry.path();
            if leave_out.contains(&path) {
                continue;
            }
            let kind = entry.file_type().map_err(|error| Error::reading("read", &path, error))?;
            let inner = path.strip_prefix(root).unwrap_or(&path);
            match inner.to_str() {
                None => {
                    let bytes = inner.as_os_str().as_encoded_bytes().escape_ascii();
                    faults.push(format!("the path \"{bytes}\" is not UTF-8"));
                }
                Some(name) if let Some(fault) = paths::fault(name) => {
                    faults.push(format!("the path {name:?} {fault}"));
                }
                Some(_) if kind.is_dir() => folders.push(path),
                Some(name) if kind.is_file() => files.push(name.to_owned()),
                Some(name) if kind.is_symlink() => faults.push(format!("{name:?} is a link")),
                Some(name) => faults.push(format!("{name:?} is not a file")),
            }
        }
    }
    if !faults.is_empty() {
        return Err(refusal(root, faults));
    }
    if files.is_empty() {
        return Err(Error::refused(format!("there are no files in {}", root.display())));
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>> {
    let error = |error| Error::reading("list", folder, error);
    fs::read_dir(folder).map_err(error)?.collect::<Result<_, _>>().map_err(error)
}

fn refusal(root: &Path, mut faults: Vec<String>) -> Error {
    faults.sort_unstable();
    Error::refused(format!("{} cannot be sealed: {}", root.display(), summarize_faults(faults)))
        .hint("only plain files with plain names can be sealed: copy what links point to, and remove the rest")
}

/// The first of many faults, and the number of the others.
pub(super) fn summarize_faults(mut faults: Vec<String>) -> String {
    let more = faults.len().saturating_sub(MAX_NAMED);
    faults.truncate(MAX_NAMED);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    faults.join("; ")
}
