//! The positions of a file's lines, used to put the lines into task order.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use assay_core::{Error, Result};
use indexmap::IndexSet;

use crate::lines::{LineFile, RawLines, Span, broken};
use crate::progress::{Head, Key};

/// The maximum number of bytes read at once.
const CHUNK: usize = 1 << 20;

/// The position of a line, and the sample that it is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinePosition {
    pub(crate) key: Key,
    pub(crate) span: Span,
}

/// Sorts the file's lines by the problem's index in `order`, then by sample; of several lines about
/// one sample the last is kept. The `first` lines are dropped. The sorted file replaces the other
/// atomically, and only if there is a difference.
pub(crate) fn sort(
    first: usize,
    file: &mut LineFile,
    order: &dyn Fn(&str) -> Option<usize>,
) -> Result<()> {
    let mut names: IndexSet<Box<str>> = IndexSet::new();
    let mut positions = Vec::new();
    let mut lines = RawLines::open(file.folder(), file.name())?;
    for _ in 0..first {
        lines.next()?;
    }
    while let Some((span, bytes)) = lines.next()? {
        let head = serde_json::from_slice::<Head<'_>>(bytes).map(|head| {
            let problem = names.insert_full(head.problem.as_ref().into()).0;
            Key { problem, sample: head.sample }
        });
        positions.push(LinePosition { key: head.map_err(|error| lines.broken(error))?, span });
    }
    let indices: Vec<Option<usize>> = names.iter().map(|name| order(name)).collect();
    let sorted = in_order(file, &positions, &indices)?;
    if first > 0 || differs(&positions, &sorted) {
        rewrite(file, &spans(&sorted), &mut |_, _| Ok(()))?;
    }
    Ok(())
}

pub(crate) fn spans(positions: &[LinePosition]) -> Vec<Span> {
    positions.iter().map(|position| position.span).collect()
}

/// The positions in task order, only the last of each sample. `indices` has each problem's index in
/// the task.
pub(crate) fn in_order(
    file: &LineFile,
    positions: &[LinePosition],
    indices: &[Option<usize>],
) -> Result<Vec<LinePosition>> {
    check_indices(file, positions, indices)?;
    let mut sorted = positions.to_vec();
    sorted.sort_by_key(|position| {
        (indices[position.key.problem], position.key, Reverse(position.span.offset))
    });
    sorted.dedup_by_key(|position| position.key);
    Ok(sorted)
}

/// Refuses a line about a problem without an index.
pub(crate) fn check_indices(
    file: &LineFile,
    positions: &[LinePosition],
    indices: &[Option<usize>],
) -> Result<()> {
    match positions.iter().position(|position| indices[position.key.problem].is_none()) {
        Some(at) => Err(broken(&file.path(), at as u64 + 1, "the line is not part of this run")),
        None => Ok(()),
    }
}

/// Returns whether rewriting a file from the lines at `positions` to those at `sorted` changes it.
pub(crate) fn differs(positions: &[LinePosition], sorted: &[LinePosition]) -> bool {
    positions.len() != sorted.len()
        || positions.iter().zip(sorted).any(|(left, right)| left.span != right.span)
}

/// Replaces `file` with one made of the lines at `spans`, and passes each line to `visit`.
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

/// The positions of the same lines, one after another from the start of a file.
pub(crate) fn consecutive(positions: &[LinePosition]) -> Vec<LinePosition> {
    let mut offset = 0;
    let pack = |position: &LinePosition| {
        let span = Span { offset, length: position.span.length };
        offset += span.length as u64;
        LinePosition { key: position.key, span }
    };
    positions.iter().map(pack).collect()
}

/// Reads the lines at `spans`, in that order. Adjacent lines are read at once.
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

/// The number of lines, at least one, that are adjacent and fit into a chunk.
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
        match (sort(0, &mut file, &order), after) {
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
