//! The places of a file's lines, by which the lines are put into task order.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use assay_core::{Error, Result};
use indexmap::IndexSet;

use crate::lines::{LineFile, RawLines, Span, broken};
use crate::progress::{Head, Key};

/// The most bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// A line, and the sample that it is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) key: Key,
    pub(crate) span: Span,
}

/// Sorts the file's lines by the problem's place in `order`, then by sample; of several lines about
/// one sample the last is kept. The sorted file takes the place of the other in one step, and only if
/// there is a difference.
pub fn sort(file: &mut LineFile, order: &dyn Fn(&str) -> Option<usize>) -> Result<()> {
    let mut names: IndexSet<Box<str>> = IndexSet::new();
    let mut places = Vec::new();
    let mut lines = RawLines::open(file.folder(), file.name())?;
    while let Some((span, bytes)) = lines.next()? {
        let head = serde_json::from_slice::<Head<'_>>(bytes).map(|head| {
            let problem = names.insert_full(head.problem.as_ref().into()).0;
            Key { problem, sample: head.sample }
        });
        places.push(Place { key: head.map_err(|error| lines.broken(error))?, span });
    }
    let indices: Vec<Option<usize>> = names.iter().map(|name| order(name)).collect();
    let sorted = in_order(file, &places, &indices)?;
    if differs(&places, &sorted) {
        rewrite(file, &spans(&sorted), &mut |_, _| Ok(()))?;
    }
    Ok(())
}

pub(crate) fn spans(places: &[Place]) -> Vec<Span> {
    places.iter().map(|place| place.span).collect()
}

/// The places in task order, the last one of each sample. `indices` has each problem's place in the task.
pub(crate) fn in_order(
    file: &LineFile,
    places: &[Place],
    indices: &[Option<usize>],
) -> Result<Vec<Place>> {
    expect_ranked(file, places, indices)?;
    let mut sorted = places.to_vec();
    sorted.sort_by_key(|place| (indices[place.key.problem], place.key, Reverse(place.span.offset)));
    sorted.dedup_by_key(|place| place.key);
    Ok(sorted)
}

/// Refuses a line about a problem without an index.
pub(crate) fn expect_ranked(
    file: &LineFile,
    places: &[Place],
    indices: &[Option<usize>],
) -> Result<()> {
    match places.iter().position(|place| indices[place.key.problem].is_none()) {
        Some(at) => Err(broken(&file.path(), at as u64 + 1, "the line is not part of this run")),
        None => Ok(()),
    }
}

/// Whether a file with the lines at `places` changes when it is made of those at `sorted`.
pub(crate) fn differs(places: &[Place], sorted: &[Place]) -> bool {
    places.len() != sorted.len()
        || places.iter().zip(sorted).any(|(left, right)| left.span != right.span)
}

/// Puts a file made of the lines at `spans` in the place of `file`, and hands each line to `visit`.
pub(crate) fn rewrite(
    file: &mut LineFile,
    spans: &[Span],
    visit: &mut dyn FnMut(Span, &[u8]) -> Result<()>,
) -> Result<()> {
    file.close();
    let (path, beside) = (file.path(), file.beside());
    let writing = |error| Error::writing("write", &path, error);
    let created = file.folder().create(&beside).map_err(writing)?;
    let mut sorted = BufWriter::with_capacity(1 << 16, &created);
    each(file, spans, &mut |span, line| {
        visit(span, line)?;
        sorted.write_all(line).map_err(writing)
    })?;
    sorted.flush().map_err(writing)?;
    drop(sorted);
    created.sync_all().map_err(writing)?;
    file.folder().rename(&beside, file.name()).map_err(writing)
}

/// The same lines, one after the other from the start of a file.
pub(crate) fn packed(places: &[Place]) -> Vec<Place> {
    let mut offset = 0;
    let pack = |place: &Place| {
        let span = Span { offset, length: place.span.length };
        offset += span.length as u64;
        Place { key: place.key, span }
    };
    places.iter().map(pack).collect()
}

/// Reads the lines at `spans`, in that order. Neighbours are read at once.
pub(crate) fn each(
    file: &LineFile,
    spans: &[Span],
    visit: &mut dyn FnMut(Span, &[u8]) -> Result<()>,
) -> Result<()> {
    let Some(source) = file.folder().read(file.name())? else { return Ok(()) };
    let mut bytes = Vec::new();
    let mut rest = spans;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(neighbours(rest));
        let read = read_chunk(&source, chunk, &mut bytes);
        read.map_err(|error| Error::reading("read", &file.path(), error))?;
        let mut left = bytes.as_slice();
        for span in chunk {
            let (line, more) = left.split_at(span.length);
            visit(*span, line)?;
            left = more;
        }
        rest = after;
    }
    Ok(())
}

/// The number of lines, at least one, that lie side by side and fit into a chunk.
fn neighbours(spans: &[Span]) -> usize {
    let mut size = 0;
    let joined = spans.windows(2).take_while(|pair| {
        let [left, right] = [pair[0], pair[1]];
        size += left.length;
        left.offset + left.length as u64 == right.offset && size + right.length <= CHUNK
    });
    joined.count() + 1
}

fn read_chunk(source: &File, chunk: &[Span], bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.resize(chunk.iter().map(|span| span.length).sum(), 0);
    source.read_exact_at(bytes, chunk.first().map_or(0, |span| span.offset))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Folder;

    fn check(before: &str, after: Result<&str, &str>) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(scratch.path()).unwrap());
        let mut file = LineFile::new(folder, "x.jsonl".to_owned());
        let line = |word: &str| {
            let (problem, sample) = word.split_at(1);
            let (sample, note) = sample.split_once('=').unwrap_or((sample, ""));
            format!("{{\"problem\":\"{problem}\",\"sample\":{sample},\"note\":\"{note}\"}}\n")
        };
        let text = |words: &str| words.split(' ').map(line).collect::<String>();
        std::fs::write(file.path(), text(before)).unwrap();
        let order = |problem: &str| "zyxa".find(problem);
        match (sort(&mut file, &order), after) {
            (Ok(()), Ok(after)) => {
                assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text(after));
            }
            (Err(error), Err(message)) => assert!(error.to_string().ends_with(message), "{error}"),
            (found, _) => panic!("{found:?}"),
        }
        assert!(!scratch.path().join("x.jsonl.new").exists());
    }

    #[test]
    fn lines_are_put_into_task_order_and_the_last_counts() {
        check("a0 z1 z0 y0", Ok("z0 z1 y0 a0"));
        check("a0=old z0 a0=new", Ok("z0 a0=new"));
        check("z0 y0", Ok("z0 y0"));
        check("z0 q0", Err("x.jsonl:2: the line is not part of this run"));
    }
}
