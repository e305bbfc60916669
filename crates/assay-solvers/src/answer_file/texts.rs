//! Files of texts: one JSON object, one text a line in the order of the problems, or our own lines.

use std::io::{self, BufRead, Read};

use assay_core::{Digest, Error, Fault, FaultKind, Place, Response, Result};
use assay_data::named_texts::{NamedText, named_texts, starts_as_object};
use assay_data::parallel::text_lines;
use assay_data::strip_bom;

use super::gathering::Gathering;
use super::lines::{self, Ranks, is_ours};
use super::not_utf8;

/// The largest file that is read; a larger one is a mistake.
const LARGEST_FILE: u64 = 256 << 20;

/// All that the file called `name` holds; it is refused if that is too much.
pub(super) fn read_whole(reader: &mut dyn BufRead, name: &str) -> Result<io::Result<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > LARGEST_FILE {
        let message = format!("{name} is larger than {} MiB", LARGEST_FILE >> 20);
        return Err(Error::refused(message).hint("is this a file of answers?"));
    }
    Ok(read.map(|_| bytes))
}

/// Reads texts in whichever form they have.
pub(super) fn read(mut bytes: &[u8], gathering: &mut Gathering<'_>) -> io::Result<Digest> {
    let first = strip_bom(bytes).trim_ascii_start().split(|&byte| byte == b'\n').next();
    if first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(is_ours) {
        return lines::read(&mut bytes, gathering);
    }
    if starts_as_object(bytes) {
        read_object(bytes, gathering);
    } else {
        read_in_order(bytes, gathering);
    }
    Ok(Digest::of(bytes))
}

/// Reads one JSON object with a text for each problem.
fn read_object(bytes: &[u8], gathering: &mut Gathering<'_>) {
    let members = match named_texts(bytes) {
        Ok(members) => members,
        Err(error) => {
            let fault = Fault::new(FaultKind::Malformed, error.message);
            return gathering.faults.add(error.place, fault);
        }
    };
    let ranks = Ranks::new(gathering.problems);
    for NamedText { name, place, text } in members {
        let fault = match (ranks.exact(&name), text) {
            (None, _) if gathering.problems.passes_over_others() => continue,
            (None, _) => ranks.unknown(&name),
            (Some(_), Err(what)) => {
                let message = format!("the answer to {name:?} is {what}, not a text");
                Fault::new(FaultKind::Malformed, message)
            }
            (Some(rank), Ok(text)) => {
                gathering.add(place, rank, Response::Text(text));
                continue;
            }
        };
        gathering.faults.add(place, fault);
    }
}

/// Reads one text a line, in the order of the problems.
fn read_in_order(bytes: &[u8], gathering: &mut Gathering<'_>) {
    let (lines, total) = (text_lines(bytes).count(), gathering.problems.ids().len());
    if lines != total {
        let many = |count: usize| if count == 1 { "" } else { "s" };
        let message = format!("{lines} line{} for {total} problem{}", many(lines), many(total));
        return gathering.faults.add(Place::FILE, Fault::new(FaultKind::WrongCount, message));
    }
    for (rank, line) in text_lines(bytes).enumerate() {
        let place = Place::line(rank as u64 + 1);
        match line {
            Ok(text) => gathering.add(place, rank, Response::Text(text.to_owned())),
            Err(_) => gathering.faults.add(place, not_utf8()),
        }
    }
}
