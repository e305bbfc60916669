//! A check that a Java program still parses when a part of it is replaced.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

use crate::Language;
use crate::outline::Outline;
use crate::work::Work;

/// A larger text is data, not a program.
const LARGEST: usize = 2 << 20;

/// A longer replacement is data too.
const LONGEST_REPLACEMENT: usize = 1 << 10;

/// The number of bytes of a text that are parsed at a time. Errors cost the more the more there are, so a text that
/// is no Java has to be given up early.
const PIECE: usize = 2 << 10;

/// The largest load: twice what programs need.
const HARDEST: usize = 1_000;

/// A text with more flaws is no Java; in published data, a file that has any has a dozen or two.
const MOST_FLAWS: usize = 64;

/// The budget of a text and all questions about it together, in steps.
///
/// A file of usual size takes fifty for itself and ten for each question.
const MOST_STEPS: u32 = 10_000;

/// The cost of a step after an error. To go on from an error the parser tries many ways, on a deep
/// stack a hundred times as many as usual.
const STEPS_AFTER_AN_ERROR: u32 = 50;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(parser());
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// A program that was parsed once, and can be asked about changes.
pub struct Checked<'a> {
    text: &'a [u8],
    load: usize,
    parsed: Option<Parsed>,
    work: Work,
}

struct Parsed {
    tree: Tree,
    flaws: usize,
}

impl<'a> Checked<'a> {
    /// Parses a program. Any bytes are one.
    pub fn new(text: &'a [u8]) -> Self {
        let mut work = Work::new(MOST_STEPS);
        let Outline { load, cuts } = Outline::new(text, Language::Java, PIECE);
        let easy = text.len() <= LARGEST && load <= HARDEST;
        let parsed = if easy { Parsed::new(text, &cuts, &mut work) } else { None };
        Self { text, load, parsed, work }
    }

    /// Returns whether the program parses at least as well as before when the bytes in `range` are
    /// replaced: it has no more places that are wrong or missing. So the question makes sense for
    /// a program that the grammar does not know to the end, too.
    ///
    /// What is too large or too costly to tell, or no Java at all, counts as yes; a range outside
    /// of the text as no.
    pub fn would_parse(&mut self, range: Range<usize>, replacement: &[u8]) -> bool {
        let Some(replaced) = self.text.get(range.clone()) else { return false };
        let Some(parsed) = &self.parsed else { return true };
        let size = self.text.len() - replaced.len() + replacement.len();
        let large = size > LARGEST || replacement.len() > LONGEST_REPLACEMENT;
        if large || self.load + Outline::new(replacement, Language::Java, PIECE).load > HARDEST {
            return true;
        }
        let patched = [&self.text[..range.start], replacement, &self.text[range.end..]].concat();
        let mut tree = parsed.tree.clone();
        tree.edit(&edit(self.text, &patched, range, replacement.len()));
        let errors = if parsed.flaws == 0 { Errors::EndIt } else { Errors::AreKept };
        match parse(&patched, Some(&tree), errors, &mut self.work) {
            Ok(tree) => {
                flaws(&tree, parsed.flaws, &mut self.work).is_none_or(|flaws| flaws <= parsed.flaws)
            }
            Err(Stop::Flawed) => false,
            Err(Stop::TooHard) => true,
        }
    }
}

impl Parsed {
    /// Parses a text piece by piece, and gives up where there are too many flaws.
    fn new(text: &[u8], cuts: &[usize], work: &mut Work) -> Option<Self> {
        let mut parsed: Option<Self> = None;
        let mut start = 0;
        for &end in cuts.iter().chain([&text.len()]) {
            let old = parsed.map(|Self { mut tree, .. }| {
                tree.edit(&edit(&text[..start], text, start..start, end - start));
                tree
            });
            let tree = parse(&text[..end], old.as_ref(), Errors::AreKept, work).ok()?;
            let flaws = flaws(&tree, MOST_FLAWS, work)?;
            if flaws > MOST_FLAWS {
                return None;
            }
            parsed = Some(Self { tree, flaws });
            start = end;
        }
        parsed
    }
}

/// Says that `range` of the text `old` became `length` bytes of the text `new`.
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
enum Errors {
    /// Go on: the whole tree is wanted.
    AreKept,
    /// Stop: that is all that was asked.
    EndIt,
}

/// Why there is no tree.
enum Stop {
    Flawed,
    TooHard,
}

/// The tree of a text.
fn parse(text: &[u8], old: Option<&Tree>, errors: Errors, work: &mut Work) -> Result<Tree, Stop> {
    PARSER.with_borrow_mut(|parser| {
        let parser = parser.as_mut().ok_or(Stop::TooHard)?;
        let mut stop = Stop::TooHard;
        let mut read = |at: usize, _: Point| text.get(at..).unwrap_or_default();
        let mut progress = |state: &ParseState| {
            let steps = match (state.has_error(), errors) {
                (false, _) => 1,
                (true, Errors::AreKept) => STEPS_AFTER_AN_ERROR,
                (true, Errors::EndIt) => {
                    stop = Stop::Flawed;
                    return ControlFlow::Break(());
                }
            };
            work.take(steps).map_or(ControlFlow::Break(()), ControlFlow::Continue)
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, old, Some(options));
        if tree.is_none() {
            // Or the next text would be taken for the rest of this one.
            parser.reset();
        }
        tree.ok_or(stop)
    })
}

/// Counts the nodes of a tree that are wrong or missing. Counting ends when there are more than `enough`;
/// there is no answer if it costs too much.
fn flaws(tree: &Tree, enough: usize, work: &mut Work) -> Option<usize> {
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

/// The row and column of a place in a text.
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
        let mut checked = Checked::new(program);
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
        // In line 8 the new line brings a flaw, and takes one away.
        check(&flawed, "        while (x > 0) {", &[5, 8]);
        check(&flawed, "        return x + 1;", &[1, 2, 6, 8, 11]);
    }

    #[test]
    fn more_than_a_line_can_be_replaced() {
        let mut checked = Checked::new(PROGRAM.as_bytes());
        assert!(checked.would_parse(0..PROGRAM.len(), b"class B {\n}\n"));
        assert!(!checked.would_parse(0..PROGRAM.len(), b"class B {\n"));
        assert!(checked.would_parse(0..0, b"// note\n\n"));
        assert!(!checked.would_parse(0..PROGRAM.len() + 1, b""), "there is no such part");
        let backwards = Range { start: 2, end: 1 };
        assert!(!checked.would_parse(backwards, b""), "there is no such part");
    }

    #[test]
    fn what_is_too_large_parses() {
        let large = " ".repeat(LARGEST + 1);
        assert!(Checked::new(large.as_bytes()).would_parse(0..1, b"}"));
        assert!(Checked::new(b"\n").would_parse(0..0, large.as_bytes()));
        let line = "x".repeat(10 << 20);
        assert!(Checked::new(line.as_bytes()).would_parse(0..line.len(), b"}"));
    }

    #[test]
    fn what_is_too_hard_parses() {
        let statements = format!("class A {{ {} }}", "int x = a < (b) ? c : d;\n".repeat(50_000));
        assert!(Checked::new(statements.as_bytes()).would_parse(0..9, b""), "too many steps");
        for part in ["(", "{", "[", "a<", "if(a)", "(a)->", "a?b:", "a[a<("] {
            let deep = part.repeat(100_000);
            assert!(Checked::new(deep.as_bytes()).would_parse(0..1, b"}"), "{part}");
            let mut checked = Checked::new(PROGRAM.as_bytes());
            assert!(checked.would_parse(0..1, deep.as_bytes()), "{part}");
        }
    }

    #[test]
    fn what_is_almost_too_hard_ends() {
        for part in ["(", "{", "a<", "a<b,", "if(a)", "(a)->", "(a)", "@a", "a.b", "a<a<(a,"] {
            let load = Outline::new(part.repeat(100).as_bytes(), Language::Java, PIECE).load;
            let most = HARDEST / load.div_ceil(100);
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
        Checked::new(hard.as_bytes());
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
            let mut work = Work::new(MOST_STEPS);
            let patched = patched.join("\n");
            let tree = parse(patched.as_bytes(), None, Errors::AreKept, &mut work);
            let found = replaceable(PROGRAM.as_bytes(), replacement.as_bytes());
            prop_assert_eq!(found.contains(&line), tree.is_ok_and(|tree| !tree.root_node().has_error()));
        }
    }
}
