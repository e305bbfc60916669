//! Compressed and packed bytes: the only module that detects and opens them.
//!
//! The format is detected from the first bytes, not from a file's name.

use std::io::{self, BufRead, Chain, Cursor, Read, Seek};

use assay_core::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::store::{MAX_FILE_BYTES, read_member};

/// The number of bytes that are enough to detect a format: the magic of a tar archive is at 257.
const HEAD: u64 = 512;
/// The largest zstd window that is accepted, as `zstd --long=27` (128 MiB).
pub(crate) const ZSTD_WINDOW_LOG: u32 = 27;
/// The extensions by which one file is selected among several.
const EXTENSIONS: [&str; 6] = [".jsonl", ".json", ".ndjson", ".txt", ".gz", ".zst"];

/// The format of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Neither compressed nor a supported archive.
    Plain,
    Gzip,
    Zstd,
    Zip,
    Tar,
}

impl Packing {
    /// The format of bytes with this beginning.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'P', b'K', 3 | 5, ..] => Self::Zip,
            head if head.get(257..262) == Some(b"ustar") => Self::Tar,
            _ => Self::Plain,
        }
    }

    /// Detects the format of a stream, and returns the stream from its beginning.
    pub(crate) fn detect<R: BufRead>(mut stream: R) -> io::Result<(Self, Whole<R>)> {
        let mut head = Vec::new();
        (&mut stream).take(HEAD).read_to_end(&mut head)?;
        Ok((Self::of(&head), Cursor::new(head).chain(stream)))
    }
}

/// A stream whose first bytes were examined.
pub(crate) type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads a stream that may be compressed.
pub(crate) enum Decoder<R: BufRead> {
    Plain(R),
    Gzip(Box<MultiGzDecoder<R>>),
    Zstd(zstd::Decoder<'static, R>),
}

impl<R: BufRead> Decoder<R> {
    /// Decompresses gzip and zstd; other bytes are read unchanged.
    pub(crate) fn new(packing: Packing, stream: R) -> io::Result<Self> {
        Ok(match packing {
            Packing::Plain | Packing::Zip | Packing::Tar => Self::Plain(stream),
            Packing::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(stream))),
            Packing::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(stream)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Self::Zstd(decoder)
            }
        })
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Gzip(decoder) => decoder.read(buffer),
            Self::Zstd(decoder) => decoder.read(buffer),
        }
    }
}

/// Opens the zip archive that is called `name` in messages.
pub(crate) fn open_zip<R: Read + Seek>(archive: R, name: &str) -> Result<ZipArchive<R>> {
    ZipArchive::new(archive).map_err(|error| unsound_zip(name, error))
}

/// The error for a zip archive that cannot be read.
pub(crate) fn unsound_zip(name: &str, error: ZipError) -> Error {
    unsound_archive(name).because(error)
}

/// The error for an archive that cannot be read, without its cause.
pub(crate) fn unsound_archive(name: &str) -> Error {
    Error::refused(format!("{name} is not a sound archive")).hint("fetch or pack it again")
}

/// The error for a tar archive where one file is expected.
pub(crate) fn is_tar(name: &str) -> Error {
    Error::refused(format!("{name} is a tar archive"))
        .hint("unpack it, and name the one file that is meant")
}

/// The only eligible file in a zip archive: its name and its bytes.
pub(crate) fn only_file_of_zip(archive: impl Read, name: &str) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let read = archive.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::reading("read", name.as_ref(), error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::refused(format!("{name} is larger than {} MiB", MAX_FILE_BYTES >> 20))
            .hint("unpack it first"));
    }
    let unsound = |error: ZipError| unsound_zip(name, error);
    let mut archive = open_zip(Cursor::new(bytes), name)?;
    let mut files = Vec::new();
    for file in archive.file_names() {
        let file = file.map_err(unsound)?;
        if !file.ends_with('/') && !file.starts_with("__MACOSX/") {
            files.push(file.to_string());
        }
    }
    let file = choose(files, name)?;
    let mut member = archive.by_name(&file).map_err(unsound)?;
    let size = member.size();
    let bytes = read_member(&mut member, size)
        .map_err(|what| Error::refused(format!("{file} in {name} {what}")).hint("pack it again"))?;
    drop(member);
    Ok((file, bytes))
}

/// The only file, or the only one with an extension of answers or data.
fn choose(mut files: Vec<String>, name: &str) -> Result<String> {
    if files.len() > 1 {
        files.retain(|file| EXTENSIONS.iter().any(|extension| file.ends_with(extension)));
    }
    match files.as_slice() {
        [_] => Ok(files.remove(0)),
        [] => Err(Error::refused(format!("{name} holds no file that can be read"))
            .hint("a zip must hold one file")),
        several => {
            let shown: Vec<&str> = several.iter().map(String::as_str).take(5).collect();
            let message = format!("{name} holds {} files: {} …", several.len(), shown.join(", "));
            Err(Error::refused(message).hint("unpack it, and name the one that is meant"))
        }
    }
}

/// A file's name without the extension of a compressed file or a zip archive.
pub(crate) fn name_when_unpacked(name: &str) -> &str {
    let extensions = [".gz", ".zst", ".zip"];
    extensions.iter().find_map(|extension| name.strip_suffix(extension)).unwrap_or(name)
}
