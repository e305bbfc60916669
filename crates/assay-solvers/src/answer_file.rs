//! Files of answers made elsewhere, in the field's form or in ours.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{BufRead, Read};

use assay_core::{
    Answer, Digest, DigestOf, Error, Fault, FaultKind, ParsedAnswer, ProblemId, Problems, Response,
    Result,
};

/// The longest line that is read; a longer one is no answer.
const LONGEST_LINE: u64 = 16 << 20;

/// How many refused lines are shown.
const SHOWN: usize = 20;

/// The answers of a file, in the order of the problems, and the lines that were refused.
#[derive(Debug)]
pub struct AnswerFile {
    /// For each problem by rank, its answer and the line that it stands on.
    pub answers: Vec<Option<(u64, Response)>>,
    /// What is wrong with the other lines, in the file's order.
    pub faults: Vec<LineFault>,
    /// The hash of the file.
    pub digest: Digest,
}

/// What is wrong with one line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFault {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

impl AnswerFile {
    /// Reads answers to `problems`. What cannot be read is kept as a fault; only an error of the
    /// reader itself ends the reading.
    pub fn read(reader: &mut dyn BufRead, problems: &dyn Problems) -> Result<Self> {
        let ranks = Ranks::new();
        let answers = vec![None; problems.ids().len()];
        let mut file = Self { answers, faults: Vec::new(), digest: Digest::of(b"") };
        let mut text = DigestOf::new();
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let count = reader
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut bytes)
                .map_err(|error| Error::failed("failed to read the answers").because(error))?;
            if count == 0 {
                break;
            }
            text.field(&bytes);
            match parse_line(&bytes, problems, &ranks) {
                Ok(None) => {}
                Ok(Some(parsed)) => file.add(line, parsed, problems),
                Err(fault) => file.faults.push(LineFault { line, fault }),
            }
        }
        file.digest = text.finish();
        Ok(file)
    }

    fn add(&mut self, line: u64, parsed: ParsedAnswer, problems: &dyn Problems) {
        let ParsedAnswer { rank, response } = parsed;
        if let Some((first, _)) = &self.answers[rank] {
            let id = &problems.ids()[rank];
            let message = format!("a second answer to {id}; the first is on line {first}");
            let fault = Fault::new(FaultKind::Duplicate, message).about(rank);
            self.faults.push(LineFault { line, fault });
        } else {
            self.answers[rank] = Some((line, response));
        }
    }
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
    if !text.trim_start().starts_with('{') {
        return problems.parse_answer(text);
    }
    let answer: Answer = serde_json::from_str(text).map_err(|error| {
        Fault::new(FaultKind::Malformed, format!("not an answer as `assay run` writes it: {error}"))
    })?;
    let ranks = ranks.get_or_init(|| problems.ids().iter().zip(0..).collect());
    let rank = ranks.get(&answer.problem).copied().ok_or_else(|| {
        let message = format!("{} is not among the chosen problems", answer.problem);
        Fault::new(FaultKind::UnknownProblem, message)
    })?;
    match answer.response {
        Response::Lines(lines) if lines.is_empty() => {
            Err(Fault::new(FaultKind::Malformed, "no line number").about(rank))
        }
        response => Ok(Some(ParsedAnswer { rank, response })),
    }
}

/// Refuses a file for the faults in it, the first of which are shown.
pub fn refuse(name: &str, mut faults: Vec<LineFault>) -> Error {
    faults.sort_by_key(|fault| fault.line);
    let count = faults.len();
    let lines = if count == 1 { "1 line" } else { &format!("{count} lines") };
    let mut message = format!("{lines} of {name} cannot be accepted");
    let shown = faults.iter().take(SHOWN);
    message.extend(
        shown.map(|LineFault { line, fault }| format!("\n  {name}:{line}: {}", fault.message)),
    );
    if count > SHOWN {
        message += &format!("\n  … and {} more", count - SHOWN);
    }
    Error::refused(message).hint(hint(&faults))
}

fn hint(faults: &[LineFault]) -> &'static str {
    let only = |kind| faults.iter().all(|line| line.fault.kind == kind);
    if only(FaultKind::Duplicate) {
        "each problem takes one line; several guesses go on the same line, best first"
    } else if only(FaultKind::UnknownProblem) {
        "name the dataset that the answers are for with --data"
    } else if only(FaultKind::NoSolution) {
        "the dataset is incomplete: `assay data verify PATH` names every such file"
    } else {
        "nothing was scored; mend these lines, or leave them out: a missing answer costs as much as a wrong one"
    }
}
