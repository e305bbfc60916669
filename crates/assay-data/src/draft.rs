//! Atomic writes: a file is written under a temporary name beside its target and then renamed. A link is followed and
//! kept.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assay_core::Leftover;
use tempfile::NamedTempFile;

/// Writes a file atomically, replacing an existing one. The folder must exist.
///
/// Everything that `write` wrote is on disk before the file gets its name. If anything fails,
/// nothing is left behind.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut draft = Draft::new(path)?;
    write(draft.file_mut())?;
    draft.replace()
}

/// Removes the temporary files that killed processes left when they wrote to this path by
/// [`write_atomically`]. For callers that know that no other process is writing the file, such as
/// by a lock.
pub fn remove_leftovers(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for entry in fs::read_dir(parent(path))? {
        let entry = entry?;
        if is_leftover(&entry.file_name().to_string_lossy(), &name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Returns whether a file of this name is a draft of the file called `of`.
fn is_leftover(name: &str, of: &str) -> bool {
    let rest = name.strip_prefix('.').and_then(|rest| rest.strip_prefix(of));
    rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(SUFFIX))
}

/// The folder of a file; for a bare name, the current folder.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The number of links that are followed, as in the kernel.
pub(crate) const MAX_LINKS: usize = 40;

/// The path that a chain of links leads to, whether or not something is there.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MAX_LINKS {
        match fs::read_link(&path) {
            // A relative link starts in the folder of the link.
            Ok(next) => path = parent(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

const SUFFIX: &str = ".part";

/// A temporary file beside its target, which is removed unless it is put in place.
pub(crate) struct Draft {
    file: NamedTempFile,
    path: PathBuf,
    /// Removes it if this process ends at once.
    _leftover: Leftover,
}

impl Draft {
    /// A draft of the file at `path`, or of the one that a link there leads to.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        Self::beside(&follow_links(path)?)
    }

    /// A draft of the file at `path`, which is no link.
    pub(crate) fn beside(path: &Path) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(SUFFIX)
            // As for any new file, the user's umask decides the permissions.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent(path))?;
        let unfinished = file.path().to_owned();
        let leftover = Leftover::new(move || {
            let _ = fs::remove_file(unfinished);
        });
        Ok(Self { file, path: path.to_owned(), _leftover: leftover })
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    pub(crate) fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Puts it in place, replacing an existing file.
    pub(crate) fn replace(self) -> io::Result<()> {
        self.file().sync_all()?;
        self.file.persist(self.path).map(drop).map_err(|error| error.error)
    }

    /// Puts it in place, unless a file exists there.
    #[cfg(any(test, feature = "seal"))]
    pub(crate) fn create(self) -> io::Result<()> {
        self.file().sync_all()?;
        self.file.persist_noclobber(self.path).map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let names = || -> Vec<String> {
            let entries = fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let failed = write_atomically(&path, |file| {
            file.write_all(b"half")?;
            let [left] = names().try_into().unwrap();
            assert!(is_leftover(&left, "a.txt") && !is_leftover(&left, "b.txt"), "{left}");
            Err(io::Error::other("no"))
        });
        assert!(failed.is_err() && names().is_empty());
        for text in [b"one".as_slice(), b"two"] {
            write_atomically(&path, |file| file.write_all(text)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), text);
        }
        assert_eq!(names(), ["a.txt"]);
        let taken = Draft::new(&path).unwrap().create().unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let killed = Draft::new(&path).unwrap();
        let other = Draft::new(&folder.path().join("b.txt")).unwrap();
        remove_leftovers(&path).unwrap();
        assert!(!killed.file.path().exists() && other.file.path().exists() && path.exists());
        assert!(!is_leftover("a.txt", "a.txt") && !is_leftover(".a.txt", "a.txt"));
    }
    #[test]
    fn links_are_kept_and_what_they_lead_to_is_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        fs::write(at("inner/a"), "old").unwrap();
        for (link, to) in [("a", "inner/a"), ("b", "a"), ("c", "inner/missing")] {
            symlink(to, at(link)).unwrap();
        }
        for (link, target) in [("a", "inner/a"), ("b", "inner/a"), ("c", "inner/missing")] {
            write_atomically(&at(link), |file| file.write_all(link.as_bytes())).unwrap();
            assert!(at(link).is_symlink(), "{link}");
            assert_eq!(fs::read_to_string(at(target)).unwrap(), link);
        }
        symlink("loop", at("loop")).unwrap();
        write_atomically(&at("loop"), |_| Ok(())).unwrap_err();
    }
}
