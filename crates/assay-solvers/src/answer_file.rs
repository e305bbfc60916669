//! Files of answers made elsewhere, in the field's form or in ours.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

use assay_core::{
    Answer, Digest, DigestOf, Error, Fault, FaultKind, ParsedAnswer, ProblemId, Problems, Response,
    Result, SampleKey,
};
use serde::Deserialize;

/// The longest line that is read; a longer one is no answer.
const LONGEST_LINE: u64 = 16 << 20;

/// How many refused lines are shown.
const SHOWN: usize = 20;

/// The answers of a file, in the order of the problems, and the lines that were refused.
#[derive(Debug)]
pub struct AnswerFile {
    /// For each problem by rank, the first sample's answer and the line that it stands on.
    pub answers: Vec<Option<(u64, Response)>>,
    /// What is wrong with the other lines.
    pub faults: Faults,
    /// The hash of the file.
    pub digest: Digest,
}

impl AnswerFile {
    /// Reads answers to `problems`. What cannot be read is kept as a fault; only an error of the
    /// reader itself ends the reading.
    pub fn read(reader: &mut dyn BufRead, problems: &dyn Problems) -> Result<Self> {
        let ranks = Ranks::new();
        let answers = vec![None; problems.ids().len()];
        let mut file = Self { answers, faults: Faults::default(), digest: Digest::of(b"") };
        let mut text = DigestOf::new();
        let mut bytes = Vec::new();
        for line in 1.. {
            if !read_line(reader, &mut bytes)? {
                break;
            }
            text.field(&bytes);
            match parse_line(&bytes, problems, &ranks) {
                Ok(None) => {}
                Ok(Some(parsed)) => file.add(line, parsed, problems),
                Err(fault) => file.faults.add(line, fault),
            }
        }
        file.digest = text.finish();
        Ok(file)
    }

    fn add(&mut self, line: u64, parsed: ParsedAnswer, problems: &dyn Problems) {
        let ParsedAnswer { key: SampleKey { rank, sample }, response } = parsed;
        let id = &problems.ids()[rank];
        let fault = match &self.answers[rank] {
            _ if sample > 0 => {
                let message =
                    format!("sample {sample} of {id}: this task takes one answer a problem");
                Fault::new(FaultKind::Malformed, message)
            }
            Some((first, _)) => {
                let message = format!("a second answer to {id}; the first is on line {first}");
                Fault::new(FaultKind::Duplicate, message)
            }
            None => {
                self.answers[rank] = Some((line, response));
                return;
            }
        };
        self.faults.add(line, fault);
    }
}

/// Reads the next line into `bytes`; `false` at the end. What is too long for a line is dropped.
fn read_line(mut reader: &mut dyn BufRead, bytes: &mut Vec<u8>) -> Result<bool> {
    let failed = |error| Error::failed("failed to read the answers").because(error);
    bytes.clear();
    let count = (&mut reader).take(LONGEST_LINE).read_until(b'\n', bytes).map_err(failed)?;
    if count as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        reader.skip_until(b'\n').map_err(failed)?;
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
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Fault::new(FaultKind::Malformed, "the line is not UTF-8"))?;
    // A file saved by an editor that marks UTF-8 starts with that mark.
    let text = text.trim_start_matches('\u{feff}');
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

/// What is wrong with the lines of a file: the first few, and how many there are.
#[derive(Debug, Default)]
pub struct Faults {
    first: BTreeMap<u64, Fault>,
    count: usize,
    kind: Option<FaultKind>,
    mixed: bool,
}

impl Faults {
    /// Notes what is wrong with a line.
    pub fn add(&mut self, line: u64, fault: Fault) {
        self.count += 1;
        self.mixed |= self.kind.is_some_and(|kind| kind != fault.kind);
        self.kind = Some(fault.kind);
        self.first.entry(line).or_insert(fault);
        if self.first.len() > SHOWN {
            self.first.pop_last();
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many things are wrong.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Refuses the file called `name`.
    pub fn refuse(&self, name: &str) -> Error {
        let lines = if self.count == 1 { "1 line" } else { &format!("{} lines", self.count) };
        let mut message = format!("{lines} of {name} cannot be accepted");
        for (line, fault) in &self.first {
            message += &format!("\n  {name}:{line}: {}", fault.message);
        }
        if self.count > self.first.len() {
            message += &format!("\n  … and {} more", self.count - self.first.len());
        }
        Error::refused(message).hint(self.hint())
    }

    fn hint(&self) -> &'static str {
        match self.kind.filter(|_| !self.mixed) {
            Some(FaultKind::Duplicate) => {
                "each problem takes one line; several guesses go on the same line, best first"
            }
            Some(FaultKind::UnknownProblem) => {
                "name the dataset that the answers are for with --data"
            }
            Some(FaultKind::NoSolution) => {
                "the dataset is incomplete: `assay data verify PATH` names every such file"
            }
            _ => {
                "nothing was scored; mend these lines, or leave them out: a missing answer costs as \
                 much as a wrong one"
            }
        }
    }
}
