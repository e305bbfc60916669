//! A lexer for lines of code, made for Java and good enough for similar languages.
//!
//! It never fails: bytes that are not part of an identifier, number, literal or known operator are
//! one token each. A file has hundreds of lines and a millisecond for all of them, so there is no
//! syntax tree.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Ident,
    Keyword,
    Number,
    Literal,
    Operator,
}

/// A token of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) hash: u64,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: TokenKind,
}

/// The state of the lexer between two lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// True within a comment that began on an earlier line.
    pub(crate) in_comment: bool,
}

/// Properties of a line's text besides its tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineFacts {
    /// True if it starts within a comment, or with one.
    pub(crate) comment: bool,
    /// The number of tokens before a comment.
    pub(crate) code_tokens: usize,
}

/// The maximum number of tokens of a line: the rest of a longer line is data, not code.
const MAX_TOKENS: usize = 2048;

/// The hash of some bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Splits a line into tokens, which are added to `tokens`. Words in comments are tokens too, since
/// a line may be commented out; they come after the code.
pub(crate) fn lex_line(line: &[u8], state: &mut State, tokens: &mut Vec<Token>) -> LineFacts {
    let first = tokens.len();
    let mut facts = LineFacts { comment: state.in_comment, code_tokens: 0 };
    let mut comment = state.in_comment;
    let mut rest_is_comment = false;
    let mut at = 0;
    while at < line.len() && tokens.len() - first < MAX_TOKENS {
        let byte = line[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let two = line.get(at..at + 2);
        if comment && two == Some(b"*/") {
            comment = rest_is_comment;
            at += 2;
            continue;
        }
        if !comment && (two == Some(b"//") || two == Some(b"/*")) {
            if tokens.len() == first {
                facts.comment = true;
            }
            facts.code_tokens = facts.code_tokens.max(tokens.len() - first);
            rest_is_comment = two == Some(b"//");
            comment = true;
            at += 2;
            continue;
        }
        let (end, kind) = token_at(line, at, comment);
        let text = &line[at..end];
        tokens.push(Token { hash: hash(text), start: at as u32, end: end as u32, kind });
        at = end;
        if !comment {
            facts.code_tokens = tokens.len() - first;
        }
    }
    state.in_comment = comment && !rest_is_comment;
    facts
}

/// The end and kind of the token that starts at `at`.
fn token_at(line: &[u8], at: usize, comment: bool) -> (usize, TokenKind) {
    let byte = line[at];
    if is_word_start(byte) {
        let end = at + 1 + line[at + 1..].iter().take_while(|&&byte| is_word(byte)).count();
        let kind = if is_keyword(&line[at..end]) { TokenKind::Keyword } else { TokenKind::Ident };
        return (end, kind);
    }
    if byte.is_ascii_digit() {
        let inside = |&&byte: &&u8| is_word(byte) || byte == b'.';
        return (at + line[at..].iter().take_while(inside).count(), TokenKind::Number);
    }
    if matches!(byte, b'"' | b'\'') && !comment {
        return (literal_end(line, at), TokenKind::Literal);
    }
    (at + operator_length(&line[at..]), TokenKind::Operator)
}

fn literal_end(line: &[u8], at: usize) -> usize {
    let quote = line[at];
    let mut end = at + 1;
    while end < line.len() {
        match line[end] {
            b'\\' => end += 2,
            byte if byte == quote => return end + 1,
            _ => end += 1,
        }
    }
    line.len()
}

fn operator_length(text: &[u8]) -> usize {
    const LONG: [&[u8]; 25] = [
        b">>>=", b"<<=", b">>=", b"...", b"->", b"::", b"++", b"--", b"&&", b"||", b"==", b"!=",
        b"<=", b">=", b"+=", b"-=", b"*=", b"/=", b"&=", b"|=", b"^=", b"%=", b"<<", b"=>", b"??",
    ];
    LONG.iter().find(|operator| text.starts_with(operator)).map_or(1, |operator| operator.len())
}

pub(crate) fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'@') || byte >= 0x80
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"abstract"
            | b"assert"
            | b"boolean"
            | b"break"
            | b"byte"
            | b"case"
            | b"catch"
            | b"char"
            | b"class"
            | b"const"
            | b"continue"
            | b"default"
            | b"do"
            | b"double"
            | b"else"
            | b"enum"
            | b"extends"
            | b"false"
            | b"final"
            | b"finally"
            | b"float"
            | b"for"
            | b"goto"
            | b"if"
            | b"implements"
            | b"import"
            | b"instanceof"
            | b"int"
            | b"interface"
            | b"long"
            | b"native"
            | b"new"
            | b"null"
            | b"package"
            | b"private"
            | b"protected"
            | b"public"
            | b"return"
            | b"short"
            | b"static"
            | b"strictfp"
            | b"super"
            | b"switch"
            | b"synchronized"
            | b"this"
            | b"throw"
            | b"throws"
            | b"transient"
            | b"true"
            | b"try"
            | b"void"
            | b"volatile"
            | b"while"
    )
}

/// The parts of a word, lower-cased and hashed: `parseHTTPLine2` has `parse`, `http`, `line`, `2`.
pub(crate) fn sub_words(word: &[u8], mut visit: impl FnMut(u64)) {
    let class = |byte: u8| match byte {
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        b'_' | b'$' | b'@' => 3,
        _ => 0,
    };
    let mut start = 0;
    let mut flush = |start: usize, end: usize| {
        if start < end {
            let mut hasher = FxHasher::default();
            for byte in &word[start..end] {
                hasher.write_u8(byte.to_ascii_lowercase());
            }
            visit(hasher.finish());
        }
    };
    for at in 1..word.len() {
        let (before, here) = (class(word[at - 1]), class(word[at]));
        let next_is_lower = word.get(at + 1).is_some_and(|&byte| class(byte) == 0);
        let split = match (before, here) {
            (3, _) => {
                start = at;
                false
            }
            (_, 3) | (0 | 2, 1) | (0 | 1, 2) | (2, 0) => true,
            (1, 1) => next_is_lower,
            _ => false,
        };
        if split {
            flush(start, at);
            start = at;
        }
    }
    if word.get(start).is_some_and(|&byte| class(byte) != 3) {
        flush(start, word.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        lex_line(line.as_bytes(), &mut State::default(), &mut tokens);
        tokens.iter().map(|token| &line[token.start as usize..token.end as usize]).collect()
    }

    #[test]
    fn splits_code() {
        assert_eq!(
            words("if (a>=b2) x->y;"),
            ["if", "(", "a", ">=", "b2", ")", "x", "->", "y", ";"]
        );
        assert_eq!(words(r#"s = "a \" b" + 'c';"#), ["s", "=", r#""a \" b""#, "+", "'c'", ";"]);
        assert_eq!(words("@Test // it's a note"), ["@Test", "it", "'", "s", "a", "note"]);
        assert_eq!(words("x = 0x1F + 1.5e3f;"), ["x", "=", "0x1F", "+", "1.5e3f", ";"]);
        assert_eq!(words(r#"open "never closed"#), ["open", r#""never closed"#]);
    }

    #[test]
    fn comments_span_lines() {
        let mut state = State::default();
        let mut tokens = Vec::new();
        let facts = lex_line(b"a(); /* begin", &mut state, &mut tokens);
        assert!(!facts.comment && state.in_comment);
        assert_eq!(facts.code_tokens, 4);
        assert!(lex_line(b"middle", &mut state, &mut tokens).comment);
        let facts = lex_line(b"end */ b();", &mut state, &mut tokens);
        assert!(facts.comment && !state.in_comment);
        assert!(lex_line(b"// note", &mut state, &mut tokens).comment);
        assert!(!state.in_comment);
    }

    #[test]
    fn words_have_parts() {
        let parts = |word: &str| {
            let mut parts = Vec::new();
            sub_words(word.as_bytes(), |part| parts.push(part));
            parts
        };
        let expect = |words: &[&str]| -> Vec<u64> {
            let part = |word: &&str| {
                let mut hasher = FxHasher::default();
                word.bytes().for_each(|byte| hasher.write_u8(byte));
                hasher.finish()
            };
            words.iter().map(part).collect()
        };
        assert_eq!(parts("parseHTTPLine2"), expect(&["parse", "http", "line", "2"]));
        assert_eq!(parts("MAX_SIZE"), expect(&["max", "size"]));
        assert_eq!(parts("x"), expect(&["x"]));
        assert_eq!(parts("_a"), expect(&["a"]));
        assert_eq!(parts("__"), expect(&[]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_tokens(line: Vec<u8>) {
            let mut tokens = Vec::new();
            let facts = lex_line(&line, &mut State::default(), &mut tokens);
            prop_assert!(facts.code_tokens <= tokens.len());
            let mut end = 0;
            for token in &tokens {
                prop_assert!(end <= token.start && token.start < token.end);
                prop_assert!(token.end as usize <= line.len());
                end = token.end;
                sub_words(&line[token.start as usize..token.end as usize], |_| ());
            }
        }
    }
}
