//! The indentation of continuations: a chat often loses that of the first line, or of all lines.

use std::borrow::Cow;

use assay_core::Language;

use crate::fences::outdent;
use crate::{MAX_PARSED, is_valid};

/// The indentation of a function's body, if its prompt shows none.
const USUAL: usize = 4;

/// The rest of a function that the prompt begins. It is left as it is unless it is valid only with another indentation:
/// that of its first line, or of all its lines.
pub(crate) fn of_prompt<'a>(
    code: Cow<'a, str>,
    answer: &str,
    prompt: &str,
    language: Language,
) -> Cow<'a, str> {
    let is_short = code.len() + prompt.len() <= MAX_PARSED;
    match (language, body_indentation(prompt)) {
        (Language::Python, Some(wanted)) if is_short => match indented(&code, prompt, wanted) {
            Some(text) if prompt.ends_with('\n') => text.into(),
            Some(text) => format!("\n{text}").into(),
            None => on_its_own_line(code, answer, prompt),
        },
        _ => on_its_own_line(code, answer, prompt),
    }
}

/// Code that was cut out of an answer, to be appended to a prompt that may end within a line.
pub(crate) fn on_its_own_line<'a>(code: Cow<'a, str>, answer: &str, prompt: &str) -> Cow<'a, str> {
    let is_on_line = prompt.is_empty() || prompt.ends_with('\n') || code.starts_with('\n');
    if is_on_line || answer.starts_with(&*code) {
        return code;
    }
    format!("\n{code}").into()
}

/// The code with the indentation of the function's body, if it is valid only so.
fn indented(code: &str, prompt: &str, wanted: usize) -> Option<String> {
    let given = indentation(code.lines().find(|line| !line.trim().is_empty())?);
    let separator = if prompt.ends_with('\n') { "" } else { "\n" };
    let continues = |text: &str| is_valid(&format!("{prompt}{separator}{text}"), Language::Python);
    // A block of the prompt may go on at any of its levels; at the first column, a text is no part of the function.
    let is_level = || given > 0 && prompt.lines().any(|line| indentation(line) == given);
    if given == wanted || (is_level() && continues(code)) {
        return None;
    }
    let mended = if given == 0 && has_lost_first(code, wanted) {
        with_first_indented(code, wanted)?
    } else {
        shifted(code, wanted)
    };
    continues(&mended).then_some(mended)
}

/// The indentation of what follows the prompt, if the prompt begins a function.
fn body_indentation(prompt: &str) -> Option<usize> {
    let last = prompt.lines().rev().find(|line| !line.trim().is_empty())?;
    let opens = last.trim_end().ends_with(':');
    match indentation(last) {
        own if opens => Some(own + USUAL),
        0 => None,
        own => Some(own),
    }
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns true if only the first line lacks its indentation: the next one is further in than it could be otherwise.
fn has_lost_first(code: &str, wanted: usize) -> bool {
    let mut lines = code.lines().filter(|line| !line.trim().is_empty());
    let opens_block = lines.next().is_some_and(|first| first.trim_end().ends_with(':'));
    let next = lines.next().map_or(wanted + USUAL, indentation);
    next > if opens_block { wanted } else { 0 }
}

fn with_first_indented(code: &str, wanted: usize) -> Option<String> {
    let start = code.find(|c: char| !c.is_whitespace())?;
    let line_start = code[..start].rfind('\n').map_or(0, |at| at + 1);
    Some(format!("{}{}{}", &code[..line_start], " ".repeat(wanted), &code[start..]))
}

/// The text with all lines moved so that the least indented ones are where they should be.
fn shifted(code: &str, wanted: usize) -> String {
    let shared = code.lines().filter(|line| !line.trim().is_empty()).map(indentation).min();
    let indent = |line: &str| {
        if line.trim().is_empty() {
            line.to_owned()
        } else {
            format!("{}{line}", " ".repeat(wanted))
        }
    };
    outdent(code, shared.unwrap_or(0)).split_inclusive('\n').map(indent).collect()
}
