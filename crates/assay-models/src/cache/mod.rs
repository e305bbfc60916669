//! Replies of earlier runs, by the content of their requests.
//!
//! Each model on each server has a log in a folder of its own: one line per reply, with the hash of its request. Lines
//! are only added, each by one `write`, so several processes can use a log at once and a crash costs one line at most.
//! Whoever asks for a reply claims it (`claims.rs`), so no request is sent twice at the same time either. Only hashes
//! and positions are in memory. A log in use is locked, and stays when others are cleared.

mod claims;
mod log;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use crate::reply::Choice;
pub(crate) use log::ReplyLog;
use log::{Index, open_regular};

/// The folder of replies in assay's cache.
const FOLDER: &str = "replies";
const ABOUT: &str = "about.json";
const LOG: &str = "replies.jsonl";
/// The number of attempts to open a log that others remove.
const ATTEMPTS: usize = 5;
/// A longer description is none.
const MAX_ABOUT: u64 = 1 << 20;

/// One line of a log.
#[derive(Debug, Serialize, Deserialize)]
struct ReplyLine {
    key: Digest,
    /// The number of seconds that the request took.
    wall_s: f64,
    #[serde(flatten)]
    choice: Choice,
}

/// The model that a log has replies of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedModel {
    /// The model's name.
    pub model: String,
    /// The server's address.
    pub url: String,
    /// What the server told about itself.
    pub server: String,
}

/// The size of a log.
#[derive(Debug, Clone, Serialize)]
pub struct CachedReplies {
    /// The model; `None` if its description cannot be read.
    #[serde(flatten)]
    pub about: Option<CachedModel>,
    /// The number of replies.
    pub replies: usize,
    /// The size in bytes.
    pub bytes: u64,
    /// The folder.
    pub folder: PathBuf,
}

/// The outcome of clearing.
#[derive(Debug, Default)]
pub struct Cleared {
    /// The logs that were removed.
    pub removed: Vec<CachedReplies>,
    /// The logs that a run is using, which stayed.
    pub in_use: Vec<CachedReplies>,
}

/// Opens the log of a model in assay's cache folder.
pub(crate) fn open(cache: &Path, about: &CachedModel) -> Result<ReplyLog> {
    let id = Digest::of(format!("{}\0{}\0{}", about.model, about.url, about.server).as_bytes());
    let folder = cache.join(FOLDER).join(id.short());
    for _ in 0..ATTEMPTS {
        fs::create_dir_all(&folder).map_err(|error| {
            Error::writing("make", &folder, error)
                .hint("name another folder with --cache, or keep no replies with --no-cache")
        })?;
        if let Some(log) = ReplyLog::open(folder.join(LOG))? {
            describe(&folder, about)?;
            return Ok(log);
        }
    }
    Err(Error::failed(format!("{} is removed again and again", folder.display())))
}

/// Writes the description of a log, unless it is there and whole.
fn describe(folder: &Path, about: &CachedModel) -> Result<()> {
    if read_about(folder).as_ref() == Some(about) {
        return Ok(());
    }
    let (path, new) = (folder.join(ABOUT), folder.join(format!("{ABOUT}.{}", std::process::id())));
    let text = serde_json::to_vec_pretty(about).unwrap_or_default();
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, &path))
        .map_err(|error| Error::writing("write", &path, error))
}

fn read_about(folder: &Path) -> Option<CachedModel> {
    let file = open_regular(&folder.join(ABOUT), OpenOptions::new().read(true)).ok()?;
    let mut text = Vec::new();
    file.take(MAX_ABOUT).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The logs in assay's cache folder, largest first.
pub fn list(cache: &Path) -> Result<Vec<CachedReplies>> {
    let root = cache.join(FOLDER);
    let entries = match fs::read_dir(&root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::reading("read", &root, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::reading("read", &root, error))?;
        // Links are not followed: what they lead to is not the cache's.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(measure(entry.path())?);
        }
    }
    found.sort_by(|left, right| right.bytes.cmp(&left.bytes).then(left.folder.cmp(&right.folder)));
    Ok(found)
}

/// The size of one log.
fn measure(folder: PathBuf) -> Result<CachedReplies> {
    let about = read_about(&folder);
    let path = folder.join(LOG);
    let mut index = Index::default();
    if let Some(file) = log_file(&path)? {
        index.read_on(&file).map_err(|error| Error::reading("read", &path, error))?;
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let bytes = entries.filter_map(|entry| fs::symlink_metadata(entry.path()).ok());
    let bytes = bytes.filter(fs::Metadata::is_file).map(|file| file.len()).sum();
    Ok(CachedReplies { about, replies: index.len(), bytes, folder })
}

/// The file of a log; `None` if there is none, or something else in its place.
fn log_file(path: &Path) -> Result<Option<File>> {
    match open_regular(path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(Error::reading("open", path, error))
        }
        Err(_) => Ok(None),
    }
}

/// Removes the logs for which `is_meant` returns true, except those that a run is using. `None` stands for a log whose
/// description cannot be read.
pub fn clear(cache: &Path, is_meant: &dyn Fn(Option<&CachedModel>) -> bool) -> Result<Cleared> {
    let mut cleared = Cleared::default();
    for log in list(cache)? {
        if !is_meant(log.about.as_ref()) {
            continue;
        }
        // Held until the log is removed: a run that opens it meanwhile finds that it is gone, and makes another.
        let file = log_file(&log.folder.join(LOG))?;
        let locked = file.as_ref().map(File::try_lock);
        if matches!(locked, Some(Err(TryLockError::WouldBlock))) {
            cleared.in_use.push(log);
            continue;
        }
        fs::remove_dir_all(&log.folder)
            .map_err(|error| Error::writing("remove", &log.folder, error))?;
        cleared.removed.push(log);
    }
    Ok(cleared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(model: &str) -> CachedModel {
        let url = "http://localhost:8000/v1".to_owned();
        CachedModel { model: model.to_owned(), url, server: String::new() }
    }

    fn fill(cache: &Path, model: &str, count: usize) -> ReplyLog {
        let log = open(cache, &about(model)).unwrap();
        for number in 0..count {
            let choice = Choice { text: number.to_string(), finish: None, usage: None };
            log.add(Digest::of(choice.text.as_bytes()), &choice, 0.0).unwrap();
        }
        log
    }

    #[test]
    fn logs_are_listed_and_cleared_unless_they_are_in_use() {
        let cache = tempfile::tempdir().unwrap();
        let cache = cache.path();
        assert!(list(cache).unwrap().is_empty());
        let used = fill(cache, "used", 3);
        drop(fill(cache, "old", 2));
        drop(fill(cache, "other", 1));
        let listed: Vec<(String, usize)> = list(cache)
            .unwrap()
            .into_iter()
            .map(|log| (log.about.unwrap().model, log.replies))
            .collect();
        assert_eq!(listed, [("used".into(), 3), ("old".into(), 2), ("other".into(), 1)]);
        let names = |logs: &[CachedReplies]| -> Vec<String> {
            logs.iter().map(|log| log.about.as_ref().unwrap().model.clone()).collect()
        };
        let one = clear(cache, &|about| about.is_some_and(|about| about.model == "old")).unwrap();
        assert_eq!((names(&one.removed), names(&one.in_use)), (vec!["old".to_owned()], vec![]));
        let all = clear(cache, &|_| true).unwrap();
        assert_eq!(names(&all.removed), ["other"]);
        assert_eq!(names(&all.in_use), ["used"]);
        drop(used);
        assert_eq!(clear(cache, &|_| true).unwrap().removed.len(), 1);
        assert!(list(cache).unwrap().is_empty());
    }

    #[test]
    fn what_others_put_into_the_folder_harms_nothing() {
        let cache = tempfile::tempdir().unwrap();
        let cache = cache.path();
        drop(fill(cache, "m", 2));
        let root = cache.join(FOLDER);
        let outside = cache.join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join(LOG), "kept").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        for (name, about, log) in [
            ("a", &b"{"[..], &b"\xff\n{\"key\":3}\n{}\n[[[[\n\0\0\0"[..]),
            ("b", &[0xff; 100][..], &[b'['; 10_000][..]),
            ("c", b"[]", b""),
        ] {
            fs::create_dir(root.join(name)).unwrap();
            fs::write(root.join(name).join(ABOUT), about).unwrap();
            fs::write(root.join(name).join(LOG), log).unwrap();
        }
        fs::create_dir_all(root.join("d").join(LOG)).unwrap();
        fs::create_dir(root.join("e")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join("e").join(LOG)).unwrap();
        nix::unistd::mkfifo(&root.join("e").join(ABOUT), nix::sys::stat::Mode::S_IRWXU).unwrap();
        fs::write(root.join("file"), "x").unwrap();
        let listed = list(cache).unwrap();
        assert_eq!(listed.len(), 6);
        assert_eq!(listed.iter().filter(|log| log.about.is_some()).count(), 1);
        assert_eq!(listed.iter().map(|log| log.replies).sum::<usize>(), 2);
        assert_eq!(clear(cache, &|_| true).unwrap().removed.len(), 6);
        assert_eq!(fs::read(outside.join(LOG)).unwrap(), b"kept");
    }
}
