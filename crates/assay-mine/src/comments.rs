//! What of a line is code.

use crate::languages::Comments;

/// Where a line leaves off: in code, in a comment or in a text that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    Text(&'static str),
}

/// The code on one line, and where the line leaves off.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineCode {
    /// The line without its comments and white space.
    code: Vec<u8>,
    end: State,
}

/// The code on the line at `at` of a program, which is read from its start to know what is a comment.
pub(crate) fn code_of(lines: &[&[u8]], at: usize, comments: &Comments) -> LineCode {
    let mut state = State::Code;
    let mut code = Vec::new();
    for line in &lines[..=at] {
        code.clear();
        state = read(line, state, comments, &mut code);
    }
    code.retain(|byte| !byte.is_ascii_whitespace());
    LineCode { code, end: state }
}

/// Reads one line that starts in `state`, and says in which it ends.
fn read(line: &[u8], mut state: State, comments: &Comments, code: &mut Vec<u8>) -> State {
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        let starts = |mark: &&&str| rest.starts_with(mark.as_bytes());
        let step = match state {
            State::Comment => {
                let end = comments.block.map_or("", |(_, end)| end);
                if rest.starts_with(end.as_bytes()) {
                    state = State::Code;
                    end.len().max(1)
                } else {
                    1
                }
            }
            State::Text(mark) => {
                let step = if rest[0] == b'\\' { 2.min(rest.len()) } else { 1 };
                let ends = rest.starts_with(mark.as_bytes());
                let step = if ends { mark.len() } else { step };
                code.extend(&rest[..step]);
                if ends {
                    state = State::Code;
                }
                step
            }
            State::Code => {
                if let Some((start, _)) = comments.block.filter(|(start, _)| starts(&start)) {
                    state = State::Comment;
                    start.len()
                } else if comments.line.iter().any(|mark| starts(&mark)) {
                    break;
                } else {
                    let mut marks = comments.long_quotes.iter().chain(comments.quotes);
                    let mark = marks.find(starts).copied();
                    let step = mark.map_or(1, str::len);
                    state = mark.map_or(State::Code, State::Text);
                    code.extend(&rest[..step]);
                    step
                }
            }
        };
        at += step;
    }
    // A short text that is not closed ends with its line.
    match state {
        State::Text(mark) if comments.quotes.contains(&mark) => State::Code,
        other => other,
    }
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
        check("java", "s = \"// no\"; t\nc = '\"'; // yes", &["s=\"//no\";t", "c='\"';"]);
        check("java", "s = \"a\\\" // no\"; // yes\n/**/x/**/", &["s=\"a\\\"//no\";", "x"]);
        check("java", "s = \"\"\"\n // text\n\"\"\"; // c", &["s=\"\"\"", "//text", "\"\"\";"]);
        check("java", "it's open // \nx; // c", &["it'sopen//", "x;"]);
        check("python", "a = '#' # b\n\"\"\"\n# text\n\"\"\"", &["a='#'", "\"\"\"", "#text"]);
        check("rust", "fn f<'a>() {} // c", &["fnf<'a>(){}"]);
        check("go", "s := `\n// text\n` // c", &["s:=`", "//text", "`"]);
        check("sql", "select 1 -- c\n/* d */ x", &["select1", "x"]);
    }

    proptest! {
        #[test]
        fn anything_is_read(text in "[ a\"'`/*#\\\\\n-]{0,60}") {
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
