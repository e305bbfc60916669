//! The list of files inside a sealed archive, with the secret seed.
//!
//! An archive may come from somebody else, so nothing in a manifest is trusted: paths, order and
//! format are checked before the first file is written.

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

use super::merkle::{self, Seed};
use super::paths;
use crate::json_message;

const FORMAT: &str = "assay-seal";
const VERSION: u32 = 1;

/// The largest manifest that is written or read; enough for more than a million files.
pub(super) const MAX_BYTES: u64 = 256 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: String,
    version: u32,
    pub(super) seed: Seed,
    /// The files, sorted by the bytes of their paths.
    pub(super) files: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) leaf: Digest,
}

impl Manifest {
    pub(super) fn new(seed: Seed, mut files: Vec<Entry>) -> Self {
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { format: FORMAT.to_owned(), version: VERSION, seed, files }
    }

    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        let error = |error| Error::failed("failed to write the manifest").because(error);
        let bytes = serde_json::to_vec(self).map_err(error)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Error::refused(format!("{} files are too many", self.files.len()))
                .hint("seal parts of the folder, or pack small files together"));
        }
        Ok(bytes)
    }

    /// Parses a manifest and checks it; the error says what is wrong, without naming the archive.
    pub(super) fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let manifest: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("is malformed: {}", json_message(&error)))?;
        manifest.check()?;
        Ok(manifest)
    }

    pub(super) fn root(&self) -> Option<Digest> {
        merkle::root(self.files.iter().map(|entry| entry.leaf))
    }

    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT || self.version != VERSION {
            let (format, version) = (&self.format, self.version);
            return Err(format!("is of another format: {format:?}, version {version}"));
        }
        if self.files.is_empty() {
            return Err("names no files".to_owned());
        }
        for entry in &self.files {
            if let Some(fault) = paths::fault(&entry.path) {
                return Err(format!("names {:?}, which {fault}", entry.path));
            }
        }
        if let Some(pair) = self.files.windows(2).find(|pair| pair[0].path >= pair[1].path) {
            let path = &pair[1].path;
            let twice = pair[0].path == *path;
            let what = if twice { "names a path twice" } else { "is not in order" };
            return Err(format!("{what}: {path:?}"));
        }
        let total = self.files.iter().try_fold(0_u64, |sum, entry| sum.checked_add(entry.bytes));
        total.ok_or("has impossible lengths")?;
        self.check_folders()
    }

    /// Checks that no file is a folder of another file. The files are sorted, so each can be looked
    /// up.
    fn check_folders(&self) -> Result<(), String> {
        let is_file =
            |path: &str| self.files.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
        let clash = self
            .files
            .iter()
            .find_map(|entry| paths::folders(&entry.path).find(|folder| is_file(folder)));
        clash.map_or(Ok(()), |path| Err(format!("names {path:?} as a file and as a folder")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(paths: &[&str]) -> Manifest {
        let files = paths.iter().map(|path| Entry {
            path: (*path).to_owned(),
            bytes: 1,
            leaf: Digest::of(path.as_bytes()),
        });
        let files = files.collect();
        Manifest { files, ..Manifest::new(Seed::from_bytes([5; 32]), Vec::new()) }
    }

    fn check(paths: &[&str], expected: &str) {
        let read = Manifest::from_json(&manifest(paths).to_json().unwrap());
        match read {
            Ok(_) => assert_eq!(expected, "", "{paths:?}"),
            Err(fault) => {
                assert!(!expected.is_empty() && fault.contains(expected), "{paths:?}: {fault}");
            }
        }
    }

    #[test]
    fn a_manifest_is_believed_in_nothing() {
        check(&["Solutions/1.txt", "Tasks/1.txt"], "");
        check(&[], "names no files");
        check(&["a", "a"], "twice: \"a\"");
        check(&["b", "a"], "not in order");
        check(&["a", "a-b", "a/b"], "as a file and as a folder");
        check(&["../evil"], "leads out of its folder");
        check(&["/etc/passwd"], "is absolute");
    }

    #[test]
    fn its_form_is_checked() {
        let text = String::from_utf8(manifest(&["a"]).to_json().unwrap()).unwrap();
        let broken = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            Manifest::from_json(text.replace(from, to).as_bytes()).unwrap_err()
        };
        assert!(broken("\"version\":1", "\"version\":2").contains("another format"));
        assert!(broken("\"bytes\":1", "\"bytes\":-1").contains("malformed"));
        assert!(broken("\"bytes\":1", "\"bytes\":1,\"mode\":7").contains("malformed"));
        assert!(broken("0505", "05").contains("malformed"));
        let huge = format!(
            "\"files\":[{{\"path\":\"A\",\"bytes\":{},\"leaf\":\"{}\"}},",
            u64::MAX,
            Digest::of(b"")
        );
        assert!(broken("\"files\":[", &huge).contains("impossible lengths"));
    }
}
