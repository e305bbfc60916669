//! A minimal scanner for Python: finds the names that a text defines and uses.

use std::collections::BTreeSet;

/// A text as a Python literal: JSON's escapes are valid in Python.
pub(crate) fn python_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The functions and classes that a program defines at the top level.
pub(crate) fn names_defined(program: &str) -> BTreeSet<&str> {
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

/// The names that a text uses, without attributes.
pub(crate) fn names_used(text: &str) -> BTreeSet<&str> {
    words(text).into_iter().filter(|word| !word.is_attribute).map(|word| word.text).collect()
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
    fn names_are_used_outside_of_texts_and_not_as_attributes() {
        check(&names_used("assert f(a.b, 'g', 1e5) == [h]  # i"), &["a", "assert", "f", "h"]);
        check(&names_used(r"x('\'y') + '''z'' w''' . u"), &["x"]);
    }

    #[test]
    fn a_text_is_written_for_python() {
        assert_eq!(python_text("a\"\n\\é"), r#""a\"\n\\é""#);
    }

    proptest! {
        #[test]
        fn any_text_has_words(text in "(def|class|\"|'|\\\\|\n|#|é|\\.|[a ]){0,30}") {
            names_defined(&text);
            names_used(&text);
        }
    }
}
