//! The content of a dataset on this machine, and the published version that it is.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use assay_core::{Digest, DigestOf, Result};
use serde::Serialize;

use super::{ENTRIES, Entry, Form, by_digest};
use crate::codrep::Dataset;
use crate::codrep::verify::verify;
use crate::{Store, unpack};

/// Whether a dataset's content is that of a published version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Recognised {
    /// It is exactly a published version.
    Known,
    /// It is none of the versions that are known here.
    Unknown,
    /// It was not read.
    Unchecked,
}

/// The content of a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recognition {
    /// Whether it is a published version.
    pub recognised: Recognised,
    /// The published version.
    pub version: Option<String>,
    /// The hash of the content, independent of its packing, if it was read.
    pub digest: Option<String>,
}

impl Recognition {
    pub(super) fn unchecked() -> Self {
        Self { recognised: Recognised::Unchecked, version: None, digest: None }
    }

    fn of(digest: Option<Digest>) -> Self {
        let digest = digest.map(|digest| digest.to_string());
        let versions = || ENTRIES.iter().flat_map(|entry| entry.versions);
        let version = versions().find(|version| digest.as_deref() == Some(version.digest));
        let recognised = if version.is_some() { Recognised::Known } else { Recognised::Unknown };
        Self { recognised, version: version.map(|version| version.name.to_owned()), digest }
    }
}

/// Reads a dataset and looks for its version. What cannot be read is unknown.
pub(super) fn recognise(entry: &Entry, path: &Path) -> Recognition {
    match entry.form {
        Form::CodRep => codrep(path),
        Form::File(_) => Recognition::of(file(path).ok()),
        Form::Named(_, files) | Form::Holding(files) => {
            Recognition::of(members(path, files).ok().flatten())
        }
    }
}

/// Reads a CodRep dataset if it has as many tasks as a published one; no other can be one.
pub(super) fn codrep(path: &Path) -> Recognition {
    let is_candidate = |dataset: &Dataset| {
        let tasks = Some(dataset.stems().len());
        ENTRIES.iter().any(|entry| entry.form == Form::CodRep && entry.problems == tasks)
    };
    let paths = [path.to_owned()];
    let opened = Dataset::open_all(&paths, false).ok();
    if !opened.is_some_and(|datasets| datasets.len() == 1 && datasets.iter().all(is_candidate)) {
        return Recognition::of(None);
    }
    let digest = || -> Result<Option<Digest>> {
        let datasets = Dataset::open_all(&paths, true)?;
        datasets.first().map(|dataset| verify(dataset).map(|verified| verified.digest)).transpose()
    };
    let digest = digest().ok().flatten();
    debug_assert!(
        digest.is_none_or(|digest| by_digest(digest).is_none_or(|it| it.form == Form::CodRep))
    );
    Recognition::of(digest)
}

/// The hash of an unpacked file.
fn file(path: &Path) -> Result<Digest> {
    let failed = |error| assay_core::Error::reading("read", path, error);
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut stream = unpack(&mut file, &path.display().to_string())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Digest::of(&bytes))
}

/// The hash over the files whose paths end like these, in this order; `None` if one is missing.
fn members(path: &Path, files: &[&str]) -> Result<Option<Digest>> {
    let mut found: Vec<Option<Vec<u8>>> = vec![None; files.len()];
    let place = |path: &str| files.iter().position(|file| path.ends_with(file));
    Store::open(path)?.scan(&|path| place(path).is_some(), &mut |path, content| {
        if let (Some(place), Ok(bytes)) = (place(path), content) {
            found[place] = Some(bytes);
        }
    })?;
    let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    if let [one] = found.as_slice() {
        return Ok(Some(Digest::of(one)));
    }
    let mut digest = DigestOf::new();
    for bytes in found {
        digest.field(&bytes);
    }
    Ok(Some(digest.finish()))
}

/// The number of bytes of a file, or of all files in a folder.
pub(super) fn size(path: &Path) -> Option<u64> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_dir() {
        return Some(metadata.len());
    }
    let entries = fs::read_dir(path).ok()?;
    // A link inside could lead back here.
    let plain =
        entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    Some(plain.filter_map(|entry| size(&entry.path())).sum())
}
