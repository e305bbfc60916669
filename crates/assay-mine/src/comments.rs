//! The part of a line that is code.

use crate::languages::{Comments, Quirk};

/// The state at the end of a line: in code, in a comment or in a string that continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    Text(&'static str),
}

/// The code on one line, and the state at its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineCode {
    /// The line without its comments, and without white space outside of strings.
    code: Vec<u8>,
    end: State,
}

impl LineCode {
    /// Returns whether there is no code on the line.
    pub(crate) fn is_empty(&self) -> bool {
        self.code.is_empty()
    }
}

/// The code on the line at index `at` of a program, which is read from its start to recognise
/// comments.
pub(crate) fn code_of(lines: &[&[u8]], at: usize, comments: &Comments) -> LineCode {
    let mut state = State::Code;
    let mut code = Vec::new();
    for line in &lines[..=at] {
        code.clear();
        state = read(line, state, comments, &mut code);
    }
    LineCode { code, end: state }
}

/// Reads one line that starts in `state`, and returns the state at its end.
fn read(line: &[u8], mut state: State, comments: &Comments, code: &mut Vec<u8>) -> State {
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        let step = match state {
            State::Comment => {
                let end = comments.block.map_or("", |(_, end)| end);
                let ends = rest.starts_with(end.as_bytes());
                state = if ends { State::Code } else { state };
                if ends { end.len().max(1) } else { 1 }
            }
            State::Text(mark) => {
                let (step, ends) = step_in_text(rest, mark, comments);
                code.extend(&rest[..step]);
                state = if ends { State::Code } else { state };
                step
            }
            State::Code => {
                let before = at.checked_sub(1).map(|before| line[before]);
                match start(rest, before, code.last().copied(), comments) {
                    Start::LineComment => break,
                    Start::BlockComment(step) => {
                        state = State::Comment;
                        step
                    }
                    Start::Text(mark) => {
                        state = State::Text(mark);
                        code.extend(mark.as_bytes());
                        mark.len()
                    }
                    Start::Code(step) => {
                        code.extend(&rest[..step]);
                        step
                    }
                    Start::Space => 1,
                }
            }
        };
        at += step;
    }
    // A short string that is not closed ends with its line.
    match state {
        State::Text(mark) if comments.quotes.contains(&mark) => State::Code,
        other => other,
    }
}

/// Returns the length of the next step in a string, and whether it ends the string.
fn step_in_text(rest: &[u8], mark: &str, comments: &Comments) -> (usize, bool) {
    let raw = comments.quirk == Quirk::RawTexts && comments.long_quotes.contains(&mark);
    if rest.starts_with(mark.as_bytes()) {
        (mark.len(), true)
    } else if rest[0] == b'\\' && !raw {
        (2.min(rest.len()), false)
    } else {
        (1, false)
    }
}

/// The element that starts at a position in code.
enum Start {
    LineComment,
    BlockComment(usize),
    Text(&'static str),
    /// This many bytes of code.
    Code(usize),
    Space,
}

/// Returns the element that starts here; `before` is the byte before, `code` the last byte of code.
fn start(rest: &[u8], before: Option<u8>, code: Option<u8>, comments: &Comments) -> Start {
    let starts = |mark: &&&'static str| rest.starts_with(mark.as_bytes());
    if rest[0].is_ascii_whitespace() {
        return Start::Space;
    }
    if let Some((mark, _)) = comments.block.filter(|(mark, _)| starts(&mark)) {
        return Start::BlockComment(mark.len());
    }
    if comments.line.iter().any(|mark| starts(&mark)) && is_comment(rest, before, comments.quirk) {
        return Start::LineComment;
    }
    if let Some(step) = literal(rest, code, comments.quirk) {
        return Start::Code(step);
    }
    let separator = rest[0] == b'\'' && before.is_some_and(|before| before.is_ascii_digit());
    let mut marks = comments.long_quotes.iter().chain(comments.quotes);
    match marks.find(starts).filter(|_| !separator) {
        Some(mark) => Start::Text(mark),
        None => Start::Code(1),
    }
}

/// Returns whether an apparent comment is one.
fn is_comment(rest: &[u8], before: Option<u8>, quirk: Quirk) -> bool {
    match quirk {
        Quirk::WordStart => {
            before.is_none_or(|before| before.is_ascii_whitespace() || before == b';')
        }
        Quirk::Attributes => !rest.starts_with(b"#["),
        // An operator that contains the comment mark.
        Quirk::Characters if rest.starts_with(b"--") => {
            let symbol =
                |byte: Option<&u8>| byte.is_some_and(|byte| b"!#$%&*+./<=>?@\\^|~:".contains(byte));
            let end = rest.iter().position(|&byte| byte != b'-').unwrap_or(rest.len());
            !symbol(rest.get(end)) && !symbol(before.as_ref())
        }
        _ => true,
    }
}

/// The length of a literal in which quotes and slashes have no meaning.
fn literal(rest: &[u8], code: Option<u8>, quirk: Quirk) -> Option<usize> {
    match quirk {
        Quirk::Characters => match rest {
            [b'\'', b'\\', _, b'\'', ..] => Some(4),
            [b'\'', _, b'\'', ..] => Some(3),
            _ => None,
        },
        // After a value a slash divides, anywhere else it starts a regular expression.
        Quirk::Patterns if rest[0] == b'/' => {
            let divides = code
                .is_some_and(|code| code.is_ascii_alphanumeric() || b"_$)]}\"'`".contains(&code));
            if divides { None } else { pattern(rest) }
        }
        _ => None,
    }
}

/// The length of a regular expression between slashes, if it ends on this line.
fn pattern(rest: &[u8]) -> Option<usize> {
    let (mut at, mut in_class) = (1, false);
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::languages::{language, language_names};

    fn check(name: &str, program: &str, codes: &[&str]) {
        let comments = language(name).unwrap().comments;
        let lines: Vec<&[u8]> = program.lines().map(str::as_bytes).collect();
        for (at, code) in codes.iter().enumerate() {
            let found = code_of(&lines, at, &comments).code;
            assert_eq!(String::from_utf8(found).unwrap(), *code, "line {} of {program}", at + 1);
        }
    }

    #[test]
    fn comments_are_no_code() {
        check("java", "a b; // c\n/* x\n y */ d;\n// e", &["ab;", "", "d;", ""]);
        check("java", "s = \"// no\"; t\nc = '\"'; // yes", &["s=\"// no\";t", "c='\"';"]);
        check("java", "s = \"a\\\" // no\"; // yes\n/**/x/**/", &["s=\"a\\\" // no\";", "x"]);
        check("java", "s = \"\"\"\n // text\n\"\"\"; // c", &["s=\"\"\"", " // text", "\"\"\";"]);
        check("java", "it's open // \nx; // c", &["it's open // ", "x;"]);
        check("python", "a = '#' # b\n\"\"\"\n# text\n\"\"\"", &["a='#'", "\"\"\"", "# text"]);
        check("sql", "select 1 -- c\n/* d */ x", &["select1", "x"]);
    }

    #[test]
    fn languages_have_their_habits() {
        check("rust", "fn f<'a>() {} // c\nx('\"'); // c", &["fnf<'a>(){}", "x('\"');"]);
        check("go", "s := `\n// text\\` // c", &["s:=`", "// text\\`"]);
        check("kotlin", "\"\"\"\\\"\"\" // c", &["\"\"\"\\\"\"\""]);
        check("shell", "if [ $# -lt 2 ] # c\n${x#foo}", &["if[$#-lt2]", "${x#foo}"]);
        check("php", "#[Route(\"/a\")]\nx; # c", &["#[Route(\"/a\")]", "x;"]);
        check("haskell", "a --> b -- c\n-- d", &["a-->b", ""]);
        check("javascript", "r = /[/*]/; // c\na / b // c", &["r=/[/*]/;", "a/b"]);
        check("cpp", "x = 1'000; // c", &["x=1'000;"]);
    }

    proptest! {
        #[test]
        fn anything_is_read(text in "[ a\"'`/*#\\\\\n\\[-]{0,60}") {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            for name in language_names() {
                let comments = language(name).unwrap().comments;
                for at in 0..lines.len() {
                    prop_assert!(code_of(&lines, at, &comments).code.len() <= lines[at].len());
                }
            }
        }
    }
}
