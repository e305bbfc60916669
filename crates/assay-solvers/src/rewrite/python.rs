//! Java to Python, on tokens separated by spaces: braces become layout, types are removed, a few
//! words change.

/// The maximum nesting of statements that are translated.
const MAX_DEPTH: usize = 100;

const MODIFIERS: [&str; 6] = ["public", "private", "protected", "static", "final", "synchronized"];

/// Translates a function to Python's tokens, with `NEW_LINE`, `INDENT` and `DEDENT`.
pub(super) fn from_java(source: &str) -> String {
    let tokens: Vec<&str> = source.split_whitespace().collect();
    let mut rewriter = Rewriter { tokens: &tokens, at: 0, out: Vec::new() };
    rewriter.function();
    while rewriter.at < tokens.len() {
        rewriter.statement(0);
    }
    rewriter.out.join(" ")
}

struct Rewriter<'a> {
    tokens: &'a [&'a str],
    at: usize,
    out: Vec<String>,
}

impl<'a> Rewriter<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    /// Skips `token`, if it is next.
    fn skip(&mut self, token: &str) -> bool {
        let next = self.peek() == token;
        self.at += usize::from(next);
        next
    }

    /// The tokens before the next `end` outside of brackets; skips both.
    fn until(&mut self, end: &str) -> &'a [&'a str] {
        let rest = &self.tokens[self.at.min(self.tokens.len())..];
        let mut depth = 0;
        let length = rest
            .iter()
            .position(|token| {
                if depth == 0 && *token == end {
                    return true;
                }
                match *token {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth -= 1,
                    _ => {}
                }
                false
            })
            .unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        &rest[..length]
    }

    fn line(&mut self, tokens: &[String]) {
        if !tokens.is_empty() {
            self.out.extend_from_slice(tokens);
            self.out.push("NEW_LINE".to_owned());
        }
    }

    fn function(&mut self) {
        let Some(open) = self.tokens.iter().position(|&token| token == "(") else { return };
        let name = open.checked_sub(1).map_or("", |before| self.tokens[before]);
        self.at = open + 1;
        let parameters: Vec<&str> = self
            .until(")")
            .split(|&token| token == ",")
            .filter_map(|parameter| parameter.iter().rev().find(|token| is_word(token)))
            .copied()
            .collect();
        let mut header = words(&["def", name, "("]);
        header.extend(words(&parameters.join(" , ").split(' ').collect::<Vec<_>>()));
        header.retain(|token| !token.is_empty());
        header.extend(words(&[")"]));
        self.until_block();
        self.block(header, 0);
    }

    /// Skips to the next block, over tokens that Python has no word for, such as `throws`.
    fn until_block(&mut self) {
        while !matches!(self.peek(), "{" | ";" | "") {
            self.at += 1;
        }
    }

    /// Writes a header and the statement that belongs to it.
    fn block(&mut self, mut header: Vec<String>, depth: usize) {
        header.push(":".to_owned());
        self.line(&header);
        self.out.push("INDENT".to_owned());
        self.statement(depth + 1);
        self.out.push("DEDENT".to_owned());
    }

    fn statement(&mut self, depth: usize) {
        if depth > MAX_DEPTH {
            self.simple();
            return;
        }
        match self.peek() {
            "{" => {
                self.at += 1;
                while !matches!(self.peek(), "}" | "") {
                    self.statement(depth + 1);
                }
                self.at += 1;
            }
            "}" | ";" => self.at += 1,
            word @ ("if" | "while") => self.condition(word, depth),
            "else" => {
                self.at += 1;
                if self.peek() == "if" {
                    self.condition("elif", depth);
                } else {
                    self.block(words(&["else"]), depth);
                }
            }
            "for" => self.loop_over(depth),
            "try" => {
                self.at += 1;
                self.block(words(&["try"]), depth);
            }
            "catch" => {
                self.at += 1;
                self.skip("(");
                let caught = self.until(")");
                let error = caught.first().copied().unwrap_or("Exception");
                self.block(words(&["except", error]), depth);
            }
            _ => self.simple(),
        }
    }

    fn condition(&mut self, word: &str, depth: usize) {
        self.at += 1;
        self.skip("(");
        let mut header = words(&[word]);
        header.extend(expression(self.until(")")));
        self.block(header, depth);
    }

    fn loop_over(&mut self, depth: usize) {
        self.at += 1;
        self.skip("(");
        let inner = self.until(")");
        let parts: Vec<&[&str]> = inner.split(|&token| token == ";").collect();
        if let [start, condition, step] = parts.as_slice() {
            if let Some(header) = range(start, condition, step) {
                self.block(header, depth);
                return;
            }
            self.line(&assignment(start));
            let mut header = words(&["while"]);
            header.extend(expression(condition));
            self.block(header, depth);
            // The step belongs in the body, before its end.
            self.out.pop();
            self.line(&assignment(step));
            self.out.push("DEDENT".to_owned());
            return;
        }
        let colon = inner.iter().position(|&token| token == ":").unwrap_or(inner.len());
        let (item, over) = inner.split_at(colon);
        let mut header = words(&["for", item.last().copied().unwrap_or("_"), "in"]);
        header.extend(expression(over.get(1..).unwrap_or_default()));
        self.block(header, depth);
    }

    fn simple(&mut self) {
        let line = assignment(self.until(";"));
        self.line(&line);
    }
}

/// `for i in range ( … )`, where the loop counts up by one.
fn range(start: &[&str], condition: &[&str], step: &[&str]) -> Option<Vec<String>> {
    let [.., name, "=", from] = start else { return None };
    let [counted, order @ ("<" | "<="), end @ ..] = condition else { return None };
    if counted != name || !matches!(step, [one, "++"] | ["++", one] if one == name) {
        return None;
    }
    let mut header = words(&["for", name, "in", "range", "("]);
    if *from != "0" {
        header.extend(words(&[from, ","]));
    }
    header.extend(expression(end));
    header.extend(words(if *order == "<=" { &["+", "1", ")"] } else { &[")"] }));
    Some(header)
}

/// A statement without its declared type.
fn assignment(tokens: &[&str]) -> Vec<String> {
    let skipped = tokens.iter().take_while(|token| MODIFIERS.contains(token)).count();
    let tokens = &tokens[skipped..];
    let equals = tokens.iter().position(|&token| token == "=").unwrap_or(tokens.len());
    let typed = equals > 1 && is_word(tokens[equals - 1]) && tokens[equals - 2] != ".";
    match tokens {
        ["return" | "throw" | "break" | "continue", ..] => expression(tokens),
        [name, "++"] | ["++", name] => words(&[name, "+=", "1"]),
        [name, "--"] | ["--", name] => words(&[name, "-=", "1"]),
        // Declared without a value.
        [kind, .., name] if equals == tokens.len() && is_word(kind) && is_word(name) => Vec::new(),
        _ if typed => expression(&tokens[equals - 1..]),
        _ => expression(tokens),
    }
}

/// Tokens with Java's words replaced by Python's.
fn expression(tokens: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = tokens;
    while let [token, after @ ..] = rest {
        rest = after;
        match (*token, after) {
            ("System", [".", "out", ".", "println" | "print", after @ ..]) => {
                out.push("print".to_owned());
                rest = after;
            }
            (".", ["length", after @ ..]) => {
                let of = out.pop().unwrap_or_default();
                out.extend(words(&["len", "(", &of, ")"]));
                rest = after.strip_prefix(&["(", ")"]).unwrap_or(after);
            }
            ("new", _) => {}
            ("throw", _) => out.push("raise".to_owned()),
            ("&&", _) => out.push("and".to_owned()),
            ("||", _) => out.push("or".to_owned()),
            ("!", _) => out.push("not".to_owned()),
            ("true", _) => out.push("True".to_owned()),
            ("false", _) => out.push("False".to_owned()),
            ("null", _) => out.push("None".to_owned()),
            (other, _) => out.push(other.to_owned()),
        }
    }
    out
}

fn words(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(|&token| token.to_owned()).collect()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(java: &str, python: &str) {
        assert_eq!(from_java(java), python);
    }

    #[test]
    fn loops_and_conditions_become_layout() {
        check(
            "static int f ( int [ ] a , String s ) { int n = 0 ; for ( int i = 0 ; i < a . length ; i ++ ) { if ( a [ i ] > 0 && n != 3 ) n ++ ; else if ( s == null ) { break ; } else { n -= 1 ; } } return n ; }",
            "def f ( a , s ) : NEW_LINE INDENT n = 0 NEW_LINE for i in range ( len ( a ) ) : NEW_LINE INDENT if a [ i ] > 0 and n != 3 : NEW_LINE INDENT n += 1 NEW_LINE DEDENT elif s == None : NEW_LINE INDENT break NEW_LINE DEDENT else : NEW_LINE INDENT n -= 1 NEW_LINE DEDENT DEDENT return n NEW_LINE DEDENT",
        );
        check(
            "void g ( ) { for ( int i = n ; i > 0 ; i -- ) { System . out . println ( i ) ; } }",
            "def g ( ) : NEW_LINE INDENT i = n NEW_LINE while i > 0 : NEW_LINE INDENT print ( i ) NEW_LINE i -= 1 NEW_LINE DEDENT DEDENT",
        );
        check(
            "int h ( List < Integer > xs ) throws E { int y ; try { for ( int x : xs ) { y = x ; } } catch ( E e ) { throw new F ( e ) ; } }",
            "def h ( xs ) : NEW_LINE INDENT try : NEW_LINE INDENT for x in xs : NEW_LINE INDENT y = x NEW_LINE DEDENT DEDENT except E : NEW_LINE INDENT raise F ( e ) NEW_LINE DEDENT DEDENT",
        );
    }

    #[test]
    fn deep_nesting_ends() {
        let text = from_java(&format!("f ( ) {{ {}", "{ if ( x ) ".repeat(100_000)));
        assert!(!text.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_rewritten(tokens in prop::collection::vec("(for|if|else|try|catch|new|int|x|\\(|\\)|\\{|\\}|;|=|\\.|length|:|<|\\+\\+|ß)", 0..60)) {
            let _ = from_java(&tokens.join(" "));
        }
    }
}
