//! The files of a dataset, in a folder, in an archive or in memory, read alike.
//!
//! A store is scanned once for its names and small files, then read as often as needed. Archives
//! are never unpacked: a compressed tar is streamed from front to back, so its files come in their
//! order in the archive.

mod folder;
mod memory;
mod tarball;
mod zipfile;

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_core::{Error, Result};

use crate::packing::{Decoder, Packing};
use folder::Folder;
use memory::Memory;
use tarball::Tarball;
use zipfile::ZipFile;

/// The size of a block in a tar archive.
const BLOCK: usize = 512;
/// The largest file that is read into memory; a larger one in a dataset is a mistake or an attack.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;

/// A file's bytes, or the reason why they could not be read.
pub type Content = Result<Vec<u8>, String>;

/// Receives a requested file: its index in the request, and its bytes.
pub(crate) type TakeFile<'a> = dyn FnMut(usize, Content) -> Result<ControlFlow<()>> + 'a;

/// A folder or an archive of files, named by relative paths with `/`.
#[derive(Debug)]
pub struct Store {
    /// Its absolute path.
    location: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder(Folder),
    Tarball(Tarball),
    Zip(ZipFile),
    Memory(Memory),
}

impl Store {
    /// Opens a folder or an archive. The archive format is detected from the file's first bytes, not its name.
    pub fn open(path: &Path) -> Result<Self> {
        let location = absolute(path)?;
        let metadata =
            std::fs::metadata(path).map_err(|error| Error::reading("open", path, error))?;
        let kind = if metadata.is_dir() {
            Kind::Folder(Folder::new(path))
        } else if metadata.is_file() {
            Self::archive(path)?
        } else {
            return Err(not_a_file(path));
        };
        Ok(Self { location, kind })
    }

    /// The store at `path` and the first of its files, by name, for which `wanted` holds; if the
    /// folder has none, the first of its archives that has one.
    pub fn find(path: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Option<(Self, String)>> {
        let store = Self::open(path)?;
        if let Some(name) = store.first(wanted)? {
            return Ok(Some((store, name)));
        }
        let mut names = store.scan(&|_| false, &mut |_, _| {})?;
        names.sort_unstable();
        let archives = names.iter().filter(|name| path.is_dir() && is_archive_name(name));
        for name in archives {
            let archive = Self::open(&path.join(name))?;
            if let Some(name) = archive.first(wanted)? {
                return Ok(Some((archive, name)));
            }
        }
        Ok(None)
    }

    /// The first of its files, by name, for which `wanted` holds.
    pub(crate) fn first(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Option<String>> {
        let names = self.scan(&|_| false, &mut |_, _| {})?;
        Ok(names.into_iter().filter(|name| wanted(name)).min())
    }

    /// The path of a file, if the store is a folder.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        match self.kind {
            Kind::Folder(_) => Some(Path::new(&self.location).join(name)),
            _ => None,
        }
    }

    /// Files in memory, such as those inside the binary.
    pub fn memory(location: &str, files: Vec<(String, Cow<'static, [u8]>)>) -> Self {
        Self { location: location.to_owned(), kind: Kind::Memory(Memory(files)) }
    }

    /// Its absolute path.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// The location's last component without an archive's extension: `Dataset4`. It names a folder
    /// when tasks are given to a solver command, so an archive called `...tar` keeps its extension.
    pub fn name(&self) -> &str {
        let last = self.location.rsplit('/').next().unwrap_or_default();
        match stem(last) {
            _ if matches!(self.kind, Kind::Folder(_)) => last,
            "" | "." | ".." => last,
            stem => stem,
        }
    }

    /// Returns the names of all files, and passes those for which `want` holds to `take`.
    ///
    /// A folder is searched two levels deep, which is where a dataset has its files.
    pub fn scan(
        &self,
        want: &dyn Fn(&str) -> bool,
        take: &mut dyn FnMut(&str, Content),
    ) -> Result<Vec<String>> {
        match &self.kind {
            Kind::Folder(folder) => folder.scan(want, take),
            Kind::Tarball(tarball) => tarball.scan(want, take),
            Kind::Zip(zip) => zip.scan(want, take),
            Kind::Memory(memory) => Ok(memory.scan(want, take)),
        }
    }

    /// Reads the files at `paths`, each once, in the order that is cheapest for the store.
    pub(crate) fn read(&self, paths: &[String], take: &mut TakeFile<'_>) -> Result<()> {
        match &self.kind {
            Kind::Folder(folder) => folder.read(paths, take),
            Kind::Tarball(tarball) => tarball.read(paths, take),
            Kind::Zip(zip) => zip.read(paths, take),
            Kind::Memory(memory) => memory.read(paths, take),
        }
    }

    fn archive(path: &Path) -> Result<Kind> {
        let error = |error| Error::reading("read", path, error);
        let file = File::open(path).map_err(error)?;
        let (packing, mut whole) = Packing::detect(BufReader::new(file)).map_err(error)?;
        match packing {
            Packing::Zip => Ok(Kind::Zip(ZipFile::new(path))),
            Packing::Gzip | Packing::Zstd if !holds_tar(packing, &mut whole) => Err(Error::refused(
                format!("{} is one compressed file and no archive of files", path.display()),
            )
            .hint("give a folder, or a .tar.gz, .tar.zst or .zip of one; is it the data of another task? `assay data list` names the tasks")),
            Packing::Gzip | Packing::Zstd | Packing::Tar => {
                Ok(Kind::Tarball(Tarball::new(path, packing)))
            }
            Packing::Plain => Err(Error::refused(format!(
                "{} is not an archive that is known here",
                path.display()
            ))
            .hint("give a folder, or a .tar, .tar.gz, .tar.zst or .zip of one; `assay explain` takes a single task")),
        }
    }
}

/// The error for a pipe or a device where data is expected.
pub(crate) fn not_a_file(path: &Path) -> Error {
    Error::refused(format!("{} is neither a folder nor a file", path.display()))
        .hint("data is read more than once: write what comes from a pipe to a file first")
}

/// Returns whether a compressed stream holds a tar archive. One that cannot be decompressed is taken for one, to be
/// reported when it is read.
fn holds_tar(packing: Packing, stream: impl BufRead) -> bool {
    let mut head = Vec::new();
    let read = Decoder::new(packing, stream)
        .and_then(|decoder| decoder.take(BLOCK as u64).read_to_end(&mut head));
    read.is_err() || head.is_empty() || begins_tar(&head)
}

/// Returns whether these bytes begin a tar archive: its first header has the right checksum, or there is none.
fn begins_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else { return false };
    let header = tar::Header::from_byte_slice(block);
    let sum = block.iter().enumerate().map(|(at, &byte)| match at {
        // The checksum itself counts as spaces.
        148..156 => u32::from(b' '),
        _ => u32::from(byte),
    });
    block.iter().all(|&byte| byte == 0)
        || header.cksum().is_ok_and(|found| found == sum.sum::<u32>())
}

/// Returns whether a file's name looks like an archive's.
pub fn is_archive_name(name: &str) -> bool {
    stem(name) != name
}

pub(crate) fn stem(name: &str) -> &str {
    let endings = [".tar.zst", ".tar.gz", ".tar", ".tzst", ".tgz", ".zip"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The absolute path without `.` and `..`; symbolic links are not resolved.
pub(crate) fn absolute(path: &Path) -> Result<String> {
    use std::path::Component;
    let full = std::path::absolute(path).map_err(|error| Error::reading("open", path, error))?;
    let mut clean = PathBuf::new();
    for component in full.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean.into_os_string().into_string().map_err(|text| {
        Error::refused(format!("{} is not UTF-8", Path::new(&text).display()))
            .hint("predictions name files by path, one per line: move the data to a plain path")
    })
}

/// Reads one whole file of an archive, up to the size limit.
pub(crate) fn read_member(reader: &mut dyn Read, size: u64) -> Content {
    if size > MAX_FILE_BYTES {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(1 << 20)).unwrap_or_default());
    let read = reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    match read {
        Err(error) => Err(format!("cannot be read: {error}")),
        Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => Err(too_large(bytes.len() as u64)),
        Ok(_) => Ok(bytes),
    }
}

fn too_large(size: u64) -> String {
    format!("is too large ({size} bytes; the limit is {MAX_FILE_BYTES})")
}
