//! A file of lines with the places of its lines in memory.

use std::path::Path;

use assay_core::Result;
use indexmap::IndexMap;
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

use crate::lines::{LineFile, RawLines, Span, broken};
use crate::order::{Place, differs, each, expect_ranked, in_order, packed, rewrite, spans};
use crate::progress::{Head, Key};

/// A file of lines about samples. It is read once when it is opened; after that the place of every line
/// is known.
#[derive(Debug)]
pub(crate) struct IndexedFile {
    file: LineFile,
    places: Vec<Place>,
}

impl IndexedFile {
    /// A file whose lines are not known yet.
    pub(crate) fn new(file: LineFile) -> Self {
        Self { file, places: Vec::new() }
    }

    /// Reads every line; `note` returns the sample that it is about, or `None` if a part is missing.
    pub(crate) fn read(&mut self, mut note: impl FnMut(&Head<'_>) -> Option<Key>) -> Result<()> {
        let mut lines = RawLines::open(self.file.folder(), self.file.name())?;
        while let Some((span, bytes)) = lines.next()? {
            let missing = || serde_json::Error::missing_field("outcome");
            let key = serde_json::from_slice::<Head<'_>>(bytes)
                .and_then(|head| note(&head).ok_or_else(missing));
            self.note(key.map_err(|error| lines.broken(error))?, span);
        }
        Ok(())
    }

    /// Adds a line to the file.
    pub(crate) fn append(&mut self, value: &impl Serialize) -> Result<Span> {
        self.file.append(value)
    }

    /// Notes the place of the last line.
    pub(crate) fn note(&mut self, key: Key, span: Span) {
        self.places.push(Place { key, span });
    }

    /// Refuses a line about a problem without an index.
    pub(crate) fn check(&self, indices: &[Option<usize>]) -> Result<()> {
        expect_ranked(&self.file, &self.places, indices)
    }

    /// Reads the last line about each sample that is wanted.
    pub(crate) fn each_last<T: DeserializeOwned>(
        &self,
        wanted: &dyn Fn(Key) -> bool,
        visit: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let those = self.places.iter().filter(|place| wanted(place.key));
        let last: IndexMap<Key, Span> = those.map(|place| (place.key, place.span)).collect();
        let last: Vec<Span> = last.into_values().collect();
        let path = self.file.path();
        each(&self.file, &last, &mut |span, line| visit(parse(&path, &self.places, span, line)?))
    }

    /// Cuts off a torn line, and drops the lines about samples that are not wanted.
    pub(crate) fn clean(&mut self, wanted: &dyn Fn(Key) -> bool) -> Result<()> {
        self.file.cut_torn()?;
        let kept: Vec<Place> =
            self.places.iter().copied().filter(|place| wanted(place.key)).collect();
        self.put(&kept)
    }

    /// Puts the lines into task order.
    pub(crate) fn sort(&mut self, indices: &[Option<usize>]) -> Result<()> {
        let sorted = in_order(&self.file, &self.places, indices)?;
        self.put(&sorted)?;
        self.file.sync()
    }

    /// Puts the wanted lines into task order, and hands each to `visit` as it is read.
    pub(crate) fn sort_and_visit<T: DeserializeOwned>(
        &mut self,
        indices: &[Option<usize>],
        wanted: &dyn Fn(Key) -> bool,
        visit: &mut dyn FnMut(&T),
    ) -> Result<()> {
        let Self { file, places } = self;
        let mut sorted = in_order(file, places, indices)?;
        sorted.retain(|place| wanted(place.key));
        let path = file.path();
        let mut take = |span: Span, line: &[u8]| {
            visit(&parse(&path, places, span, line)?);
            Ok(())
        };
        if differs(places, &sorted) {
            rewrite(file, &spans(&sorted), &mut take)?;
            *places = packed(&sorted);
        } else {
            each(file, &spans(&sorted), &mut take)?;
        }
        file.sync()
    }

    /// Makes the file consist of these of its lines, in this order.
    fn put(&mut self, places: &[Place]) -> Result<()> {
        if differs(&self.places, places) {
            rewrite(&mut self.file, &spans(places), &mut |_, _| Ok(()))?;
            self.places = packed(places);
        }
        Ok(())
    }
}

/// The value of a line. `places` are those of all lines, in the order of the file.
fn parse<T: DeserializeOwned>(path: &Path, places: &[Place], span: Span, line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        let number = places.partition_point(|place| place.span.offset <= span.offset);
        broken(path, number as u64, "the line cannot be read").because(error)
    })
}
