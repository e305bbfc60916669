//! The folder of a record, which contains only regular files.
//!
//! A record may come from somebody else. A link in it would redirect a write, and opening a pipe
//! would block. So files are opened relative to the folder without following links and without
//! waiting, and anything but a regular file is refused.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::Serialize;

/// The largest file that is read whole, and the longest line; a manifest has a few kilobytes.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 20;
const CURE: &str = "a record's files are regular files: copy the run's folder, or start a new run";

/// A folder that is kept open.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: OwnedFd,
}

impl Folder {
    /// Opens a folder; the path to it may contain links.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let handle = rustix::fs::open(here, flags, Mode::empty())?;
        Ok(Self { path: path.to_owned(), handle })
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for reading; `None` if it does not exist.
    pub fn read(&self, name: &str) -> Result<Option<File>> {
        self.regular(name, OFlags::RDONLY)
    }

    /// Opens a file for reading and appending; creates it if it does not exist.
    pub fn append(&self, name: &str) -> Result<File> {
        let file = self.regular(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        file.ok_or_else(|| Error::writing("open", &self.path.join(name), Errno::NOENT.into()))
    }

    /// The bytes of a file; `None` if it does not exist.
    pub fn read_whole(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.read(name)? else { return Ok(None) };
        let path = self.path.join(name);
        let mut bytes = Vec::new();
        let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::reading("read", &path, error))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let message = format!("{} is larger than {} MiB", path.display(), MAX_FILE_BYTES >> 20);
            return Err(Error::refused(message).hint(CURE));
        }
        Ok(Some(bytes))
    }

    /// Replaces the file `name` atomically: it is either complete or unchanged. Until then the new
    /// file is called `beside`.
    pub fn replace(
        &self,
        name: &str,
        beside: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = self.create(beside)?;
        write(&mut file)?;
        file.sync_all()?;
        self.rename(beside, name)
    }

    /// Creates a new file, replacing an old one.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.remove(name)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        Ok(File::from(rustix::fs::openat(&self.handle, name, flags, mode)?))
    }

    /// Renames a file within this folder.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Removes a file, or a link but not its target.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Refuses `name` if it exists and is not a folder.
    pub fn expect_folder(&self, name: &str) -> Result<()> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => Ok(()),
                other => Err(self.refuse(name, other, "folder")),
            },
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(Error::reading("open", &self.path.join(name), error.into())),
        }
    }

    /// Writes a value as JSON atomically: the file is either complete or absent.
    pub(crate) fn write_json(
        &self,
        name: &str,
        beside: &str,
        value: &impl Serialize,
    ) -> Result<()> {
        let write = |file: &mut File| {
            let mut text = serde_json::to_vec_pretty(value)?;
            text.push(b'\n');
            file.write_all(&text)
        };
        let written = self.replace(name, beside, write);
        written.map_err(|error| Error::writing("write", &self.path.join(name), error))
    }

    fn regular(&self, name: &str, access: OFlags) -> Result<Option<File>> {
        // Without NONBLOCK, opening a pipe would wait for its other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let failed = |error: Errno| Error::reading("open", &self.path.join(name), error.into());
        let file = match rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            // A link, a pipe without a reader or a folder: report which.
            Err(error) => {
                let found = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
                let kind = found.map(|found| FileType::from_raw_mode(found.st_mode));
                return Err(match kind {
                    Ok(kind) if kind != FileType::RegularFile => self.refuse(name, kind, "file"),
                    _ => failed(error),
                });
            }
        };
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&file).map_err(failed)?.st_mode);
        if kind != FileType::RegularFile {
            return Err(self.refuse(name, kind, "file"));
        }
        Ok(Some(File::from(file)))
    }

    fn refuse(&self, name: &str, kind: FileType, wanted: &str) -> Error {
        let kind = match kind {
            FileType::Symlink => "a symbolic link",
            FileType::Fifo => "a pipe",
            FileType::Directory => "a folder",
            FileType::RegularFile => "a file",
            FileType::Socket => "a socket",
            FileType::CharacterDevice | FileType::BlockDevice => "a device",
            FileType::Unknown => "of an unknown kind",
        };
        let path = self.path.join(name);
        Error::refused(format!("{} is {kind}, not a {wanted}", path.display())).hint(CURE)
    }
}

/// Writes a value as JSON atomically: the file is either complete or absent. Several processes may
/// write it, because each uses a different name for the unfinished file.
pub fn write_whole(path: &Path, value: &impl Serialize) -> Result<()> {
    let writing = |error| Error::writing("write", path, error);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = Folder::open(path.parent().unwrap_or(path)).map_err(writing)?;
    folder.write_json(name, &format!("{name}.{}.new", std::process::id()), value)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn message<T>(result: Result<T>) -> String {
        result.err().expect("it is refused").to_string()
    }

    #[test]
    fn only_regular_files_are_opened() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let folder = Folder::open(root).unwrap();
        std::fs::write(root.join("target"), "kept").unwrap();
        symlink("target", root.join("link")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::from_raw_mode(0o600))
            .unwrap();
        for (name, kind) in [
            ("link", "a symbolic link"),
            ("dangling", "a symbolic link"),
            ("folder", "a folder"),
            ("pipe", "a pipe"),
        ] {
            let expected = format!("{} is {kind}, not a file", root.join(name).display());
            assert_eq!(message(folder.read(name)), expected);
            assert_eq!(message(folder.append(name)), expected);
        }
        assert!(!root.join("nowhere").exists());
        assert!(folder.read("nothing").unwrap().is_none());
        assert_eq!(folder.read_whole("target").unwrap().unwrap(), b"kept");
        assert!(message(folder.expect_folder("link")).ends_with("a symbolic link, not a folder"));
        folder.expect_folder("folder").unwrap();
    }

    #[test]
    fn a_file_is_replaced_and_not_what_a_link_leads_to() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let folder = Folder::open(root).unwrap();
        std::fs::write(root.join("target"), "kept").unwrap();
        symlink("target", root.join("a.new")).unwrap();
        symlink("target", root.join("a")).unwrap();
        folder.replace("a", "a.new", |file| file.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(root.join("target")).unwrap(), b"kept");
        assert_eq!(std::fs::read(root.join("a")).unwrap(), b"new");
        assert!(!root.join("a").is_symlink() && !root.join("a.new").exists());
    }
}
