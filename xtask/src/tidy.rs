//! Checks that no compiler makes: the shape of the tree.

use std::fs;

use crate::Outcome;
use crate::shell::{output, root};

/// A module that is longer hides something; a test or a table may be.
const LONGEST_MODULE: usize = 600;

/// Checks every tracked file, and names all that is wrong.
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
    if lines > LONGEST_MODULE && !path.contains("/tests/") {
        report(lines, "the file is too long");
    }
}
