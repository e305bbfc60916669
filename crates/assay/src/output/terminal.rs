//! Text that fits a terminal: wrapped to its width, and without control characters.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use assay_core::shown_line;
use rustix::fd::AsFd;
use rustix::termios::tcgetwinsize;
use unicode_width::UnicodeWidthChar;

/// The width of a terminal that does not know its own, and the smallest width that is used.
const DEFAULT_WIDTH: usize = 80;
const NARROWEST: usize = 40;
/// The width of text that nobody looks at: nothing is wrapped, cut or left out.
const UNLIMITED: usize = usize::MAX;
/// The replacement of a tab.
const TAB: &str = "    ";

/// True if data is coloured; set once, when the arguments are known.
static COLOUR: AtomicBool = AtomicBool::new(false);

/// The width that the user asked for; 0 if there is none.
static COLUMNS: AtomicUsize = AtomicUsize::new(0);

/// Sets the width of all text, whatever the terminal's width is.
pub(super) fn set_columns(columns: usize) {
    COLUMNS.store(columns, Ordering::Relaxed);
}

/// Enables colour, if standard output is a terminal.
pub(super) fn set_colour(allowed: bool) {
    COLOUR.store(allowed && io::stdout().is_terminal(), Ordering::Relaxed);
}

/// The width and colours of text on standard output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) width: usize,
    pub(super) colour: bool,
}

impl Page {
    /// The page of results: as wide as `COLUMNS` says, else as the terminal; without a limit in a pipe or a file.
    pub(super) fn of_standard_output() -> Self {
        let width = match COLUMNS.load(Ordering::Relaxed) {
            0 if super::results_on_standard_error() => terminal_width(io::stderr()),
            0 => terminal_width(io::stdout()),
            columns => columns,
        };
        Self { width: width.max(NARROWEST), colour: COLOUR.load(Ordering::Relaxed) }
    }

    /// The page of messages: as wide as `COLUMNS` says, else as the terminal; without a limit in a pipe or a file.
    pub(super) fn of_standard_error() -> Self {
        let width = match COLUMNS.load(Ordering::Relaxed) {
            0 => terminal_width(io::stderr()),
            columns => columns,
        };
        Self { width: width.max(NARROWEST), colour: false }
    }

    /// Returns true if there is room for lines of any length.
    pub(super) fn is_unlimited(self) -> bool {
        self.width == UNLIMITED
    }

    /// Parts on one line, or on several if they do not fit; a part is never split.
    pub(super) fn wrap_parts(self, parts: &[String], between: &str, indent: usize) -> String {
        let mut text = String::new();
        let mut column = 0;
        for (place, part) in parts.iter().enumerate() {
            let wide = width(part);
            if place > 0 && column > indent && column + width(between) + wide > self.width {
                text += &format!("\n{}", " ".repeat(indent));
                column = indent;
            } else if place > 0 {
                text += between;
                column += width(between);
            }
            text += part;
            column += wide;
        }
        text + "\n"
    }

    /// The text in a colour, if colours are enabled.
    pub(super) fn paint(self, text: &str, code: &str) -> String {
        if self.colour && !text.is_empty() && !code.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A line of a file that begins at a column, cut at the page's width.
    pub(super) fn cut(self, line: &[u8], column: usize) -> String {
        let room = self.width.saturating_sub(column).max(1);
        // No character has more than four bytes; the rest cannot be visible.
        let enough = room.saturating_mul(4).saturating_add(4);
        let text = displayable(&line[..line.len().min(enough)]);
        if line.len() <= enough && width(&text) <= room {
            return text;
        }
        let mut used = 1;
        let fits = |letter: &char| {
            used += letter.width().unwrap_or_default();
            used <= room
        };
        text.chars().take_while(fits).chain(['…']).collect()
    }

    /// Pieces of code in their colours, wrapped after spaces where that is possible.
    pub(super) fn wrap_code(self, pieces: &[(String, &str)], indent: usize) -> String {
        let room = self.width - indent;
        let mut rows = vec![String::new()];
        let mut used = 0;
        for (text, code) in pieces {
            let mut run = String::new();
            for chunk in text.split_inclusive(' ') {
                let torn = width(chunk) > room;
                if used + width(chunk.trim_end()) > room && !torn {
                    end_row(&mut rows, &self.paint(&run, code), &mut used);
                    run.clear();
                }
                for letter in chunk.chars() {
                    let wide = letter.width().unwrap_or_default();
                    if torn && used + wide > room {
                        end_row(&mut rows, &self.paint(&run, code), &mut used);
                        run.clear();
                    }
                    run.push(letter);
                    used += wide;
                }
            }
            if let Some(row) = rows.last_mut() {
                row.push_str(&self.paint(&run, code));
            }
        }
        let indent = " ".repeat(indent);
        rows.iter().map(|row| format!("{}\n", format!("{indent}{row}").trim_end())).collect()
    }

    /// Words, wrapped between them; further lines are indented to the width of `start`.
    pub(super) fn wrap_words(self, start: &str, text: &str) -> String {
        let indent = width(start);
        let mut wrapped = start.to_owned();
        let mut column = indent;
        for word in text.split(' ') {
            let wide = width(word);
            if column > indent && column + 1 + wide > self.width {
                wrapped.push('\n');
                wrapped += &" ".repeat(indent);
                column = indent;
            } else if column > indent {
                wrapped.push(' ');
                column += 1;
            }
            wrapped += word;
            column += wide;
        }
        wrapped + "\n"
    }
}

/// Ends a row of wrapped text and starts the next.
fn end_row(rows: &mut Vec<String>, rest: &str, used: &mut usize) {
    if let Some(row) = rows.last_mut() {
        row.push_str(rest);
    }
    rows.push(String::new());
    *used = 0;
}

/// Bytes of a file as text: invalid bytes are shown as such, tabs become spaces.
pub(super) fn displayable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.trim_ascii_end()).replace('\t', TAB);
    shown_line(&text).into_owned()
}

/// The width of a terminal, or no limit where there is none.
fn terminal_width(output: impl IsTerminal + AsFd) -> usize {
    if !output.is_terminal() {
        return UNLIMITED;
    }
    match tcgetwinsize(output) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => DEFAULT_WIDTH,
    }
}

/// The number of columns that a text takes on a terminal.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or_default()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page { width: 20, colour: false };

    #[test]
    fn lines_are_cut_to_the_page() {
        assert_eq!(PAGE.cut(b"short\r", 4), "short");
        assert_eq!(PAGE.cut(b"0123456789abcdef", 4), "0123456789abcdef");
        assert_eq!(PAGE.cut(b"0123456789abcdefg", 4), "0123456789abcde…");
        assert_eq!(PAGE.cut(b"\tx\x1b[31m", 0), "    x\\u{1b}[31m");
        assert_eq!(PAGE.cut(b"\xff!", 0), "\u{fffd}!");
        assert_eq!(PAGE.cut("漢字漢字".as_bytes(), 13), "漢字漢…");
        assert_eq!(PAGE.cut(&vec![b'x'; 10_000_000], 10), "xxxxxxxxx…");
    }

    #[test]
    fn text_is_wrapped() {
        assert_eq!(
            PAGE.wrap_words("  +1 ", "the words of a reason"),
            "  +1 the words of a\n     reason\n"
        );
        let check = |pieces: &[(&str, &'static str)], plain: &str, coloured: &str| {
            let pieces: Vec<(String, &str)> =
                pieces.iter().map(|(text, code)| ((*text).to_owned(), *code)).collect();
            assert_eq!(PAGE.wrap_code(&pieces, 4), plain);
            assert_eq!(Page { colour: true, ..PAGE }.wrap_code(&pieces, 4), coloured);
        };
        check(
            &[("int a = ", ""), ("first + second", "31"), (";", "")],
            "    int a = first +\n    second;\n",
            "    int a = \x1b[31mfirst + \x1b[0m\n    \x1b[31msecond\x1b[0m;\n",
        );
        check(
            &[("0123456789abcdef0123", "")],
            "    0123456789abcdef\n    0123\n",
            "    0123456789abcdef\n    0123\n",
        );
        check(&[], "\n", "\n");
    }
}
