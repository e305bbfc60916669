//! Distinguishes code from comments, strings and character literals.

/// A language of HumanEvalPack whose functions are in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BraceLanguage {
    JavaScript,
    Java,
    Cpp,
    Go,
    Rust,
}

/// A text, and for every byte whether it is code.
pub(super) struct Code<'a> {
    text: &'a str,
    is_code: Vec<bool>,
}

impl<'a> Code<'a> {
    pub(super) fn new(text: &'a str, language: BraceLanguage) -> Self {
        let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, language, significant: b'(' };
        let mut is_code = vec![true; text.len()];
        while lexer.at < text.len() {
            let begin = lexer.at;
            let end = lexer.literal().min(text.len());
            is_code[begin..end].fill(false);
            if end == begin {
                lexer.significant(lexer.bytes[begin]);
            } else if !text[begin..].starts_with('/') {
                lexer.significant = b'"';
            }
            lexer.at = end.max(begin + 1);
        }
        Self { text, is_code }
    }

    /// The code with everything else blank; line ends and lengths are kept.
    pub(super) fn blanked(&self) -> Vec<u8> {
        let blank = |(&byte, &code): (&u8, &bool)| if code || byte == b'\n' { byte } else { b' ' };
        self.text.as_bytes().iter().zip(&self.is_code).map(blank).collect()
    }

    /// The braces of the code: their positions, and the number of braces open before them.
    pub(super) fn braces(&self) -> impl Iterator<Item = Brace> {
        let mut open = 0;
        self.text.bytes().enumerate().filter(|&(at, _)| self.is_code[at]).filter_map(
            move |(at, byte)| match byte {
                b'{' => {
                    open += 1;
                    Some(Brace { at, opens: true, outside: open - 1 })
                }
                b'}' => {
                    open -= 1;
                    Some(Brace { at, opens: false, outside: open })
                }
                _ => None,
            },
        )
    }

    /// The first brace that opens inside `outside` others and is not closed.
    pub(super) fn left_open(&self, outside: i32) -> Option<usize> {
        let at_depth = self.braces().filter(|brace| brace.outside == outside);
        at_depth.last().filter(|brace| brace.opens).map(|brace| brace.at)
    }

    /// The position after the brace that closes the one at `begin`.
    pub(super) fn closing(&self, begin: usize) -> Option<usize> {
        let mut braces = self.braces().skip_while(|brace| brace.at < begin);
        let outside = braces.next()?.outside;
        braces.find(|brace| brace.outside == outside).map(|brace| brace.at + 1)
    }

    /// The starts of a whole word, outside all braces.
    pub(super) fn outer_words(&self, word: &str) -> Vec<usize> {
        let mut open = vec![0; self.text.len() + 1];
        let mut depth = 0;
        let mut braces = self.braces().peekable();
        for (at, place) in open.iter_mut().enumerate() {
            *place = depth;
            if let Some(brace) = braces.next_if(|brace| brace.at == at) {
                depth = if brace.opens { brace.outside + 1 } else { brace.outside };
            }
        }
        let part = |c: Option<&u8>| c.is_some_and(|&c| is_word(c));
        let bytes = self.text.as_bytes();
        let whole = |&at: &usize| {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            self.is_code[at] && !part(before) && !part(bytes.get(at + word.len()))
        };
        let places = self.text.match_indices(word).map(|(at, _)| at);
        places.filter(whole).filter(|&at| open[at] == 0).collect()
    }
}

/// A brace of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brace {
    pub(super) at: usize,
    pub(super) opens: bool,
    /// The number of braces open around it; negative if more are closed than opened.
    pub(super) outside: i32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    language: BraceLanguage,
    /// The last byte of code that is not white space; decides whether a slash divides.
    significant: u8,
}

impl Lexer<'_> {
    fn significant(&mut self, byte: u8) {
        if !byte.is_ascii_whitespace() {
            self.significant = byte;
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn starts(&self, at: usize, text: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The end of the comment or literal that starts here; this position if there is none.
    fn literal(&self) -> usize {
        use BraceLanguage::{Cpp, Go, Java, JavaScript, Rust};
        let at = self.at;
        let after_word = at > 0 && is_word(self.bytes[at - 1]);
        match (self.byte(at), self.language) {
            (b'/', _) if self.byte(at + 1) == b'/' => self.line_end(at),
            (b'/', _) if self.byte(at + 1) == b'*' => self.comment(at),
            (b'/', JavaScript) if self.begins_pattern() => self.pattern(at),
            (b'"', Java) if self.starts(at, "\"\"\"") => self.until(at + 3, "\"\"\""),
            (b'"', Cpp) if self.is_raw(at) => self.raw_cpp(at),
            (b'"', _) => self.quoted(at, b'"'),
            (b'\'', Rust) => self.rust_character(at),
            (b'\'', Cpp) if after_word && self.bytes[at - 1].is_ascii_digit() => at,
            (b'\'', _) => self.quoted(at, b'\''),
            (b'`', Go) => self.until(at + 1, "`"),
            (b'`', JavaScript) => self.template(at),
            (b'r', Rust) if !after_word || self.bytes[at - 1] == b'b' => self.raw_rust(at),
            _ => at,
        }
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }

    fn until(&self, at: usize, end: &str) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr::memmem::find(rest, end.as_bytes())
            .map_or(self.bytes.len(), |found| at + found + end.len())
    }

    fn comment(&self, at: usize) -> usize {
        if self.language != BraceLanguage::Rust {
            return self.until(at + 2, "*/");
        }
        let (mut open, mut at) = (1, at + 2);
        while open > 0 && at < self.bytes.len() {
            let (begins, ends) = (self.starts(at, "/*"), self.starts(at, "*/"));
            open = if begins { open + 1 } else { open - u32::from(ends) };
            at += if begins || ends { 2 } else { 1 };
        }
        at
    }

    /// A literal with escapes. An unterminated one ends with its line, except in Rust.
    fn quoted(&self, begin: usize, quote: u8) -> usize {
        let mut at = begin + 1;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' if self.language != BraceLanguage::Rust => return at,
                byte if byte == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// A character; a quote that starts a lifetime is code.
    fn rust_character(&self, at: usize) -> usize {
        if self.byte(at + 1) == b'\\' {
            return self.quoted(at, b'\'');
        }
        let rest = self.bytes.get(at + 1..).unwrap_or_default();
        let length = match rest.first() {
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            Some(0xc0..) => 2,
            _ => 1,
        };
        if rest.get(length) == Some(&b'\'') { at + length + 2 } else { at }
    }

    fn raw_rust(&self, at: usize) -> usize {
        let marks = self.bytes[at + 1..].iter().take_while(|&&byte| byte == b'#').count();
        if self.byte(at + 1 + marks) != b'"' {
            return at;
        }
        self.until(at + 2 + marks, &format!("\"{}", "#".repeat(marks)))
    }

    fn is_raw(&self, at: usize) -> bool {
        let before = &self.bytes[..at];
        let Some(before) = before.strip_suffix(b"R") else { return false };
        let prefix = [b"u8".as_slice(), b"u", b"U", b"L"].into_iter();
        let mut rest = prefix.filter_map(|prefix| before.strip_suffix(prefix)).chain([before]);
        rest.any(|rest| rest.last().is_none_or(|&c| !is_word(c)))
    }

    fn raw_cpp(&self, at: usize) -> usize {
        let rest = &self.bytes[at + 1..];
        let Some(length) = rest.iter().take(17).position(|&byte| byte == b'(') else {
            return self.quoted(at, b'"');
        };
        let mark = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.until(at + 2 + length, &format!("){mark}\""))
    }

    /// A template, with the code inside it and the templates in that.
    fn template(&self, begin: usize) -> usize {
        let mut at = begin + 1;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 2,
                b'`' => return at + 1,
                b'$' if self.byte(at + 1) == b'{' => at = self.inside_template(at + 2),
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    fn inside_template(&self, begin: usize) -> usize {
        let (mut open, mut at) = (1, begin);
        while at < self.bytes.len() {
            let inner = Lexer { at, significant: b'(', ..*self };
            let end = inner.literal();
            if end > at {
                at = end;
                continue;
            }
            open += match self.bytes[at] {
                b'{' => 1,
                b'}' => -1,
                _ => 0,
            };
            at += 1;
            if open == 0 {
                return at;
            }
        }
        self.bytes.len()
    }

    /// Returns true if a slash starts a regular expression: after a value it divides.
    fn begins_pattern(&self) -> bool {
        let before = self.bytes[..self.at].trim_ascii_end();
        let word_at = before.iter().rposition(|&byte| !is_word(byte)).map_or(0, |at| at + 1);
        let word = &before[word_at..];
        let keyword = [b"return".as_slice(), b"typeof", b"case", b"in", b"of"].contains(&word);
        let after_value = is_word(self.significant) || b")]}\"".contains(&self.significant);
        keyword || !after_value
    }

    fn pattern(&self, begin: usize) -> usize {
        let (mut at, mut in_class) = (begin + 1, false);
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'\n' => return begin,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return at + 1,
                _ => {}
            }
            at += 1;
        }
        begin
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(language: BraceLanguage, text: &str, code: &str) {
        let blanked = Code::new(text, language).blanked();
        let kept: String = String::from_utf8(blanked).unwrap().split_whitespace().collect();
        assert_eq!(kept, code, "{text}");
    }

    #[test]
    fn comments_strings_and_characters_are_no_code() {
        check(BraceLanguage::Cpp, "a // {\nb /* } */ c \"}\" '{' '\\'' d", "abcd");
        check(BraceLanguage::Cpp, "R\"x(} \" )x\" a 1'000'000 {", "Ra1'000'000{");
        check(BraceLanguage::Cpp, "a\"\\\"}\" b \"open {\n}", "ab}");
        check(BraceLanguage::Java, "a \"\"\"\n } \" { \"\"\" b '\\u007d'", "ab");
        check(BraceLanguage::Go, "a `\\` b `}\n{` '{'", "ab");
        check(BraceLanguage::Rust, "fn f<'a>(x: &'a str) { '{' '}' b'}' }", "fnf<'a>(x:&'astr){b}");
        check(
            BraceLanguage::Rust,
            "/* { /* { */ } */ a r#\"}\"}\"# b r\"}\" c \"}\n}\" rest",
            "abcrest",
        );
        check(
            BraceLanguage::JavaScript,
            "a = /[/}]{2}/g; b = c / d / e; `}${f({}, `}`)}{` g",
            "a=g;b=c/d/e;g",
        );
        check(
            BraceLanguage::JavaScript,
            "return /}/.test(x) && y[0] / 2",
            "return.test(x)&&y[0]/2",
        );
        check(BraceLanguage::JavaScript, "'it\\'s }' \"}\"", "");
        check(BraceLanguage::JavaScript, "x /* } */ / 2; '}'", "x/2;");
    }

    #[test]
    fn braces_and_words_are_found_in_code_only() {
        let text = "int f() { /* } */ }\n// int main\nint main_index; int main() { int main; }";
        let code = Code::new(text, BraceLanguage::Cpp);
        assert_eq!(code.outer_words("main"), [text.rfind("main()").unwrap()]);
        let text = "use x::{a};\nfn g() { '{' }\nfn f() { if x { \"}\"";
        let code = Code::new(text, BraceLanguage::Rust);
        assert_eq!(code.left_open(0), text.rfind("{ if"));
        assert_eq!(code.left_open(1), text.rfind("{ \"}\""));
        let whole = format!("{text} }} }} rest");
        let code = Code::new(&whole, BraceLanguage::Rust);
        let begin = text.rfind("{ if").unwrap();
        assert_eq!(code.closing(begin).map(|end| &whole[end..]), Some(" rest"));
        assert_eq!(Code::new("f {}", BraceLanguage::Rust).left_open(0), None);
    }

    proptest! {
        #[test]
        fn any_text_has_code(text in "[a-z'\"`/*\\\\{}()#$Rré\n ]{0,60}") {
            let languages = [BraceLanguage::Cpp, BraceLanguage::Java, BraceLanguage::Go, BraceLanguage::Rust, BraceLanguage::JavaScript];
            for language in languages {
                let code = Code::new(&text, language);
                prop_assert_eq!(code.blanked().len(), text.len());
                code.outer_words("a");
            }
        }
    }
}
