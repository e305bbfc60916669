//! A single stream of answers, packed or not.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use assay_core::{Error, Result};

use crate::packing::{Decoder, Packing, is_tar, only_file_of_zip};

/// The maximum unpacked size of a stream; more is a mistake or an attack.
const MAX_BYTES: u64 = 4 << 30;
/// The maximum nesting of packed formats.
const MAX_LAYERS: usize = 3;
const BUFFER: usize = 1 << 16;

/// A stream that is read from front to back.
pub type Stream<'a> = Box<dyn BufRead + 'a>;

/// The content of the stream called `name`, unpacked if it is gzip, zstd, or a zip of one file.
pub fn unpack<'a>(reader: &'a mut dyn BufRead, name: &str) -> Result<Stream<'a>> {
    let broken = |error| Error::reading("read", Path::new(name), error);
    let mut stream: Stream<'a> = Box::new(reader);
    for _ in 0..MAX_LAYERS {
        let (packing, whole) = Packing::detect(stream).map_err(broken)?;
        stream = match packing {
            Packing::Plain => return Ok(Box::new(whole)),
            Packing::Tar => return Err(is_tar(name)),
            Packing::Zip => Box::new(Cursor::new(only_file_of_zip(whole, name)?.1)),
            Packing::Gzip | Packing::Zstd => checked(Decoder::new(packing, whole).map_err(broken)?),
        };
    }
    Ok(stream)
}

fn checked<'a>(decoder: impl Read + 'a) -> Stream<'a> {
    Box::new(BufReader::with_capacity(BUFFER, LimitedReader { decoder, left: MAX_BYTES }))
}

/// Limits the size of an unpacked stream, and reports bytes that cannot be unpacked as invalid
/// data.
struct LimitedReader<R> {
    decoder: R,
    left: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let invalid = |error: io::Error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::new(io::ErrorKind::InvalidData, error),
        };
        let count = self.decoder.read(buffer).map_err(invalid)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let message = format!("it unpacks to more than {} GiB", MAX_BYTES >> 30);
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
        let mut stream = unpack(&mut bytes, "x").map_err(|error| error.to_string())?;
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
