//! Replies of earlier runs, by the content of their requests.
//!
//! Each model on each server has a log in a folder of its own: one line per reply, with the hash of its request. Lines
//! are only added, each by one `write`, so several processes can use a log at once and a crash costs one line at most.
//! Only hashes and positions are in memory.

mod log;

use std::fs;
use std::path::{Path, PathBuf};

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use crate::reply::Choice;
pub(crate) use log::ReplyLog;

/// The folder of replies in assay's cache.
const FOLDER: &str = "replies";
const ABOUT: &str = "about.json";
const LOG: &str = "replies.jsonl";

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
    /// The model.
    #[serde(flatten)]
    pub about: CachedModel,
    /// The number of replies.
    pub replies: usize,
    /// The size in bytes.
    pub bytes: u64,
    /// The folder.
    pub folder: PathBuf,
}

/// Opens the log of a model in assay's cache folder.
pub(crate) fn open(cache: &Path, about: &CachedModel) -> Result<ReplyLog> {
    let id = Digest::of(format!("{}\0{}\0{}", about.model, about.url, about.server).as_bytes());
    let folder = cache.join(FOLDER).join(id.short());
    fs::create_dir_all(&folder).map_err(|error| Error::writing("make", &folder, error))?;
    let path = folder.join(ABOUT);
    if !path.exists() {
        let text = serde_json::to_vec_pretty(about).unwrap_or_default();
        fs::write(&path, text).map_err(|error| Error::writing("write", &path, error))?;
    }
    ReplyLog::open(folder.join(LOG))
}

/// The logs in assay's cache folder, largest first.
pub fn list(cache: &Path) -> Result<Vec<CachedReplies>> {
    let root = cache.join(FOLDER);
    let entries = match fs::read_dir(&root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::reading("read", &root, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let folder = entry.map_err(|error| Error::reading("read", &root, error))?.path();
        let Ok(about) = fs::read(folder.join(ABOUT)) else { continue };
        let Ok(about) = serde_json::from_slice(&about) else { continue };
        let log = ReplyLog::open(folder.join(LOG))?;
        found.push(CachedReplies { about, replies: log.len(), bytes: log.bytes(), folder });
    }
    found.sort_by(|left, right| right.bytes.cmp(&left.bytes).then(left.folder.cmp(&right.folder)));
    Ok(found)
}

/// Removes the logs for which `is_meant` returns true; returns them.
pub fn clear(cache: &Path, is_meant: &dyn Fn(&CachedModel) -> bool) -> Result<Vec<CachedReplies>> {
    let mut meant = list(cache)?;
    meant.retain(|log| is_meant(&log.about));
    for log in &meant {
        fs::remove_dir_all(&log.folder)
            .map_err(|error| Error::writing("remove", &log.folder, error))?;
    }
    Ok(meant)
}
