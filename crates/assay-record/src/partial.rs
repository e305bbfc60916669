//! Verdicts outside a record that are graded so far, so that an interrupted grading can go on.
//!
//! The file begins with a line that identifies what was graded; a verdict per line follows. It grows like the files of
//! a record: a crash can tear only its last line.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_core::{Error, Result};
use rustix::process::geteuid;
use serde::Serialize;

use crate::lines::{RawLines, length_of_whole_lines};
use crate::order::sort;
use crate::{Folder, LineFile, VerdictLine};

/// A file of verdicts that is not complete yet. Another process cannot open it meanwhile.
#[derive(Debug)]
pub struct PartialVerdicts {
    lines: LineFile,
    lock: File,
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

/// The start of the first line of every such file. A file without it was written by something else.
const MARK: &[u8] = b"{\"score\":";
/// The number of times that a file is opened anew because another process has replaced it.
const TRIES: usize = 10;
const CURE: &str = "move it away, or give --verdicts another name";

impl PartialVerdicts {
    /// Opens the file `name` in `folder`. Its verdicts are kept if its first line is `head`, and discarded otherwise.
    /// The first field of every head is `score`. A file that this user's assay did not write is refused.
    pub fn open(
        folder: &Arc<Folder>,
        name: &str,
        head: &impl Serialize,
    ) -> Result<(Self, Earlier)> {
        let path = folder.path().join(name);
        let mut expected = serde_json::to_vec(head)
            .map_err(|error| Error::writing("write", &path, error.into()))?;
        expected.push(b'\n');
        let mut partial = Self::lock(folder, name)?;
        let earlier = read(folder, name, &expected)?;
        match earlier {
            Earlier::Verdicts(_) => {}
            Earlier::Nothing => partial.lines.append(head).map(drop)?,
            Earlier::Other => partial.renew(head)?,
        }
        Ok((partial, earlier))
    }

    /// Opens the file without its earlier content.
    pub fn create(folder: &Arc<Folder>, name: &str, head: &impl Serialize) -> Result<Self> {
        let mut partial = Self::lock(folder, name)?;
        partial.renew(head)?;
        Ok(partial)
    }

    /// Discards everything but a new head. The file stays locked.
    pub fn renew(&mut self, head: &impl Serialize) -> Result<()> {
        self.lines.close();
        self.cut(0)?;
        self.lines.append(head).map(drop)
    }

    fn lock(folder: &Arc<Folder>, name: &str) -> Result<Self> {
        let lock = lock_file(folder, name)?;
        let lines = LineFile::new(Arc::clone(folder), name.to_owned());
        let partial = Self { lines, lock };
        partial.cut_torn()?;
        Ok(partial)
    }

    /// Cuts a torn line off in place: another file would not be locked.
    fn cut_torn(&self) -> Result<()> {
        let length = length_of_whole_lines(&self.lock);
        self.cut(length.map_err(|error| Error::reading("read", &self.path(), error))?)
    }

    fn cut(&self, length: u64) -> Result<()> {
        self.lock.set_len(length).map_err(|error| Error::writing("write", &self.path(), error))
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

/// Opens and locks the file; creates it if it does not exist.
fn lock_file(folder: &Folder, name: &str) -> Result<File> {
    for _ in 0..TRIES {
        // A link or a pipe there may lead anywhere.
        let file = folder.append(name).map_err(|error| error.hint(CURE))?;
        refuse_foreign(&file, &folder.path().join(name))?;
        // Some network file systems have no locks; there, nobody is excluded.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(in_use(folder, name));
        }
        // Until it was locked, another process could remove it or put another file in its place.
        if is_still_there(folder, name, &file)? {
            return Ok(file);
        }
    }
    Err(in_use(folder, name))
}

fn in_use(folder: &Folder, name: &str) -> Error {
    let path = folder.path().join(name);
    Error::refused(format!("{} is in use by another process", path.display()))
        .hint("wait for the other process to end, or interrupt it")
}

fn is_still_there(folder: &Folder, name: &str, file: &File) -> Result<bool> {
    let reading = |error| Error::reading("open", &folder.path().join(name), error);
    let Some(there) = folder.read(name)? else { return Ok(false) };
    let (there, file) = (there.metadata().map_err(reading)?, file.metadata().map_err(reading)?);
    Ok((there.dev(), there.ino()) == (file.dev(), file.ino()))
}

/// Refuses a file of another user, or with other content than verdicts so far.
fn refuse_foreign(file: &File, path: &Path) -> Result<()> {
    let reading = |error| Error::reading("read", path, error);
    let refuse = |fault| Err(Error::refused(format!("{} {fault}", path.display())).hint(CURE));
    if file.metadata().map_err(reading)?.uid() != geteuid().as_raw() {
        return refuse("belongs to another user");
    }
    let mut start = Vec::new();
    file.take(MARK.len() as u64).read_to_end(&mut start).map_err(reading)?;
    // A process that was killed at once has left it empty.
    if !start.is_empty() && start != MARK {
        return refuse("has something else than verdicts of an unfinished score");
    }
    Ok(())
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

    #[derive(Serialize)]
    struct Head<'a> {
        score: &'a str,
    }

    fn open(folder: &Path, head: &str) -> Result<(PartialVerdicts, Earlier)> {
        PartialVerdicts::open(&Arc::new(Folder::open(folder).unwrap()), NAME, &Head { score: head })
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
        std::fs::remove_file(&path).unwrap();
        drop(open(scratch.path(), "a").unwrap());
        assert_eq!(open(scratch.path(), "b").unwrap().1, Earlier::Other);
        let (partial, earlier) = open(scratch.path(), "b").unwrap();
        assert_eq!(earlier, Earlier::Verdicts(Vec::new()));
        partial.discard();
        assert!(!path.exists());
        // A process that was killed before its first line was whole.
        std::fs::write(&path, "{\"score\":").unwrap();
        assert_eq!(open(scratch.path(), "a").unwrap().1, Earlier::Nothing);
        std::fs::write(&path, "{\"score\":\"a\"}\nno verdict\n").unwrap();
        assert_eq!(open(scratch.path(), "a").unwrap().1, Earlier::Other);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"score\":\"a\"}\n");
    }

    /// Both ways to open the file are refused, and it stays.
    fn is_refused(folder: &Path, expected: &str) {
        let path = folder.join(NAME);
        let expected = format!("{} {expected}", path.display());
        let before = path.symlink_metadata().unwrap();
        let handle = Arc::new(Folder::open(folder).unwrap());
        let created = PartialVerdicts::create(&handle, NAME, &Head { score: "a" }).map(drop);
        for refused in [open(folder, "a").map(drop), created] {
            let error = refused.unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert_eq!(error.hint_text(), Some(CURE));
        }
        assert_eq!(path.symlink_metadata().unwrap().ino(), before.ino());
    }

    #[test]
    fn what_assay_did_not_write_is_refused_and_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let (target, path) = (scratch.path().join("target"), scratch.path().join(NAME));
        let own = "{\"score\":\"a\"}\n";
        std::fs::write(&target, own).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        is_refused(scratch.path(), "is a symbolic link, not a file");
        std::fs::remove_file(&path).unwrap();
        for text in ["notes\n", "null\n", "x", "{\"problem\":\"a\"}\n"] {
            std::fs::write(&path, text).unwrap();
            is_refused(scratch.path(), "has something else than verdicts of an unfinished score");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, own).unwrap();
        // Only root can give a file away.
        if std::os::unix::fs::chown(&path, Some(12_345), None).is_ok() {
            is_refused(scratch.path(), "belongs to another user");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
        }
    }

    #[test]
    fn a_file_stays_locked_while_it_is_renewed() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join(NAME);
        let (mut partial, _) = open(scratch.path(), "a").unwrap();
        let before = path.metadata().unwrap().ino();
        partial.append(&verdict("a", 0)).unwrap();
        partial.renew(&Head { score: "b" }).unwrap();
        // Another process would lock the new file, if it were another one.
        assert_eq!(path.metadata().unwrap().ino(), before);
        open(scratch.path(), "b").unwrap_err();
        partial.append(&verdict("b", 0)).unwrap();
        drop(partial);
        assert_eq!(open(scratch.path(), "b").unwrap().1, Earlier::Verdicts(vec![verdict("b", 0)]));
    }

    #[test]
    fn a_lock_on_a_file_that_was_replaced_is_worth_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        let file = folder.append(NAME).unwrap();
        assert!(is_still_there(&folder, NAME, &file).unwrap());
        std::fs::remove_file(scratch.path().join(NAME)).unwrap();
        assert!(!is_still_there(&folder, NAME, &file).unwrap());
        drop(folder.append(NAME).unwrap());
        assert!(!is_still_there(&folder, NAME, &file).unwrap());
    }
}
