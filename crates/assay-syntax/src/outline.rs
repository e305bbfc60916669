//! A scan of a text before it is parsed, for the cost of parsing and for positions at which it can
//! be cut.
//!
//! A parser keeps unfinished elements on a stack: open brackets, and the tokens of a statement that
//! has not ended. If code is ambiguous, as `a < b` is, giving up on a stack costs the square of its
//! depth in time and in memory, in one step that cannot be interrupted: 100,000 times `a<` need
//! more memory than a machine has. Programs that people write keep the stack shallow, so other
//! texts are detected here.

use crate::Language;

/// The outline of a text.
pub(crate) struct Outline {
    /// Upper bound for the deepest stack: open brackets and tokens since the last separator.
    pub(crate) load: usize,
    /// Positions outside of comments and literals, `piece` bytes apart or a little more.
    pub(crate) cuts: Vec<usize>,
}

impl Outline {
    pub(crate) fn new(text: &[u8], language: Language, piece: usize) -> Self {
        let mut outline = Self { load: 0, cuts: Vec::new() };
        let mut scan = Scan::new(language);
        let (mut at, mut next) = (0, piece);
        while at < text.len() {
            at = scan.token(text, at);
            outline.load = outline.load.max(scan.open.len() + scan.angles + scan.tokens);
            if at >= next && at < text.len() {
                outline.cuts.push(at);
                next = at + piece;
            }
        }
        outline
    }
}

/// The properties of a language's tokens that a scan needs.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy)]
struct TokenRules {
    slash_comments: bool,
    hash_comments: bool,
    /// True if the end of a line ends a statement, unless a bracket is open or the line is
    /// incomplete.
    lines_end_statements: bool,
    triple_quotes: bool,
    lifetimes: bool,
}

impl TokenRules {
    fn of(language: Language) -> Self {
        const C: TokenRules = TokenRules {
            slash_comments: true,
            hash_comments: false,
            lines_end_statements: false,
            triple_quotes: false,
            lifetimes: false,
        };
        const BY_LINES: TokenRules = TokenRules { lines_end_statements: true, ..C };
        const HASH: TokenRules =
            TokenRules { slash_comments: false, hash_comments: true, ..BY_LINES };
        match language {
            Language::Java | Language::C | Language::Cpp | Language::CSharp => C,
            Language::Rust => Self { lifetimes: true, ..C },
            Language::JavaScript | Language::TypeScript | Language::Go => BY_LINES,
            Language::Php => Self { hash_comments: true, ..BY_LINES },
            Language::Ruby => HASH,
            Language::Python => Self { triple_quotes: true, ..HASH },
        }
    }
}

struct Scan {
    lexis: TokenRules,
    /// The open brackets.
    open: Vec<u8>,
    /// The number of open angle brackets since the start of the last statement; most are
    /// comparisons.
    angles: usize,
    /// The number of tokens since the last separator.
    tokens: usize,
    /// True if no comment ends after this position.
    unclosed: bool,
    /// The last byte that is not white space.
    last: u8,
}

impl Scan {
    fn new(language: Language) -> Self {
        let lexis = TokenRules::of(language);
        Self { lexis, open: Vec::new(), angles: 0, tokens: 0, unclosed: false, last: 0 }
    }

    /// Reads the token at `at` and returns its end.
    fn token(&mut self, text: &[u8], at: usize) -> usize {
        match text[at] {
            b'#' if self.lexis.hash_comments => return skip_line(text, at),
            b'/' if self.lexis.slash_comments && text[at..].starts_with(b"//") => {
                return skip_line(text, at);
            }
            b'/' if self.lexis.slash_comments && text[at..].starts_with(b"/*") => {
                if let Some(end) = self.comment_end(text, at) {
                    return end;
                }
            }
            b'\n' if self.ends_a_statement() => {
                self.separate();
                return at + 1;
            }
            byte if byte.is_ascii_whitespace() => return at + 1,
            b'{' => {
                self.open.push(b'{');
                self.separate();
            }
            b'}' => {
                self.open.pop();
                self.separate();
            }
            b';' => self.separate(),
            // Inside angle brackets a type or the next argument may follow.
            b',' if self.angles == 0 && self.is_whole() => self.tokens = 0,
            bracket @ (b'(' | b'[') => self.open.push(bracket),
            b')' | b']' => {
                self.open.pop();
            }
            b'<' => self.angles += 1,
            b'>' => self.angles = self.angles.saturating_sub(1),
            _ => {}
        }
        self.tokens += 1;
        // An arrow is an operator, the end of a type is not.
        let arrow = text[at] == b'>' && matches!(self.last, b'=' | b'-');
        self.last = if arrow { b'=' } else { text[at] };
        match text[at] {
            quote @ (b'"' | b'\'') if self.is_long_literal(text, at) => {
                skip_long_literal(text, at, quote)
            }
            b'\'' if self.is_lifetime(text, at) => at + 1,
            quote @ (b'"' | b'\'') => skip_literal(text, at, quote),
            byte if is_word(byte) => skip_word(text, at),
            _ => at + 1,
        }
    }

    /// Returns whether the end of a line ends a statement here.
    fn ends_a_statement(&self) -> bool {
        let by_lines = self.lexis.lines_end_statements;
        by_lines && self.is_whole() && self.open.last().is_none_or(|&bracket| bracket == b'{')
    }

    fn is_long_literal(&self, text: &[u8], at: usize) -> bool {
        self.lexis.triple_quotes && text[at..].starts_with(&[text[at]; 3])
    }

    /// Returns whether a quote starts a lifetime, such as Rust's `'a`, and not a literal.
    fn is_lifetime(&self, text: &[u8], at: usize) -> bool {
        let is_letter = text.get(at + 1) == Some(&b'\\') || text.get(at + 2) == Some(&b'\'');
        self.lexis.lifetimes && !is_letter
    }

    /// Finds the end of a comment; `None` if it is never closed.
    fn comment_end(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if self.unclosed {
            return None;
        }
        let end = memchr::memmem::find(&text[at + 2..], b"*/");
        self.unclosed = end.is_none();
        end.map(|end| at + 2 + end + 2)
    }

    /// Returns whether the preceding text can be complete: an operator waits for its operand, and
    /// stays on the stack if that never comes.
    fn is_whole(&self) -> bool {
        is_word(self.last) || matches!(self.last, b')' | b']' | b'}' | b'>' | b'"' | b'\'' | b':')
    }

    /// Starts over after the preceding text, if it can be complete.
    fn separate(&mut self) {
        if self.is_whole() || matches!(self.last, b';' | b'{' | b',') {
            self.angles = 0;
            self.tokens = 0;
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn skip_word(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| is_word(byte)).count()
}

fn skip_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |feed| at + feed)
}

/// Skips a literal in triple quotes, which ends at triple quotes.
fn skip_long_literal(text: &[u8], at: usize, quote: u8) -> usize {
    let end = memchr::memmem::find(&text[at + 3..], &[quote; 3]);
    end.map_or(text.len(), |end| at + 3 + end + 3)
}

/// Skips a literal, which ends at its quote, or at the end of the line.
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
        assert_eq!(Outline::new(text.as_bytes(), Language::Java, 1).load, expected, "{text:?}");
    }

    #[test]
    fn brackets_and_tokens_count() {
        check("", 0);
        check("word", 1);
        check("a = b;", 3);
        check("((()))", 6);
        check("a<b<c<", 9);
        check("f(a, b, c, d)", 4);
        check("a<b, c", 6);
        check("{{{}}}", 4);
    }

    #[test]
    fn what_ends_is_forgotten() {
        check(&"a < b;".repeat(1000), 5);
        check(&"{ a(); }".repeat(1000), 5);
        check(&"int[] a = {1, 2};\n".repeat(1000), 9);
        check(&",!".repeat(1000), 2000);
        check(&"}!".repeat(1000), 2000);
    }

    #[test]
    fn a_line_ends_a_statement_where_it_can() {
        let load = |text: &str, language| Outline::new(text.as_bytes(), language, 1).load;
        let lines = "x = f(a) # (((\n".repeat(100);
        assert_eq!(load(&lines, Language::Python), 6);
        assert!(load(&lines, Language::Java) > 600);
        assert!(load(&"x =>\n".repeat(100), Language::JavaScript) > 200);
        assert!(load(&format!("({lines}"), Language::Python) > 600);
        assert_eq!(load("'''((((\n((('''\nx", Language::Python), 1);
    }

    #[test]
    fn comments_are_nothing_and_literals_are_one_token() {
        check("// ((((\n/* (((( */", 0);
        check("/* never ( ended", 6);
        check(r#"f("(((\"(((", '(');"#, 4);
        check("\"never closed\nx", 2);
        check("\"\\", 1);
    }

    #[test]
    fn cuts_spare_comments_and_literals() {
        let cuts = |text: &str| Outline::new(text.as_bytes(), Language::Java, 4).cuts;
        assert_eq!(cuts("a b c d e"), [4, 8]);
        assert_eq!(cuts("/* a b c d e */ f"), [15]);
        assert_eq!(cuts("\"a b c d e\"; f"), [11]);
        assert_eq!(cuts("abcd"), [0; 0]);
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_outline(text: Vec<u8>, language in 0usize..11, piece in 1usize..9) {
            let Outline { load, cuts } = Outline::new(&text, Language::ALL[language], piece);
            prop_assert!(load <= 2 * text.len());
            prop_assert!(cuts.is_sorted_by(|left, right| left + piece <= *right));
            prop_assert!(cuts.iter().all(|cut| (piece..text.len()).contains(cut)));
        }
    }
}
