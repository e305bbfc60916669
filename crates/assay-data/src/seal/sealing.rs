//! Sealing: from a folder to a sealed file and its commitment.
//!
//! The files are read twice, so that only the manifest is in memory: once for the hashes, which
//! come first in the archive, and once to write them. A file that changed in between is an error.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use age::Encryptor;
use assay_core::{Cancel, Error, Result};

use super::archive::ArchiveWriter;
use super::keys::{Lock, NewKey, key_exists};
use super::manifest::{Entry, Manifest};
use super::merkle::{LeafHasher, Seed};
use super::walk::walk;
use super::{BLOCK, Commitment, check_cancelled};
use crate::draft::{Draft, parent};

/// The compression level: slower than zstd's default, and smaller, because data is sealed once and
/// sent often.
const COMPRESSION: i32 = 9;

/// A request to seal a folder.
pub struct SealRequest {
    /// The folder whose files are sealed.
    pub folder: PathBuf,
    /// The path of the sealed file.
    pub output: PathBuf,
    /// The path of the commitment.
    pub commitment: PathBuf,
    /// The lock, which decides who can open it.
    pub lock: Lock,
    /// True if an existing sealed file and commitment are replaced.
    pub force: bool,
}

/// Seals a folder. Either everything is written, or nothing is.
///
/// The seed must be secret and new: [`Seed::random`].
pub fn seal(request: &SealRequest, seed: &Seed, cancel: &Cancel) -> Result<Commitment> {
    let root = folder(&request.folder)?;
    check_outputs(request)?;
    let manifest = list(&root, &outputs(request)?, seed, cancel)?;
    let commitment = Commitment::of(&manifest)?;

    let (encryptor, new_key) = request.lock.encryptor()?;
    let sealed = draft(&request.output)?;
    write_archive(sealed.file(), encryptor, &manifest, &root, cancel)
        .map_err(|error| error.or_hint("nothing was written"))?;
    let mut public = draft(&request.commitment)?;
    let json = commitment.to_json()?;
    let written = public.file_mut().write_all(&json).and_then(|()| public.file().sync_all());
    written.map_err(|error| Error::writing("write", &request.commitment, error))?;

    rename_all(request, sealed, public, new_key.as_ref())?;
    Ok(commitment)
}

/// Gives all files their names, the sealed file last: if it exists, so do its key and commitment.
fn rename_all(
    request: &SealRequest,
    sealed: Draft,
    public: Draft,
    new_key: Option<&NewKey<'_>>,
) -> Result<()> {
    let SealRequest { output, commitment, force, .. } = request;
    new_key.map_or(Ok(()), NewKey::write)?;
    let placed = place(public, commitment, *force).and_then(|()| {
        place(sealed, output, *force).inspect_err(|_| {
            // A commitment without its data is useless.
            let _ = fs::remove_file(commitment);
        })
    });
    placed.inspect_err(|_| {
        if let Some(key) = new_key {
            key.remove();
        }
    })
}

fn folder(path: &Path) -> Result<PathBuf> {
    let error = |error| Error::reading("open", path, error);
    if !fs::metadata(path).map_err(error)?.is_dir() {
        return Err(Error::refused(format!("{} is not a folder", path.display()))
            .hint("unpack an archive first: its files are what is sealed"));
    }
    fs::canonicalize(path).map_err(error)
}

/// Checks early for errors that would otherwise only show after all the work.
fn check_outputs(request: &SealRequest) -> Result<()> {
    let SealRequest { output, commitment, lock, force, .. } = request;
    for path in [output, commitment] {
        if path.symlink_metadata().is_ok() && !force {
            return Err(already_there(path));
        }
    }
    if let Lock::NewKey(path) = lock
        && path.symlink_metadata().is_ok()
    {
        return Err(key_exists(path));
    }
    let outputs = outputs(request)?;
    if outputs.iter().enumerate().any(|(at, path)| outputs[..at].contains(path)) {
        return Err(Error::usage("the sealed file, its commitment and its key are three files")
            .hint("give --commitment another name"));
    }
    // A file that is replaced must be a sealed one: it could be the very data that is to be sealed.
    if output.exists() && !is_sealed(output) {
        return Err(not_ours(output, "a sealed file"));
    }
    if commitment.exists() && Commitment::load(commitment).is_err() {
        return Err(not_ours(commitment, "a commitment"));
    }
    Ok(())
}

fn is_sealed(path: &Path) -> bool {
    const START: &[u8] = b"age-encryption.org/";
    let mut start = [0; START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *START
}

fn not_ours(path: &Path, what: &str) -> Error {
    Error::refused(format!("{} is there already, and is not {what}", path.display()))
        .hint("--force replaces only what seal made; give another name")
}

fn already_there(path: &Path) -> Error {
    Error::refused(format!("{} is there already", path.display()))
        .hint("give another name, or replace it with --force")
}

/// The paths of all outputs, in the form in which the walk through the folder finds them.
fn outputs(request: &SealRequest) -> Result<Vec<PathBuf>> {
    let key = match &request.lock {
        Lock::NewKey(path) => Some(path),
        Lock::Recipients(_) | Lock::Passphrase(_) => None,
    };
    let paths = [&request.output, &request.commitment].into_iter().chain(key);
    paths.map(|path| canonical(path)).collect()
}

fn canonical(path: &Path) -> Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::usage(format!("{} is not the name of a file", path.display())))?;
    let parent = parent(path);
    let parent = fs::canonicalize(parent).map_err(|error| Error::reading("open", parent, error))?;
    Ok(parent.join(name))
}

/// Hashes every file.
fn list(root: &Path, leave_out: &[PathBuf], seed: &Seed, cancel: &Cancel) -> Result<Manifest> {
    let mut entries = Vec::new();
    for path in walk(root, leave_out)? {
        let full = root.join(&path);
        let error = |error| Error::reading("read", &full, error);
        let bytes = fs::symlink_metadata(&full).map_err(error)?.len();
        let mut entry = Entry { path, bytes, leaf: [0; 32].into() };
        let mut hasher = LeafHasher::new(seed, &entry.path, bytes);
        read(root, &entry, cancel, &mut |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        entry.leaf = hasher.finish();
        entries.push(entry);
    }
    Ok(Manifest::new(seed.clone(), entries))
}

/// Reads a file, whose length must not have changed.
fn read(
    root: &Path,
    entry: &Entry,
    cancel: &Cancel,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let path = root.join(&entry.path);
    let mut file = File::open(&path).map_err(|error| Error::reading("open", &path, error))?;
    let mut block = vec![0; BLOCK];
    let mut left = entry.bytes;
    loop {
        check_cancelled(cancel)?;
        let count = file.read(&mut block).map_err(|error| Error::reading("read", &path, error))?;
        if count as u64 > left || (count == 0 && left > 0) {
            return Err(changed(&path));
        }
        if count == 0 {
            return Ok(());
        }
        left -= count as u64;
        take(&block[..count])?;
    }
}

fn changed(path: &Path) -> Error {
    Error::failed(format!("{} changed while it was being sealed", path.display()))
        .hint("nothing was written; let no program write into the folder, and seal again")
}

fn write_archive(
    out: &File,
    encryptor: Encryptor,
    manifest: &Manifest,
    root: &Path,
    cancel: &Cancel,
) -> Result<()> {
    let error = |error| Error::failed("failed to write the sealed file").because(error);
    let encrypted = encryptor.wrap_output(BufWriter::new(out)).map_err(error)?;
    let compressed = zstd::Encoder::new(encrypted, COMPRESSION).map_err(error)?;
    let mut archive = ArchiveWriter::new(compressed, manifest)?;
    for entry in &manifest.files {
        let mut hasher = LeafHasher::new(&manifest.seed, &entry.path, entry.bytes);
        archive.start(entry)?;
        read(root, entry, cancel, &mut |piece| {
            hasher.update(piece);
            archive.content(piece)
        })?;
        archive.end(entry)?;
        if hasher.finish() != entry.leaf {
            return Err(changed(&root.join(&entry.path)));
        }
    }
    let encrypted = archive.finish()?.finish().map_err(error)?;
    let mut buffered = encrypted.finish().map_err(error)?;
    // On disk before anything is put in place: a failure here has changed nothing.
    buffered.flush().and_then(|()| out.sync_all()).map_err(error)
}

fn draft(path: &Path) -> Result<Draft> {
    Draft::new(path).map_err(|error| Error::writing("write into", parent(path), error))
}

fn place(draft: Draft, path: &Path, force: bool) -> Result<()> {
    let placed = if force { draft.replace() } else { draft.create() };
    placed.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => already_there(path),
        _ => Error::writing("write", path, error),
    })
}
