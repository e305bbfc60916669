//! The rule `def`: the entry points of a Python program and what they need.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use assay_core::ExpectedCode;
use assay_syntax::python::{names_used, statements};

/// A statement of the outermost level.
struct Statement<'a> {
    text: &'a str,
    /// The names that it binds.
    binds: BTreeSet<&'a str>,
    is_import: bool,
}

/// The imports of a program, the definitions of its entry points and, of the other statements, those that define what
/// they use. What only acts, such as a call or a test, is left out.
pub(crate) fn needed<'a>(code: Cow<'a, str>, expected: &ExpectedCode<'_>) -> Cow<'a, str> {
    let ranges = statements(&code);
    let statements: Vec<Statement<'_>> =
        ranges.iter().map(|range| read(&code[range.clone()])).collect();
    let kept = reached(&statements, &expected.entry_points);
    if kept.iter().all(|&kept| kept) && ranges.first().is_none_or(|first| first.start == 0) {
        return code;
    }
    let pieces = ranges.iter().zip(&kept).filter(|(_, kept)| **kept);
    pieces.map(|(range, _): (&Range<usize>, _)| &code[range.clone()]).collect::<String>().into()
}

/// Marks the statements that are kept. Each is looked at once for every name that it binds.
fn reached(statements: &[Statement<'_>], entry_points: &[&str]) -> Vec<bool> {
    let mut binders = std::collections::BTreeMap::<&str, Vec<usize>>::new();
    for (at, statement) in statements.iter().enumerate() {
        for name in &statement.binds {
            binders.entry(name).or_default().push(at);
        }
    }
    let mut kept: Vec<bool> = statements.iter().map(|statement| statement.is_import).collect();
    let mut waiting: Vec<&str> = entry_points.to_vec();
    while let Some(name) = waiting.pop() {
        for at in binders.remove(name).unwrap_or_default() {
            if !kept[at] {
                kept[at] = true;
                waiting.extend(names_used(statements[at].text));
            }
        }
    }
    kept
}

fn read(text: &str) -> Statement<'_> {
    let first = text.lines().find(|line| !line.starts_with('@')).unwrap_or_default();
    let is_import = first.starts_with("import ") || first.starts_with("from ");
    Statement { text, binds: bound_names(text, first), is_import }
}

/// The names that a statement binds: a definition's own, an assignment's targets, and those that a block such as `try`
/// binds on its lines. A call, or a check whether the module is the main one, binds none.
fn bound_names<'a>(text: &'a str, first: &'a str) -> BTreeSet<&'a str> {
    const BLOCKS: [&str; 5] = ["if", "try", "for", "while", "with"];
    let word = first_word(first);
    if let Some(name) = defined_name(first) {
        return [name].into();
    }
    if word == "if" && first.contains("__name__") {
        return BTreeSet::new();
    }
    if BLOCKS.contains(&word) {
        return text.lines().flat_map(|line| names_on(line.trim_start())).collect();
    }
    names_on(first).collect()
}

/// The names that a line binds.
fn names_on(line: &str) -> impl Iterator<Item = &str> {
    let imported = line.starts_with("import ") || line.starts_with("from ");
    let target = if imported { line } else { before_assignment(line) };
    let words = target.split(|c: char| c != '_' && !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).chain(defined_name(line))
}

/// The name that a line defines as a function or class.
fn defined_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "))?;
    Some(first_word(rest.trim_start())).filter(|name| !name.is_empty())
}

fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len())]
}

/// The text before the first assignment of a line; nothing if it has none.
fn before_assignment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let is_assignment = |&at: &usize| {
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        bytes[at] == b'='
            && bytes.get(at + 1) != Some(&b'=')
            && !matches!(before, b'=' | b'!' | b'<' | b'>')
    };
    let found = (0..bytes.len()).find(is_assignment);
    // A keyword argument of a call is no assignment.
    found.map(|at| &line[..at]).filter(|target| !target.contains('(')).unwrap_or_default()
}
