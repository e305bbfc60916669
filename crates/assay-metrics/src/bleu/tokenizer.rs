//! Splitting texts into tokens, as the packages that defined the BLEU variants do.
//!
//! Their rules are chains of regular expressions over the whole text. Each tokenizer here is one
//! pass that finds the same boundaries: the effect of a chain on a character depends only on its
//! neighbours and, where matches may not overlap, on whether its predecessor was split off.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};
use unicode_properties::{GeneralCategoryGroup as Group, UnicodeGeneralCategory};

use crate::python;

/// A way to split a text into tokens, none of which is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// Splits at white space, as Python's `split`.
    Whitespace,
    /// The rules of `mteval-v13a`: at punctuation, but not inside of numbers.
    V13a,
    /// The rules of `mteval-v14`: as 13a, for the punctuation and symbols of all scripts.
    International,
    /// Every character that is not white space.
    Characters,
    /// `CodeXGLUE`'s code-to-text evaluator, in lower case: runs of letters and digits, and single
    /// other characters. (Its files of rows end a text at a tab; whoever reads them has to do
    /// that.)
    CodeToText,
}

impl Tokenizer {
    /// Emits each token of the text, as bytes with a start and an end.
    pub(crate) fn split(self, text: &str, emit: impl FnMut(&[u8], usize, usize)) {
        match self {
            Self::Whitespace => split_whitespace(text.as_bytes(), emit),
            Self::V13a => split_13a(unescape_13a(text).as_bytes(), emit),
            Self::International => split_international(text, emit),
            Self::Characters => split_characters(text, emit),
            Self::CodeToText => split_code_to_text(text, emit),
        }
    }

    /// The tokens of a text.
    pub fn tokens(self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.split(text, |bytes, start, end| {
            tokens.push(String::from_utf8_lossy(&bytes[start..end]).into_owned());
        });
        tokens
    }
}

/// The classes of bytes that the tokenizers distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Space,
    /// A byte that may start a multi-byte white space character.
    PerhapsSpace,
    /// Punctuation that 13a always splits off.
    Symbol,
    Point,
    Dash,
}

/// The class of each byte.
const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = u8::MIN;
    loop {
        kinds[byte as usize] = match byte {
            b'\t'..=b'\r' | 0x1c..=b' ' => Kind::Space,
            0xc2 | 0xe1..=0xe3 => Kind::PerhapsSpace,
            b'!'..=b'&' | b'('..=b'+' | b'/' | b':'..=b'@' | b'['..=b'`' | b'{'..=b'~' => {
                Kind::Symbol
            }
            b'.' | b',' => Kind::Point,
            b'-' => Kind::Dash,
            _ => Kind::Other,
        };
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

/// Collects bytes into tokens.
struct Pieces<'t, F> {
    bytes: &'t [u8],
    /// The start of the current token.
    start: usize,
    emit: F,
}

impl<'t, F: FnMut(&[u8], usize, usize)> Pieces<'t, F> {
    fn new(bytes: &'t [u8], emit: F) -> Self {
        Self { bytes, start: 0, emit }
    }

    /// Ends the current token before `at`, and starts the next one at `next`.
    #[inline]
    fn break_at(&mut self, at: usize, next: usize) {
        if self.start < at {
            (self.emit)(self.bytes, self.start, at);
        }
        self.start = next;
    }

    /// Makes the bytes from `at` to `next` a separate token.
    #[inline]
    fn split_off(&mut self, at: usize, next: usize) {
        self.break_at(at, next);
        (self.emit)(self.bytes, at, next);
    }
}

fn split_whitespace(bytes: &[u8], emit: impl FnMut(&[u8], usize, usize)) {
    let mut pieces = Pieces::new(bytes, emit);
    let mut at = 0;
    while at < bytes.len() {
        let length = match KINDS[usize::from(bytes[at])] {
            Kind::Space => 1,
            Kind::PerhapsSpace => python::space_length(&bytes[at..]),
            _ => 0,
        };
        if length > 0 {
            pieces.break_at(at, at + length);
        }
        at += length.max(1);
    }
    pieces.break_at(bytes.len(), bytes.len());
}

/// Joins words that were hyphenated at the end of a line, and resolves escapes.
fn unescape_13a(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let clean = memchr2(b'\n', b'&', bytes).is_none()
        && (memchr(b'<', bytes).is_none() || memmem::find(bytes, b"<skipped>").is_none());
    if clean {
        return Cow::Borrowed(text);
    }
    // In this order, each over the whole text: one replacement may produce what the next one
    // replaces.
    let text = text.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    let entities = [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")];
    Cow::Owned(entities.iter().fold(text, |text, (from, to)| {
        if text.contains(from) { text.replace(from, to) } else { text }
    }))
}

fn split_13a(bytes: &[u8], emit: impl FnMut(&[u8], usize, usize)) {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let after_digit = |at: usize| at > 0 && is_digit(at - 1);
    let mut pieces = Pieces::new(bytes, emit);
    // The end of the last point that was split off because of what precedes it. The next point is
    // not split off for the same reason, because matches do not overlap.
    let mut taken = usize::MAX;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let kind = KINDS[usize::from(byte)];
        // Most bytes are of this class: a jump to one of many targets would be mispredicted at
        // every boundary.
        if kind == Kind::Other {
            at += 1;
            continue;
        }
        match kind {
            Kind::Other => {}
            Kind::Space => pieces.break_at(at, at + 1),
            Kind::Symbol => pieces.split_off(at, at + 1),
            Kind::Point => {
                let split = !after_digit(at) && taken != at;
                if split {
                    taken = at + 1;
                }
                if split || !is_digit(at + 1) {
                    pieces.split_off(at, at + 1);
                }
            }
            Kind::Dash => {
                if after_digit(at) {
                    pieces.split_off(at, at + 1);
                }
            }
            Kind::PerhapsSpace => {
                let length = python::space_length(&bytes[at..]);
                if length > 0 {
                    pieces.break_at(at, at + length);
                    at += length - 1;
                }
            }
        }
        at += 1;
    }
    pieces.break_at(bytes.len(), bytes.len());
}

fn split_international(text: &str, emit: impl FnMut(&[u8], usize, usize)) {
    let mut pieces = Pieces::new(text.as_bytes(), emit);
    // The start of a text does not count as a preceding character: nothing is split off because of
    // it.
    let mut after_number = true;
    let mut taken = false;
    let mut rest = text.chars();
    let mut at = 0;
    while let Some(character) = rest.next() {
        let next = text.len() - rest.as_str().len();
        let group = group(character);
        let mut split = false;
        match group {
            Group::Symbol => pieces.split_off(at, next),
            Group::Punctuation => {
                split = !after_number && !taken;
                if split || !rest.clone().next().is_none_or(is_number) {
                    pieces.split_off(at, next);
                }
            }
            _ if python::is_space(character) => pieces.break_at(at, next),
            _ => {}
        }
        after_number = group == Group::Number;
        taken = split;
        at = next;
    }
    pieces.break_at(text.len(), text.len());
}

fn is_number(character: char) -> bool {
    group(character) == Group::Number
}

/// The general category, without a search for common characters.
fn group(character: char) -> Group {
    match character {
        'a'..='z' | 'A'..='Z' => Group::Letter,
        '0'..='9' => Group::Number,
        _ => character.general_category_group(),
    }
}

fn split_characters(text: &str, mut emit: impl FnMut(&[u8], usize, usize)) {
    for (at, character) in text.char_indices() {
        if !python::is_space(character) {
            emit(text.as_bytes(), at, at + character.len_utf8());
        }
    }
}

/// The evaluator normalises twice. After the first round, the second one only splits off
/// underscores.
fn split_code_to_text(text: &str, emit: impl FnMut(&[u8], usize, usize)) {
    let text = text.to_lowercase();
    let mut pieces = Pieces::new(text.as_bytes(), emit);
    for (at, character) in text.char_indices() {
        let next = at + character.len_utf8();
        if python::is_space(character) {
            pieces.break_at(at, next);
        } else if !matches!(group(character), Group::Letter | Group::Number) {
            pieces.split_off(at, next);
        }
    }
    pieces.break_at(text.len(), text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tokenizer: Tokenizer, text: &str, expected: &str) {
        assert_eq!(tokenizer.tokens(text).join(" "), expected, "{tokenizer:?} {text:?}");
    }

    #[test]
    fn tokens_are_those_of_the_packages() {
        use Tokenizer::{Characters, CodeToText, International, V13a, Whitespace};
        check(Whitespace, " a\u{1c}b\u{3000}c.d ", "a b c.d");
        check(V13a, "x-1, y.2 3.14 &amp; 5-6", "x-1 , y . 2 3.14 & 5 - 6");
        check(V13a, "a..1 1.. ...", "a . .1 1 . . . . .");
        check(V13a, "foo-\nbar<skipped>baz a_b 'c'", "foobarbaz a _ b 'c'");
        check(V13a, "&amp;lt; &quot;", "< \"");
        check(International, "1,000.5, «a»1 x€y 2.", "1,000.5 , « a » 1 x € y 2.");
        check(International, ".a ..1 1.", ". a . .1 1.");
        check(Characters, "a b\u{301}\n", "a b \u{301}");
        check(CodeToText, "Get_It(x) é1 İ", "get _ it ( x ) é1 i \u{307}");
    }
}
