//! Weights: the files of a model, and the hash that identifies them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use assay_core::{Digest, DigestOf, Error, Result, sort_naturally};
use serde::{Deserialize, Serialize};

/// The files of a model.
#[derive(Debug)]
pub(super) struct Weights {
    /// The model's name: that of its file or folder.
    pub(super) name: String,
    /// The path that a server is given.
    pub(super) path: PathBuf,
    pub(super) format: Format,
    /// The hash of all of its files.
    pub(super) digest: Digest,
}

/// The formats of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// llama.cpp's: one file, or several that are named as parts.
    Gguf,
    /// A folder with safetensors, a tokenizer and a configuration.
    Safetensors,
}

/// The first bytes of a GGUF file.
const MAGIC: &[u8] = b"GGUF";
/// The first bytes of a file that only names the weights, which were not downloaded.
const POINTER: &[u8] = b"version https://git-lfs";
/// The bytes that are read of a file at once.
const CHUNK: usize = 1 << 20;
/// The folder of known hashes in assay's cache.
const KNOWN: &str = "weights";

const ACCEPTED: &str =
    "local: takes a .gguf file, or a folder with .safetensors files and a config.json";

impl Weights {
    /// Finds the weights that `path` names, and hashes them unless their hash is in `cache`.
    pub(super) fn find(path: &Path, cache: Option<&Path>) -> Result<Self> {
        let about = fs::metadata(path).map_err(|error| Error::reading("read", path, error))?;
        if !about.is_dir() && !about.is_file() {
            return Err(refused(path, "this is neither a file nor a folder"));
        }
        let path = path.canonicalize().map_err(|error| Error::reading("read", path, error))?;
        let (path, format) = if about.is_dir() { in_folder(&path)? } else { (path, Format::Gguf) };
        let files = match format {
            Format::Gguf => parts(&path)?,
            Format::Safetensors => listed(&path)?,
        };
        if format == Format::Gguf {
            files.iter().try_for_each(|file| check_gguf(file))?;
        }
        let digest = digest_of(&files, cache)?;
        let name = if format == Format::Gguf { path.file_stem() } else { path.file_name() };
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, path, format, digest })
    }
}

fn refused(path: &Path, why: &str) -> Error {
    Error::refused(format!("{}: {why}", path.display())).hint(ACCEPTED)
}

/// The weights in a folder: safetensors, or the only model in GGUF.
fn in_folder(folder: &Path) -> Result<(PathBuf, Format)> {
    let files = listed(folder)?;
    let with = |extension: &str| -> Vec<&PathBuf> {
        files.iter().filter(|file| has_extension(file, extension)).collect()
    };
    if !with("safetensors").is_empty() {
        if !folder.join("config.json").is_file() {
            return Err(refused(folder, "there is no config.json beside the weights"));
        }
        return Ok((folder.to_owned(), Format::Safetensors));
    }
    let firsts: Vec<&PathBuf> = with("gguf")
        .into_iter()
        .filter(|file| part_number(file).is_none_or(|(_, number, _)| number == 1))
        .collect();
    match firsts.as_slice() {
        [] => Err(refused(folder, "there are no weights in this folder")),
        [one] => Ok(((*one).clone(), Format::Gguf)),
        several => {
            let names: Vec<String> =
                several.iter().map(|file| file.display().to_string()).collect();
            let names = names.join(" or local:");
            Err(Error::refused(format!("{} holds several models", folder.display()))
                .hint(format!("name one of them: local:{names}")))
        }
    }
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The visible files of a folder, in the order of their names.
fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::reading("read", folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && !name.starts_with('.') {
            names.push(name);
        }
    }
    Ok(sort_naturally(names).into_iter().map(|name| folder.join(name)).collect())
}

/// All parts of a model in GGUF, of which the first one is named.
fn parts(first: &Path) -> Result<Vec<PathBuf>> {
    let Some((stem, number, count)) = part_number(first) else { return Ok(vec![first.to_owned()]) };
    let part = |number: u32| first.with_file_name(format!("{stem}-{number:05}-of-{count:05}.gguf"));
    if number != 1 {
        return Err(refused(first, "this is a later part of a model")
            .hint(format!("name the first one: local:{}", part(1).display())));
    }
    let parts: Vec<PathBuf> = (1..=count).map(part).collect();
    match parts.iter().find(|part| !part.is_file()) {
        Some(missing) => Err(refused(missing, "this part of the model is missing")),
        None => Ok(parts),
    }
}

/// The name, the number and the count of `NAME-00001-of-00003.gguf`.
fn part_number(file: &Path) -> Option<(String, u32, u32)> {
    let stem = file.file_stem()?.to_str()?;
    let (rest, count) = stem.rsplit_once("-of-")?;
    let (stem, number) = rest.rsplit_once('-')?;
    let digits = |text: &str| (text.len() == 5).then(|| text.parse::<u32>().ok()).flatten();
    let (number, count) = (digits(number)?, digits(count)?);
    ((1..=count).contains(&number) && count <= 1000).then(|| (stem.to_owned(), number, count))
}

/// Fails if a file cannot be weights in GGUF.
fn check_gguf(file: &Path) -> Result<()> {
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(|error| Error::reading("open", file, error))?;
    let read = opened.take(POINTER.len() as u64).read_to_end(&mut bytes);
    read.map_err(|error| Error::reading("read", file, error))?;
    if bytes.starts_with(MAGIC) {
        return Ok(());
    }
    if bytes == POINTER {
        return Err(refused(file, "this file only points to the weights")
            .hint("download them: git lfs pull"));
    }
    let why = if bytes.is_empty() { "the file is empty" } else { "this is no GGUF file" };
    Err(refused(file, why))
}

/// A file whose hash is known.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KnownFile {
    path: PathBuf,
    size: u64,
    /// The time of the last change, in nanoseconds.
    changed_ns: u64,
    digest: Digest,
}

/// The hash of several files, with their names where there are several.
fn digest_of(files: &[PathBuf], cache: Option<&Path>) -> Result<Digest> {
    if let [file] = files {
        return file_digest(file, cache);
    }
    let mut all = DigestOf::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().as_encoded_bytes();
        all.field(name).field(file_digest(file, cache)?.as_bytes());
    }
    Ok(all.finish())
}

/// The hash of a file. It is kept in the cache until the file's size or time changes, because weights are large.
fn file_digest(file: &Path, cache: Option<&Path>) -> Result<Digest> {
    let about = fs::metadata(file).map_err(|error| Error::reading("read", file, error))?;
    let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed_ns = changed.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or(0);
    let size = about.len();
    let place = cache.map(|cache| {
        let id = Digest::of(file.as_os_str().as_encoded_bytes()).short();
        cache.join(KNOWN).join(format!("{id}.json"))
    });
    let kept = place.as_ref().and_then(|place| fs::read(place).ok());
    let kept = kept.and_then(|bytes| serde_json::from_slice::<KnownFile>(&bytes).ok());
    if let Some(kept) = kept
        && (kept.path.as_path(), kept.size, kept.changed_ns) == (file, size, changed_ns)
    {
        return Ok(kept.digest);
    }
    let digest = hashed(file)?;
    if let Some(place) = place {
        keep(&place, &KnownFile { path: file.to_owned(), size, changed_ns, digest });
    }
    Ok(digest)
}

fn hashed(file: &Path) -> Result<Digest> {
    let failed = |error| Error::reading("read", file, error);
    let mut opened = File::open(file).map_err(failed)?;
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut digest = DigestOf::new();
    loop {
        chunk.clear();
        opened.by_ref().take(CHUNK as u64).read_to_end(&mut chunk).map_err(failed)?;
        digest.field(&chunk);
        if chunk.is_empty() {
            return Ok(digest.finish());
        }
    }
}

/// Keeps a hash. A cache that cannot be written costs time only.
fn keep(place: &Path, known: &KnownFile) {
    let Some(folder) = place.parent() else { return };
    let text = serde_json::to_vec(known).unwrap_or_default();
    let draft = place.with_extension(format!("{}.new", std::process::id()));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&draft, text))
        .and_then(|()| fs::rename(&draft, place));
    if let Err(error) = written {
        tracing::debug!(%error, place = %place.display(), "the hash of weights was not kept");
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    fn refusal(files: &[(&str, &str)], name: &str) -> String {
        let folder = folder(files);
        let error = Weights::find(&folder.path().join(name), None).unwrap_err();
        let root = folder.path().canonicalize().unwrap();
        let text = error.to_string().replace(&format!("{}/", root.display()), "");
        text.replace(&format!("{}/", folder.path().display()), "")
            .replace(&root.display().to_string(), ".")
    }

    #[test]
    fn weights_are_found_by_their_format() {
        let gguf = "GGUF\x03\0\0\0";
        for (files, argument, name, format) in [
            (&[("a.b.gguf", gguf)][..], "a.b.gguf", "a.b", Format::Gguf),
            (&[("only.gguf", gguf), ("README.md", "")], "", "only", Format::Gguf),
            (
                &[("m-00001-of-00002.gguf", gguf), ("m-00002-of-00002.gguf", gguf)],
                "",
                "m-00001-of-00002",
                Format::Gguf,
            ),
        ] {
            let folder = folder(files);
            let found = Weights::find(&folder.path().join(argument), None).unwrap();
            assert_eq!((&*found.name, found.format), (name, format));
        }
        let folder = folder(&[("model.safetensors", "w"), ("config.json", "{}")]);
        let named = folder.path().join("tiny");
        fs::create_dir(&named).unwrap();
        for file in ["model.safetensors", "config.json"] {
            fs::rename(folder.path().join(file), named.join(file)).unwrap();
        }
        let found = Weights::find(&named, None).unwrap();
        assert_eq!((&*found.name, found.format), ("tiny", Format::Safetensors));
    }

    #[test]
    fn mistakes_are_named_before_anything_starts() {
        let gguf = "GGUF\x03\0\0\0";
        for (files, argument, message) in [
            (&[][..], "none.gguf", "failed to read none.gguf"),
            (&[("a.gguf", "")], "a.gguf", "a.gguf: the file is empty"),
            (&[("a.gguf", "PK\x03\x04 and more of it")], "a.gguf", "a.gguf: this is no GGUF file"),
            (
                &[("a.gguf", "version https://git-lfs.github.com/spec/v1\n")],
                "a.gguf",
                "a.gguf: this file only points to the weights",
            ),
            (&[("notes.txt", "")], "", ".: there are no weights in this folder"),
            (&[("a.gguf", gguf), ("b.gguf", gguf)], "", ". holds several models"),
            (&[("a.safetensors", "w")], "", ".: there is no config.json beside the weights"),
            (
                &[("a-00001-of-00002.gguf", gguf)],
                "a-00001-of-00002.gguf",
                "a-00002-of-00002.gguf: this part of the model is missing",
            ),
            (
                &[("a-00002-of-00002.gguf", gguf)],
                "a-00002-of-00002.gguf",
                "a-00002-of-00002.gguf: this is a later part of a model",
            ),
        ] {
            assert_eq!(refusal(files, argument), message);
        }
    }

    #[test]
    fn a_hash_is_that_of_the_content_and_is_computed_once() {
        let (left, right) = (folder(&[("a.gguf", "GGUF1")]), folder(&[("b.gguf", "GGUF1")]));
        let cache = tempfile::tempdir().unwrap();
        let digest = |folder: &tempfile::TempDir, name: &str| {
            Weights::find(&folder.path().join(name), Some(cache.path())).unwrap().digest
        };
        let first = digest(&left, "a.gguf");
        assert_eq!(first, digest(&right, "b.gguf"), "the path is no part of it");
        // The same size and time: the hash comes from the cache.
        let path = left.path().join("a.gguf");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "GGUF2").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_eq!(digest(&left, "a.gguf"), first);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
        assert_ne!(digest(&left, "a.gguf"), first);
    }
}
