//! Programs, in the formats that the field uses.
//!
//! A stream is JSON lines (`record.rs` has the fields, `lm_eval.rs` those of lm-evaluation-harness), one JSON array or
//! object (`array.rs`, `keyed.rs`), inspect's log (`inspect.rs`), or TransCoder's lines (`transcoder.rs`); a folder or an
//! archive has files for each problem (`files.rs`). Several answers to one problem are its samples, in their order.

mod array;
mod files;
#[cfg(test)]
mod harness_tests;
mod inspect;
mod keyed;
mod lm_eval;
mod record;
#[cfg(test)]
mod tests;
mod transcoder;

use std::io::{self, BufRead};

use assay_core::{Digest, Fault, FaultKind, Place, Response, Result};
use assay_data::strip_bom;

use super::ParsedAnswer;
use super::collector::Collector;
use super::lines::{MAX_LINE_BYTES, ProblemNames, each_line, parse_assay_line};
use super::not_utf8;
pub(crate) use files::{is_file_of_answers, read as read_files};
pub(crate) use inspect::{
    is_archive as is_log, is_archive_name as is_log_name, read_archive as read_log,
};
use record::Record;
pub(crate) use record::what_is;

pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let head = strip_bom(reader.fill_buf()?).trim_ascii_start();
    let names = ProblemNames::new(collector.problems);
    if head.starts_with(b"[") {
        return array::read(reader, collector);
    }
    if inspect::begins(head, &names) {
        return inspect::read(reader, collector);
    }
    if keyed::begins(head, &names) {
        return keyed::read(reader, collector);
    }
    if transcoder::begins(head, &names) {
        return transcoder::read(reader, collector);
    }
    each_line(reader, &mut |line, bytes| {
        let place = Place::line(line);
        if let Err(fault) = read_line(bytes, place, &names, collector) {
            collector.faults.add(place, fault);
        }
    })
}

/// The answers in one line of a program's output: the index of their problem, and its samples in order. `None` if the
/// line is blank.
pub fn parse_program_line(
    bytes: &[u8],
    names: &ProblemNames<'_>,
) -> Result<Option<(usize, Vec<Response>)>, Fault> {
    let text = line_text(bytes)?;
    let Some(record) = Record::parse(text, None)? else { return Ok(None) };
    if record.is_assay_line() {
        let ParsedAnswer { key, response } = parse_assay_line(text, names)?;
        return Ok(Some((key.index, vec![response])));
    }
    let (name, index) = record.problem(names)?;
    let given = record.answers_to(&name)?;
    if !given.is_settled {
        let message = format!(
            "{name:?}: {} does not say whether it is a whole program (\"solution\") or continues the prompt \
             (\"completion\")",
            given.shape
        );
        return Err(Fault::new(FaultKind::Malformed, message).about(index));
    }
    Ok(Some((index, given.responses)))
}

/// The text of a line.
fn line_text(bytes: &[u8]) -> Result<&str, Fault> {
    if bytes.len() as u64 == MAX_LINE_BYTES {
        let message = format!("the line is longer than {} MiB", MAX_LINE_BYTES >> 20);
        return Err(Fault::new(FaultKind::Malformed, message));
    }
    std::str::from_utf8(strip_bom(bytes)).map_err(|_| not_utf8())
}

/// Collects the answers of one line.
fn read_line(
    bytes: &[u8],
    place: Place,
    names: &ProblemNames<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Fault> {
    let text = line_text(bytes)?;
    match Record::parse(text, collector.key)? {
        None => {}
        Some(record) if record.is_assay_line() => {
            let ParsedAnswer { key, response } = parse_assay_line(text, names)?;
            collector.add_sample(place, key, response);
        }
        Some(record) => record.add_to(collector, place, names)?,
    }
    Ok(())
}
