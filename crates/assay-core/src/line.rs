//! Questions about a line: which line of a file does a new line replace?

use memchr::memchr;

use crate::{Fingerprint, LineRule, count_lines, split_lines};

/// CodRep's question: a line of code, and the source file in which it replaces one line.
#[derive(Debug, Clone)]
pub struct LineQuestion {
    text: Vec<u8>,
    line_end: usize,
    program_at: usize,
    length: usize,
}

impl LineQuestion {
    /// Parses a task file: the new line, a separator line, the source file.
    ///
    /// Never fails. A text of fewer than three lines has an empty source file.
    pub fn new(text: Vec<u8>, rule: LineRule) -> Self {
        let line_end = memchr(b'\n', &text).unwrap_or(text.len());
        let second = (line_end + 1).min(text.len());
        let program_at = memchr(b'\n', &text[second..]).map_or(text.len(), |at| second + at + 1);
        let length = match rule {
            LineRule::LineFeed => count_lines(&text[program_at..], rule),
            // The original counts the lines of the whole task file and subtracts two, so a lone CR within the new line
            // counts too.
            LineRule::Universal => count_lines(&text, rule).saturating_sub(2),
        };
        Self { text, line_end, program_at, length }
    }

    /// The whole task file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The new line, as it is in the task file.
    pub fn line(&self) -> &[u8] {
        &self.text[..self.line_end]
    }

    /// The line between the new line and the source file, which should be empty.
    pub fn separator(&self) -> &[u8] {
        let from = (self.line_end + 1).min(self.text.len());
        let part = &self.text[from..self.program_at];
        part.strip_suffix(b"\n").unwrap_or(part)
    }

    /// The source file.
    pub fn program(&self) -> &[u8] {
        &self.text[self.program_at..]
    }

    /// The source file's lines, split on LF.
    pub fn program_lines(&self) -> impl Iterator<Item = &[u8]> {
        split_lines(self.program())
    }

    /// Identifies the change at line `solution` by the old and the new line, without surrounding white space. Records
    /// of format 1.0 hold these 52 bits.
    pub fn change(&self, solution: usize) -> u64 {
        const BITS: u128 = 1 << 52;
        let old = self.program_lines().nth(solution.saturating_sub(1)).unwrap_or_default();
        let change = [old.trim_ascii(), b"\n", self.line().trim_ascii()].concat();
        (Fingerprint::of(&change).as_number() % BITS) as u64
    }

    /// The number of lines of the source file, which is the largest valid answer.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// The fingerprint of a right line; all hidden ones have the same.
pub fn solution_fingerprint(solution: Option<usize>) -> Fingerprint {
    Fingerprint::of(&solution.map_or(0, |line| line as u64).to_le_bytes())
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
