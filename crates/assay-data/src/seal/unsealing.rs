//! Unsealing: from a sealed file back to the folder, if everything matches the commitment.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use age::stream::StreamReader;
use assay_core::{Cancel, Error, Result};
use zstd::Decoder;

use super::archive::{ArchiveReader, broken};
use super::keys::Key;
use super::manifest::{Entry, Manifest};
use super::merkle::LeafHasher;
use super::{Commitment, check_cancelled};
use crate::draft::parent;
use crate::output_folder;
use crate::packing::ZSTD_WINDOW_LOG;
use crate::scratch::ScratchFolder;

const FRESH: &str = "name a folder that is not there yet";

/// The stream of an archive: decrypted, then decompressed.
type Inside = Decoder<'static, BufReader<StreamReader<BufReader<File>>>>;

/// A request to unseal a file.
pub struct UnsealRequest {
    /// The sealed file.
    pub sealed: PathBuf,
    /// The folder to create; it may exist if it is empty.
    pub folder: PathBuf,
    /// The published commitment; without it, the file is only checked against its own manifest.
    pub commitment: Option<Commitment>,
    /// The key that opens it.
    pub key: Key,
}

/// Unseals a file, and returns its commitment. The folder exists afterwards only if everything
/// matches.
pub fn unseal(request: &UnsealRequest, cancel: &Cancel) -> Result<Commitment> {
    let UnsealRequest { sealed, folder, key, commitment } = request;
    let folder = &output_folder(folder)?;
    check_folder(folder)?;
    let name = sealed.display().to_string();
    let mut archive = open_archive(sealed, key)?;
    let manifest = archive.manifest()?;
    let found = Commitment::of(&manifest)?;
    compare(sealed, commitment.as_ref(), &found)?;
    let draft = draft(folder)?;
    extract(&mut archive, &manifest, draft.path(), cancel)?;
    let mut rest = archive.finish()?.finish();
    check_end(&mut rest, &name)?;
    put_in_place(draft, folder)?;
    Ok(found)
}

/// Opens a sealed file, up to its manifest, and compares that with the published commitment.
pub(super) fn open_manifest(
    sealed: &Path,
    key: &Key,
    commitment: Option<&Commitment>,
) -> Result<(Manifest, Commitment)> {
    let manifest = open_archive(sealed, key)?.manifest()?;
    let found = Commitment::of(&manifest)?;
    compare(sealed, commitment, &found)?;
    Ok((manifest, found))
}

fn open_archive(sealed: &Path, key: &Key) -> Result<ArchiveReader<Inside>> {
    let name = sealed.display().to_string();
    let decrypted = key.open(sealed)?;
    let error = |error| broken(&name, "its manifest", error);
    // One frame, so that nothing after it is taken as part of the archive.
    let mut inside = Decoder::new(decrypted).map_err(error)?.single_frame();
    inside.window_log_max(ZSTD_WINDOW_LOG).map_err(error)?;
    Ok(ArchiveReader::new(inside, name))
}

/// Reads an archive that is already decrypted and decompressed, and returns its commitment, if
/// every file matches its manifest. Nothing is written.
pub fn examine_archive(inside: impl Read, name: &str) -> Result<Commitment> {
    let mut archive = ArchiveReader::new(inside, name.to_owned());
    let manifest = archive.manifest()?;
    for entry in &manifest.files {
        let mut hasher = LeafHasher::new(&manifest.seed, &entry.path, entry.bytes);
        archive.file(entry, &mut |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        if hasher.finish() != entry.leaf {
            return Err(differs(entry));
        }
    }
    archive.finish()?;
    Commitment::of(&manifest)
}

fn check_folder(folder: &Path) -> Result<()> {
    if !parent(folder).is_dir() {
        let message = format!("there is no folder {}", parent(folder).display());
        return Err(Error::usage(message).hint("make that folder first, or name another one"));
    }
    let mut entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::reading("list", folder, error))?,
    };
    if entries.next().is_some() {
        return Err(Error::refused(format!("{} is not empty", folder.display())).hint(FRESH));
    }
    Ok(())
}

fn compare(sealed: &Path, promised: Option<&Commitment>, found: &Commitment) -> Result<()> {
    let Some(promised) = promised else { return Ok(()) };
    let differences = promised.differences(found);
    if differences.is_empty() {
        return Ok(());
    }
    let name = sealed.display();
    let hint = if promised.root == found.root {
        "the root is the same, so the data is the data: the commitment was altered"
    } else {
        "these are other data than those committed to, or the commitment was altered; which file differs cannot be told from a root"
    };
    Err(Error::refused(format!("{name} is not what was committed to: {}", differences.join("; ")))
        .hint(hint))
}

/// A folder beside `folder` that is removed unless it is put in place.
fn draft(folder: &Path) -> Result<ScratchFolder> {
    let parent = parent(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".assay-unseal-").permissions(Permissions::from_mode(0o777));
    ScratchFolder::in_folder(parent, &mut builder)
        .map_err(|error| Error::writing("make a folder in", parent, error))
}

fn extract(
    archive: &mut ArchiveReader<impl Read>,
    manifest: &Manifest,
    draft: &Path,
    cancel: &Cancel,
) -> Result<()> {
    for entry in &manifest.files {
        let path = draft.join(&entry.path);
        let error = |error| Error::writing("write", &path, error);
        let mut file = create(&path)?;
        let mut hasher = LeafHasher::new(&manifest.seed, &entry.path, entry.bytes);
        archive.file(entry, &mut |piece| {
            check_cancelled(cancel)?;
            hasher.update(piece);
            file.write_all(piece).map_err(error)
        })?;
        if hasher.finish() != entry.leaf {
            return Err(differs(entry));
        }
    }
    Ok(())
}

/// Creates a file. Paths were checked with the manifest, and the draft is new: they lead nowhere
/// else.
fn create(path: &Path) -> Result<File> {
    let error = |error| Error::writing("write", path, error);
    fs::create_dir_all(parent(path)).map_err(error)?;
    OpenOptions::new().write(true).create_new(true).open(path).map_err(error)
}

fn differs(entry: &Entry) -> Error {
    Error::refused(format!("{} differs from what was sealed", entry.path)).hint(
        "its content does not have the hash that the manifest has for it: the archive was rebuilt around it",
    )
}

/// Checks that nothing follows, and that age has seen the last of its blocks.
fn check_end(rest: &mut BufReader<impl Read>, name: &str) -> Result<()> {
    match rest.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Error::refused(format!("{name} goes on after its end"))),
        Err(error) => Err(broken(name, "its end", error)),
    }
}

fn put_in_place(draft: ScratchFolder, folder: &Path) -> Result<()> {
    // An existing empty folder is replaced.
    fs::rename(draft.path(), folder)
        .map_err(|error| Error::writing("make", folder, error).hint(FRESH))?;
    // It has its name now; nothing must be removed.
    let _ = draft.keep();
    Ok(())
}
