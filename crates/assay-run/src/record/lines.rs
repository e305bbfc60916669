//! A file of JSON lines that only grows.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use assay_core::{Error, ProblemId, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A JSON-lines file, locked against other processes while it is open.
pub(super) struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens or makes the file, and cuts off a last line that was torn by a crash.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let io = |error| Error::io("open", path, error);
        let file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        // Some network file systems have no locks; there, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let message = format!("{} is in use by another process", path.display());
            return Err(
                Error::refused(message).hint("wait for the other run to end, or interrupt it")
            );
        }
        let whole = length_of_whole_lines(&file).map_err(io)?;
        file.set_len(whole).map_err(io)?;
        Ok(Self { path: path.to_owned(), file })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line in one write, so that a crash can tear only this line.
    pub(super) fn append(&mut self, value: &impl Serialize) -> Result<()> {
        let error = |error| Error::io("write", &self.path, error);
        let mut line = serde_json::to_vec(value).map_err(|source| error(source.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(error)
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
        let io = |error| Error::io("read", &self.path, error);
        // A handle of its own, so that the place where lines are added stays where it is.
        let file = File::open(&self.path).map_err(io)?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut bytes = Vec::new();
        let mut offset = 0;
        for line in 1.. {
            bytes.clear();
            let count = reader.read_until(b'\n', &mut bytes).map_err(io)?;
            if count == 0 {
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
        Error::refused(format!("line {line} of {} is not part of this run", self.path.display()))
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
    use super::*;

    fn check(content: &[u8], kept: &[u8]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        drop(LineFile::open(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), kept);
    }

    #[test]
    fn a_torn_line_is_cut_off() {
        check(b"", b"");
        check(b"1\n2\n", b"1\n2\n");
        check(b"1\n2", b"1\n");
        check(b"{\"a\":", b"");
        check(b"1\n\0\0\0", b"1\n");
        let long = [b"1\n".as_slice(), &vec![b'x'; 200_000]].concat();
        check(&long, b"1\n");
    }

    #[test]
    fn one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let open = LineFile::open(&path).unwrap();
        assert!(LineFile::open(&path).is_err());
        drop(open);
        assert!(LineFile::open(&path).is_ok());
    }
}
