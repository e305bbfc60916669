//! The log of one model's replies.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assay_core::{Cancel, Digest, Error, Result};
use nix::fcntl::OFlag;
use serde::Deserialize;

use super::ReplyLine;
use super::claims::{Claim, Claims};
use crate::reply::Choice;

/// Replies on disk, by the hashes of their requests.
pub(crate) struct ReplyLog {
    path: PathBuf,
    state: Mutex<State>,
    claims: Claims,
}

struct State {
    /// Locked in shared mode, so that nobody removes it.
    file: File,
    index: Index,
}

/// The positions of replies.
#[derive(Default)]
pub(super) struct Index {
    /// The position of each line and its length.
    places: HashMap<Digest, (u64, u32)>,
    /// The end of the last line that was read.
    end: u64,
}

/// A longer line is no reply.
const MAX_LINE: u64 = 128 << 20;

/// The part of a line that is kept in memory.
#[derive(Deserialize)]
struct Head {
    key: Digest,
}

impl Index {
    /// Reads the lines that were added since it was read last. A last line without an end is left for later: its writer
    /// is at work, or has died.
    pub(super) fn read_on(&mut self, mut file: &File) -> io::Result<()> {
        file.seek(SeekFrom::Start(self.end))?;
        let (mut reader, mut line) = (BufReader::new(file), Vec::new());
        loop {
            line.clear();
            let length = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line)? as u64;
            let is_whole = line.ends_with(b"\n");
            if !is_whole && length < MAX_LINE {
                return Ok(());
            }
            // A line that does not parse is what a crash left of one.
            if let Ok(Head { key }) = serde_json::from_slice(&line)
                && is_whole
            {
                let length = u32::try_from(length).unwrap_or(u32::MAX);
                self.places.insert(key, (self.end, length));
            }
            self.end += length;
        }
    }

    /// The number of replies.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

/// Opens a regular file and nothing else: a pipe would wait for its other end, and a link leads out of the cache.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let file = options.custom_flags(flags.bits()).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
}

impl ReplyLog {
    /// Opens a log, or makes it, and reads where its replies are; `None` if it was removed meanwhile.
    pub(super) fn open(path: PathBuf) -> Result<Option<Self>> {
        let failed = |error| Error::writing("open", &path, error);
        let file =
            match open_regular(&path, OpenOptions::new().read(true).append(true).create(true)) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                file => file.map_err(failed)?,
            };
        // Some file systems have no locks: there, `assay cache clear` may remove what is in use.
        let _ = file.lock_shared();
        if file.metadata().map_err(failed)?.nlink() == 0 {
            return Ok(None);
        }
        let mut index = Index::default();
        index.read_on(&file).map_err(|error| Error::reading("read", &path, error))?;
        let claims = Claims::open(&path.with_extension("claims"));
        Ok(Some(Self { path, state: Mutex::new(State { file, index }), claims }))
    }

    /// The reply to the request with this hash, and the seconds that it took.
    pub(crate) fn get(&self, key: &Digest) -> Option<(Choice, f64)> {
        let (mut line, file, at) = {
            let state = self.lock();
            let &(at, length) = state.index.places.get(key)?;
            (vec![0; length as usize], state.file.try_clone().ok()?, at)
        };
        file.read_exact_at(&mut line, at).ok()?;
        let ReplyLine { choice, wall_s, key: found } = serde_json::from_slice(&line).ok()?;
        (found == *key).then_some((choice, wall_s))
    }

    /// Waits until nobody else, in this process or another one, is asking for any of these replies, and reads what they
    /// got; `None` if the work is cancelled. Others wait while the claim is held.
    pub(crate) fn claim(&self, keys: Vec<Digest>, cancel: &Cancel) -> Option<Claim<'_>> {
        let claim = self.claims.claim(keys, cancel)?;
        let mut state = self.lock();
        let State { file, index } = &mut *state;
        // What cannot be read is asked for.
        let _ = index.read_on(file);
        drop(state);
        Some(claim)
    }

    /// Adds a reply.
    pub(crate) fn add(&self, key: Digest, choice: &Choice, wall_s: f64) -> Result<()> {
        let line = ReplyLine { key, wall_s, choice: choice.clone() };
        let mut bytes = serde_json::to_vec(&line)
            .map_err(|error| Error::failed("failed to write a reply").because(error))?;
        bytes.push(b'\n');
        let length = bytes.len() as u64;
        let failed = |error| {
            Error::writing("write", &self.path, error).hint(
                "replies so far are kept: make room and resume the run, or ask with --no-cache",
            )
        };
        let mut state = self.lock();
        let State { file, index } = &mut *state;
        if ends_inside_a_line(file).map_err(failed)? {
            bytes.insert(0, b'\n');
        }
        file.write_all(&bytes).map_err(failed)?;
        // Another process may have added lines meanwhile: where this one ended is known only now.
        let end = file.stream_position().map_err(failed)?;
        let place = (end - length, u32::try_from(length).unwrap_or(u32::MAX));
        index.places.insert(key, place);
        if end - bytes.len() as u64 == index.end {
            index.end = end;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the last line has no end: a process died while it wrote.
fn ends_inside_a_line(file: &File) -> io::Result<bool> {
    let size = file.metadata()?.len();
    let mut last = [b'\n'];
    if let Some(at) = size.checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    Ok(last != [b'\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> Choice {
        Choice { text: text.to_owned(), finish: None, usage: None }
    }

    fn open(path: &Path) -> ReplyLog {
        ReplyLog::open(path.to_owned()).unwrap().unwrap()
    }

    fn key(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }

    #[test]
    fn replies_are_found_again_after_a_crash_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let log = open(&path);
        assert!(log.get(&key("a")).is_none());
        log.add(key("a"), &choice("first\n"), 0.5).unwrap();
        log.add(key("b"), &choice("second"), 1.5).unwrap();
        assert_eq!(log.get(&key("a")), Some((choice("first\n"), 0.5)));
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let log = open(&path);
            let had_first = log.get(&key("a")).is_some();
            log.add(key("c"), &choice("third"), 0.0).unwrap();
            assert_eq!(log.get(&key("c")), Some((choice("third"), 0.0)), "{cut}");
            let again = open(&path);
            assert_eq!(again.get(&key("c")), Some((choice("third"), 0.0)), "{cut}");
            // A line that lacks only its end is whole once another follows.
            assert!(again.get(&key("a")).is_some() || !had_first);
        }
    }

    #[test]
    fn what_another_process_left_unfinished_spoils_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let log = open(&path);
        log.add(key("a"), &choice("first"), 0.0).unwrap();
        let mut other = OpenOptions::new().append(true).open(&path).unwrap();
        other.write_all(b"{\"key\":\"0123").unwrap();
        log.add(key("b"), &choice("second"), 0.0).unwrap();
        assert_eq!(log.get(&key("b")), Some((choice("second"), 0.0)));
        let again = open(&path);
        assert!(again.get(&key("a")).is_some() && again.get(&key("b")).is_some());
    }

    #[test]
    fn two_processes_may_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let logs = [open(&path), open(&path)];
        std::thread::scope(|scope| {
            for (number, log) in logs.iter().enumerate() {
                scope.spawn(move || {
                    for line in 0..200 {
                        let text = format!("{number}/{line}");
                        log.add(key(&text), &choice(&text), 0.0).unwrap();
                        assert_eq!(log.get(&key(&text)), Some((choice(&text), 0.0)));
                    }
                });
            }
        });
        assert_eq!(open(&path).lock().index.len(), 400);
    }

    /// Two logs on one file are what two processes have.
    #[test]
    fn a_reply_is_asked_for_once_by_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let logs = [open(&path), open(&path)];
        let asked = Mutex::new(Vec::new());
        let ask = |log: &ReplyLog, number: usize| {
            let wanted = key(&number.to_string());
            let claim = log.claim(vec![wanted], &Cancel::new()).unwrap();
            if log.get(&wanted).is_none() {
                asked.lock().unwrap().push(number);
                std::thread::sleep(std::time::Duration::from_millis(1));
                log.add(wanted, &choice("x"), 0.0).unwrap();
            }
            drop(claim);
        };
        std::thread::scope(|scope| {
            for worker in 0..6 {
                let (ask, logs) = (&ask, &logs);
                scope.spawn(move || (0..20).for_each(|number| ask(&logs[worker % 2], number)));
            }
        });
        let mut asked = asked.into_inner().unwrap();
        asked.sort_unstable();
        assert_eq!(asked, (0..20).collect::<Vec<_>>());
        let held = logs[0].claim(vec![key("held")], &Cancel::new()).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(logs[0].claim(vec![key("held")], &cancel).is_none());
        assert!(logs[1].claim(vec![key("held")], &cancel).is_none());
        drop(held);
        assert!(logs[1].claim(vec![key("held")], &Cancel::new()).is_some());
    }
}
