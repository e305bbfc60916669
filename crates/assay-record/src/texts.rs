//! `texts.jsonl`: texts by their hash, each once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use assay_core::{Digest, Error, Result};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::TEXTS;
use crate::folder::Folder;
use crate::lines::{LineFile, RawLines, Span};
use crate::order::rewrite;

/// One line of `texts.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
struct TextLine<'a> {
    hash: Digest,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// The part of a line that is kept in memory.
#[derive(Deserialize)]
struct TextHead {
    hash: Digest,
}

/// The texts of a record. Only their hashes and positions are in memory.
#[derive(Debug)]
pub struct Texts {
    file: Option<File>,
    path: PathBuf,
    places: HashMap<Digest, Span>,
}

impl Texts {
    pub(crate) fn open(folder: &Folder) -> Result<Self> {
        let path = folder.path().join(TEXTS);
        let Some(file) = folder.read(TEXTS)? else {
            return Ok(Self { file: None, path, places: HashMap::new() });
        };
        // The same open file for both: another file may replace it at any time.
        let same = file.try_clone().map_err(|error| Error::reading("open", &path, error))?;
        let places = index(RawLines::of(Some(same), path.clone()))?.into_iter().collect();
        Ok(Self { file: Some(file), path, places })
    }

    /// The text with this hash, in 64 hexadecimal digits.
    pub fn get(&self, hash: &str) -> Result<Option<String>> {
        let Ok(hash) = serde_json::from_value::<Digest>(hash.into()) else { return Ok(None) };
        let (Some(file), Some(&span)) = (&self.file, self.places.get(&hash)) else {
            return Ok(None);
        };
        let mut bytes = vec![0; span.length];
        file.read_exact_at(&mut bytes, span.offset)
            .map_err(|error| Error::reading("read", &self.path, error))?;
        match serde_json::from_slice::<TextLine<'_>>(&bytes) {
            Ok(line) if Digest::of(line.text.as_bytes()) == hash => {
                Ok(Some(line.text.into_owned()))
            }
            _ => Err(Error::refused(format!(
                "{}: the text with the hash {} was changed",
                self.path.display(),
                hash.short()
            ))
            .hint("copy the record from where it was made")),
        }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// Hashes and positions, in the order of the lines.
fn index(mut lines: RawLines) -> Result<Vec<(Digest, Span)>> {
    let mut places = Vec::new();
    while let Some((span, bytes)) = lines.next()? {
        let hash = serde_json::from_slice(bytes).map(|TextHead { hash }| hash);
        places.push((hash.map_err(|error| lines.broken(error))?, span));
    }
    Ok(places)
}

/// The texts of a record that is being written.
#[derive(Debug)]
pub(crate) struct TextFile {
    file: LineFile,
    /// The existing texts, in the order of their lines; read when they are first needed.
    known: Option<IndexMap<Digest, Span>>,
}

impl TextFile {
    pub(crate) fn new(file: LineFile) -> Self {
        Self { file, known: None }
    }

    /// Adds a text, unless it exists.
    pub(crate) fn add(&mut self, text: &str) -> Result<Digest> {
        let hash = Digest::of(text.as_bytes());
        let mut known = self.take_known()?;
        if !known.contains_key(&hash) {
            let span = self.file.append(&TextLine { hash, text: text.into() })?;
            known.insert(hash, span);
        }
        self.known = Some(known);
        Ok(hash)
    }

    /// Sorts the lines by their hashes, which do not depend on the order of the questions.
    pub(crate) fn sort(&mut self) -> Result<()> {
        let known = self.take_known()?;
        let mut sorted: Vec<(Digest, Span)> =
            known.iter().map(|(hash, span)| (*hash, *span)).collect();
        sorted.sort_by_key(|(hash, _)| *hash.as_bytes());
        let spans: Vec<Span> = sorted.into_iter().map(|(_, span)| span).collect();
        if !spans.iter().eq(known.values()) {
            rewrite(&mut self.file, &spans, &mut |_, _| Ok(()))?;
        }
        self.file.sync()
    }

    fn take_known(&mut self) -> Result<IndexMap<Digest, Span>> {
        if let Some(known) = self.known.take() {
            return Ok(known);
        }
        let lines = RawLines::open(self.file.folder(), self.file.name())?;
        Ok(index(lines)?.into_iter().collect())
    }
}
