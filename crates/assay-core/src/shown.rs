//! Text from outside, made fit for a person to read.
//!
//! Names, answers and messages come from data and from programs. They may hold escape sequences that
//! a terminal obeys, line ends that fake other lines, and megabytes. Everything that is printed for
//! people goes through these functions; JSON keeps texts whole.

use std::borrow::Cow;

/// The most characters that are shown of a name.
const NAME: usize = 120;
/// The most characters that are shown of a line.
const LINE: usize = 1000;

/// A name, such as a problem's id: one line, escaped and shortened.
pub fn shown_name(text: &str) -> Cow<'_, str> {
    shown(text, NAME, is_plain)
}

/// A text as one line: line ends are escaped like other control characters.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    shown(text, LINE, is_plain)
}

/// At most so many lines of a text: line feeds and tabs stay.
pub fn shown_text(text: &str, most: usize) -> String {
    let mut shown_lines = String::new();
    let mut lines = text.split('\n');
    for (at, line) in lines.by_ref().take(most).enumerate() {
        if at > 0 {
            shown_lines.push('\n');
        }
        shown_lines += &shown(line, LINE, |letter| letter == '\t' || is_plain(letter));
    }
    let left = lines.count();
    if left > 0 {
        shown_lines += &format!("\n  … and {left} more lines");
    }
    shown_lines
}

/// Whether a terminal shows a character as itself, where it stands.
fn is_plain(letter: char) -> bool {
    let reorders = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let ends_line = matches!(letter, '\u{2028}' | '\u{2029}');
    !letter.is_control() && !reorders && !ends_line
}

/// At most so many characters of a text; what is not plain is escaped.
fn shown(text: &str, most: usize, plain: impl Fn(char) -> bool) -> Cow<'_, str> {
    // A text of few bytes has few characters, and most texts are plain.
    if text.len() <= most && text.chars().all(&plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut count = 0;
    for letter in text.chars() {
        let length = if plain(letter) { 1 } else { letter.escape_default().count() };
        if count + length > most {
            return Cow::Owned(format!("{shown}… ({} bytes)", text.len()));
        }
        count += length;
        if plain(letter) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_default());
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
