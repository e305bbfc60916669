//! Files of texts: one JSON object, one text per line in the order of the problems, or our own
//! lines.

use std::io::{self, BufRead, Read};

use assay_core::{Digest, Error, Fault, FaultKind, Place, Response, Result, Selection, counted};
use assay_data::named_texts::{NamedText, named_texts, starts_as_object};
use assay_data::parallel::text_lines;
use assay_data::strip_bom;
use serde::de::IgnoredAny;

use super::collector::Collector;
use super::id_lines;
use super::lines::{self, ProblemNames, is_assay_line};
use super::not_utf8;

/// The maximum size of a file; a larger one is a mistake.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The cure for JSON lines. The names of the fields are examples.
const JSON_LINES_CURE: &str = "make one object of the lines, such as by \
    `jq -s 'map({(.id): .text}) | add' FILE`, with the fields of the names and the texts; or write one text per line, \
    in the order of the problems";

/// The whole content of the file called `name`; it is refused if it is too large.
pub(super) fn read_whole(reader: &mut dyn BufRead, name: &str) -> Result<io::Result<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("{name} is larger than {} MiB", MAX_FILE_BYTES >> 20);
        return Err(Error::refused(message).hint("is this a file of answers?"));
    }
    Ok(read.map(|_| bytes))
}

/// Returns whether the first line is in the format of our own `answers.jsonl`.
pub(super) fn starts_with_assay_line(bytes: &[u8]) -> bool {
    let first = strip_bom(bytes).trim_ascii_start().split(|&byte| byte == b'\n').next();
    first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(is_assay_line)
}

/// Reads texts in any of their formats.
pub(super) fn read(mut bytes: &[u8], collector: &mut Collector<'_>) -> io::Result<Digest> {
    if starts_with_assay_line(bytes) {
        return lines::read(&mut bytes, collector);
    }
    if starts_as_object(bytes) {
        read_object(bytes, collector);
    } else {
        read_in_order(bytes, collector);
    }
    Ok(Digest::of(bytes))
}

/// Returns true if there are several lines, and each of the first two is an object of its own.
fn is_json_lines(bytes: &[u8]) -> bool {
    let lines = strip_bom(bytes).split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).take(2).collect();
    let is_object =
        |line: &&[u8]| line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok();
    first.len() == 2 && first.iter().all(is_object)
}

/// Reads one JSON object with a text for each problem.
fn read_object(bytes: &[u8], collector: &mut Collector<'_>) {
    if is_json_lines(bytes) {
        let what =
            "each line is an object; a file of texts is one object, or has a text on each line";
        collector.faults.add(Place::FILE, Fault::new(FaultKind::Malformed, what));
        return collector.faults.advise(JSON_LINES_CURE.to_owned());
    }
    let members = match named_texts(bytes) {
        Ok(members) => members,
        Err(error) => {
            let fault = Fault::new(FaultKind::Malformed, error.message);
            return collector.faults.add(error.place, fault);
        }
    };
    let names = ProblemNames::new(collector.problems);
    for NamedText { name, place, text } in members {
        let fault = match (names.exact(&name), text) {
            (None, _) if collector.problems.answer_rules().ignores_unknown => continue,
            (None, _) => names.unknown(&name),
            (Some(_), Err(what)) => {
                let message = format!("the answer to {name:?} is {what}, not a text");
                Fault::new(FaultKind::Malformed, message)
            }
            (Some(index), Ok(text)) => {
                collector.add(place, index, Response::Text(text));
                continue;
            }
        };
        collector.faults.add(place, fault);
    }
}

/// Returns whether exactly the first `count` problems are chosen: a file may end with them.
fn is_beginning(chosen: &Selection, count: usize) -> bool {
    chosen.len() == count && chosen.indices().eq(0..count)
}

/// Reads one text per line, by the ids before them or in the order of the problems.
fn read_in_order(bytes: &[u8], collector: &mut Collector<'_>) {
    let names = ProblemNames::new(collector.problems);
    if let Some(meaning) = id_lines::meaning(bytes, &names) {
        return id_lines::read(bytes, meaning, &names, collector);
    }
    let (lines, total) = (text_lines(bytes).count(), collector.problems.ids().len());
    if lines != total && !is_beginning(collector.chosen, lines) {
        let message = format!("{} for {}", counted(lines, "line"), counted(total, "problem"));
        return collector.faults.add(Place::FILE, Fault::new(FaultKind::WrongCount, message));
    }
    for (index, line) in text_lines(bytes).enumerate() {
        let place = Place::line(index as u64 + 1);
        match line {
            Ok(text) => collector.add(place, index, Response::Text(text.to_owned())),
            Err(_) => collector.faults.add(place, not_utf8()),
        }
    }
}
