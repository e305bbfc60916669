//! A folder of files.

use std::fs::{self, DirEntry, File};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};
use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{Content, MAX_FILE_BYTES, TakeFile, too_large};

/// The initial buffer size: nearly every source file is smaller, and then is read at once. The
/// allocator reuses the same block, so the space costs nothing.
const TYPICAL_SIZE: usize = 64 << 10;

const PLAIN: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
/// Does not update the access time, which Linux allows on files that are ours.
#[cfg(target_os = "linux")]
const NO_TRACE: OFlags = PLAIN.union(OFlags::NOATIME);
#[cfg(not(target_os = "linux"))]
const NO_TRACE: OFlags = PLAIN;

#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(super) fn scan(
        &self,
        want: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str, Content),
    ) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in entries(&self.root)? {
            let name = utf8_name(&entry)?;
            match kind_of(&entry) {
                EntryKind::File => names.push(name),
                EntryKind::Folder if !name.starts_with('.') => {
                    for inner in entries(&entry.path())? {
                        if kind_of(&inner) == EntryKind::File {
                            names.push(format!("{name}/{}", utf8_name(&inner)?));
                        }
                    }
                }
                EntryKind::Folder | EntryKind::Other => {}
            }
        }
        let mut reader = FolderReader::new(&self.root);
        for name in names.iter().filter(|name| want(name)) {
            take(name, reader.read(name));
        }
        Ok(names)
    }

    pub(super) fn read(&self, paths: &[String], take: &mut TakeFile<'_>) -> Result<()> {
        let mut reader = FolderReader::new(&self.root);
        for (at, path) in paths.iter().enumerate() {
            if take(at, reader.read(path))?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
enum EntryKind {
    File,
    Folder,
    /// A pipe or device, which could block forever, or a dangling link.
    Other,
}

fn kind_of(entry: &DirEntry) -> EntryKind {
    let file_type = match entry.file_type() {
        // Following a link costs a system call, so only links are followed.
        Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).map(|meta| meta.file_type()),
        other => other,
    };
    match file_type {
        Ok(kind) if kind.is_file() => EntryKind::File,
        Ok(kind) if kind.is_dir() => EntryKind::Folder,
        _ => EntryKind::Other,
    }
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>> {
    let error = |error| Error::reading("list", folder, error);
    fs::read_dir(folder).map_err(error)?.collect::<Result<_, _>>().map_err(error)
}

fn utf8_name(entry: &DirEntry) -> Result<String> {
    entry
        .file_name()
        .into_string()
        .map_err(|_| Error::refused(format!("the name of {} is not UTF-8", entry.path().display())))
}

/// Reads files of a folder at the lowest cost.
struct FolderReader<'a> {
    root: &'a Path,
    /// The inner folder that was used last. Opening a file relative to it saves the kernel the walk
    /// along the whole path.
    folder: Option<(String, OwnedFd)>,
    /// The flags that files are opened with, as far as they are permitted.
    flags: OFlags,
}

impl<'a> FolderReader<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, folder: None, flags: NO_TRACE }
    }

    fn read(&mut self, path: &str) -> Content {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let content = self.open(folder, name).and_then(|file| read_whole(&file));
        content.unwrap_or_else(|error| Err(unreadable(&error.into())))
    }

    fn open(&mut self, folder: &str, name: &str) -> rustix::io::Result<File> {
        if self.folder.as_ref().is_none_or(|(known, _)| known != folder) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = rustix::fs::open(self.root.join(folder), flags, Mode::empty())?;
            self.folder = Some((folder.to_owned(), opened));
        }
        let Some((_, within)) = &self.folder else { return Err(Errno::NOENT) };
        let open = |flags| rustix::fs::openat(within, name, flags, Mode::empty()).map(File::from);
        match open(self.flags) {
            Err(Errno::PERM) if self.flags != PLAIN => {
                self.flags = PLAIN;
                open(PLAIN)
            }
            opened => opened,
        }
    }
}

fn read_whole(file: &File) -> rustix::io::Result<Content> {
    let mut bytes = Vec::with_capacity(TYPICAL_SIZE);
    loop {
        let count =
            rustix::io::retry_on_intr(|| rustix::io::read(file, spare_capacity(&mut bytes)))?;
        if count == 0 {
            return Ok(Ok(bytes));
        }
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Ok(Err(too_large(bytes.len() as u64)));
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len());
        }
    }
}

fn unreadable(error: &std::io::Error) -> String {
    format!("cannot be read: {error}")
}
