//! Puts the lines of a complete run into task order.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use assay_core::{Answer, Error, ProblemId, Result, Verdict};
use serde::de::DeserializeOwned;

use super::lines::LineFile;

/// Something that is about one sample of one problem.
pub(crate) trait About: DeserializeOwned {
    fn about(&self) -> (&ProblemId, u32);
}

impl About for Answer {
    fn about(&self) -> (&ProblemId, u32) {
        (&self.problem, self.sample)
    }
}

impl About for Verdict {
    fn about(&self) -> (&ProblemId, u32) {
        (&self.problem, self.sample)
    }
}

/// Where a line stands, and where it should.
struct Place {
    key: (usize, u32),
    offset: u64,
    length: usize,
}

/// Sorts the file's lines by rank and sample; of several for the same one the last counts. The
/// sorted file takes the place of the other in one step, and only if there is a difference.
pub(crate) fn sort<T: About>(
    file: &mut LineFile,
    ranks: &HashMap<&ProblemId, usize>,
) -> Result<()> {
    let mut places = Vec::new();
    file.each_raw(|line, offset, bytes| {
        let value: T = file.parse(line, bytes)?;
        let (problem, sample) = value.about();
        let key = (file.rank(line, problem, ranks)?, sample);
        places.push(Place { key, offset, length: bytes.len() });
        Ok(())
    })?;
    if places.is_sorted_by(|left, right| left.key < right.key) {
        return Ok(());
    }
    places.sort_by_key(|place| (place.key, Reverse(place.offset)));
    places.dedup_by_key(|place| place.key);
    file.close();
    let (folder, name) = (file.folder(), file.name());
    let Some(unsorted) = folder.read(name)? else { return Ok(()) };
    let rewrite = |sorted: &mut File| -> io::Result<()> {
        let mut sorted = BufWriter::new(sorted);
        let mut line = Vec::new();
        for place in &places {
            line.resize(place.length, 0);
            unsorted.read_exact_at(&mut line, place.offset)?;
            sorted.write_all(&line)?;
        }
        sorted.flush()
    };
    let replaced = folder.replace(name, &format!("{name}.new"), rewrite);
    replaced.map_err(|error| Error::writing("write", &file.path(), error))
}
