//! Definitions of expected functions and classes.

use std::borrow::Cow;

use assay_core::{ExpectedCode, Language};
use assay_syntax::python::names_defined;

use crate::fences::outdent;

/// Returns true if code defines an entry point at its outermost level.
pub(crate) fn defines(code: &str, expected: &ExpectedCode<'_>) -> bool {
    count_defined(code, expected) > 0
}

/// The number of entry points that code defines at its outermost level; in Java, in any class.
pub(crate) fn count_defined(code: &str, expected: &ExpectedCode<'_>) -> usize {
    let names = expected.entry_points.iter();
    if expected.language != Language::Python {
        return names.filter(|name| has_function(code, name)).count();
    }
    let defined = names_defined(code);
    names.filter(|name| defined.contains(*name) || has_assignment(code, name)).count()
}

/// Code without the indentation that all its lines share, if it defines an entry point only so. The lines of a
/// continuation keep theirs.
pub(crate) fn outdented<'a>(code: Cow<'a, str>, expected: &ExpectedCode<'_>) -> Cow<'a, str> {
    let shared = shared_indentation(&code);
    if shared == 0 || expected.language != Language::Python {
        return code;
    }
    let shorter = outdent(&code, shared).into_owned();
    if defines(&shorter, expected) { shorter.into() } else { code }
}

/// The number of blanks at the start of every line that is not blank.
fn shared_indentation(code: &str) -> usize {
    let lines = code.lines().filter(|line| !line.trim().is_empty());
    let blanks =
        lines.map(|line| line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count());
    blanks.min().unwrap_or(0)
}

/// Returns true if a line assigns to a name at the outermost level of a Python program.
fn has_assignment(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        let rest = line.strip_prefix(name).map(str::trim_start);
        rest.and_then(|rest| rest.strip_prefix('=')).is_some_and(|rest| !rest.starts_with('='))
    })
}

/// Returns true if code in braces has a function of this name with a body.
fn has_function(code: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    code.match_indices(name).take(MAX_MENTIONS).any(|(at, _)| {
        let is_word =
            !code[..at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part);
        is_word && has_body(&code[at + name.len()..])
    })
}

fn is_part(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The maximum length of a function's header, and the maximum number of mentions of its name that are looked at.
const MAX_HEADER: usize = 2 << 10;
const MAX_MENTIONS: usize = 64;

/// Returns true if the text after a name is the rest of a function's header, up to its brace: `(int a) -> bool {`, or
/// `= (a) => {`.
fn has_body(rest: &str) -> bool {
    let rest = rest.trim_start();
    if let Some(value) = rest.strip_prefix('=') {
        let value = value.trim_start();
        let head = &value[..value.find(['\n', '{']).unwrap_or(value.len())];
        return value.starts_with("function") || value.starts_with("async") || head.contains("=>");
    }
    if !rest.starts_with(['(', '<']) {
        return false;
    }
    let mut depth = 0_usize;
    for byte in rest.bytes().take(MAX_HEADER) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' | b';' | b',' | b'=' | b'.' if depth == 0 => return false,
            b')' | b']' => depth -= 1,
            b'{' => return depth == 0,
            _ => {}
        }
    }
    false
}
