//! A file of lines with the positions of its lines in memory.

use std::path::Path;

use assay_core::Result;
use indexmap::IndexMap;
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

use crate::lines::{LineFile, RawLines, Span, broken};
use crate::order::{
    LinePosition, check_indices, consecutive, differs, each, in_order, rewrite, spans,
};
use crate::progress::{Head, Key};

/// A file of lines about samples. It is read once when it is opened; after that the position of
/// every line is known.
#[derive(Debug)]
pub(crate) struct IndexedFile {
    file: LineFile,
    positions: Vec<LinePosition>,
}

impl IndexedFile {
    /// A file whose lines have not been read yet.
    pub(crate) fn new(file: LineFile) -> Self {
        Self { file, positions: Vec::new() }
    }

    /// Reads every line; `note` returns the sample that it is about, or `None` if a field is
    /// missing.
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

    /// Records the position of the last line.
    pub(crate) fn note(&mut self, key: Key, span: Span) {
        self.positions.push(LinePosition { key, span });
    }

    /// Refuses a line about a problem without an index.
    pub(crate) fn check(&self, indices: &[Option<usize>]) -> Result<()> {
        check_indices(&self.file, &self.positions, indices)
    }

    /// Reads the last line about each sample that is wanted.
    pub(crate) fn each_last<T: DeserializeOwned>(
        &self,
        wanted: &dyn Fn(Key) -> bool,
        visit: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let those = self.positions.iter().filter(|position| wanted(position.key));
        let last: IndexMap<Key, Span> =
            those.map(|position| (position.key, position.span)).collect();
        let last: Vec<Span> = last.into_values().collect();
        let path = self.file.path();
        each(&self.file, &last, &mut |span, line| visit(parse(&path, &self.positions, span, line)?))
    }

    /// Cuts off a torn line, and drops the lines about samples that are not wanted.
    pub(crate) fn clean(&mut self, wanted: &dyn Fn(Key) -> bool) -> Result<()> {
        self.file.cut_torn()?;
        let kept: Vec<LinePosition> =
            self.positions.iter().copied().filter(|position| wanted(position.key)).collect();
        self.rewrite_if_changed(&kept)
    }

    /// Puts the lines into task order.
    pub(crate) fn sort(&mut self, indices: &[Option<usize>]) -> Result<()> {
        let sorted = in_order(&self.file, &self.positions, indices)?;
        self.rewrite_if_changed(&sorted)?;
        self.file.sync()
    }

    /// Puts the wanted lines into task order, and passes each to `visit` as it is read.
    pub(crate) fn sort_and_visit<T: DeserializeOwned>(
        &mut self,
        indices: &[Option<usize>],
        wanted: &dyn Fn(Key) -> bool,
        visit: &mut dyn FnMut(&T),
    ) -> Result<()> {
        let Self { file, positions } = self;
        let mut sorted = in_order(file, positions, indices)?;
        sorted.retain(|position| wanted(position.key));
        let path = file.path();
        let mut take = |span: Span, line: &[u8]| {
            visit(&parse(&path, positions, span, line)?);
            Ok(())
        };
        if differs(positions, &sorted) {
            rewrite(file, &spans(&sorted), &mut take)?;
            *positions = consecutive(&sorted);
        } else {
            each(file, &spans(&sorted), &mut take)?;
        }
        file.sync()
    }

    /// Rewrites the file so that it consists of these of its lines, in this order.
    fn rewrite_if_changed(&mut self, positions: &[LinePosition]) -> Result<()> {
        if differs(&self.positions, positions) {
            rewrite(&mut self.file, &spans(positions), &mut |_, _| Ok(()))?;
            self.positions = consecutive(positions);
        }
        Ok(())
    }
}

/// The value of a line. `positions` are the positions of all lines, in the order of the file.
fn parse<T: DeserializeOwned>(
    path: &Path,
    positions: &[LinePosition],
    span: Span,
    line: &[u8],
) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        let number = positions.partition_point(|position| position.span.offset <= span.offset);
        broken(path, number as u64, "the line cannot be read").because(error)
    })
}
