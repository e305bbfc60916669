//! The details of a failure: the call, the expected value, the value that came, and the lines of the candidate that an
//! exception came from. Nothing here decides a verdict.

use assay_core::{Ending, Evidence};
use serde_json::Value;

use crate::message::Report;

/// The number of characters that are kept of a detail, and of a line of the candidate.
const MAX_DETAIL: usize = 2000;
const MAX_LINE: usize = 200;
/// The number of lines of a traceback.
const MAX_FRAMES: usize = 6;

/// The details of a failure.
#[derive(Debug, Default)]
pub(super) struct Details {
    call: Option<String>,
    expected: Option<String>,
    got: Option<String>,
    traceback: Option<String>,
}

impl Details {
    /// The details in an outcome. Values are only taken from tests: a candidate could invent them.
    pub(super) fn new(outcome: Option<&Value>, program: &str, from_tests: bool) -> Self {
        let Some(outcome) = outcome else { return Self::default() };
        let text = |key: &str| {
            let text = outcome.get(key).filter(|_| from_tests).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(|text| beginning(text, MAX_DETAIL))
        };
        Self {
            call: text("call"),
            expected: text("expected"),
            got: text("got"),
            traceback: outcome.get("frames").and_then(|frames| traceback(frames, program)),
        }
    }

    /// The report with those details that explain its ending.
    pub(super) fn added_to(self, report: Report) -> Report {
        let Self { call, expected, got, traceback } = self;
        let (call, expected, got, traceback) = match &report.ending {
            Ending::WrongAnswer { .. } => (call, expected, got, None),
            Ending::Exception { .. } => (call, None, None, traceback),
            Ending::Passed | Ending::SyntaxError { .. } | Ending::SandboxError { .. } => {
                return report;
            }
            _ => (call, None, None, None),
        };
        let evidence = Evidence { call, expected, got, traceback, ..report.evidence };
        Report { evidence, ..report }
    }
}

/// The first characters of a text.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The lines of a program that an exception came through, the innermost last, as an interpreter prints them.
fn traceback(frames: &Value, program: &str) -> Option<String> {
    let lines: Vec<&str> = program.split('\n').collect();
    let shown = frames.as_array()?.iter().take(MAX_FRAMES).filter_map(|frame| {
        let line = usize::try_from(frame.get(0)?.as_u64()?).ok()?;
        let function = beginning(frame.get(1)?.as_str()?, MAX_LINE);
        let text = lines.get(line.checked_sub(1)?)?.trim();
        Some(format!("line {line}, in {function}\n  {}", beginning(text, MAX_LINE)))
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(ending: Ending) -> Report {
        Report::new(ending, Evidence::default())
    }

    #[test]
    fn details_come_from_tests_alone_and_are_bounded() {
        let outcome = json!({ "call": "f(1)", "expected": "2", "got": "x".repeat(1 << 20) });
        let wrong = || report(Ending::WrongAnswer { message: String::new() });
        let evidence = Details::new(Some(&outcome), "", true).added_to(wrong()).evidence;
        assert_eq!(
            (evidence.call.as_deref(), evidence.expected.as_deref()),
            (Some("f(1)"), Some("2"))
        );
        assert_eq!(evidence.got.map(|got| got.chars().count()), Some(MAX_DETAIL + 1));
        let forged = Details::new(Some(&outcome), "", false).added_to(wrong()).evidence;
        assert_eq!((forged.call, forged.expected, forged.got), (None, None, None));
    }

    #[test]
    fn a_traceback_has_the_lines_of_the_program() {
        let outcome = json!({ "frames": [[3, "<module>"], [2, "f"], [99, "g"], ["x"], [0, "h"]] });
        let ending =
            Ending::Exception { class: "E".to_owned(), message: String::new(), line: Some(2) };
        let details = Details::new(Some(&outcome), "def f():\n    return 1 / 0\nf()\n", true);
        let trace = details.added_to(report(ending)).evidence.traceback;
        let expected = "line 3, in <module>\n  f()\nline 2, in f\n  return 1 / 0";
        assert_eq!(trace.as_deref(), Some(expected));
    }
}
