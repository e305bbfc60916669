//! What a stream holds, packed or not: its first bytes tell, whatever its name is.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use assay_core::{Error, Result};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::store::{LARGEST_FILE, ZSTD_WINDOW_LOG, read_member};

/// How much is looked at to tell what it is: the mark of a tar archive stands at 257.
const HEAD: u64 = 512;
/// The most that a stream may unpack to; more is a mistake or an attack.
const LARGEST: u64 = 4 << 30;
/// How often something may be packed within something packed.
const LAYERS: usize = 3;
const BUFFER: usize = 1 << 16;
/// The endings of files that can be the one that is meant among several.
const ENDINGS: [&str; 6] = [".jsonl", ".json", ".ndjson", ".txt", ".gz", ".zst"];

/// A stream that is read from front to back.
pub type Stream<'a> = Box<dyn BufRead + 'a>;

/// What the stream called `name` holds, unpacked if it is gzip, zstd, or a zip of one file.
pub fn unpacked<'a>(reader: &'a mut dyn BufRead, name: &str) -> Result<Stream<'a>> {
    let mut stream: Stream<'a> = Box::new(reader);
    for _ in 0..LAYERS {
        let mut head = Vec::new();
        (&mut stream).take(HEAD).read_to_end(&mut head).map_err(|error| broken(name, error))?;
        let start = head.clone();
        let whole: Stream<'a> = Box::new(Cursor::new(head).chain(stream));
        stream = match start.as_slice() {
            [0x1f, 0x8b, ..] => checked(flate2::bufread::MultiGzDecoder::new(whole)),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                let mut decoder =
                    zstd::Decoder::with_buffer(whole).map_err(|error| broken(name, error))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(|error| broken(name, error))?;
                checked(decoder)
            }
            [b'P', b'K', 3 | 5, ..] => Box::new(Cursor::new(only_file(whole, name)?)),
            start if start.get(257..262) == Some(b"ustar") => {
                return Err(Error::refused(format!("{name} is a tar archive"))
                    .hint("unpack it, and name the one file that is meant"));
            }
            _ => return Ok(whole),
        };
    }
    Ok(stream)
}

/// The bytes of the one file in a zip that can be meant.
fn only_file(archive: Stream<'_>, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    archive.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| broken(name, error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(Error::refused(format!("{name} is larger than {} MiB", LARGEST_FILE >> 20))
            .hint("unpack it first"));
    }
    let unsound = |error: ZipError| unsound(name).because(error);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(unsound)?;
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
    read_member(&mut member, size)
        .map_err(|what| Error::refused(format!("{file} in {name} {what}")).hint("pack it again"))
}

/// A file that is alone, or the only one with an ending that answers and data have.
fn choose(mut files: Vec<String>, name: &str) -> Result<String> {
    if files.len() > 1 {
        files.retain(|file| ENDINGS.iter().any(|ending| file.ends_with(ending)));
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

fn unsound(name: &str) -> Error {
    Error::refused(format!("{name} is not a sound archive")).hint("fetch or pack it again")
}

fn broken(name: &str, error: io::Error) -> Error {
    Error::reading("read", std::path::Path::new(name), error)
}

fn checked<'a>(decoder: impl Read + 'a) -> Stream<'a> {
    Box::new(BufReader::with_capacity(BUFFER, Checked { decoder, left: LARGEST }))
}

/// Holds an unpacked stream to its limit, and calls what cannot be unpacked unsound data.
struct Checked<R> {
    decoder: R,
    left: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let invalid = |error: io::Error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::new(io::ErrorKind::InvalidData, error),
        };
        let count = self.decoder.read(buffer).map_err(invalid)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let message = format!("it unpacks to more than {} GiB", LARGEST >> 30);
            io::Error::new(io::ErrorKind::InvalidData, message)
        })?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"{\"task_id\": \"a\"}\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut bytes = bytes;
        let mut stream = unpacked(&mut bytes, "x").map_err(|error| error.to_string())?;
        let mut text = Vec::new();
        stream.read_to_end(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    #[test]
    fn the_content_tells_how_it_is_packed() {
        let zstd = zstd::encode_all(TEXT, 1).unwrap();
        let noise: &[u8] = b"read me";
        for packed in [
            TEXT.to_vec(),
            gzip(TEXT),
            zstd.clone(),
            zip(&[("a.jsonl", TEXT)]),
            zip(&[("any name", TEXT)]),
            zip(&[("a.jsonl", TEXT), ("README", noise), ("__MACOSX/a.jsonl", noise)]),
            zip(&[("a.jsonl.zst", &zstd)]),
            gzip(&zstd),
        ] {
            assert_eq!(read(&packed).unwrap(), TEXT);
        }
        assert_eq!(read(b"").unwrap(), b"");
    }

    #[test]
    fn what_cannot_be_unpacked_is_named() {
        let two = zip(&[("a.jsonl", TEXT), ("b.json", TEXT)]);
        assert_eq!(read(&two).unwrap_err(), "x holds 2 files: a.jsonl, b.json …");
        assert_eq!(read(&zip(&[])).unwrap_err(), "x holds no file that can be read");
        assert_eq!(read(b"PK\x03\x04 torn").unwrap_err(), "x is not a sound archive");
        assert!(read(&gzip(TEXT)[..15]).is_err());
        let mut tar = vec![0; 600];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(read(&gzip(&tar)).unwrap_err(), "x is a tar archive");
    }
}
