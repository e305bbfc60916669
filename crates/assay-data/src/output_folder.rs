//! Folders to make: checked before any work is done.

use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

use crate::draft::{follow_links, parent};

/// Returns the path of a folder to make or to fill, after all links; fails if that cannot be done. `-` is refused,
/// because a folder cannot go to standard output. Folders above it that are missing are made later, too.
pub fn output_folder(name: &Path) -> Result<PathBuf> {
    if name.as_os_str() == "-" {
        return Err(Error::usage("a folder cannot be written to standard output")
            .hint("name a folder; one that is called - is ./-"));
    }
    let cannot = || format!("the folder {} cannot be made", name.display());
    let folder = follow_links(name).map_err(|error| Error::usage(cannot()).because(error))?;
    let there = first_existing(&folder);
    if !there.is_dir() {
        let message = format!("{}: {} is not a folder", cannot(), there.display());
        return Err(Error::usage(message).hint("name a folder, or one that is not there yet"));
    }
    tempfile::Builder::new().prefix(".assay-").tempfile_in(there).map_err(|error| {
        let message = format!("{}: {} takes no new file", cannot(), there.display());
        Error::usage(message).because(error).hint("name a folder where you may write")
    })?;
    Ok(folder)
}

/// The path itself, or the closest folder above it that exists.
fn first_existing(path: &Path) -> &Path {
    let mut path = path;
    while path.symlink_metadata().is_err() {
        let above = parent(path);
        if above == path {
            break;
        }
        path = above;
    }
    path
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_are_found_behind_links_and_checked_without_a_trace() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir(at("there")).unwrap();
        fs::write(at("file"), "").unwrap();
        symlink("there", at("link")).unwrap();
        symlink("new", at("dangling")).unwrap();
        for (name, found) in [
            ("there", "there"),
            ("link", "there"),
            ("dangling", "new"),
            ("new", "new"),
            ("a/b/c", "a/b/c"),
        ] {
            assert_eq!(output_folder(&at(name)).unwrap(), at(found), "{name}");
        }
        assert_eq!(fs::read_dir(at("there")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 4);
        for name in ["file", "file/inner", "/dev/null", "/proc/new", "-"] {
            let path = if name == "-" { PathBuf::from(name) } else { at(name) };
            let error = output_folder(&path).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{name}");
            assert!(error.hint_text().is_some(), "{error}");
        }
    }
}
