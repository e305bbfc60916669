//! Verdicts outside a record that are graded so far, so that an interrupted grading can go on.
//!
//! The file begins with a line that identifies what was graded; a verdict per line follows. It grows like the files of
//! a record: a crash can tear only its last line.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::Arc;

use assay_core::{Error, Result};
use serde::Serialize;

use crate::lines::RawLines;
use crate::order::sort;
use crate::{Folder, LineFile, VerdictLine};

/// A file of verdicts that is not complete yet. Another process cannot open it meanwhile.
#[derive(Debug)]
pub struct PartialVerdicts {
    lines: LineFile,
    _lock: File,
}

/// The earlier content of a file of verdicts.
#[derive(Debug, Default, PartialEq)]
pub enum Earlier {
    /// There was none.
    #[default]
    Nothing,
    /// Verdicts on the same answers.
    Verdicts(Vec<VerdictLine>),
    /// Verdicts on something else, which are discarded.
    Other,
}

impl PartialVerdicts {
    /// Opens the file `name` in `folder`. Its verdicts are kept if its first line is `head`, and discarded otherwise.
    pub fn open(
        folder: &Arc<Folder>,
        name: &str,
        head: &impl Serialize,
    ) -> Result<(Self, Earlier)> {
        let path = folder.path().join(name);
        let mut expected = serde_json::to_vec(head)
            .map_err(|error| Error::writing("write", &path, error.into()))?;
        expected.push(b'\n');
        let partial = Self::lock(folder, name)?;
        let earlier = read(folder, name, &expected)?;
        if matches!(earlier, Earlier::Verdicts(_)) {
            return Ok((partial, earlier));
        }
        let is_other = earlier == Earlier::Other;
        let mut partial = if is_other { partial.renew(folder, name)? } else { partial };
        partial.lines.append(head)?;
        Ok((partial, earlier))
    }

    /// Opens the file without its earlier content.
    pub fn create(folder: &Arc<Folder>, name: &str, head: &impl Serialize) -> Result<Self> {
        let mut partial = Self::lock(folder, name)?.renew(folder, name)?;
        partial.lines.append(head)?;
        Ok(partial)
    }

    /// Replaces the file by an empty one.
    fn renew(self, folder: &Arc<Folder>, name: &str) -> Result<Self> {
        let path = self.path();
        drop(self);
        folder.remove(name).map_err(|error| Error::writing("remove", &path, error))?;
        Self::lock(folder, name)
    }

    fn lock(folder: &Arc<Folder>, name: &str) -> Result<Self> {
        // Somebody else's link there must not be written through.
        if folder.read(name).is_err() {
            let path = folder.path().join(name);
            folder.remove(name).map_err(|error| Error::writing("remove", &path, error))?;
        }
        let lock = lock_file(folder, name)?;
        let mut lines = LineFile::new(Arc::clone(folder), name.to_owned());
        lines.open()?;
        // The file was replaced if a torn line was cut off.
        drop(lock);
        Ok(Self { lines, _lock: lock_file(folder, name)? })
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        self.lines.path()
    }

    /// Adds a verdict.
    pub fn append(&mut self, verdict: &VerdictLine) -> Result<()> {
        self.lines.append(verdict).map(drop)
    }

    /// Drops the first line, puts the others into the order of `order` and then of samples, and passes the file on.
    pub fn finish(mut self, order: &dyn Fn(&str) -> Option<usize>) -> Result<LineFile> {
        sort(1, &mut self.lines, order)?;
        self.lines.close();
        Ok(self.lines)
    }

    /// Removes the file.
    pub fn discard(mut self) {
        self.lines.close();
        let _ = self.lines.folder().remove(self.lines.name());
    }
}

fn lock_file(folder: &Folder, name: &str) -> Result<File> {
    let file = folder.append(name)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let path = folder.path().join(name);
            Err(Error::refused(format!("{} is in use by another process", path.display()))
                .hint("wait for the other process to end, or interrupt it"))
        }
        // Some network file systems have no locks; there, nobody is excluded.
        _ => Ok(file),
    }
}

/// The verdicts of a file whose first line is `head`.
fn read(folder: &Folder, name: &str, head: &[u8]) -> Result<Earlier> {
    let mut lines = RawLines::open(folder, name)?;
    match lines.next()? {
        None => return Ok(Earlier::Nothing),
        Some((_, first)) if first != head => return Ok(Earlier::Other),
        Some(_) => {}
    }
    let mut verdicts = Vec::new();
    while let Some((_, line)) = lines.next()? {
        match serde_json::from_slice(line) {
            Ok(verdict) => verdicts.push(verdict),
            // Something else has written into it.
            Err(_) => return Ok(Earlier::Other),
        }
    }
    Ok(Earlier::Verdicts(verdicts))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Outcome;

    const NAME: &str = "x.partial";

    fn open(folder: &Path, head: &str) -> Result<(PartialVerdicts, Earlier)> {
        PartialVerdicts::open(&Arc::new(Folder::open(folder).unwrap()), NAME, &head)
    }

    fn verdict(problem: &str, sample: u32) -> VerdictLine {
        VerdictLine::new(problem, sample, Outcome::Passed)
    }

    #[test]
    fn verdicts_are_taken_over_only_for_the_same_head() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut partial, earlier) = open(scratch.path(), "a").unwrap();
        assert_eq!(earlier, Earlier::Nothing);
        partial.append(&verdict("z", 0)).unwrap();
        let in_use = open(scratch.path(), "a").unwrap_err();
        assert!(in_use.to_string().ends_with("is in use by another process"), "{in_use}");
        drop(partial);
        // A torn line is the last one of a process that was killed.
        let path = scratch.path().join(NAME);
        let torn = std::fs::read_to_string(&path).unwrap() + "{\"problem\":\"q";
        std::fs::write(&path, torn).unwrap();
        let (mut partial, earlier) = open(scratch.path(), "a").unwrap();
        assert_eq!(earlier, Earlier::Verdicts(vec![verdict("z", 0)]));
        partial.append(&verdict("a", 1)).unwrap();
        partial.append(&verdict("a", 0)).unwrap();
        let file = partial.finish(&|name| "az".find(name)).unwrap();
        let sorted: Vec<VerdictLine> = file.lines().map(Result::unwrap).collect();
        assert_eq!(sorted, [verdict("a", 0), verdict("a", 1), verdict("z", 0)]);
        // Without its head it is of unknown origin.
        let (partial, earlier) = open(scratch.path(), "a").unwrap();
        assert_eq!(earlier, Earlier::Other);
        drop(partial);
        assert_eq!(open(scratch.path(), "b").unwrap().1, Earlier::Other);
        let (partial, earlier) = open(scratch.path(), "b").unwrap();
        assert_eq!(earlier, Earlier::Verdicts(Vec::new()));
        partial.discard();
        assert!(!path.exists());
    }

    #[test]
    fn a_link_or_a_broken_line_is_no_earlier_content() {
        let scratch = tempfile::tempdir().unwrap();
        let (target, path) = (scratch.path().join("target"), scratch.path().join(NAME));
        std::fs::write(&target, "\"a\"\n").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert_eq!(open(scratch.path(), "a").unwrap().1, Earlier::Nothing);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "\"a\"\n");
        std::fs::write(&path, "\"a\"\nno verdict\n").unwrap();
        assert_eq!(open(scratch.path(), "a").unwrap().1, Earlier::Other);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "\"a\"\n");
    }
}
