//! A check that a Java program still parses when a part of it is replaced.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

use crate::Language;
use crate::outline::Outline;
use crate::work::Budget;

/// The maximum size of a text; a larger one is data, not a program.
const MAX_TEXT_BYTES: usize = 2 << 20;

/// The maximum length of a replacement; a longer one is data too.
const MAX_REPLACEMENT_BYTES: usize = 1 << 10;

/// The number of bytes of a text that are parsed at a time. The cost of errors grows with their
/// number, so a text that is not Java has to be rejected early.
const PIECE: usize = 2 << 10;

/// The maximum load: twice the load of real programs.
const MAX_LOAD: usize = 1_000;

/// The maximum number of flaws; a text with more is not Java. In published data, a file that has
/// any has a dozen or two.
const MAX_FLAWS: usize = 64;

/// The total budget for a text and all queries about it, in steps.
///
/// A file of usual size takes fifty steps itself and ten for each query.
const MAX_STEPS: u32 = 10_000;

/// The cost of a step after an error. To recover from an error the parser tries many alternatives,
/// on a deep stack a hundred times as many as usual.
const STEPS_AFTER_AN_ERROR: u32 = 50;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(parser());
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// A program that is parsed once, and then checked with changes.
pub struct CheckedProgram<'a> {
    text: &'a [u8],
    load: usize,
    parsed: Option<Parsed>,
    work: Budget,
}

struct Parsed {
    tree: Tree,
    flaws: usize,
}

impl<'a> CheckedProgram<'a> {
    /// Parses a program, which may be any bytes.
    pub fn new(text: &'a [u8]) -> Self {
        let mut work = Budget::new(MAX_STEPS);
        let Outline { load, cuts } = Outline::new(text, Language::Java, PIECE);
        let easy = text.len() <= MAX_TEXT_BYTES && load <= MAX_LOAD;
        let parsed = if easy { Parsed::new(text, &cuts, &mut work) } else { None };
        Self { text, load, parsed, work }
    }

    /// Returns whether the program parses at least as well as before if the bytes in `range` are
    /// replaced: it has no more wrong or missing nodes. So this is also meaningful for a program
    /// that the grammar does not fully support.
    ///
    /// The result is true for a text that is too large or too costly to check, or not Java at all;
    /// it is false for a range outside of the text.
    pub fn would_parse(&mut self, range: Range<usize>, replacement: &[u8]) -> bool {
        let Some(replaced) = self.text.get(range.clone()) else { return false };
        let Some(parsed) = &self.parsed else { return true };
        let size = self.text.len() - replaced.len() + replacement.len();
        let large = size > MAX_TEXT_BYTES || replacement.len() > MAX_REPLACEMENT_BYTES;
        if large || self.load + Outline::new(replacement, Language::Java, PIECE).load > MAX_LOAD {
            return true;
        }
        let patched = [&self.text[..range.start], replacement, &self.text[range.end..]].concat();
        let mut tree = parsed.tree.clone();
        tree.edit(&edit(self.text, &patched, range, replacement.len()));
        let errors = if parsed.flaws == 0 { OnError::Stop } else { OnError::Continue };
        match parse(&patched, Some(&tree), errors, &mut self.work) {
            Ok(tree) => {
                flaws(&tree, parsed.flaws, &mut self.work).is_none_or(|flaws| flaws <= parsed.flaws)
            }
            Err(ParseFailure::Flawed) => false,
            Err(ParseFailure::TooHard) => true,
        }
    }
}

impl Parsed {
    /// Parses a text piece by piece, and gives up if there are too many flaws.
    fn new(text: &[u8], cuts: &[usize], work: &mut Budget) -> Option<Self> {
        let mut parsed: Option<Self> = None;
        let mut start = 0;
        for &end in cuts.iter().chain([&text.len()]) {
            let old = parsed.map(|Self { mut tree, .. }| {
                tree.edit(&edit(&text[..start], text, start..start, end - start));
                tree
            });
            let tree = parse(&text[..end], old.as_ref(), OnError::Continue, work).ok()?;
            let flaws = flaws(&tree, MAX_FLAWS, work)?;
            if flaws > MAX_FLAWS {
                return None;
            }
            parsed = Some(Self { tree, flaws });
            start = end;
        }
        parsed
    }
}

/// Describes the replacement of `range` in the text `old` by `length` bytes of the text `new`.
fn edit(old: &[u8], new: &[u8], range: Range<usize>, length: usize) -> InputEdit {
    let new_end = range.start + length;
    InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: new_end,
        start_position: point(old, range.start),
        old_end_position: point(old, range.end),
        new_end_position: point(new, new_end),
    }
}

/// The treatment of a text that cannot be parsed without an error.
#[derive(Clone, Copy)]
enum OnError {
    /// Continue: the whole tree is needed.
    Continue,
    /// Stop: the result is known.
    Stop,
}

/// The reason why there is no tree.
enum ParseFailure {
    Flawed,
    TooHard,
}

/// The tree of a text.
fn parse(
    text: &[u8],
    old: Option<&Tree>,
    errors: OnError,
    work: &mut Budget,
) -> Result<Tree, ParseFailure> {
    PARSER.with_borrow_mut(|parser| {
        let parser = parser.as_mut().ok_or(ParseFailure::TooHard)?;
        let mut stop = ParseFailure::TooHard;
        let mut read = |at: usize, _: Point| text.get(at..).unwrap_or_default();
        let mut progress = |state: &ParseState| {
            let steps = match (state.has_error(), errors) {
                (false, _) => 1,
                (true, OnError::Continue) => STEPS_AFTER_AN_ERROR,
                (true, OnError::Stop) => {
                    stop = ParseFailure::Flawed;
                    return ControlFlow::Break(());
                }
            };
            work.take(steps).map_or(ControlFlow::Break(()), ControlFlow::Continue)
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, old, Some(options));
        if tree.is_none() {
            // Otherwise the next text would be taken as the rest of this one.
            parser.reset();
        }
        tree.ok_or(stop)
    })
}

/// Counts the wrong or missing nodes of a tree, and stops when there are more than `enough`; `None`
/// if it costs too much.
fn flaws(tree: &Tree, enough: usize, work: &mut Budget) -> Option<usize> {
    let root = tree.root_node();
    if !root.has_error() || enough == 0 {
        return Some(usize::from(root.has_error()));
    }
    let mut count = 0;
    let mut cursor = root.walk();
    loop {
        work.node()?;
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if count > enough {
            return Some(count);
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(count);
            }
        }
    }
}

/// The row and column of a position in a text.
fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let start = memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    Point::new(memchr_iter(b'\n', before).count(), at - start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROGRAM: &str = "\
package a;

class A {
    int f(int x) {
        if (x > 0) {
            return x;
        }
        return -x;
    }
}
";

    /// Returns the lines, counted from 1, that may be replaced.
    fn replaceable(program: &[u8], replacement: &[u8]) -> Vec<usize> {
        let mut checked = CheckedProgram::new(program);
        let mut lines = Vec::new();
        let mut start = 0;
        for (at, line) in program.split(|&byte| byte == b'\n').enumerate() {
            if checked.would_parse(start..start + line.len(), replacement) {
                lines.push(at + 1);
            }
            start += line.len() + 1;
        }
        lines
    }

    fn check(program: &str, replacement: &str, expected: &[usize]) {
        let found = replaceable(program.as_bytes(), replacement.as_bytes());
        assert_eq!(found, expected, "{replacement:?} in {program:?}");
    }

    #[test]
    fn a_line_that_opens_or_closes_cannot_be_any_other() {
        check(PROGRAM, "        return x + 1;", &[1, 2, 6, 8, 11]);
        check(PROGRAM, "        while (x > 0) {", &[5]);
        check(PROGRAM, "    }", &[7, 9, 10]);
    }

    #[test]
    fn line_ends_do_not_matter() {
        let windows = PROGRAM.replace('\n', "\r\n");
        check(&windows, "        while (x > 0) {\r", &[5]);
        check(&windows, "        while (x > 0) {", &[5]);
    }

    #[test]
    fn a_program_with_flaws_may_keep_them() {
        let flawed = PROGRAM.replace("return -x;", "return -;");
        // On line 8 the new line adds a flaw, and removes one.
        check(&flawed, "        while (x > 0) {", &[5, 8]);
        check(&flawed, "        return x + 1;", &[1, 2, 6, 8, 11]);
    }

    #[test]
    fn more_than_a_line_can_be_replaced() {
        let mut checked = CheckedProgram::new(PROGRAM.as_bytes());
        assert!(checked.would_parse(0..PROGRAM.len(), b"class B {\n}\n"));
        assert!(!checked.would_parse(0..PROGRAM.len(), b"class B {\n"));
        assert!(checked.would_parse(0..0, b"// note\n\n"));
        assert!(!checked.would_parse(0..PROGRAM.len() + 1, b""), "there is no such part");
        let backwards = Range { start: 2, end: 1 };
        assert!(!checked.would_parse(backwards, b""), "there is no such part");
    }

    #[test]
    fn what_is_too_large_parses() {
        let large = " ".repeat(MAX_TEXT_BYTES + 1);
        assert!(CheckedProgram::new(large.as_bytes()).would_parse(0..1, b"}"));
        assert!(CheckedProgram::new(b"\n").would_parse(0..0, large.as_bytes()));
        let line = "x".repeat(10 << 20);
        assert!(CheckedProgram::new(line.as_bytes()).would_parse(0..line.len(), b"}"));
    }

    #[test]
    fn what_is_too_hard_parses() {
        let statements = format!("class A {{ {} }}", "int x = a < (b) ? c : d;\n".repeat(50_000));
        assert!(
            CheckedProgram::new(statements.as_bytes()).would_parse(0..9, b""),
            "too many steps"
        );
        for part in ["(", "{", "[", "a<", "if(a)", "(a)->", "a?b:", "a[a<("] {
            let deep = part.repeat(100_000);
            assert!(CheckedProgram::new(deep.as_bytes()).would_parse(0..1, b"}"), "{part}");
            let mut checked = CheckedProgram::new(PROGRAM.as_bytes());
            assert!(checked.would_parse(0..1, deep.as_bytes()), "{part}");
        }
    }

    #[test]
    fn what_is_almost_too_hard_ends() {
        for part in ["(", "{", "a<", "a<b,", "if(a)", "(a)->", "(a)", "@a", "a.b", "a<a<(a,"] {
            let load = Outline::new(part.repeat(100).as_bytes(), Language::Java, PIECE).load;
            let most = MAX_LOAD / load.div_ceil(100);
            let deep = part.repeat(most - 1);
            replaceable(deep.as_bytes(), b"x;");
        }
        for part in
            ["}", "if(a<b){}else ", "a<a<a<a<;", "class ) ( } int ; { = x \" ", "\0;", "&&int }+:&"]
        {
            replaceable(part.repeat(5_000).as_bytes(), b"x;");
        }
    }

    #[test]
    fn the_parser_is_whole_after_a_text_that_was_too_hard() {
        let hard = "int x = a < (b) ? c : d;\n".repeat(50_000);
        CheckedProgram::new(hard.as_bytes());
        check(PROGRAM, "        while (x > 0) {", &[5]);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_asked_about(text: Vec<u8>, replacement: Vec<u8>) {
            let lines = replaceable(&text, &replacement);
            prop_assert_eq!(lines, replaceable(&text, &replacement), "always the same");
        }

        #[test]
        fn parsing_anew_what_changed_is_parsing_all(
            line in 1usize..=10,
            replacement in "[a-c(){};=<> ]{0,12}",
        ) {
            let lines: Vec<&str> = PROGRAM.lines().collect();
            let mut patched = lines.clone();
            patched[line - 1] = &replacement;
            let mut work = Budget::new(MAX_STEPS);
            let patched = patched.join("\n");
            let tree = parse(patched.as_bytes(), None, OnError::Continue, &mut work);
            let found = replaceable(PROGRAM.as_bytes(), replacement.as_bytes());
            prop_assert_eq!(found.contains(&line), tree.is_ok_and(|tree| !tree.root_node().has_error()));
        }
    }
}
