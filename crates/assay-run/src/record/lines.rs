//! A file of JSON lines that only grows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use assay_core::{Error, ProblemId, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::folder::Folder;

/// A JSON-lines file. It is made when the first line is added; a last line that a crash has torn is
/// passed over in reading, and cut off before the next line is added.
pub(crate) struct LineFile {
    folder: Arc<Folder>,
    name: String,
    writer: Option<File>,
}

impl LineFile {
    pub(crate) fn new(folder: Arc<Folder>, name: String) -> Self {
        Self { folder, name, writer: None }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Opens the file to add lines, if it is not open already.
    pub(crate) fn open(&mut self) -> Result<&mut File> {
        let writer = if let Some(writer) = self.writer.take() {
            writer
        } else {
            let file = self.folder.append(&self.name)?;
            let whole = length_of_whole_lines(&file).and_then(|length| file.set_len(length));
            whole.map_err(|error| Error::writing("open", &self.path(), error))?;
            file
        };
        Ok(self.writer.insert(writer))
    }

    /// Lets go of the file, which is about to be replaced.
    pub(crate) fn close(&mut self) {
        self.writer = None;
    }

    /// Adds a line in one write, so that a crash can tear only this line.
    pub(crate) fn append(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(value)
            .map_err(|error| Error::writing("write", &self.path(), error.into()))?;
        line.push(b'\n');
        let written = self.open()?.write_all(&line);
        written.map_err(|error| Error::writing("write", &self.path(), error))
    }

    /// Reads the lines from the start, one at a time, with their number from 1.
    pub(super) fn each<T: DeserializeOwned>(
        &self,
        mut visit: impl FnMut(u64, T) -> Result<()>,
    ) -> Result<()> {
        self.each_raw(|line, _, bytes| visit(line, self.parse(line, bytes)?))
    }

    /// Reads the lines as they stand, with their number and where they start.
    pub(super) fn each_raw(
        &self,
        mut visit: impl FnMut(u64, u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let reading = |error| Error::reading("read", &self.path(), error);
        let Some(file) = self.folder.read(&self.name)? else { return Ok(()) };
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut bytes = Vec::new();
        let mut offset = 0;
        for line in 1.. {
            bytes.clear();
            let count = reader.read_until(b'\n', &mut bytes).map_err(reading)?;
            if !bytes.ends_with(b"\n") {
                break;
            }
            visit(line, offset, &bytes)?;
            offset += count as u64;
        }
        Ok(())
    }

    pub(super) fn parse<T: DeserializeOwned>(&self, line: u64, bytes: &[u8]) -> Result<T> {
        serde_json::from_slice(bytes).map_err(|error| self.broken(line).because(error))
    }

    /// The rank of the problem that a line is about.
    pub(super) fn rank(
        &self,
        line: u64,
        problem: &ProblemId,
        ranks: &HashMap<&ProblemId, usize>,
    ) -> Result<usize> {
        ranks.get(problem).copied().ok_or_else(|| self.broken(line))
    }

    fn broken(&self, line: u64) -> Error {
        Error::refused(format!("line {line} of {} is not part of this run", self.path().display()))
            .hint("the file was changed by something else; take that line out, or start a new run")
    }
}

/// Where the last whole line ends.
fn length_of_whole_lines(mut file: &File) -> std::io::Result<u64> {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn line_file(folder: &Path) -> LineFile {
        LineFile::new(Arc::new(Folder::open(folder).unwrap()), "x.jsonl".to_owned())
    }

    fn check(content: &[u8], kept: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        let mut file = line_file(folder.path());
        let mut read = String::new();
        let keep = |_, number: u32| {
            read += &format!("{number}\n");
            Ok(())
        };
        file.each(keep).unwrap();
        assert_eq!(read, kept, "what is torn is not read");
        file.append(&7).unwrap();
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
    fn a_file_that_is_not_there_has_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = line_file(folder.path());
        file.each(|_, _: u32| panic!("there is a line")).unwrap();
    }
}
