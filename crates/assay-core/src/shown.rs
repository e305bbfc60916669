//! Escaping and shortening of text from outside, before it is shown to a person.
//!
//! Names, answers and messages come from data and from programs. They may hold escape sequences that a terminal
//! interprets, line ends that fake other lines, and megabytes of text. Everything that is printed for people goes
//! through these functions; JSON keeps texts whole.

use std::borrow::Cow;

use crate::plural;

/// The maximum number of characters shown of a name.
const NAME: usize = 120;
/// The maximum number of characters shown of a line.
const LINE: usize = 1000;

/// Shows a name, such as a problem's id: one line, escaped and shortened.
pub fn shown_name(text: &str) -> Cow<'_, str> {
    shown(text, NAME, is_plain)
}

/// Shows a text as one line: line ends are escaped like other control characters.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    shown(text, LINE, is_plain)
}

/// Shows at most `most` lines of a text. Line feeds and tabs are kept.
pub fn shown_text(text: &str, most: usize) -> String {
    let mut shown_lines = String::new();
    let mut lines = text.split('\n');
    for (at, line) in lines.by_ref().take(most).enumerate() {
        if at > 0 {
            shown_lines.push('\n');
        }
        shown_lines += &shown(line, LINE, |character| character == '\t' || is_plain(character));
    }
    let left = lines.count();
    if left > 0 {
        shown_lines += &format!("\n  … and {left} more {}", plural(left, "line"));
    }
    shown_lines
}

/// Returns true if a terminal shows the character as itself.
fn is_plain(character: char) -> bool {
    let reorders = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_line = matches!(character, '\u{2028}' | '\u{2029}');
    !character.is_control() && !reorders && !ends_line
}

/// Shows at most `most` characters of a text; those that are not plain are escaped.
fn shown(text: &str, most: usize, plain: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Fast path: a text of few bytes has few characters, and most texts are plain.
    if text.len() <= most && text.chars().all(&plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut count = 0;
    for character in text.chars() {
        let length = if plain(character) { 1 } else { character.escape_default().count() };
        if count + length > most {
            return Cow::Owned(format!("{shown}… ({} bytes)", text.len()));
        }
        count += length;
        if plain(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(shown_name("HumanEval/0"), "HumanEval/0");
        assert_eq!(shown_name("a\x1b[2J\nb\tü"), "a\\u{1b}[2J\\nb\\tü");
        assert_eq!(shown_line("\u{202e}x\u{9b}31m\u{7f}"), "\\u{202e}x\\u{9b}31m\\u{7f}");
        assert_eq!(shown_text("a\n\tb\r\x07", 9), "a\n\tb\\r\\u{7}");
    }

    #[test]
    fn long_texts_are_shortened() {
        let long = "x".repeat(5 << 20);
        let name = shown_name(&long);
        assert!(name.starts_with("xxx") && name.ends_with("x… (5242880 bytes)"), "{name}");
        assert!(name.len() < 200 && shown_line(&long).len() < 1100);
        assert_eq!(shown_name(&"ü".repeat(120)), "ü".repeat(120));
        assert!(shown_name(&"\x1b".repeat(120)).chars().count() < 160);
        let lines = shown_text(&"y\n".repeat(100_000), 200);
        assert!(lines.ends_with("y\n  … and 99801 more lines"), "{lines}");
    }
}
