//! A minimal scanner for Python: finds the names that a text defines and uses, and its outermost statements. It takes
//! any text, valid or not, in linear time.

use std::collections::BTreeSet;
use std::ops::Range;

/// The functions and classes that a program defines at the top level.
pub fn names_defined(program: &str) -> BTreeSet<&str> {
    let words = words(program);
    let mut names = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let outermost = word.column == 0 || (at > 0 && words[at - 1].is("async", 0));
        if outermost && matches!(word.text, "def" | "class") {
            names.extend(words.get(at + 1).map(|name| name.text));
        }
    }
    names
}

/// The names that a program binds anywhere: functions, classes, imports, and the targets of simple assignments outside
/// of functions.
pub fn names_bound(program: &str) -> BTreeSet<&str> {
    let words = words(program);
    let mut names = BTreeSet::new();
    let mut import = None;
    for (at, word) in words.iter().enumerate() {
        let start = offset(word, program);
        let imported =
            import.as_mut().is_some_and(|import: &mut Import| import.reaches(program, start));
        if word.text == "import" {
            import = Some(Import { read: start + word.text.len(), is_in_parentheses: None });
            continue;
        }
        if !imported {
            import = None;
        }
        let defined = at > 0 && matches!(words[at - 1].text, "def" | "class");
        let assigned = word.column == 0 && is_assigned(&program[start + word.text.len()..]);
        if (imported || defined || assigned) && !word.is_attribute {
            names.insert(word.text);
        }
    }
    names
}

/// The position of a word in its program.
fn offset(word: &Word<'_>, program: &str) -> usize {
    word.text.as_ptr() as usize - program.as_ptr() as usize
}

/// An import statement that is read word by word, each part of it once.
struct Import {
    /// The end of what was read.
    read: usize,
    /// Whether its names are in parentheses, once that is known.
    is_in_parentheses: Option<bool>,
}

impl Import {
    /// Returns true if the statement has not ended before the word at `start`.
    fn reaches(&mut self, program: &str, start: usize) -> bool {
        let gap = &program[self.read..start];
        self.read = start;
        let opens = || gap.trim_start().starts_with('(');
        if *self.is_in_parentheses.get_or_insert_with(opens) {
            !gap.contains(')')
        } else {
            !gap.contains(['\n', ';'])
        }
    }
}

/// Returns true if a word with this text after it is the target of an assignment: `f = …`, `f: Callable = …`.
fn is_assigned(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    (after.starts_with('=') && !after.starts_with("==")) || after.starts_with(": ")
}

/// The names that a text uses, without attributes.
pub fn names_used(text: &str) -> BTreeSet<&str> {
    words(text).into_iter().filter(|word| !word.is_attribute).map(|word| word.text).collect()
}

/// The outermost statements of a program, each with its decorators and its blocks, up to the next one. A comment belongs
/// to the statement before it.
pub fn statements(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let (mut scan, mut at, mut decorated) = (LineScan::default(), 0, false);
    for line in text.split_inclusive('\n') {
        if scan.is_start(line) {
            if !decorated {
                starts.push(at);
            }
            decorated = line.starts_with('@');
        }
        scan.line(line);
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// A scan of a program line by line.
#[derive(Debug, Clone, Default)]
pub struct LineScan {
    /// The quote of the string that the last line left open: three of it end the string.
    quote: Option<u8>,
    /// The number of open brackets.
    depth: usize,
    /// True if the last line ends with a backslash.
    continued: bool,
}

impl LineScan {
    /// Returns true if the last line left a string in triple quotes open.
    pub fn is_in_string(&self) -> bool {
        self.quote.is_some()
    }

    /// Returns true if an outermost statement starts with this line. One that begins like a definition or an import is
    /// taken even if a bracket before it was not closed.
    fn is_start(&self, line: &str) -> bool {
        /// Clauses of the statement before.
        const CLAUSES: [&str; 4] = ["else", "elif", "except", "finally"];
        let is_open = self.depth > 0 || self.continued;
        let Some(first) = line.chars().next() else { return false };
        if self.is_in_string() || first.is_whitespace() || matches!(first, '#' | ')' | ']' | '}') {
            return false;
        }
        let word = &line[..end_of_word(line, 0)];
        if is_open { starts_definition(line) } else { !CLAUSES.contains(&word) }
    }

    /// Scans the next line.
    pub fn line(&mut self, line: &str) {
        let bytes = line.trim_end_matches(['\n', '\r']).as_bytes();
        if self.quote.is_none() && starts_definition(line) {
            self.depth = 0;
        }
        self.continued = false;
        let mut at = 0;
        while at < bytes.len() {
            at = match (self.quote, bytes[at]) {
                (Some(quote), _) => self.end_of_string(bytes, at, quote),
                (None, b'#') => return,
                (None, quote @ (b'"' | b'\'')) if bytes[at..].starts_with(&[quote; 3]) => {
                    self.quote = Some(quote);
                    at + 3
                }
                (None, quote @ (b'"' | b'\'')) => end_of_short_string(bytes, at, quote),
                (None, byte) => {
                    self.bracket(byte);
                    self.continued = byte == b'\\' && at + 1 == bytes.len();
                    at + 1
                }
            };
        }
    }

    /// The end of a string in triple quotes, or of the line.
    fn end_of_string(&mut self, bytes: &[u8], mut at: usize, quote: u8) -> usize {
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 2,
                byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => {
                    self.quote = None;
                    return at + 3;
                }
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Returns true if a line can only be the start of a definition or an import of the outermost level.
fn starts_definition(line: &str) -> bool {
    ["def ", "class ", "async def ", "import ", "@"].iter().any(|start| line.starts_with(start))
        || line.starts_with("from ") && line.contains(" import ")
}

/// The end of a string of one line: its quote, or the end of the line.
fn end_of_short_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A name or a keyword.
struct Word<'a> {
    text: &'a str,
    /// The number of bytes before it on its line.
    column: usize,
    is_attribute: bool,
}

impl Word<'_> {
    fn is(&self, text: &str, column: usize) -> bool {
        self.text == text && self.column == column
    }
}

/// The words of a text, without those in strings and comments.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let (mut at, mut line, mut dotted) = (0, 0, false);
    while let Some(first) = text[at..].chars().next() {
        let end = match first {
            '#' => at + text[at..].find('\n').unwrap_or(text.len() - at),
            '"' | '\'' => end_of_text(text, at, first),
            '_' => end_of_word(text, at),
            c if c.is_alphanumeric() => end_of_word(text, at),
            other => at + other.len_utf8(),
        };
        if first == '_' || first.is_alphabetic() {
            words.push(Word { text: &text[at..end], column: at - line, is_attribute: dotted });
        }
        line = text[at..end].rfind('\n').map_or(line, |feed| at + feed + 1);
        dotted = first == '.' || (dotted && first.is_whitespace());
        at = end;
    }
    words
}

fn end_of_word(text: &str, at: usize) -> usize {
    let ends = |c: char| c != '_' && !c.is_alphanumeric();
    text[at..].find(ends).map_or(text.len(), |length| at + length)
}

/// The end of the string whose first quote is at `at`. A backslash escapes the next character, in raw strings too.
fn end_of_text(text: &str, at: usize, quote: char) -> usize {
    let three = quote.to_string().repeat(3);
    let mark = if text[at..].starts_with(&three) { &three[..] } else { &three[..1] };
    let mut escaped = false;
    for (offset, c) in text[at..].char_indices().skip(mark.len()) {
        let here = at + offset;
        if escaped {
            escaped = false;
        } else if text[here..].starts_with(mark) {
            return here + mark.len();
        } else if c == '\n' && mark.len() == 1 {
            // An unterminated string of one line ends with the line.
            return here;
        } else {
            escaped = c == '\\';
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(names: &BTreeSet<&str>, expected: &[&str]) {
        assert_eq!(names.iter().copied().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn definitions_of_the_outermost_level_are_found() {
        let program = "import math\nclass Node:\n    def height(self): pass\n\
            def f(x):\n    def inner(): pass\n'''\ndef quoted(): pass\n'''\n# def comment():\n\
            async def g(): pass\n@cache\ndef h(): 'def no'\n";
        check(&names_defined(program), &["Node", "f", "g", "h"]);
        check(&names_defined("x = 1; y = 'def\ndef f(): 0"), &["f"]);
    }

    #[test]
    fn names_are_bound_by_definitions_imports_and_assignments() {
        let program = "import a.b, c as d\nfrom e import (f,\n    g as h)\ni = 1\nj: int = 2\nk == 3\n\
            def l(m):\n    n = 4\n    class O: pass\n# import p\nprint(q)\n";
        check(&names_bound(program), &["O", "a", "as", "c", "d", "f", "g", "h", "i", "j", "l"]);
        check(&names_bound("    import math\n    return add(1)\n"), &["math"]);
        // Read once: twice for each word would be read for hours.
        let long = format!("import ({}", "a, ".repeat(400_000));
        check(&names_bound(&long), &["a"]);
    }

    #[test]
    fn names_are_used_outside_of_texts_and_not_as_attributes() {
        check(&names_used("assert f(a.b, 'g', 1e5) == [h]  # i"), &["a", "assert", "f", "h"]);
        check(&names_used(r"x('\'y') + '''z'' w''' . u"), &["x"]);
    }

    fn check_statements(text: &str, expected: &[&str]) {
        let found: Vec<&str> = statements(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn outermost_statements_keep_their_blocks() {
        check_statements(
            "import a\n@b\n@c\ndef f():\n    x\n\n    y\n# about\nx = [\n1,\n]\n",
            &["import a\n", "@b\n@c\ndef f():\n    x\n\n    y\n# about\n", "x = [\n1,\n]\n"],
        );
        check_statements(
            "try:\n    a\nexcept E:\n    b\nelse:\n    c\nd\n",
            &["try:\n    a\nexcept E:\n    b\nelse:\n    c\n", "d\n"],
        );
        check_statements(
            "x = \"\"\"\ndef f(): 0\n\"\"\"\ny = 1 + \\\n2\nz",
            &["x = \"\"\"\ndef f(): 0\n\"\"\"\n", "y = 1 + \\\n2\n", "z"],
        );
    }

    #[test]
    fn prose_with_an_open_bracket_does_not_hide_a_definition() {
        check_statements(
            "It is (see below:\nand\ndef f(a):\n    0\n",
            &["It is (see below:\nand\n", "def f(a):\n    0\n"],
        );
    }

    proptest! {
        #[test]
        fn any_text_has_words(text in "(def|class|\"|'|\\\\|\n|#|é|\\.|[a ]){0,30}") {
            names_defined(&text);
            names_used(&text);
            let statements = statements(&text);
            prop_assert!(statements.windows(2).all(|pair| pair[0].end == pair[1].start));
            prop_assert!(statements.last().is_none_or(|last| last.end == text.len()));
        }
    }
}
