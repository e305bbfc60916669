//! A text looked over before it is parsed: how hard it will be, and where it can be cut.
//!
//! A parser keeps what it has not yet understood on a stack: brackets that are open, and the tokens
//! of a statement that has not ended. Where code can be read in two ways, as `a < b` can, giving up
//! on a stack costs the square of its depth in time and in memory, in one go that cannot be
//! interrupted: 100,000 times `a<` take more memory than a machine has. Programs that people write
//! keep the stack shallow, so a text that would not is told apart here.

use crate::Language;

/// The outline of a text.
pub(crate) struct Outline {
    /// Upper estimate of the deepest stack: open brackets and tokens since the last separator.
    pub(crate) load: usize,
    /// Places outside of comments and literals, `piece` bytes apart or a little more.
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

/// The properties of a language's tokens that a scan must know.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy)]
struct Lexis {
    slash_comments: bool,
    hash_comments: bool,
    /// The end of a line ends a statement, unless a bracket is open or the line cannot be all.
    lines_end_statements: bool,
    triple_quotes: bool,
    lifetimes: bool,
}

impl Lexis {
    fn of(language: Language) -> Self {
        const C: Lexis = Lexis {
            slash_comments: true,
            hash_comments: false,
            lines_end_statements: false,
            triple_quotes: false,
            lifetimes: false,
        };
        const BY_LINES: Lexis = Lexis { lines_end_statements: true, ..C };
        const HASH: Lexis = Lexis { slash_comments: false, hash_comments: true, ..BY_LINES };
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
    lexis: Lexis,
    /// Brackets that are open.
    open: Vec<u8>,
    /// Angles that are open since the last statement began; most are comparisons.
    angles: usize,
    /// Tokens since the last separator.
    tokens: usize,
    /// No comment ends after here.
    unclosed: bool,
    /// The last byte that is no white space.
    last: u8,
}

impl Scan {
    fn new(language: Language) -> Self {
        let lexis = Lexis::of(language);
        Self { lexis, open: Vec::new(), angles: 0, tokens: 0, unclosed: false, last: 0 }
    }

    /// Takes in the token at `at` and says where it ends.
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
            // Between angles it may go on with a type, or with the next argument.
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

    /// Rust's `'a` is no literal.
    fn is_lifetime(&self, text: &[u8], at: usize) -> bool {
        let is_letter = text.get(at + 1) == Some(&b'\\') || text.get(at + 2) == Some(&b'\'');
        self.lexis.lifetimes && !is_letter
    }

    /// Finds the end of a comment; one that is never closed is none.
    fn comment_end(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if self.unclosed {
            return None;
        }
        let end = memchr::memmem::find(&text[at + 2..], b"*/");
        self.unclosed = end.is_none();
        end.map(|end| at + 2 + end + 2)
    }

    /// Returns whether what stands before can be all of something: an operator waits for what follows, and
    /// stays on the stack when that never comes.
    fn is_whole(&self) -> bool {
        is_word(self.last) || matches!(self.last, b')' | b']' | b'}' | b'>' | b'"' | b'\'' | b':')
    }

    /// Forgets what stands before, if it can be all.
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

/// A literal in three quotes ends at three quotes.
fn skip_long_literal(text: &[u8], at: usize, quote: u8) -> usize {
    let end = memchr::memmem::find(&text[at + 3..], &[quote; 3]);
    end.map_or(text.len(), |end| at + 3 + end + 3)
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
