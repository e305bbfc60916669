//! The log of one model's replies.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use assay_core::{Digest, Error, Result};
use serde::Deserialize;

use super::ReplyLine;
use crate::reply::Choice;

/// Replies on disk, by the hashes of their requests.
pub(crate) struct ReplyLog {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// The position of each line and its length.
    places: HashMap<Digest, (u64, u32)>,
    /// True if the file's last line has no end: a process died while it wrote.
    is_torn: bool,
}

/// A longer line is no reply.
const MAX_LINE: u64 = 128 << 20;

/// The part of a line that is kept in memory.
#[derive(Deserialize)]
struct Head {
    key: Digest,
}

impl ReplyLog {
    /// Opens a log, or makes it, and reads where its replies are.
    pub(super) fn open(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(|error| Error::writing("open", &path, error))?;
        let mut reader = BufReader::new(&file);
        let (mut at, mut line) = (0, Vec::new());
        let (mut places, mut is_torn) = (HashMap::new(), false);
        loop {
            line.clear();
            let read = std::io::Read::take(&mut reader, MAX_LINE).read_until(b'\n', &mut line);
            let length = read.map_err(|error| Error::reading("read", &path, error))? as u64;
            if length == 0 {
                break;
            }
            is_torn = !line.ends_with(b"\n");
            // A line that does not parse is what a crash left of one.
            if let Ok(Head { key }) = serde_json::from_slice(&line)
                && !is_torn
            {
                places.insert(key, (at, u32::try_from(length).unwrap_or(u32::MAX)));
            }
            at += length;
        }
        Ok(Self { path, state: Mutex::new(State { file, places, is_torn }) })
    }

    /// The reply to the request with this hash, and the seconds that it took.
    pub(crate) fn get(&self, key: &Digest) -> Option<(Choice, f64)> {
        let (mut line, file, at) = {
            let state = self.lock();
            let &(at, length) = state.places.get(key)?;
            (vec![0; length as usize], state.file.try_clone().ok()?, at)
        };
        file.read_exact_at(&mut line, at).ok()?;
        let ReplyLine { choice, wall_s, key: found } = serde_json::from_slice(&line).ok()?;
        (found == *key).then_some((choice, wall_s))
    }

    /// Adds a reply.
    pub(crate) fn add(&self, key: Digest, choice: &Choice, wall_s: f64) -> Result<()> {
        let line = ReplyLine { key, wall_s, choice: choice.clone() };
        let mut bytes = serde_json::to_vec(&line)
            .map_err(|error| Error::failed("failed to write a reply").because(error))?;
        bytes.push(b'\n');
        let failed = |error| Error::writing("write", &self.path, error);
        let mut state = self.lock();
        if std::mem::take(&mut state.is_torn) {
            bytes.insert(0, b'\n');
        }
        state.file.write_all(&bytes).map_err(failed)?;
        // Another process may have added lines meanwhile: where this one ended is known only now.
        let end = std::io::Seek::stream_position(&mut state.file).map_err(failed)?;
        let length = bytes.len() - usize::from(bytes[0] == b'\n');
        state.places.insert(key, (end - length as u64, u32::try_from(length).unwrap_or(u32::MAX)));
        Ok(())
    }

    /// The number of replies.
    pub(super) fn len(&self) -> usize {
        self.lock().places.len()
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().file.metadata().map_or(0, |file| file.len())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> Choice {
        Choice { text: text.to_owned(), finish: None, usage: None }
    }

    #[test]
    fn replies_are_found_again_after_a_crash_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let key = |text: &str| Digest::of(text.as_bytes());
        let log = ReplyLog::open(path.clone()).unwrap();
        assert!(log.get(&key("a")).is_none());
        log.add(key("a"), &choice("first\n"), 0.5).unwrap();
        log.add(key("b"), &choice("second"), 1.5).unwrap();
        assert_eq!(log.get(&key("a")), Some((choice("first\n"), 0.5)));
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let log = ReplyLog::open(path.clone()).unwrap();
            let had_second = log.get(&key("b")).is_some();
            log.add(key("c"), &choice("third"), 0.0).unwrap();
            assert_eq!(log.get(&key("c")), Some((choice("third"), 0.0)), "{cut}");
            let again = ReplyLog::open(path.clone()).unwrap();
            assert_eq!(again.get(&key("c")), Some((choice("third"), 0.0)), "{cut}");
            // A line that lacks only its end is whole once another follows.
            assert!(again.get(&key("b")).is_some() || !had_second);
        }
    }

    #[test]
    fn two_processes_may_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let logs = [ReplyLog::open(path.clone()).unwrap(), ReplyLog::open(path.clone()).unwrap()];
        let key = |text: String| Digest::of(text.as_bytes());
        std::thread::scope(|scope| {
            for (number, log) in logs.iter().enumerate() {
                scope.spawn(move || {
                    for line in 0..200 {
                        let text = format!("{number}/{line}");
                        log.add(key(text.clone()), &choice(&text), 0.0).unwrap();
                        assert_eq!(log.get(&key(text.clone())), Some((choice(&text), 0.0)));
                    }
                });
            }
        });
        assert_eq!(ReplyLog::open(path).unwrap().len(), 400);
    }
}
