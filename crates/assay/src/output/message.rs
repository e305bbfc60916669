//! Messages for people on standard error, wrapped to its width.

use std::io::{self, Write};

use assay_core::shown_text;

use super::paint;
use super::terminal::Page;

/// The number of lines that are shown of a message.
const MAX_MESSAGE_LINES: usize = 200;
/// The words before a command that is to be copied: such a line is not wrapped.
const BEFORE_COMMAND: &str = " with: ";

/// Writes a message to standard error. A failure to write is ignored.
pub(crate) fn print_message(text: &str) {
    print_labelled("", "", text);
}

/// Writes a line that is not wrapped, such as one of the log.
pub(super) fn print_long_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", shown_text(text, MAX_MESSAGE_LINES));
}

/// Writes a message after `error:`, `hint:` or `warning:`. Further lines are indented, so that no
/// text can look like another label.
pub(super) fn print_after_label(word: &str, colour: &str, text: &str) {
    let text = text.replace("\n  ", "\n").replace('\n', "\n  ");
    print_labelled(&format!("{word} "), colour, &text);
}

fn print_labelled(label: &str, colour: &str, text: &str) {
    let text = shown_text(text, MAX_MESSAGE_LINES);
    let wrapped = wrap(Page::of_standard_error(), &format!("{label}{text}"));
    let word = label.trim_end();
    let rest = wrapped.strip_prefix(word).unwrap_or(&wrapped);
    let word = if word.is_empty() { String::new() } else { paint(word, colour) };
    let _ = writeln!(io::stderr().lock(), "{word}{rest}");
}

/// The lines of a message, wrapped between words. A line goes on indented by two more columns.
fn wrap(page: Page, text: &str) -> String {
    if page.is_unlimited() {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        if line.contains(BEFORE_COMMAND) {
            return line.to_owned();
        }
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let mut words = words_of(text);
        if let Some(first) = words.first_mut() {
            first.insert_str(0, &line[..indent]);
        }
        page.wrap_parts(&words, " ", indent + 2).trim_end_matches('\n').to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The words of a line; a command in backticks is one word, so that it can be copied.
fn words_of(line: &str) -> Vec<String> {
    let mut is_command = false;
    let words = line.split(|letter| {
        is_command ^= letter == '`';
        letter == ' ' && !is_command
    });
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_wrapped_between_words() {
        let page = Page { width: 40, colour: false };
        for (text, expected) in [
            (
                "warning: the locator inside assay was trained on these data",
                "warning: the locator inside assay was\n  trained on these data",
            ),
            (
                "error: 2 lines are wrong\n  out.txt:1: a program in Java, where Python is asked for",
                "error: 2 lines are wrong\n  out.txt:1: a program in Java, where\n    Python is asked for",
            ),
            (
                "hint: see `assay data verify a-long-path and-more words`",
                "hint: see\n  `assay data verify a-long-path and-more words`",
            ),
            (
                "go on with: assay score humaneval a-long-path and-more words",
                "go on with: assay score humaneval a-long-path and-more words",
            ),
            ("", ""),
            ("a\n\nb", "a\n\nb"),
            (
                "  1 a line that is exactly forty letters",
                "  1 a line that is exactly forty letters",
            ),
            (
                "  1 a line that has over forty characters",
                "  1 a line that has over forty\n    characters",
            ),
        ] {
            assert_eq!(wrap(page, text), expected);
            assert_eq!(wrap(Page { width: usize::MAX, colour: false }, text), text);
        }
    }
}
