//! An append-only file of JSON lines.
//!
//! Whole lines never change in place: the file grows at its end, or is replaced atomically by
//! another one. So it can be read while it is written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_core::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::folder::{Folder, MAX_FILE_BYTES};

/// A JSON-lines file. It is created when the first line is added. A last line that was torn by a
/// crash is ignored in reading, and cut off before the next line is added.
#[derive(Debug)]
pub struct LineFile {
    folder: Arc<Folder>,
    name: String,
    end: Option<End>,
}

/// The end of an open file, where lines are added.
#[derive(Debug)]
struct End {
    file: File,
    offset: u64,
}

/// The position of a line in its file, including its line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub length: usize,
}

impl LineFile {
    /// The file `name` in `folder`, which need not exist yet.
    pub fn new(folder: Arc<Folder>, name: String) -> Self {
        Self { folder, name, end: None }
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder that contains it.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name of the file that is about to replace it.
    pub(crate) fn beside(&self) -> String {
        format!("{}.new", self.name)
    }

    /// Opens the file for adding lines, if it is not open already.
    pub fn open(&mut self) -> Result<()> {
        if self.end.is_none() {
            self.end = Some(self.find_end()?);
        }
        Ok(())
    }

    /// Cuts off a torn line, if the file exists.
    pub(crate) fn cut_torn(&mut self) -> Result<()> {
        if self.folder.read(&self.name)?.is_some() { self.open() } else { Ok(()) }
    }

    /// Closes the file, which is about to be replaced or renamed.
    pub fn close(&mut self) {
        self.end = None;
    }

    /// Adds a line in one write, so that a crash can tear only this line.
    pub fn append(&mut self, value: &impl Serialize) -> Result<Span> {
        let writing = |error| Error::writing("write", &self.path(), error);
        let mut line = serde_json::to_vec(value).map_err(|error| writing(error.into()))?;
        line.push(b'\n');
        if line.len() as u64 > MAX_FILE_BYTES {
            let size =
                io::Error::other(format!("the line has more than {} MiB", MAX_FILE_BYTES >> 20));
            return Err(writing(size));
        }
        // After a failure the file stays closed, so that the next line first cuts off the torn one.
        let End { mut file, offset } = match self.end.take() {
            Some(end) => end,
            None => self.find_end()?,
        };
        file.write_all(&line).map_err(|error| Error::writing("write", &self.path(), error))?;
        let span = Span { offset, length: line.len() };
        self.end = Some(End { file, offset: offset + line.len() as u64 });
        Ok(span)
    }

    /// Flushes everything to disk, if the file is open.
    pub(crate) fn sync(&self) -> Result<()> {
        let synced = self.end.as_ref().map_or(Ok(()), |end| end.file.sync_data());
        synced.map_err(|error| Error::writing("write", &self.path(), error))
    }

    /// The values of its lines, read one at a time.
    pub fn lines<T: DeserializeOwned>(&self) -> Lines<T> {
        Lines::of(&self.folder, &self.name)
    }

    fn find_end(&self) -> Result<End> {
        let opening = |error| Error::writing("open", &self.path(), error);
        let file = self.folder.append(&self.name)?;
        let offset = length_of_whole_lines(&file).map_err(opening)?;
        if file.metadata().map_err(opening)?.len() == offset {
            return Ok(End { file, offset });
        }
        // A copy replaces it, so that no current reader sees a line change.
        let copy = |new: &mut File| {
            let mut old = &file;
            old.seek(SeekFrom::Start(0))?;
            io::copy(&mut old.take(offset), new).map(drop)
        };
        self.folder.replace(&self.name, &self.beside(), copy).map_err(opening)?;
        Ok(End { file: self.folder.append(&self.name)?, offset })
    }
}

/// The end of the last whole line.
pub(crate) fn length_of_whole_lines(mut file: &File) -> io::Result<u64> {
    const STEP: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    let mut chunk = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(STEP);
        chunk.clear();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut chunk)?;
        if let Some(at) = chunk.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The whole lines of a file as raw bytes, in constant memory. A file that does not exist has none.
#[derive(Debug)]
pub(crate) struct RawLines {
    reader: Option<BufReader<File>>,
    path: PathBuf,
    bytes: Vec<u8>,
    offset: u64,
    number: u64,
}

impl RawLines {
    pub(crate) fn open(folder: &Folder, name: &str) -> Result<Self> {
        Ok(Self::of(folder.read(name)?, folder.path().join(name)))
    }

    pub(crate) fn of(file: Option<File>, path: PathBuf) -> Self {
        let reader = file.map(|file| BufReader::with_capacity(1 << 16, file));
        Self { reader, path, bytes: Vec::new(), offset: 0, number: 0 }
    }

    /// The next line with its position, or `None` at the end or at a torn line.
    pub(crate) fn next(&mut self) -> Result<Option<(Span, &[u8])>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        self.offset += self.bytes.len() as u64;
        self.bytes.clear();
        let read = reader.take(MAX_FILE_BYTES).read_until(b'\n', &mut self.bytes);
        read.map_err(|error| Error::reading("read", &self.path, error))?;
        if !self.bytes.ends_with(b"\n") {
            self.reader = None;
            return if self.bytes.len() as u64 == MAX_FILE_BYTES {
                Err(self.too_long())
            } else {
                Ok(None)
            };
        }
        self.number += 1;
        Ok(Some((Span { offset: self.offset, length: self.bytes.len() }, &self.bytes)))
    }

    /// The error for the line that was read last.
    pub(crate) fn broken(&self, error: serde_json::Error) -> Error {
        broken(&self.path, self.number, "the line cannot be read").because(error)
    }

    fn too_long(&self) -> Error {
        let (line, path) = (self.number + 1, self.path.display());
        Error::refused(format!(
            "{path}:{line}: the line has more than {} MiB",
            MAX_FILE_BYTES >> 20
        ))
        .hint("the file was changed by something else; remove that line, or start a new run")
    }
}

/// The error for an invalid line.
pub(crate) fn broken(path: &Path, line: u64, problem: &str) -> Error {
    Error::refused(format!("{}:{line}: {problem}", path.display())).hint(
        "the file was changed by something else, or written by a newer assay: remove that line, \
         install a newer assay, or start a new run",
    )
}

/// The values of a file's lines, read one at a time in constant memory. A torn last line is
/// ignored. Reading continues after a line that cannot be parsed.
#[derive(Debug)]
pub struct Lines<T> {
    state: State,
    value: PhantomData<fn() -> T>,
}

#[derive(Debug)]
enum State {
    Reading(RawLines),
    Failed(Option<Error>),
}

impl<T: DeserializeOwned> Lines<T> {
    /// The lines of the file `name` in `folder`. If the file cannot be opened, the error is the
    /// first item.
    pub(crate) fn of(folder: &Folder, name: &str) -> Self {
        let state = match RawLines::open(folder, name) {
            Ok(lines) => State::Reading(lines),
            Err(error) => State::Failed(Some(error)),
        };
        Self { state, value: PhantomData }
    }
}

impl<T: DeserializeOwned> Iterator for Lines<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let lines = match &mut self.state {
            State::Reading(lines) => lines,
            State::Failed(error) => return error.take().map(Err),
        };
        let parsed = match lines.next() {
            Ok(Some((_, bytes))) => serde_json::from_slice(bytes),
            Ok(None) => return None,
            Err(error) => {
                self.state = State::Failed(None);
                return Some(Err(error));
            }
        };
        Some(parsed.map_err(|error| lines.broken(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_file(folder: &Path) -> LineFile {
        LineFile::new(Arc::new(Folder::open(folder).unwrap()), "x.jsonl".to_owned())
    }

    fn check(content: &[u8], kept: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        let mut file = line_file(folder.path());
        let read: String =
            file.lines::<u32>().map(|number| format!("{}\n", number.unwrap())).collect();
        assert_eq!(read, kept, "a torn line is not read");
        assert_eq!(file.append(&7).unwrap(), Span { offset: kept.len() as u64, length: 2 });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{kept}7\n"));
    }

    #[test]
    fn a_torn_line_is_cut_off() {
        check(b"", "");
        check(b"1\n2\n", "1\n2\n");
        check(b"1\n2", "1\n");
        check(b"{\"a\":", "");
        check(b"1\n\0\0\0", "1\n");
        let long = [b"1\n".as_slice(), &vec![b'x'; 200_000]].concat();
        check(&long, "1\n");
    }

    #[test]
    fn a_reader_does_not_see_a_line_change() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = line_file(folder.path());
        std::fs::write(file.path(), "1\n2\n345").unwrap();
        let mut lines = file.lines::<u32>();
        assert_eq!(lines.next().unwrap().unwrap(), 1);
        file.append(&6).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), 2);
        assert!(lines.next().is_none());
    }

    #[test]
    fn a_file_that_is_not_there_has_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(line_file(folder.path()).lines::<u32>().count(), 0);
    }

    #[test]
    fn a_broken_line_is_named_and_the_next_ones_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = line_file(folder.path());
        std::fs::write(file.path(), "1\nx\n3\n").unwrap();
        let read: Vec<Result<u32>> = file.lines().collect();
        let [Ok(1), Err(error), Ok(3)] = read.as_slice() else { panic!("{read:?}") };
        let expected = format!("{}:2: the line cannot be read", file.path().display());
        assert_eq!(error.to_string(), expected);
    }
}
