//! A program split into lines, tokens, statement kinds, blocks and methods.

use crate::lex::{self, State, Token, TokenKind};

/// A program, line by line.
pub(crate) struct Source<'a> {
    pub(crate) lines: Vec<SourceLine<'a>>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) blocks: Vec<Block>,
}

/// A line of a program, without the white space around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceLine<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) indent: u32,
    tokens_from: u32,
    tokens_to: u32,
    pub(crate) code_tokens: u32,
    pub(crate) comment: bool,
    pub(crate) statement: Statement,
    /// The innermost open block at the start of the line; 0 is the file.
    pub(crate) block: u32,
    /// The number of open parentheses at the start of the line.
    pub(crate) open_parens: i32,
    /// The hash of the text without white space, which is equal for copies.
    pub(crate) squeezed: u64,
}

/// A pair of braces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    /// The line that the block belongs to: `if (…) {`.
    pub(crate) header: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) kind: BlockKind,
    /// The outermost block around this one whose parent is a class body; 0 if there is none.
    pub(crate) method: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    File,
    Class,
    Other,
}

/// The kind of a line, by its first token and its appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Statement {
    Blank,
    Comment,
    Package,
    Import,
    Annotation,
    Class,
    Method,
    Field,
    If,
    Else,
    For,
    While,
    Switch,
    Case,
    Try,
    Catch,
    Return,
    Throw,
    Jump,
    Declaration,
    Assignment,
    Call,
    Brace,
    Other,
}

impl<'a> Source<'a> {
    pub(crate) fn new(program: &'a [u8]) -> Self {
        let body = program.strip_suffix(b"\n").unwrap_or(program);
        let mut source = Self {
            lines: Vec::with_capacity(body.len() / 24 + 1),
            tokens: Vec::with_capacity(body.len() / 6 + 1),
            blocks: Vec::with_capacity(32),
        };
        source.split(body);
        source.find_blocks();
        source
    }

    fn split(&mut self, body: &'a [u8]) {
        let mut state = State::default();
        for raw in body.split(|&byte| byte == b'\n') {
            let text = raw.trim_ascii();
            let indent = indent(raw);
            let from = self.tokens.len();
            let facts = lex::lex_line(text, &mut state, &mut self.tokens);
            let tokens = &self.tokens[from..];
            let statement = statement(text, tokens, facts.comment);
            self.lines.push(SourceLine {
                text,
                indent,
                tokens_from: from as u32,
                tokens_to: self.tokens.len() as u32,
                code_tokens: facts.code_tokens as u32,
                comment: facts.comment,
                statement,
                block: 0,
                open_parens: 0,
                squeezed: squeezed(text),
            });
        }
    }

    /// The tokens of the line at `at`.
    pub(crate) fn tokens(&self, at: usize) -> &[Token] {
        let line = &self.lines[at];
        &self.tokens[line.tokens_from as usize..line.tokens_to as usize]
    }

    /// The bytes of a token of the line at `at`.
    pub(crate) fn text(&self, at: usize, token: &Token) -> &'a [u8] {
        &self.lines[at].text[token.start as usize..token.end as usize]
    }

    /// The lines of the method around the line at `at`; the whole file outside of methods.
    pub(crate) fn method(&self, at: usize) -> (usize, usize) {
        let method = self.blocks[self.lines[at].block as usize].method;
        let block = &self.blocks[method as usize];
        (block.header as usize, block.to as usize)
    }

    fn find_blocks(&mut self) {
        let last = self.lines.len().saturating_sub(1) as u32;
        let file = Block {
            parent: 0,
            depth: 0,
            header: 0,
            from: 0,
            to: last,
            kind: BlockKind::File,
            method: 0,
        };
        self.blocks.push(file);
        let mut open = 0u32;
        let mut parens = 0i32;
        let mut is_class = false;
        let mut header = 0u32;
        for at in 0..self.lines.len() {
            self.lines[at].block = open;
            self.lines[at].open_parens = parens;
            let line = self.lines[at];
            let from = line.tokens_from as usize;
            for index in from..from + line.code_tokens as usize {
                let token = self.tokens[index];
                if token.kind == TokenKind::Keyword {
                    is_class |= matches!(
                        &line.text[token.start as usize..token.end as usize],
                        b"class" | b"interface" | b"enum"
                    );
                    continue;
                }
                if token.kind != TokenKind::Operator || token.end != token.start + 1 {
                    continue;
                }
                match line.text[token.start as usize] {
                    b'(' => parens += 1,
                    b')' => parens = (parens - 1).max(0),
                    b'{' => {
                        open = self.open_block(open, at as u32, header, is_class);
                        is_class = false;
                        parens = 0;
                        header = at as u32 + 1;
                    }
                    b'}' => {
                        self.blocks[open as usize].to = at as u32;
                        open = self.blocks[open as usize].parent;
                        is_class = false;
                        parens = 0;
                        header = at as u32 + 1;
                    }
                    b';' if parens == 0 => {
                        is_class = false;
                        header = at as u32 + 1;
                    }
                    _ => {}
                }
            }
            if line.comment || line.text.is_empty() || line.text.starts_with(b"@") {
                header += u32::from(header == at as u32);
            }
        }
    }

    fn open_block(&mut self, parent: u32, at: u32, header: u32, is_class: bool) -> u32 {
        let outer = self.blocks[parent as usize];
        let index = self.blocks.len() as u32;
        let kind = if is_class { BlockKind::Class } else { BlockKind::Other };
        let starts_method = outer.kind == BlockKind::Class && kind == BlockKind::Other;
        let method = match outer.method {
            0 if starts_method => index,
            method => method,
        };
        self.blocks.push(Block {
            parent,
            depth: outer.depth + 1,
            header: header.min(at),
            from: at,
            to: self.lines.len().saturating_sub(1) as u32,
            kind,
            method,
        });
        index
    }
}

/// The width of the leading white space, where a tab counts as four.
fn indent(raw: &[u8]) -> u32 {
    let white = raw.iter().take_while(|byte| byte.is_ascii_whitespace());
    white.map(|&byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

/// The hash of a text without its white space.
pub(crate) fn squeezed(text: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}

/// The kind of a line, determined from its tokens.
pub(crate) fn statement(text: &[u8], tokens: &[Token], comment: bool) -> Statement {
    let Some(first) = tokens.first() else {
        return if comment { Statement::Comment } else { Statement::Blank };
    };
    if comment {
        return Statement::Comment;
    }
    let word = |token: &Token| &text[token.start as usize..token.end as usize];
    match word(first) {
        b"package" => Statement::Package,
        b"import" => Statement::Import,
        b"if" => Statement::If,
        b"else" => Statement::Else,
        b"for" => Statement::For,
        b"while" | b"do" => Statement::While,
        b"switch" => Statement::Switch,
        b"case" | b"default" => Statement::Case,
        b"try" | b"finally" => Statement::Try,
        b"catch" => Statement::Catch,
        b"return" => Statement::Return,
        b"throw" => Statement::Throw,
        b"break" | b"continue" => Statement::Jump,
        b"}" => match tokens.get(1).map(word) {
            Some(b"else") => Statement::Else,
            Some(b"catch") => Statement::Catch,
            Some(b"finally") => Statement::Try,
            Some(b"while") => Statement::While,
            _ => Statement::Brace,
        },
        b"{" => Statement::Brace,
        start if start.starts_with(b"@") && start != b"@interface" => Statement::Annotation,
        _ => by_shape(text, tokens),
    }
}

fn by_shape(text: &[u8], tokens: &[Token]) -> Statement {
    let word = |token: &Token| &text[token.start as usize..token.end as usize];
    let modifier = |token: &Token| {
        matches!(
            word(token),
            b"public"
                | b"private"
                | b"protected"
                | b"static"
                | b"final"
                | b"abstract"
                | b"synchronized"
                | b"native"
                | b"transient"
                | b"volatile"
        )
    };
    let modifiers = tokens.iter().take_while(|token| modifier(token)).count();
    let find = |wanted: &[u8]| tokens.iter().position(|token| word(token) == wanted);
    if tokens.iter().any(|token| matches!(word(token), b"class" | b"interface" | b"enum")) {
        return Statement::Class;
    }
    let (paren, equals) = (find(b"("), find(b"="));
    let opens = text.ends_with(b"{") || text.ends_with(b")") || text.ends_with(b",");
    match (paren, equals) {
        (Some(paren), equals) if equals.is_none_or(|equals| paren < equals) => {
            // `Type name(` declares, `a.name(` calls.
            let declares = paren >= 2 && is_name(&tokens[paren - 2]) && is_name(&tokens[paren - 1]);
            if modifiers > 0 || (declares && opens && word(&tokens[0]) != b"new") {
                Statement::Method
            } else {
                Statement::Call
            }
        }
        (_, Some(equals)) if equals >= 2 && is_name(&tokens[equals - 1]) => {
            let dotted = word(&tokens[equals - 2]) == b".";
            match (dotted, modifiers > 0) {
                (true, _) => Statement::Assignment,
                (false, true) => Statement::Field,
                (false, false) => Statement::Declaration,
            }
        }
        (_, Some(_)) => Statement::Assignment,
        (None, None) if text.ends_with(b";") && tokens.len() >= 3 => {
            if modifiers > 0 {
                Statement::Field
            } else {
                Statement::Declaration
            }
        }
        _ => Statement::Other,
    }
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Ident | TokenKind::Keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &[u8] = b"package a;\n\nclass A {\n  int x = 1;\n\n  void f(int y) {\n    if (y > 0) {\n      g();\n    }\n  }\n}\n";

    #[test]
    fn blocks_and_methods() {
        let source = Source::new(PROGRAM);
        assert_eq!(source.lines.len(), 11);
        assert_eq!(source.method(7), (5, 9), "g() is in f");
        assert_eq!(source.method(3), (0, 10), "a field is in no method");
        let block = source.blocks[source.lines[7].block as usize];
        assert_eq!((block.header, block.depth), (6, 3));
    }

    #[test]
    fn statements_have_kinds() {
        for (text, kind) in [
            ("", Statement::Blank),
            ("// x", Statement::Comment),
            ("import a.b;", Statement::Import),
            ("@Override", Statement::Annotation),
            ("public class A {", Statement::Class),
            ("private int f(int a) {", Statement::Method),
            ("int f(int a) {", Statement::Method),
            ("private int a = f(2);", Statement::Field),
            ("int a = f(2);", Statement::Declaration),
            ("this.a = 2;", Statement::Assignment),
            ("a.f(2);", Statement::Call),
            ("} else {", Statement::Else),
            ("}", Statement::Brace),
            ("return x;", Statement::Return),
        ] {
            let source = Source::new(text.as_bytes());
            assert_eq!(source.lines[0].statement, kind, "{text}");
        }
    }

    #[test]
    fn copies_are_the_same_without_white_space() {
        assert_eq!(squeezed(b"a  = b;"), squeezed(b"a=b ;"));
        assert_ne!(squeezed(b"a = b;"), squeezed(b"a = c;"));
    }
}
