//! Comments from `//` to the end of the line and from `/*` to `*/`.

use std::borrow::Cow;

use memchr::memmem;

use crate::space::{is_blank, without_blank_lines};

/// Replaces each comment by a space and drops blank lines; text in quotes is kept.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    let mut scan = Scan { text, at: 0, open_block: false, open_quotes: [false; 2] };
    let mut kept = String::new();
    let mut copied = 0;
    while let Some(comment) = scan.next_comment() {
        kept.push_str(&text[copied..comment.start]);
        kept.push(' ');
        copied = comment.end;
    }
    if copied == 0 {
        return without_blanks(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(without_blank_lines(&kept))
}

fn without_blanks(text: &str) -> Cow<'_, str> {
    if text.split('\n').any(is_blank) {
        return Cow::Owned(without_blank_lines(text));
    }
    Cow::Borrowed(text)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// True if an unterminated block comment was found: no later one is terminated either.
    open_block: bool,
    /// The same for either quote. A quote after an unterminated one is escaped there, so it is not
    /// terminated either.
    open_quotes: [bool; 2],
}

impl Scan<'_> {
    fn next_comment(&mut self) -> Option<std::ops::Range<usize>> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            self.at += 1;
            match (byte, bytes.get(start + 1)) {
                (b'/', Some(b'/')) => {
                    let rest = &bytes[start..];
                    self.at = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    return Some(start..self.at);
                }
                (b'/', Some(b'*')) if !self.open_block => {
                    match memmem::find(&bytes[start + 2..], b"*/") {
                        Some(length) => {
                            self.at = start + 2 + length + 2;
                            return Some(start..self.at);
                        }
                        None => self.open_block = true,
                    }
                }
                (b'\'' | b'"', _) => self.skip_quoted(byte),
                _ => {}
            }
        }
        None
    }

    /// Skips text in quotes, if they are closed.
    fn skip_quoted(&mut self, quote: u8) {
        let open = &mut self.open_quotes[usize::from(quote == b'"')];
        if *open {
            return;
        }
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' if at + 1 < bytes.len() => at += 2,
                byte if byte == quote => {
                    self.at = at + 1;
                    return;
                }
                _ => at += 1,
            }
        }
        *open = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_comments(text), expected, "{text:?}");
    }

    #[test]
    fn comments_become_a_space() {
        check("a // b\nc", "a  \nc");
        check("a /* b\n c */ d", "a   d");
        check("s = \"// no\"; // yes", "s = \"// no\";  ");
        check("'/*' /* x */", "'/*'  ");
        check("a\n\n \t\nb\n", "a\nb");
        check("it's // left", "it's  ");
        check("'a\\'// b' // c", "'a\\'// b'  ");
        check("a /* b", "a /* b");
        check("\"a // b", "\"a  ");
        check("'\\'\\'", "'\\'\\'");
        check("/*/ a */ b", "  b");
        check("", "");
        check("// all", " ".trim());
    }

    proptest! {
        #[test]
        fn nothing_is_added(text in "[a/*'\"\\\\\n ]{0,40}") {
            prop_assert!(without_comments(&text).len() <= text.len() + 1);
        }
    }
}
