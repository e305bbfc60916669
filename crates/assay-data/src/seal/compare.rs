//! A check that a folder still equals the sealed data.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use assay_core::{Cancel, Digest, Error, Result};

use super::keys::Key;
use super::manifest::Entry;
use super::merkle::{LeafHasher, Seed};
use super::unsealing::open_manifest;
use super::walk::{summarize_faults, walk};
use super::{BLOCK, Commitment, check_cancelled};

/// Returns the commitment of a sealed file if a folder has exactly the same content; otherwise
/// refuses, and names every file that differs, is missing or was added. Nothing is written.
pub fn compare_folder(
    sealed: &Path,
    key: &Key,
    commitment: Option<&Commitment>,
    folder: &Path,
    cancel: &Cancel,
) -> Result<Commitment> {
    let (manifest, found) = open_manifest(sealed, key, commitment)?;
    let mut there: BTreeSet<String> = walk(folder, &[])?.into_iter().collect();
    let mut differences = Vec::new();
    for entry in &manifest.files {
        check_cancelled(cancel)?;
        if !there.remove(&entry.path) {
            differences.push(format!("{} is missing", entry.path));
        } else if leaf(folder, entry, &manifest.seed)? != Some(entry.leaf) {
            differences.push(format!("{} differs from what was sealed", entry.path));
        }
    }
    differences.extend(there.into_iter().map(|path| format!("{path} was not sealed")));
    if !differences.is_empty() {
        let named = summarize_faults(differences);
        return Err(Error::refused(format!(
            "{} is not what was sealed: {named}",
            folder.display()
        )));
    }
    Ok(found)
}

/// The hash of a file in the folder; `None` if its length differs from the sealed one.
fn leaf(folder: &Path, entry: &Entry, seed: &Seed) -> Result<Option<Digest>> {
    let path = folder.join(&entry.path);
    let error = |error| Error::reading("read", &path, error);
    let mut file = File::open(&path).map_err(error)?;
    if file.metadata().map_err(error)?.len() != entry.bytes {
        return Ok(None);
    }
    let mut hasher = LeafHasher::new(seed, &entry.path, entry.bytes);
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block).map_err(error)? {
            0 => return Ok(Some(hasher.finish())),
            count => hasher.update(&block[..count]),
        }
    }
}
