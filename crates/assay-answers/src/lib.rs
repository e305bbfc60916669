//! Files of answers made elsewhere, in the field's formats or in ours.
//!
//! A task defines how the answers in a file are separated ([`AnswerForm`]); the beginning of the
//! file selects the format: lines that name their problem (`lines.rs`, CodRep's in `codrep.rs`),
//! texts (`texts.rs`) or programs (`programs/`); one JSON object (`objects.rs`); or a folder with
//! a file for each part (`parts.rs`). `export.rs` writes programs for other harnesses. Lines of our own `answers.jsonl` are accepted everywhere.

mod asked;
mod cancellable;
pub mod codrep;
mod collector;
mod export;
mod faults;
mod id_lines;
mod lines;
mod objects;
mod parts;
mod programs;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;

use assay_core::{
    AnswerForm, Cancel, CodeForm, Digest, Error, Fault, FaultKind, Place, Problems, Response,
    Result, SampleKey, Selection, Submission,
};
use assay_data::unpack;

pub use asked::parse_answer_object;
use cancellable::CancellableReader;
use collector::Collector;
pub use export::{ExportFormat, ExportedProblem, ExportedSample, Exporter, write_references};
pub use faults::Faults;
pub use lines::ProblemNames;
pub use programs::parse_program_line;
pub use source::AnswerSource;

/// One answer, as read from a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// The problem and the sample.
    pub key: SampleKey,
    /// The answer.
    pub response: Response,
}

/// The answers of a file, and its faults.
#[derive(Debug)]
pub struct AnswerFile {
    /// The answers, by problem and sample; a problem's samples are numbered from 0 without gaps.
    pub answers: Vec<GivenAnswer>,
    /// The number of answers to each problem that the data has but the task leaves out: they do not
    /// count.
    pub passed_over: BTreeMap<String, usize>,
    /// The names of all problems that it has answers to, also of those that do not count.
    pub names: BTreeSet<String>,
    /// The number of answers to problems that were not chosen: they do not count either.
    pub not_chosen: usize,
    /// The format in which answers were recognized, if it is not a usual one.
    pub read_as: Option<String>,
    /// The faults in the rest of the file.
    pub faults: Faults,
    /// The hash of the file's content.
    pub digest: Digest,
}

/// One answer of a file.
#[derive(Debug, Clone)]
pub struct GivenAnswer {
    /// The position in the file.
    pub place: Place,
    /// The answer, as it is graded.
    pub submission: Submission,
    /// False if the file does not say whether a text is a whole program or continues the prompt.
    pub is_settled: bool,
    /// The prompt that comes with an answer that is recognized by its position: it is of the same problem.
    pub prompt: Option<Arc<str>>,
    /// The form of the text, once it was examined.
    pub form: Option<CodeForm>,
    /// The text as it is in the file, if the answer is only a part of it and the whole is wanted.
    pub reply: Option<Arc<str>>,
}

impl GivenAnswer {
    /// The index of its problem.
    pub fn index(&self) -> usize {
        self.submission.key.index
    }
}

impl AnswerFile {
    /// Reads answers to `problems` from `reader`, which is called `name` in messages. Content that
    /// cannot be read becomes a fault; only an error of the reader itself ends the reading.
    pub fn read(reader: &mut dyn BufRead, name: &str, problems: &dyn Problems) -> Result<Self> {
        let all = Selection::all(problems.ids().len());
        Self::read_chosen(&Cancel::new(), reader, name, problems, &all, None)
    }

    /// The same for the problems in `chosen` alone: answers to others may be in the file and do not
    /// count. `key` is the field that holds a program, if the user names one. Fails soon after `cancel` is raised.
    pub fn read_chosen(
        cancel: &Cancel,
        reader: &mut dyn BufRead,
        name: &str,
        problems: &dyn Problems,
        chosen: &Selection,
        key: Option<&str>,
    ) -> Result<Self> {
        let failed = |error| unreadable(name, error);
        let mut collector = Collector::new(problems, chosen, key);
        // The unpacked bytes are counted: a small file can unpack to gigabytes.
        let mut unpacked = unpack(reader, name)?;
        let mut reader = CancellableReader::new(unpacked.as_mut(), cancel);
        let digest = match problems.answer_rules().form {
            AnswerForm::NamedLines | AnswerForm::Parts => {
                lines::read(&mut reader, &mut collector).map_err(failed)?
            }
            AnswerForm::Texts => {
                let bytes = texts::read_whole(&mut reader, name)?.map_err(failed)?;
                texts::read(&bytes, &mut collector).map_err(failed)?
            }
            AnswerForm::Programs => programs::read(&mut reader, &mut collector).map_err(failed)?,
            AnswerForm::Object(values) => {
                let bytes = texts::read_whole(&mut reader, name)?.map_err(failed)?;
                objects::read(&bytes, name, values, &mut collector)?
            }
        };
        Ok(collector.finish(digest))
    }

    /// The samples of the answer to the problem at `index`.
    pub fn of(&self, index: usize) -> &[GivenAnswer] {
        let start = self.answers.partition_point(|answer| answer.index() < index);
        let rest = &self.answers[start..];
        &rest[..rest.partition_point(|answer| answer.index() == index)]
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, index: usize) -> &mut [GivenAnswer] {
        let start = self.answers.partition_point(|answer| answer.index() < index);
        let rest = &mut self.answers[start..];
        let end = rest.partition_point(|answer| answer.index() == index);
        &mut rest[..end]
    }

    /// The fewest and the most samples of any problem that has an answer.
    pub fn sample_counts(&self) -> Option<(u32, u32)> {
        let same_problem = |left: &GivenAnswer, right: &GivenAnswer| left.index() == right.index();
        let last =
            |samples: &[GivenAnswer]| samples.last().map(|answer| answer.submission.key.sample);
        let counts = self.answers.chunk_by(same_problem).filter_map(last).map(|last| last + 1);
        counts.fold(None, |known: Option<(u32, u32)>, count| {
            let (fewest, most) = known.unwrap_or((count, count));
            Some((fewest.min(count), most.max(count)))
        })
    }
}

fn unreadable(name: &str, error: io::Error) -> Error {
    Error::reading("read", Path::new(name), error)
        .hint("make sure that it is a file of answers and can be read to its end")
}

fn not_utf8() -> Fault {
    Fault::new(FaultKind::Malformed, "the line is not UTF-8")
}
