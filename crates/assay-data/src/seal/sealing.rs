//! Sealing: from a folder to a sealed file and its commitment.
//!
//! The files are read twice, so that only the manifest is in memory: once for the hashes, which
//! come first in the archive, and once to write them. A file that changed in between is an error.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use age::Encryptor;
use assay_core::{Cancel, Error, Result};

use super::archive::ArchiveWriter;
use super::keys::{Lock, NewKey, key_exists};
use super::manifest::{Entry, Manifest};
use super::merkle::{LeafHasher, Seed};
use super::walk::walk;
use super::{BLOCK, Commitment, check_cancelled};
use crate::OutputTarget;
use crate::draft::parent;
use crate::target::TargetDraft;

/// The compression level: slower than zstd's default, and smaller, because data is sealed once and
/// sent often.
const COMPRESSION: i32 = 9;

/// A request to seal a folder.
pub struct SealRequest {
    /// The folder whose files are sealed.
    pub folder: PathBuf,
    /// The sealed file.
    pub output: OutputTarget,
    /// The commitment.
    pub commitment: OutputTarget,
    /// The lock, which decides who can open it.
    pub lock: Lock,
    /// True if an existing sealed file and commitment are replaced.
    pub force: bool,
}

/// Seals a folder. Either every file is written, or none is; what goes into a pipe or a device cannot be taken back.
///
/// The seed must be secret and new: [`Seed::random`].
pub fn seal(request: &SealRequest, seed: &Seed, cancel: &Cancel) -> Result<Commitment> {
    let root = folder(&request.folder)?;
    check_outputs(request)?;
    let manifest = list(&root, &outputs(request)?, seed, cancel)?;
    let commitment = Commitment::of(&manifest)?;

    let (encryptor, new_key) = request.lock.encryptor()?;
    let sealed = draft(&request.output)?;
    write_archive(sealed.file(), encryptor, &manifest, &root, cancel)?;
    // On disk before anything is put in place: a failure here has changed nothing.
    sealed.sync().map_err(not_written)?;
    rename_all(request, sealed, &commitment.to_json()?, new_key.as_ref())?;
    Ok(commitment)
}

/// Puts all files in place, the sealed file last: if it exists, so do its key and commitment.
fn rename_all(
    request: &SealRequest,
    sealed: TargetDraft<'_>,
    json: &[u8],
    new_key: Option<&NewKey<'_>>,
) -> Result<()> {
    let SealRequest { output, commitment, force, .. } = request;
    new_key.map_or(Ok(()), NewKey::write)?;
    let placed = write_commitment(commitment, json, *force).and_then(|()| {
        place(sealed, output, *force).inspect_err(|_| {
            // A commitment without its data is useless.
            commitment.replaced_path().map(fs::remove_file);
        })
    });
    placed.inspect_err(|_| {
        if let Some(key) = new_key {
            key.remove();
        }
    })
}

fn write_commitment(commitment: &OutputTarget, json: &[u8], force: bool) -> Result<()> {
    let public = draft(commitment)?;
    let written = public.file().write_all(json).and_then(|()| public.sync());
    written.map_err(|error| Error::writing("write", commitment.name(), error))?;
    place(public, commitment, force)
}

fn folder(path: &Path) -> Result<PathBuf> {
    let error = |error| {
        let error = Error::reading("open", path, error);
        if path.as_os_str() == "sample" {
            error.hint("the problems inside the program are open to all; seal a folder of your own")
        } else {
            error
        }
    };
    if !fs::metadata(path).map_err(error)?.is_dir() {
        return Err(Error::refused(format!("{} is not a folder", path.display()))
            .hint("unpack an archive first: its files are what is sealed"));
    }
    fs::canonicalize(path).map_err(error)
}

/// Checks early for errors that would otherwise only show after all the work.
fn check_outputs(request: &SealRequest) -> Result<()> {
    let SealRequest { output, commitment, lock, force, .. } = request;
    for target in [output, commitment] {
        if existing(target).is_some() && !force {
            return Err(already_there(target.name()));
        }
    }
    if let Lock::NewKey(path) = lock
        && path.symlink_metadata().is_ok()
    {
        return Err(key_exists(path));
    }
    check_apart(request)?;
    // A file that is replaced must be a sealed one: it could be the very data that is to be sealed.
    if existing(output).is_some_and(|path| !is_sealed(path)) {
        return Err(not_ours(output.name(), "a sealed file"));
    }
    if existing(commitment).is_some_and(|path| Commitment::load(path).is_err()) {
        return Err(not_ours(commitment.name(), "a commitment"));
    }
    Ok(())
}

/// The file that would be replaced.
fn existing(target: &OutputTarget) -> Option<&Path> {
    target.replaced_path().filter(|path| path.exists())
}

/// Checks that no output would end up in another one.
fn check_apart(request: &SealRequest) -> Result<()> {
    let SealRequest { output, commitment, lock, .. } = request;
    if output.is_standard_output() && commitment.is_standard_output() {
        let message = "the sealed file and its commitment cannot both go to standard output";
        return Err(Error::usage(message).hint("name a file with --commitment"));
    }
    let files = [output, commitment].into_iter().filter_map(OutputTarget::replaced_path);
    let paths: Vec<PathBuf> =
        files.chain(new_key_path(lock)).map(canonical).collect::<Result<_>>()?;
    if paths.iter().enumerate().any(|(at, path)| paths[..at].contains(path)) {
        return Err(Error::usage("the sealed file, its commitment and its key are three files")
            .hint("give --commitment another name"));
    }
    Ok(())
}

fn new_key_path(lock: &Lock) -> Option<&Path> {
    match lock {
        Lock::NewKey(path) => Some(path),
        Lock::Recipients(_) | Lock::Passphrase(_) => None,
    }
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

/// The paths of all outputs and of links to them, in the form in which the walk through the folder finds them.
fn outputs(request: &SealRequest) -> Result<Vec<PathBuf>> {
    let targets = [&request.output, &request.commitment].into_iter();
    let files = targets.filter_map(|target| Some([target.name(), target.replaced_path()?]));
    files.flatten().chain(new_key_path(&request.lock)).map(canonical).collect()
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
    let error = not_written;
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
    buffered.flush().map_err(error)
}

/// A failure to write the sealed file. A reader that went away is one too: what it has got is of no use.
fn not_written(error: io::Error) -> Error {
    let error = match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::other("its reader has gone"),
        _ => error,
    };
    Error::failed("failed to write the sealed file").because(error)
}

fn draft(target: &OutputTarget) -> Result<TargetDraft<'_>> {
    target.draft().map_err(|error| Error::writing("write", target.name(), error))
}

fn place(draft: TargetDraft<'_>, target: &OutputTarget, force: bool) -> Result<()> {
    draft.place(force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => already_there(target.name()),
        _ => Error::writing("write", target.name(), error),
    })
}
