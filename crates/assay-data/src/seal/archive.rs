//! The format of a sealed archive's content: a tar file in which every byte is determined by its
//! manifest and its files.
//!
//! First comes `manifest.json`, then `files/PATH` for each file in the manifest's order, with mode
//! 0644, no owner and no time, then two empty blocks. The reader builds the header that each file
//! must have and compares it with the actual one. So there is nothing to interpret: links, devices,
//! duplicates, strange paths, and lengths other than declared are all simply not the expected
//! header.

use std::io::{self, Read, Write};

use assay_core::{Error, Result};
use tar::{Builder, EntryType, Header};

use super::BLOCK;
use super::manifest::{self, Entry, Manifest};
use super::paths;

const MANIFEST: &str = "manifest.json";
const FILES: &str = "files/";
const UNIT: usize = 512;
/// The blocks that end a tar file.
const END: [u8; 2 * UNIT] = [0; 2 * UNIT];

/// All bytes before a file's content. A long path takes several blocks.
fn head(path: &str, bytes: u64) -> Result<Vec<u8>> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(bytes);
    let mut builder = Builder::new(Vec::new());
    builder
        .append_data(&mut header, path, io::empty())
        .map_err(|error| Error::failed(format!("{path:?} does not fit into tar")).because(error))?;
    Ok(std::mem::take(builder.get_mut()))
}

/// The number of zero bytes after a file's content.
fn padding(bytes: u64) -> usize {
    let over = usize::try_from(bytes % UNIT as u64).unwrap_or_default();
    if over == 0 { 0 } else { UNIT - over }
}

/// Writes an archive, file by file.
pub(super) struct ArchiveWriter<W>(W);

impl<W: Write> ArchiveWriter<W> {
    pub(super) fn new(mut out: W, manifest: &Manifest) -> Result<Self> {
        let json = manifest.to_json()?;
        out.write_all(&head(MANIFEST, json.len() as u64)?).map_err(unwritten)?;
        out.write_all(&json).map_err(unwritten)?;
        out.write_all(&END[..padding(json.len() as u64)]).map_err(unwritten)?;
        Ok(Self(out))
    }

    /// Starts a file, of which exactly `entry.bytes` bytes must follow.
    pub(super) fn start(&mut self, entry: &Entry) -> Result<()> {
        self.content(&head(&format!("{FILES}{}", entry.path), entry.bytes)?)
    }

    pub(super) fn content(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(unwritten)
    }

    pub(super) fn end(&mut self, entry: &Entry) -> Result<()> {
        self.content(&END[..padding(entry.bytes)])
    }

    pub(super) fn finish(mut self) -> Result<W> {
        self.content(&END)?;
        Ok(self.0)
    }
}

fn unwritten(error: io::Error) -> Error {
    Error::failed("failed to write the sealed file").because(error)
}

/// Reads an archive from front to back, and accepts nothing that a writer would not have written.
pub(super) struct ArchiveReader<R> {
    inside: R,
    /// The sealed file's name, for messages.
    name: String,
    block: Vec<u8>,
}

impl<R: Read> ArchiveReader<R> {
    pub(super) fn new(inside: R, name: String) -> Self {
        Self { inside, name, block: vec![0; BLOCK] }
    }

    /// The manifest, which comes first.
    pub(super) fn manifest(&mut self) -> Result<Manifest> {
        const AT: &str = "its manifest";
        let mut first = [0; UNIT];
        self.fill(&mut first, AT)?;
        let bytes = Header::from_byte_slice(&first).entry_size().unwrap_or(u64::MAX);
        if bytes > manifest::MAX_BYTES || first[..] != head(MANIFEST, bytes)?[..] {
            return Err(self
                .refused("does not begin with a manifest")
                .hint("it can be decrypted, but it was not made by assay data seal"));
        }
        let mut json = Vec::new();
        self.content(bytes, AT, &mut |piece| {
            json.extend_from_slice(piece);
            Ok(())
        })?;
        Manifest::from_json(&json)
            .map_err(|fault| self.refused(&format!("has a manifest that {fault}")))
    }

    /// Reads one file, which must be the next one of the manifest.
    pub(super) fn file(
        &mut self,
        entry: &Entry,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let expected = head(&format!("{FILES}{}", entry.path), entry.bytes)?;
        let mut found = vec![0; UNIT];
        self.fill(&mut found, &entry.path)?;
        if found[..] == expected[..UNIT] && expected.len() > UNIT {
            found.resize(expected.len(), 0);
            self.fill(&mut found[UNIT..], &entry.path)?;
        }
        if found != expected {
            let what = describe(&found);
            let Entry { path, bytes, .. } = entry;
            return Err(self.refused(&format!(
                "holds {what} where its manifest has {path:?} with {bytes} bytes"
            )));
        }
        self.content(entry.bytes, &entry.path, take)
    }

    /// Checks that nothing follows, and returns the underlying reader.
    pub(super) fn finish(mut self) -> Result<R> {
        const AT: &str = "its end";
        let mut last = [0; END.len()];
        self.fill(&mut last, AT)?;
        if last != END {
            let what = describe(&last);
            return Err(self.refused(&format!("holds {what}, which its manifest does not have")));
        }
        match self.inside.read(&mut self.block) {
            Ok(0) => Ok(self.inside),
            Ok(_) => Err(self.refused("goes on after its end")),
            Err(error) => Err(broken(&self.name, AT, error)),
        }
    }

    fn content(
        &mut self,
        bytes: u64,
        at: &str,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut block = std::mem::take(&mut self.block);
        let mut left = bytes;
        while left > 0 {
            let piece = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            self.fill(&mut block[..piece], at)?;
            take(&block[..piece])?;
            left -= piece as u64;
        }
        self.block = block;
        let mut rest = [0; UNIT];
        let rest = &mut rest[..padding(bytes)];
        self.fill(rest, at)?;
        if rest.iter().any(|byte| *byte != 0) {
            return Err(self.refused(&format!("holds something after the end of {at}")));
        }
        Ok(())
    }

    fn fill(&mut self, block: &mut [u8], at: &str) -> Result<()> {
        self.inside.read_exact(block).map_err(|error| broken(&self.name, at, error))
    }

    fn refused(&self, what: &str) -> Error {
        Error::refused(format!("{} {what}", self.name))
    }
}

/// The error if the sealed file cannot be read further. An error of the disk is not the file's
/// fault.
pub(super) fn broken(name: &str, at: &str, error: io::Error) -> Error {
    if error.raw_os_error().is_some() {
        return Error::failed(format!("failed to read {name}")).because(error);
    }
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "was cut short",
        _ => "was altered",
    };
    Error::refused(format!("{name} {what}: it breaks at {at}"))
        .because(error)
        .hint("get the file again; what was sealed cannot be recovered from this copy")
}

/// Describes the block that was found instead of a header.
fn describe(block: &[u8]) -> String {
    if block.iter().all(|byte| *byte == 0) {
        return "nothing more".to_owned();
    }
    let header = Header::from_byte_slice(&block[..UNIT]);
    let path = String::from_utf8_lossy(&header.path_bytes()).into_owned();
    let kind = match header.entry_type() {
        EntryType::Regular | EntryType::Continuous => "a file",
        EntryType::Link | EntryType::Symlink => "a link",
        EntryType::Char | EntryType::Block | EntryType::Fifo => "a device",
        EntryType::Directory => "a folder",
        _ => "something that is no file",
    };
    let inner = path.strip_prefix(FILES).unwrap_or(&path);
    match (paths::fault(inner), header.entry_size()) {
        (Some(fault), _) => format!("{kind} {inner:?}, whose path {fault},"),
        (None, Ok(bytes)) => format!("{kind} {path:?} with {bytes} bytes"),
        (None, Err(_)) => format!("{kind} {path:?}"),
    }
}
