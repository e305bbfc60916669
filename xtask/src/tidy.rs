//! Checks of the source tree that the compiler does not make.

use std::fs;

use crate::Outcome;
use crate::shell::{output, root};

/// The maximum length of a module; tests and tables may be longer.
const MAX_MODULE_LINES: usize = 600;

/// Checks every tracked file, and lists all errors.
pub(crate) fn tidy() -> Outcome {
    let listed = output("git", &["ls-files", "--cached", "--others", "--exclude-standard"])
        .ok_or("xtask: git could not list the files")?;
    let mut wrong = Vec::new();
    for path in listed.lines() {
        if let Ok(text) = fs::read_to_string(root().join(path)) {
            check(path, &text, &mut wrong);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn check(path: &str, text: &str, wrong: &mut Vec<String>) {
    let mut report = |line: usize, what: &str| wrong.push(format!("{path}:{line}: {what}"));
    let samples = path.contains("/samples/");
    for (line, content) in text.lines().enumerate() {
        if content.ends_with([' ', '\t']) && !samples {
            report(line + 1, "space at the end of the line");
        }
    }
    if !path.ends_with(".rs") {
        return;
    }
    if !text.starts_with("//!") {
        report(1, "a file starts with `//!` and what it is for");
    }
    let lines = text.lines().count();
    if lines > MAX_MODULE_LINES && !path.contains("/tests/") {
        report(lines, "the file is too long");
    }
}
