//! How much a text makes a parser keep in mind at once.
//!
//! A parser keeps what it has not yet understood on a stack: brackets that are open, and the tokens
//! of a statement that has not ended. Where code can be read in two ways, as `a < b` can, giving up
//! on a stack costs the square of its depth in time and in memory, in one go that cannot be
//! interrupted: 100,000 times `a<` take more memory than a machine has. Programs that people write
//! keep the stack shallow, so a text that would not is told apart here, before it is parsed.

/// Upper estimate of the deepest stack: open brackets and tokens since the last separator.
pub(crate) fn load(text: &[u8]) -> usize {
    let mut scan = Scan::default();
    let mut at = 0;
    while at < text.len() {
        at = scan.token(text, at);
        scan.most = scan.most.max(scan.open + scan.angles + scan.tokens);
    }
    scan.most
}

#[derive(Default)]
struct Scan {
    /// Brackets that are open.
    open: usize,
    /// Angles that are open since the last statement began; most are comparisons.
    angles: usize,
    /// Tokens since the last separator.
    tokens: usize,
    most: usize,
}

impl Scan {
    /// Takes in the token at `at` and says where it ends.
    fn token(&mut self, text: &[u8], at: usize) -> usize {
        match text[at] {
            b'/' if text[at..].starts_with(b"//") => return skip_line(text, at),
            b'/' if text[at..].starts_with(b"/*") => return skip_comment(text, at),
            byte if byte.is_ascii_whitespace() => return at + 1,
            b'{' => {
                self.open += 1;
                self.separate();
            }
            b'}' => {
                self.open = self.open.saturating_sub(1);
                self.separate();
            }
            b';' => self.separate(),
            b',' => self.tokens = 0,
            b'(' | b'[' => self.open += 1,
            b')' | b']' => self.open = self.open.saturating_sub(1),
            b'<' => self.angles += 1,
            b'>' => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        self.tokens += 1;
        match text[at] {
            quote @ (b'"' | b'\'') => skip_literal(text, at, quote),
            byte if is_word(byte) => skip_word(text, at),
            _ => at + 1,
        }
    }

    fn separate(&mut self) {
        self.angles = 0;
        self.tokens = 0;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn skip_word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| is_word(byte)).count()
}

fn skip_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |feed| at + feed + 1)
}

fn skip_comment(text: &[u8], at: usize) -> usize {
    memchr::memmem::find(&text[at + 2..], b"*/").map_or(text.len(), |end| at + 2 + end + 2)
}

/// A literal ends at its quote, or at the end of the line.
fn skip_literal(text: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = text.get(end) {
        match byte {
            b'\\' => end += 2,
            b'\n' => return end,
            _ if byte == quote => return end + 1,
            _ => end += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: usize) {
        assert_eq!(load(text.as_bytes()), expected, "{text:?}");
    }

    #[test]
    fn brackets_and_tokens_count() {
        check("", 0);
        check("word", 1);
        check("a = b;", 3);
        check("((()))", 6);
        check("a<b<c<", 9);
        check("f(a, b, c, d)", 4);
        check("{{{}}}", 4);
    }

    #[test]
    fn what_ends_is_forgotten() {
        check(&"a < b;".repeat(1000), 5);
        check(&"{ a(); }".repeat(1000), 5);
        check(&"int[] a = {1, 2};\n".repeat(1000), 6);
    }

    #[test]
    fn comments_are_nothing_and_literals_are_one_token() {
        check("// ((((\n/* (((( */", 0);
        check("/* never (((( ended", 0);
        check(r#"f("(((\"(((", '(');"#, 4);
        check("\"never closed\nx", 2);
        check("\"\\", 1);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_load(text: Vec<u8>) {
            prop_assert!(load(&text) <= 2 * text.len());
        }
    }
}
