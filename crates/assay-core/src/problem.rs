//! One item of a task, and which of them a run wants.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::{
    CodeQuestion, CodeReference, DigestOf, Error, Fingerprint, LineRule, Result, TextQuestion,
    TextReference, count_lines, shown_name, split_lines,
};

/// A problem's name, unique within its task, that never changes: `Dataset4/17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ProblemId(Arc<str>);

impl ProblemId {
    /// Tells this name from any other.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.as_bytes())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the problem is called that is the `nth` in its data to have this name, from the second on.
pub fn namesake(name: &str, nth: usize) -> String {
    format!("{name}#{nth}")
}

impl From<String> for ProblemId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for ProblemId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<ProblemId> for String {
    fn from(id: ProblemId) -> Self {
        id.0.as_ref().to_owned()
    }
}

impl Borrow<str> for ProblemId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The name as people read it, escaped and shortened: data can call a problem anything. The whole
/// name is [`ProblemId::as_str`].
impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_name(&self.0))
    }
}

/// One item of a task: what is asked, and what grading needs to know.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub rank: usize,
    /// What a solver sees.
    pub question: Question,
    /// What the grader sees. Small: a run keeps it in memory for problems that are being answered.
    pub reference: Reference,
}

/// One sample of one problem: the unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleKey {
    /// The problem's place in the task's order.
    pub rank: usize,
    /// Which sample, from 0.
    pub sample: u32,
}

/// A problem that cannot be used, and why. It is counted as excluded, in sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Its name.
    pub id: ProblemId,
    /// Its place in the task's order, from 0.
    pub rank: usize,
    /// What is wrong with it, naming the file.
    pub reason: String,
}

/// What is asked. One variant a kind of task.
#[derive(Debug, Clone)]
pub enum Question {
    /// Which line of a program does a given line replace?
    Line(LineQuestion),
    /// What is this program in another language?
    Text(TextQuestion),
    /// Which program does this?
    Code(CodeQuestion),
}

/// The kinds of questions. A task asks one; a solver can answer one or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// The answer is a line of a program.
    Line,
    /// The answer is a text.
    Text,
    /// The answer is a program.
    Code,
}

impl QuestionKind {
    /// Whether one solver may give several answers to the same question, of which each counts.
    pub fn takes_samples(self) -> bool {
        self == Self::Code
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Text => "text",
            Self::Code => "code",
        })
    }
}

/// What the right answer is. One variant a kind of task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The line that was replaced.
    Line(LineReference),
    /// Texts that are right.
    Text(TextReference),
    /// For a program.
    Code(CodeReference),
}

impl Question {
    /// Tells this question from any other.
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Line(question) => Fingerprint::of(question.text()),
            Self::Text(question) => Fingerprint::of(question.source.as_bytes()),
            Self::Code(question) => Fingerprint::of(question.prompt.as_bytes()),
        }
    }

    /// The question about a line; who is asked another kind was not checked against the task.
    pub fn line(&self) -> Result<&LineQuestion> {
        match self {
            Self::Line(question) => Ok(question),
            _ => Err(Error::failed("a question about a line was expected")),
        }
    }
}

impl Reference {
    /// Tells the right answer from any other.
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Line(LineReference { solution, .. }) => {
                Fingerprint::of(&solution.map_or(0, |line| line as u64).to_le_bytes())
            }
            Self::Text(TextReference { texts }) => {
                let mut all = DigestOf::new();
                for text in texts {
                    all.field(text.as_bytes());
                }
                Fingerprint::of(all.finish().as_bytes())
            }
            Self::Code(reference) => reference.fingerprint(),
        }
    }
}

/// CodRep's question: a line of code, and the program of which it replaces one line.
#[derive(Debug, Clone)]
pub struct LineQuestion {
    text: Vec<u8>,
    line_end: usize,
    program_at: usize,
    length: usize,
}

impl LineQuestion {
    /// Reads a task file: the new line, a line that is passed over, the program.
    ///
    /// Never fails. A text of fewer than three lines has an empty program.
    pub fn new(text: Vec<u8>, rule: LineRule) -> Self {
        let line_end = memchr(b'\n', &text).unwrap_or(text.len());
        let second = (line_end + 1).min(text.len());
        let program_at = memchr(b'\n', &text[second..]).map_or(text.len(), |at| second + at + 1);
        let length = match rule {
            LineRule::LineFeed => count_lines(&text[program_at..], rule),
            // The original counts the whole file's lines and takes two away, so a lone CR within
            // the new line counts too.
            LineRule::Universal => count_lines(&text, rule).saturating_sub(2),
        };
        Self { text, line_end, program_at, length }
    }

    /// The whole task file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The new line, as it stands in the file.
    pub fn line(&self) -> &[u8] {
        &self.text[..self.line_end]
    }

    /// The line between the new line and the program, which should be empty.
    pub fn separator(&self) -> &[u8] {
        let from = (self.line_end + 1).min(self.text.len());
        let part = &self.text[from..self.program_at];
        part.strip_suffix(b"\n").unwrap_or(part)
    }

    /// The program.
    pub fn program(&self) -> &[u8] {
        &self.text[self.program_at..]
    }

    /// The program's lines, split on LF.
    pub fn program_lines(&self) -> impl Iterator<Item = &[u8]> {
        split_lines(self.program())
    }

    /// Tells the change that replaced the line `solution` from other changes, by the old line and
    /// the new one without the white space around them. Small enough to be exact as an `f64`.
    pub fn change(&self, solution: usize) -> u64 {
        const EXACT: u128 = 1 << 52;
        let old = self.program_lines().nth(solution.saturating_sub(1)).unwrap_or_default();
        let change = [old.trim_ascii(), b"\n", self.line().trim_ascii()].concat();
        (Fingerprint::of(&change).as_number() % EXACT) as u64
    }

    /// How many lines the program has: the largest line number that may be answered.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// What grading a line answer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineReference {
    /// How many lines the program has; `None` where the program was not read.
    pub length: Option<usize>,
    /// The line that was replaced, counting from 1; `None` where it is hidden.
    pub solution: Option<usize>,
    /// Tells the change from others ([`LineQuestion::change`]); `None` where the program was not
    /// read or the solution is hidden.
    pub change: Option<u64>,
}

/// Which problems of a task are wanted, by rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    wanted: Vec<bool>,
    count: usize,
}

impl Selection {
    /// All of `total` problems.
    pub fn all(total: usize) -> Self {
        Self { wanted: vec![true; total], count: total }
    }

    /// Those of `total` problems for which `keep` says so.
    pub fn of(total: usize, keep: impl FnMut(usize) -> bool) -> Self {
        let wanted: Vec<bool> = (0..total).map(keep).collect();
        let count = wanted.iter().filter(|&&wanted| wanted).count();
        Self { wanted, count }
    }

    /// Whether the problem at `rank` is wanted.
    pub fn contains(&self, rank: usize) -> bool {
        self.wanted.get(rank).copied().unwrap_or(false)
    }

    /// How many are wanted.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is wanted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The wanted ranks, in order.
    pub fn ranks(&self) -> impl Iterator<Item = usize> {
        self.wanted.iter().enumerate().filter(|&(_, &wanted)| wanted).map(|(rank, _)| rank)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, line: &str, separator: &str, program: &str) {
        let question = LineQuestion::new(text.into(), LineRule::Universal);
        assert_eq!(question.line(), line.as_bytes(), "{text:?}");
        assert_eq!(question.separator(), separator.as_bytes(), "{text:?}");
        assert_eq!(question.program(), program.as_bytes(), "{text:?}");
    }

    #[test]
    fn splits_a_task_file() {
        check("", "", "", "");
        check("x", "x", "", "");
        check("x\n", "x", "", "");
        check("x\ny", "x", "y", "");
        check("x\n\n", "x", "", "");
        check("x\n\np\nq", "x", "", "p\nq");
        check("x\r\n\r\np\r\n", "x\r", "\r", "p\r\n");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_question(text: Vec<u8>) {
            let question = LineQuestion::new(text.clone(), LineRule::LineFeed);
            let program_lines = question.program_lines().count();
            prop_assert_eq!(program_lines, question.length());
            let universal = LineQuestion::new(text.clone(), LineRule::Universal);
            prop_assert!(universal.length() >= program_lines);
            prop_assert!(text.ends_with(question.program()));
            prop_assert!(text.starts_with(question.line()));
        }

        #[test]
        fn what_was_written_is_read(
            line in "[^\n]*",
            program in prop::collection::vec("[^\n]*", 1..20),
        ) {
            let text = format!("{line}\n\n{}\n", program.join("\n"));
            let question = LineQuestion::new(text.into_bytes(), LineRule::Universal);
            prop_assert_eq!(question.line(), line.as_bytes());
            prop_assert_eq!(question.separator(), b"");
            let read: Vec<&[u8]> = question.program_lines().collect();
            let written: Vec<&[u8]> = program.iter().map(String::as_bytes).collect();
            prop_assert_eq!(read, written);
        }
    }
}
