//! Files of answers made elsewhere, in the field's form or in ours.
//!
//! A file of named lines is read line by line. What form a file of texts has, its beginning tells.

mod faults;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use assay_core::{
    Answer, AnswerForm, Digest, DigestOf, Error, Fault, FaultKind, ParsedAnswer, Place, ProblemId,
    Problems, Response, Result, SampleKey,
};
use assay_data::named_texts::{NamedText, named_texts, starts_as_object};
use assay_data::parallel::text_lines;
use assay_data::without_mark;
use serde::Deserialize;

pub use faults::Faults;

/// The longest line that is read; a longer one is no answer.
const LONGEST_LINE: u64 = 16 << 20;

/// The largest file of texts that is read; a larger one is a mistake.
const LARGEST_FILE: u64 = 256 << 20;

/// The answers of a file, in the order of the problems, and the lines that were refused.
#[derive(Debug)]
pub struct AnswerFile {
    /// For each problem by rank, the first sample's answer and the place where it stands.
    pub answers: Vec<Option<(Place, Response)>>,
    /// What is wrong with the rest.
    pub faults: Faults,
    /// The hash of the file.
    pub digest: Digest,
}

impl AnswerFile {
    /// Reads answers to `problems` from what is called `name` in messages. What cannot be read is kept as a fault; only an error of the
    /// reader itself ends the reading.
    pub fn read(reader: &mut dyn BufRead, name: &str, problems: &dyn Problems) -> Result<Self> {
        let failed = |error| {
            Error::failed(format!("failed to read the answers in {name}"))
                .because(error)
                .hint("make sure that it is a file of answers and can be read to its end")
        };
        let answers = vec![None; problems.ids().len()];
        let mut file = Self { answers, faults: Faults::default(), digest: Digest::of(b"") };
        match problems.answer_form() {
            AnswerForm::NamedLines | AnswerForm::Programs => {
                file.read_lines(reader, problems).map_err(failed)?;
            }
            AnswerForm::Texts => {
                let bytes = read_whole(reader).map_err(failed)?;
                if bytes.len() as u64 > LARGEST_FILE {
                    let message = format!("{name} is larger than {} MiB", LARGEST_FILE >> 20);
                    return Err(Error::refused(message).hint("is this a file of answers?"));
                }
                file.read_texts(&bytes, problems).map_err(failed)?;
            }
        }
        if problems.needs_every_answer() && file.faults.is_empty() {
            file.name_missing(problems);
        }
        Ok(file)
    }

    /// Reads lines that each name their problem.
    fn read_lines(&mut self, reader: &mut dyn BufRead, problems: &dyn Problems) -> io::Result<()> {
        let ranks = Ranks::new();
        let mut text = DigestOf::new();
        let mut bytes = Vec::new();
        for line in 1.. {
            if !read_line(reader, &mut bytes)? {
                break;
            }
            text.field(&bytes);
            match parse_line(&bytes, problems, &ranks) {
                Ok(None) => {}
                Ok(Some(parsed)) => self.add(Place::line(line), parsed, problems),
                Err(fault) => self.faults.add(Place::line(line), fault),
            }
        }
        self.digest = text.finish();
        Ok(())
    }

    /// Reads texts in whichever form they have.
    fn read_texts(&mut self, mut bytes: &[u8], problems: &dyn Problems) -> io::Result<()> {
        let first = without_mark(bytes).trim_ascii_start().split(|&byte| byte == b'\n').next();
        if first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(is_ours) {
            return self.read_lines(&mut bytes, problems);
        }
        self.digest = Digest::of(bytes);
        if starts_as_object(bytes) {
            self.read_object(bytes, problems);
        } else {
            self.read_in_order(bytes, problems);
        }
        Ok(())
    }

    /// Reads one JSON object with a text for each problem.
    fn read_object(&mut self, bytes: &[u8], problems: &dyn Problems) {
        let members = match named_texts(bytes) {
            Ok(members) => members,
            Err(error) => {
                let fault = Fault::new(FaultKind::Malformed, error.message);
                return self.faults.add(error.place, fault);
            }
        };
        let ranks: HashMap<&str, usize> =
            problems.ids().iter().map(ProblemId::as_str).zip(0..).collect();
        for NamedText { name, place, text } in members {
            let fault = match (ranks.get(name.as_str()), text) {
                (None, _) if problems.passes_over_others() => continue,
                (None, _) => unknown_key(&name, problems),
                (Some(_), Err(what)) => {
                    let message = format!("the answer to {name:?} is {what}, not a text");
                    Fault::new(FaultKind::Malformed, message)
                }
                (Some(&rank), Ok(text)) => {
                    let key = SampleKey { rank, sample: 0 };
                    let parsed = ParsedAnswer { key, response: Response::Text(text) };
                    self.add(place, parsed, problems);
                    continue;
                }
            };
            self.faults.add(place, fault);
        }
    }

    /// Reads one text a line, in the order of the problems.
    fn read_in_order(&mut self, bytes: &[u8], problems: &dyn Problems) {
        let (lines, total) = (text_lines(bytes).count(), problems.ids().len());
        if lines != total {
            let many = |count: usize| if count == 1 { "" } else { "s" };
            let message = format!("{lines} line{} for {total} problem{}", many(lines), many(total));
            return self.faults.add(Place::FILE, Fault::new(FaultKind::WrongCount, message));
        }
        for (rank, line) in text_lines(bytes).enumerate() {
            let place = Place::line(rank as u64 + 1);
            match line {
                Ok(text) => {
                    let key = SampleKey { rank, sample: 0 };
                    let response = Response::Text(text.to_owned());
                    self.add(place, ParsedAnswer { key, response }, problems);
                }
                Err(_) => self.faults.add(place, not_utf8()),
            }
        }
    }

    fn name_missing(&mut self, problems: &dyn Problems) {
        for (id, answer) in problems.ids().iter().zip(&self.answers) {
            if answer.is_none() {
                let message = format!("there is no answer to {:?}", id.as_str());
                self.faults.add(Place::FILE, Fault::new(FaultKind::Missing, message));
            }
        }
    }

    fn add(&mut self, place: Place, parsed: ParsedAnswer, problems: &dyn Problems) {
        let ParsedAnswer { key: SampleKey { rank, sample }, response } = parsed;
        let id = &problems.ids()[rank];
        let fault = match &self.answers[rank] {
            _ if sample > 0 => {
                let message =
                    format!("sample {sample} of {id}: this task takes one answer a problem");
                Fault::new(FaultKind::Malformed, message)
            }
            Some((first, _)) => {
                let message = format!("a second answer to {id}; the first is {}", told(*first));
                Fault::new(FaultKind::Duplicate, message)
            }
            None => {
                self.answers[rank] = Some((place, response));
                return;
            }
        };
        self.faults.add(place, fault);
    }
}

/// A place in words.
fn told(Place { line, column }: Place) -> String {
    if column == 0 { format!("on line {line}") } else { format!("at {line}:{column}") }
}

fn unknown_key(name: &str, problems: &dyn Problems) -> Fault {
    let like = problems.ids().first().map_or("", ProblemId::as_str);
    let message = format!("there is no problem {name:?}; problems are called like {like:?}");
    Fault::new(FaultKind::UnknownProblem, message)
}

fn not_utf8() -> Fault {
    Fault::new(FaultKind::Malformed, "the line is not UTF-8")
}

/// All there is, or a byte more than is read.
fn read_whole(reader: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the next line into `bytes`; `false` at the end. What is too long for a line is dropped.
fn read_line(mut reader: &mut dyn BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let count = (&mut reader).take(LONGEST_LINE).read_until(b'\n', bytes)?;
    if count as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    Ok(count > 0)
}

/// The rank of every problem, by name; made when the first line asks for it.
type Ranks<'a> = OnceCell<HashMap<&'a ProblemId, usize>>;

fn parse_line<'a>(
    bytes: &[u8],
    problems: &'a dyn Problems,
    ranks: &Ranks<'a>,
) -> Result<Option<ParsedAnswer>, Fault> {
    let text = std::str::from_utf8(without_mark(bytes)).map_err(|_| not_utf8())?;
    if is_ours(text) { parse_ours(text, problems, ranks) } else { problems.parse_answer(text) }
}

/// Whether a line is a JSON object that names its problem as we do.
fn is_ours(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "problem")]
        _problem: serde::de::IgnoredAny,
    }

    text.trim_start().starts_with('{') && serde_json::from_str::<Named>(text).is_ok()
}

fn parse_ours<'a>(
    text: &str,
    problems: &'a dyn Problems,
    ranks: &Ranks<'a>,
) -> Result<Option<ParsedAnswer>, Fault> {
    let answer: Answer = serde_json::from_str(text).map_err(|error| {
        Fault::new(FaultKind::Malformed, format!("not an answer as `assay run` writes it: {error}"))
    })?;
    let ranks = ranks.get_or_init(|| problems.ids().iter().zip(0..).collect());
    let rank = ranks.get(&answer.problem).copied().ok_or_else(|| {
        let message = format!("{} is not among the chosen problems", answer.problem);
        Fault::new(FaultKind::UnknownProblem, message)
    })?;
    if matches!(&answer.response, Response::Lines(lines) if lines.is_empty()) {
        return Err(Fault::new(FaultKind::Malformed, "no line number").about(rank));
    }
    let key = SampleKey { rank, sample: answer.sample };
    Ok(Some(ParsedAnswer { key, response: answer.response }))
}
