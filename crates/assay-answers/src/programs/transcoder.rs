//! TransCoder's lines: a problem's name, a bar, and a function as words between spaces, in which `NEW_LINE`, `INDENT` and
//! `DEDENT` stand for Python's layout, and `▁` for a space in a text.

use std::io::{self, BufRead};

use assay_core::{Digest, Fault, FaultKind, Place, Response, Result};

use super::line_text;
use crate::collector::Collector;
use crate::lines::{ProblemNames, each_line};
use crate::shape::Shape;

/// The marks between a name and its function.
const BARS: [&str; 2] = [" | ", "\t"];

/// Returns whether a file with this beginning has such lines.
pub(super) fn begins(head: &[u8], names: &ProblemNames<'_>) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let start = String::from_utf8_lossy(&line[..line.len().min(1024)]);
    split(&start).is_some_and(|(name, _)| names.any_spelling(name).is_ok())
}

pub(super) fn read(reader: &mut dyn BufRead, collector: &mut Collector<'_>) -> io::Result<Digest> {
    let names = ProblemNames::new(collector.problems);
    collector.note(Shape::TransCoder);
    each_line(reader, &mut |line, bytes| {
        let place = Place::line(line);
        if let Err(fault) = read_line(bytes, place, &names, collector) {
            collector.faults.add(place, fault);
        }
    })
}

fn read_line(
    bytes: &[u8],
    place: Place,
    names: &ProblemNames<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Fault> {
    let text = strip_ends(line_text(bytes)?);
    if text.trim().is_empty() {
        return Ok(());
    }
    let (name, function) = split(text).ok_or_else(|| {
        Fault::new(FaultKind::Malformed, "the line has no `NAME | function`, as the first one has")
    })?;
    let index = names.any_spelling(name).inspect_err(|fault| {
        collector.note_unknown(fault, name.to_owned());
    })?;
    collector.add_named(place, index, vec![Response::Program(program(function))], true);
    Ok(())
}

fn strip_ends(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// Splits a line into name and function.
fn split(line: &str) -> Option<(&str, &str)> {
    let cut = BARS.iter().filter_map(|bar| line.split_once(bar)).min_by_key(|(name, _)| name.len());
    cut.map(|(name, function)| (name.trim(), function)).filter(|(name, _)| !name.is_empty())
}

/// The program in a line: one that is given as words is put together again.
fn program(function: &str) -> String {
    let mut words = function.split(' ');
    if words.any(|word| matches!(word, "NEW_LINE" | "INDENT" | "DEDENT")) {
        put_together(function)
    } else {
        function.to_owned()
    }
}

/// The greatest indentation that is written, of which Python itself refuses the last level: a line that only indents
/// must not become a program of its square's size.
const MAX_DEPTH: usize = 101;

/// Puts a Python function together from its words.
fn put_together(function: &str) -> String {
    let (mut program, mut depth) = (String::new(), 0_usize);
    let mut line = Vec::new();
    for word in function.split(' ').filter(|word| !word.is_empty()) {
        match word {
            "INDENT" => depth = (depth + 1).min(MAX_DEPTH),
            "DEDENT" => depth = depth.saturating_sub(1),
            "NEW_LINE" => end_line(&mut program, depth, &mut line),
            word => line.push(word),
        }
    }
    end_line(&mut program, depth, &mut line);
    program
}

fn end_line(program: &mut String, depth: usize, words: &mut Vec<&str>) {
    if !words.is_empty() {
        program.push_str(&"    ".repeat(depth));
        program.push_str(&with_texts(&words.join(" ")));
        program.push('\n');
        words.clear();
    }
}

/// A line whose texts have their own spaces again: in `' a ▁ b '`, a mark is a space, and a space is between words.
fn with_texts(line: &str) -> String {
    let mut whole = String::with_capacity(line.len());
    let (mut quote, mut escaped) = (None, false);
    for letter in line.chars() {
        match quote {
            None => {
                quote = Some(letter).filter(|letter| matches!(letter, '"' | '\''));
                whole.push(letter);
            }
            Some(_) if letter == ' ' => {}
            Some(_) if letter == '▁' => {
                whole.push(' ');
                escaped = false;
            }
            Some(open) => {
                if letter == open && !escaped {
                    quote = None;
                }
                escaped = letter == '\\' && !escaped;
                whole.push(letter);
            }
        }
    }
    whole.replace("STRNEWLINE", "\\n").replace("TABSYMBOL", "\\t")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn functions_are_put_together() {
        let line = "def f ( a ) : NEW_LINE INDENT if a > 1 : NEW_LINE INDENT print ( \" a ▁ \\\" b \" , 'c' ) NEW_LINE \
            DEDENT DEDENT";
        let expected = "def f ( a ) :\n    if a > 1 :\n        print ( \"a \\\"b\" , 'c' )\n";
        assert_eq!(program(line), expected);
        let more = "def f ( ) : NEW_LINE INDENT for i in x : NEW_LINE INDENT y ( ) NEW_LINE DEDENT return 1 NEW_LINE DEDENT";
        assert_eq!(program(more), "def f ( ) :\n    for i in x :\n        y ( )\n    return 1\n");
        assert_eq!(program("def f(a): return a"), "def f(a): return a");
    }

    #[test]
    fn a_line_that_only_indents_stays_small() {
        let line = format!("def f ( ) : NEW_LINE {}", "INDENT a NEW_LINE ".repeat(10_000));
        assert!(program(&line).len() < 410 * 10_000);
    }

    proptest! {
        #[test]
        fn any_line_is_a_program(line in "((NEW_LINE|INDENT|DEDENT|'|\"|\\\\|▁|[a-z]{1,3}) ?){0,30}") {
            program(&line);
            split(&line);
        }
    }
}
