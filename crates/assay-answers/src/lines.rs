//! Lines that each name their problem, in the field's formats or in ours.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use assay_core::{
    AnswerForm, Digest, DigestOf, Fault, FaultKind, Place, ProblemId, Problems, Result, SampleKey,
    shown_name, unknown_problem,
};
use assay_data::{json_message, skip_blank_lines, strip_bom};
use assay_record::{AnswerLine, ResponseLine};
use serde::Deserialize;

use crate::collector::Collector;
use crate::{ParsedAnswer, codrep, not_utf8};

/// The maximum length of a line in bytes; a longer one is not an answer.
pub(super) const MAX_LINE_BYTES: u64 = 16 << 20;

pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let names = ProblemNames::new(collector.problems);
    each_line(reader, &mut |line, bytes| match parse(bytes, &names) {
        Ok(None) => {}
        Ok(Some(parsed)) => collector.add_sample(Place::line(line), parsed.key, parsed.response),
        Err(fault) => collector.faults.add(Place::line(line), fault),
    })
}

/// Calls `take` for every line that is not blank, with its number from 1; returns their hash.
pub(super) fn each_line(
    reader: &mut dyn BufRead,
    take: &mut dyn FnMut(u64, &[u8]),
) -> io::Result<Digest> {
    let mut text = DigestOf::new();
    let mut bytes = Vec::new();
    let mut line = 1;
    loop {
        // There may be a billion blank lines.
        line += skip_blank_lines(reader)?;
        if !read_line(reader, &mut bytes)? {
            return Ok(text.finish());
        }
        text.field(&bytes);
        take(line, &bytes);
        line += 1;
    }
}

/// Reads the next line into `bytes`; `false` at the end. The rest of a line that is too long is
/// dropped.
fn read_line(mut reader: &mut dyn BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let count = (&mut reader).take(MAX_LINE_BYTES).read_until(b'\n', bytes)?;
    if count as u64 == MAX_LINE_BYTES && !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    Ok(count > 0)
}

fn parse(bytes: &[u8], names: &ProblemNames<'_>) -> Result<Option<ParsedAnswer>, Fault> {
    let text = std::str::from_utf8(strip_bom(bytes)).map_err(|_| not_utf8())?;
    if is_assay_line(text) {
        return parse_assay_line(text, names).map(Some);
    }
    match names.problems.answer_rules().form {
        AnswerForm::NamedLines => codrep::parse_line(text, names.problems),
        _ if text.trim().is_empty() => Ok(None),
        AnswerForm::Texts | AnswerForm::Programs | AnswerForm::Object(_) | AnswerForm::Parts => {
            Err(Fault::new(FaultKind::Malformed, "not an answer as `assay run` writes it"))
        }
    }
}

/// Returns whether a line is a JSON object in the format of our own `answers.jsonl`.
pub(super) fn is_assay_line(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "problem")]
        _problem: serde::de::IgnoredAny,
    }

    text.trim_start().starts_with('{') && serde_json::from_str::<Named>(text).is_ok()
}

/// Parses a line of `answers.jsonl`.
pub(super) fn parse_assay_line(
    text: &str,
    names: &ProblemNames<'_>,
) -> Result<ParsedAnswer, Fault> {
    let answer: AnswerLine = serde_json::from_str(text).map_err(|error| {
        let what = json_message(&error);
        Fault::new(FaultKind::Malformed, format!("not an answer as `assay run` writes it: {what}"))
    })?;
    let index = names.exact(&answer.problem).ok_or_else(|| {
        let message = format!("{} is not among the chosen problems", shown_name(&answer.problem));
        Fault::new(FaultKind::UnknownProblem, message)
    })?;
    if matches!(&answer.response, ResponseLine::Lines(lines) if lines.is_empty()) {
        return Err(Fault::new(FaultKind::Malformed, "no line number").about(index));
    }
    let key = SampleKey { index, sample: answer.sample };
    Ok(ParsedAnswer { key, response: answer.response.into() })
}

/// Finds problems by name; its tables are built at the first lookup.
pub struct ProblemNames<'a> {
    problems: &'a dyn Problems,
    by_id: OnceCell<HashMap<&'a str, usize>>,
}

impl<'a> ProblemNames<'a> {
    /// The names of these problems.
    pub fn new(problems: &'a dyn Problems) -> Self {
        Self { problems, by_id: OnceCell::new() }
    }

    /// The problem with exactly this name.
    pub(super) fn exact(&self, name: &str) -> Option<usize> {
        let ids = || self.problems.ids().iter().map(ProblemId::as_str).zip(0..).collect();
        self.by_id.get_or_init(ids).get(name).copied()
    }

    /// The problem with this name in any spelling that the field uses.
    pub(super) fn any_spelling(&self, name: &str) -> Result<usize, Fault> {
        self.exact(name).map_or_else(|| self.problems.find(name), Ok).map_err(unknown)
    }

    /// Returns whether the data has a problem with this name, and the task leaves it out.
    pub(super) fn leaves_out(&self, name: &str) -> bool {
        self.problems.leaves_out(name)
    }

    /// The fault of an unknown name.
    pub fn unknown(&self, name: &str) -> Fault {
        unknown(unknown_problem(self.problems.ids(), name))
    }
}

fn unknown(message: String) -> Fault {
    Fault::new(FaultKind::UnknownProblem, message)
}
