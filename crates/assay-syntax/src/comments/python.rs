//! Python without comments and docstrings, rebuilt from its tokens as in CodeBLEU's tools, which
//! use the tokenizer of Python 3.11.

use super::numbers::number;
use crate::space::without_blank_lines;

/// The text without comments and docstrings; `None` if Python's tokenizer rejects it.
pub(super) fn without_comments(text: &str) -> Option<String> {
    let mut rebuilt = Rebuilt::new(text.len());
    Tokenizer::new(text).run(&mut rebuilt)?;
    Some(without_blank_lines(&rebuilt.text))
}

/// The relevant kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    Text,
    Indent,
    LineEnd,
    Other,
}

/// A position: line and byte within it.
type Position = (usize, usize);

/// The text that is rebuilt, token by token.
struct Rebuilt {
    text: String,
    previous: Kind,
    line: usize,
    column: usize,
}

impl Rebuilt {
    fn new(size: usize) -> Self {
        Self { text: String::with_capacity(size), previous: Kind::Indent, line: 0, column: 0 }
    }

    fn take(&mut self, kind: Kind, token: &str, start: Position, end: Position) {
        if start.0 > self.line {
            self.column = 0;
        }
        for _ in self.column..start.1 {
            self.text.push(' ');
        }
        let dropped = match kind {
            Kind::Comment => true,
            // A string at the start of a statement is a docstring.
            Kind::Text => matches!(self.previous, Kind::Indent | Kind::LineEnd) || start.1 == 0,
            _ => false,
        };
        if !dropped {
            self.text.push_str(token);
        }
        self.previous = kind;
        (self.line, self.column) = end;
    }
}

struct Tokenizer<'a> {
    text: &'a str,
    /// The range from the start of this line to that of the next.
    line: std::ops::Range<usize>,
    last_line: std::ops::Range<usize>,
    number: usize,
    /// The number of open brackets; negative if more were closed than opened.
    brackets: i64,
    /// True if the last line ended with a backslash.
    continued: bool,
    indents: Vec<usize>,
    open_string: Option<OpenString>,
}

/// A string that continues on the next line.
struct OpenString {
    /// Its start in the whole text.
    at: usize,
    start: Position,
    quote: u8,
    triple: bool,
}

impl<'a> Tokenizer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            line: 0..0,
            last_line: 0..0,
            number: 0,
            brackets: 0,
            continued: false,
            indents: vec![0],
            open_string: None,
        }
    }

    fn run(&mut self, out: &mut Rebuilt) -> Option<()> {
        while self.next_line() {
            let mut at = self.line.start;
            if self.open_string.is_some() {
                match self.close_string(out) {
                    Some(end) => at = end,
                    None => continue,
                }
            } else if self.brackets == 0 && !self.continued {
                match self.start_statement(out)? {
                    Start::At(start) => at = start,
                    Start::Blank => continue,
                    Start::EndOfText => return Some(()),
                }
            } else {
                self.continued = false;
            }
            self.tokens(at, out);
        }
        if self.open_string.is_some() || self.brackets != 0 || self.continued {
            return None;
        }
        self.end(out);
        Some(())
    }

    fn next_line(&mut self) -> bool {
        let start = self.line.end;
        self.last_line = self.line.clone();
        let rest = &self.text.as_bytes()[start..];
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        self.line = start..start + length;
        self.number += 1;
        length > 0
    }

    fn place(&self, at: usize) -> Position {
        (self.number, at - self.line.start)
    }

    fn emit(&self, kind: Kind, range: std::ops::Range<usize>, out: &mut Rebuilt) {
        let (start, end) = (self.place(range.start), self.place(range.end));
        out.take(kind, &self.text[range], start, end);
    }

    /// Ends the open string, if it ends on this line; returns its end.
    fn close_string(&mut self, out: &mut Rebuilt) -> Option<usize> {
        let OpenString { at, start, quote, triple } = *self.open_string.as_ref()?;
        let bytes = &self.text.as_bytes()[..self.line.end];
        if let Some(end) = text_end(bytes, self.line.start, quote, triple) {
            out.take(Kind::Text, &self.text[at..end], start, self.place(end));
            self.open_string = None;
            return Some(end);
        }
        let goes_on = bytes.ends_with(b"\\\n") || bytes.ends_with(b"\\\r\n");
        if !triple && !goes_on {
            out.take(Kind::Other, &self.text[at..self.line.end], start, self.place(self.line.end));
            self.open_string = None;
        }
        None
    }

    /// Writes the white space before the first token of a statement.
    fn start_statement(&mut self, out: &mut Rebuilt) -> Option<Start> {
        let bytes = self.text.as_bytes();
        let mut at = self.line.start;
        let mut column = 0;
        while at < self.line.end {
            match bytes[at] {
                b' ' => column += 1,
                b'\t' => column = (column / 8 + 1) * 8,
                b'\x0c' => column = 0,
                _ => break,
            }
            at += 1;
        }
        if at == self.line.end {
            return Some(Start::EndOfText);
        }
        if matches!(bytes[at], b'#' | b'\r' | b'\n') {
            if bytes[at] == b'#' {
                let comment = self.text[at..self.line.end].trim_end_matches(['\r', '\n']);
                let end = at + comment.len();
                self.emit(Kind::Comment, at..end, out);
                at = end;
            }
            self.emit(Kind::Other, at..self.line.end, out);
            return Some(Start::Blank);
        }
        self.indent(column, at, out)?;
        Some(Start::At(at))
    }

    fn indent(&mut self, column: usize, at: usize, out: &mut Rebuilt) -> Option<()> {
        let deepest = self.indents.last().copied().unwrap_or_default();
        if column > deepest {
            self.indents.push(column);
            self.emit(Kind::Indent, self.line.start..at, out);
        }
        if column < deepest && !self.indents.contains(&column) {
            return None;
        }
        while self.indents.last().is_some_and(|&indent| column < indent) {
            self.indents.pop();
            self.emit(Kind::Other, at..at, out);
        }
        Some(())
    }

    /// Writes the tokens from `at` to the end of the line.
    fn tokens(&mut self, mut at: usize, out: &mut Rebuilt) {
        let mut open_quotes = OpenQuotes::default();
        while at < self.line.end {
            let line = &self.text.as_bytes()[..self.line.end];
            let start = at + blanks(&line[at..]);
            match token(&self.text[start..self.line.end], &mut open_quotes) {
                Token::EndOfLine => return,
                Token::Nothing => {
                    // A single character that is not a token, including a blank before it.
                    let length = self.text[at..].chars().next().map_or(1, char::len_utf8);
                    self.emit(Kind::Other, at..at + length, out);
                    at += length;
                }
                Token::Opens { prefix, quote, triple } => {
                    let inner = start + prefix + 3;
                    let end = if triple { text_end(line, inner, quote, true) } else { None };
                    let Some(end) = end else {
                        let place = self.place(start);
                        self.open_string =
                            Some(OpenString { at: start, start: place, quote, triple });
                        return;
                    };
                    self.emit(Kind::Text, start..end, out);
                    at = end;
                }
                Token::Continues(length) => {
                    self.continued = true;
                    at = start + length;
                }
                Token::Is { kind, length } => {
                    match line[start] {
                        b'(' | b'[' | b'{' => self.brackets += 1,
                        b')' | b']' | b'}' => self.brackets -= 1,
                        _ => {}
                    }
                    let inside = kind == Kind::LineEnd && self.brackets > 0;
                    let kind = if inside { Kind::Other } else { kind };
                    self.emit(kind, start..start + length, out);
                    at = start + length;
                }
            }
        }
    }

    /// Writes the end of the last line, if nothing else marks it.
    fn end(&self, out: &mut Rebuilt) {
        let last = &self.text[self.last_line.clone()];
        let comment = crate::space::trim(last).starts_with('#');
        if !last.is_empty() && !last.ends_with(['\r', '\n']) && !comment {
            let line = self.number - 1;
            out.take(Kind::LineEnd, "", (line, last.len()), (line, last.len() + 1));
        }
    }
}

enum Start {
    At(usize),
    Blank,
    EndOfText,
}

enum Token {
    EndOfLine,
    Nothing,
    /// A string that may not end on this line; its quotes follow a prefix.
    Opens {
        prefix: usize,
        quote: u8,
        triple: bool,
    },
    /// A backslash that joins this line with the next.
    Continues(usize),
    Is {
        kind: Kind,
        length: usize,
    },
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count()
}

/// The unterminated quotes of a line. A quote after an unterminated one is escaped there, so it is
/// not terminated either, and the rest of the line need not be scanned again.
#[derive(Default)]
struct OpenQuotes([bool; 2]);

impl OpenQuotes {
    fn find(&mut self, rest: &[u8], quote: u8) -> StringRest {
        let open = &mut self.0[usize::from(quote == b'"')];
        if *open {
            return StringRest::Open;
        }
        let found = string_rest(rest, quote);
        *open = matches!(found, StringRest::Open);
        found
    }
}

/// The next token of a line.
fn token(text: &str, open_quotes: &mut OpenQuotes) -> Token {
    let rest = text.as_bytes();
    let is = |kind, length| Token::Is { kind, length };
    match rest {
        [] => return Token::EndOfLine,
        [b'\\', b'\n', ..] => return Token::Continues(2),
        [b'\\', b'\r', b'\n', ..] => return Token::Continues(3),
        [b'\n', ..] => return is(Kind::LineEnd, 1),
        [b'\r', b'\n', ..] => return is(Kind::LineEnd, 2),
        [b'#', ..] => {
            let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            return is(Kind::Comment, length.unwrap_or(rest.len()));
        }
        _ => {}
    }
    let prefix = text_prefix(rest);
    if let Some(&quote @ (b'\'' | b'"')) = rest.get(prefix) {
        if rest[prefix..].starts_with(&[quote; 3]) {
            return Token::Opens { prefix, quote, triple: true };
        }
        match open_quotes.find(&rest[prefix + 1..], quote) {
            StringRest::Ends(length) => return is(Kind::Text, prefix + 1 + length),
            StringRest::GoesOn => return Token::Opens { prefix, quote, triple: false },
            StringRest::Open if prefix == 0 => return Token::Nothing,
            StringRest::Open => {}
        }
    }
    match plain_token(text) {
        0 => Token::Nothing,
        length => is(Kind::Other, length),
    }
}

/// The length of the number, operator or name at the start of a line's rest.
fn plain_token(text: &str) -> usize {
    let rest = text.as_bytes();
    // Most tokens are names, and nothing else starts with a letter.
    if rest.first().is_some_and(u8::is_ascii_alphabetic) {
        return word(text);
    }
    match (number(rest), operator_length(rest)) {
        (0, 0) => word(text),
        (0, length) => length,
        (number, _) => number,
    }
}

/// The number of characters before a quote that belong to the string: `b`, `r`, `u`, `f`, `br`,
/// `fr`.
fn text_prefix(rest: &[u8]) -> usize {
    let lower = |at: usize| rest.get(at).map(u8::to_ascii_lowercase);
    let quoted = |at: usize| matches!(rest.get(at), Some(b'\'' | b'"'));
    match (lower(0), lower(1)) {
        (Some(b'b' | b'r' | b'u' | b'f'), _) if quoted(1) => 1,
        (Some(b'b' | b'f'), Some(b'r')) | (Some(b'r'), Some(b'b' | b'f')) if quoted(2) => 2,
        _ => 0,
    }
}

/// The rest of a string in single quotes on its line.
enum StringRest {
    /// It is closed after this many bytes.
    Ends(usize),
    /// A backslash continues it on the next line.
    GoesOn,
    /// The line ends before it is closed.
    Open,
}

fn string_rest(rest: &[u8], quote: u8) -> StringRest {
    let mut at = 0;
    loop {
        match rest.get(at..).unwrap_or_default() {
            [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] => return StringRest::GoesOn,
            [b'\\', _, ..] => at += 2,
            [] | [b'\n' | b'\\', ..] => return StringRest::Open,
            [byte, ..] if *byte == quote => return StringRest::Ends(at + 1),
            _ => at += 1,
        }
    }
}

/// Finds the end of a string that is open at `from`.
fn text_end(bytes: &[u8], from: usize, quote: u8, triple: bool) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at..)? {
            [] => return None,
            [b'\\', ..] => at += 2,
            rest if !triple && rest[0] == quote => return Some(at + 1),
            rest if triple && rest.starts_with(&[quote; 3]) => return Some(at + 3),
            _ => at += 1,
        }
    }
}

/// The length of the operator or bracket at the start of `rest`. The boundary between adjacent ones
/// does not matter: they are written unchanged.
fn operator_length(rest: &[u8]) -> usize {
    match rest {
        [b'!', b'=', ..] => 2,
        [
            b'%' | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b'-' | b'.' | b'/' | b':' | b';'
            | b'<' | b'=' | b'>' | b'@' | b'[' | b']' | b'^' | b'{' | b'|' | b'}' | b'~',
            ..,
        ] => 1,
        _ => 0,
    }
}

/// The length of the name at the start of `text`.
fn word(text: &str) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let plain = text.bytes().take_while(is_plain).count();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let rest = &text[plain..];
    plain + rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(without_comments(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn comments_and_docstrings_go() {
        check(
            "def f(x):\n    \"\"\"Says\n    so.\"\"\"\n    # why\n    return x  # how\n",
            Some("def f(x):\n    return x  "),
        );
        check("x = 'a # b'  # c", Some("x = 'a # b'  "));
        check("'module'\nx = 1", Some("x = 1"));
        check("if a:\n\tb\nelse:\n\tc", Some("if a:\n\tb\nelse:\n\tc"));
        check("a = b + \\\n    c", Some("a = b +    c"));
        check("f(a,\n\n  'b')", Some("f(a,\n  'b')"));
        check("x = '''a\n\nb'''", Some("x = '''a\nb'''"));
        check("x = 'abc", Some("x = 'abc"));
        check("x = rb'a' + f\"b\"", Some("x = rb'a' + f\"b\""));
        check("x = 'a\\\nb'", Some("x = 'a\\\nb'"));
        check("", Some(""));
        check("x ? y", Some("x ? y"));
        check("1if x else 2", Some("1if x else 2"));
    }

    #[test]
    fn what_python_gives_up_stays() {
        check("f(a", None);
        check("f)", None);
        check("x = '''a", None);
        check("if a:\n    b\n  c", None);
        check("x = \\", Some("x = \\"));
        check("x = \\\n", None);
    }

    #[test]
    fn long_lines_cost_no_square() {
        for line in [format!("x = '{}", "\\'".repeat(200_000)), "é ".repeat(200_000)] {
            assert_eq!(without_comments(&line).map(|text| text.len()), Some(line.len()));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "[ab1'\"#\\\\\n\t (){}é.]{0,40}") {
            without_comments(&text);
        }
    }
}
