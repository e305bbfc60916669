//! A file that may have one of several names.

use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

/// Finds the file in `folder` that has one of these names; it is an error if there are several.
pub fn find_file(folder: &Path, names: &[String]) -> Result<Option<PathBuf>> {
    let paths = names.iter().map(|name| folder.join(name));
    let there: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
    match there.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [one, other, ..] => {
            let names = format!("{} and {}", one.display(), other.display());
            Err(Error::refused(format!("{names} are both there")).hint("keep one of them"))
        }
    }
}
