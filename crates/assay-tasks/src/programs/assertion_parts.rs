//! The call and the expected value in the text of a failed assertion, in the languages with braces.
//!
//! This is for people and decides nothing, so it reads the usual forms of tests and no others.

use assay_core::Evidence;

use super::suite::SeparateTests;

/// The number of characters that are kept of a part.
const MAX_PART: usize = 300;
/// The number of lines that an assertion may span.
const MAX_LINES: usize = 60;

/// The parts of an assertion, as far as they are known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AssertionParts {
    call: Option<String>,
    expected: Option<String>,
    got: Option<String>,
}

impl AssertionParts {
    /// The parts that the message of a failed test tells, and the tests at the line that it names.
    pub(super) fn new(message: &str, tests: &SeparateTests) -> Self {
        let source = line_of_tests(message).and_then(|line| statement(tests, line));
        let of_source = || source.as_deref().map_or_else(Self::default, Self::of_statement);
        if let Some(parts) = Self::of_values(message) {
            return Self { call: of_source().call, ..parts };
        }
        match asserted(message) {
            Some(condition) => Self::of_condition(condition),
            None => of_source(),
        }
    }

    /// Adds what is known to the evidence, unless the tests have told more.
    pub(super) fn add_to(self, evidence: &mut Evidence) {
        let Self { call, expected, got } = self;
        let added = |known: &mut Option<String>, found: Option<String>| {
            if known.is_none() {
                *known = found.map(|text| shortened(&text));
            }
        };
        added(&mut evidence.call, call);
        added(&mut evidence.expected, expected);
        added(&mut evidence.got, got);
    }

    /// The values in a message: Go's and Rust's have both.
    fn of_values(message: &str) -> Option<Self> {
        let both = |got: &str, expected: &str| Self {
            call: None,
            expected: Some(expected.trim().to_owned()),
            got: Some(got.trim().to_owned()),
        };
        if let Some((got, rest)) = message.split_once(" is given, not ") {
            return Some(both(got, rest.rsplit_once(" (line ").map_or(rest, |(wanted, _)| wanted)));
        }
        let (_, values) = message.split_once("left: ")?;
        let (left, right) = values.split_once("right: ")?;
        Some(both(left, right.rsplit_once(" (line ").map_or(right, |(right, _)| right)))
    }

    /// The parts of a statement such as `assert_eq!(call, expected)` or `assert.Equal(expected, call)`.
    fn of_statement(statement: &str) -> Self {
        let Some(begin) = statement.find('(') else { return Self::default() };
        let function = statement[..begin].trim();
        let Some(inner) = inside(&statement[begin..]) else { return Self::default() };
        let parts = split_at_commas(inner);
        match parts.as_slice() {
            [expected, call, ..] if function.ends_with(".Equal") => Self::pair(call, expected),
            [call, expected, ..] if function.ends_with("assert_eq!") => Self::pair(call, expected),
            [condition, ..] => Self::of_condition(condition),
            [] => Self::default(),
        }
    }

    /// The parts of a condition that was not true.
    fn of_condition(condition: &str) -> Self {
        let condition = without_parentheses(condition.trim());
        for operator in ["===", "==", "!==", "!="] {
            if let Some((left, right)) = split_at(condition, operator) {
                let not = if operator.starts_with('!') { "not " } else { "" };
                let (left, right) = without_wrapper(left, right);
                return Self::pair(left, &format!("{not}{right}"));
            }
        }
        if let Some((left, limit)) = split_at(condition, "<=").or_else(|| split_at(condition, "<"))
            && let Some(inner) = left.find("abs(").and_then(|at| inside(&left[at + 3..]))
            && let Some((call, expected)) = split_at(inner, "-")
        {
            return Self::pair(call, &format!("within {} of {}", limit.trim(), expected.trim()));
        }
        if let Some((call, rest)) = condition.split_once(".equals(")
            && let Some(expected) = rest.strip_suffix(')')
        {
            return Self::pair(call, expected);
        }
        if let Some(call) = condition.strip_prefix('!') {
            return Self::pair(call, "false");
        }
        // Helpers of tests that compare two values, such as C++'s `issame`.
        let compares = ["issame", "equals", "same", "deepEqual"];
        if let Some(begin) = condition.find('(')
            && compares.iter().any(|name| condition[..begin].ends_with(name))
            && let Some(inner) = inside(&condition[begin..])
            && let [call, expected] = split_at_commas(inner).as_slice()
        {
            return Self::pair(call, expected);
        }
        if condition.ends_with(')') { Self::pair(condition, "true") } else { Self::default() }
    }

    fn pair(call: &str, expected: &str) -> Self {
        let text = |text: &str| Some(text.trim().to_owned());
        Self { call: text(call), expected: text(expected), got: None }
    }
}

/// The condition in the message of a failed assertion.
fn asserted(message: &str) -> Option<&str> {
    let without_line = message.rsplit_once(" (line ").map_or(message, |(message, _)| message);
    if let Some((_, condition)) = without_line.split_once("not true: ") {
        return Some(condition);
    }
    if let Some((_, rest)) = message.split_once("Assertion `") {
        return rest.rsplit_once("' failed").map(|(condition, _)| condition);
    }
    without_line.strip_prefix("assertion failed: ")
}

/// The line in `… (line 7 of the tests)`.
fn line_of_tests(message: &str) -> Option<usize> {
    let (_, rest) = message.rsplit_once("(line ")?;
    rest.split_once(" of the tests)")?.0.parse().ok()
}

/// The statement that begins at a line of the tests, as one line. Some tests count their lines alone, others with the
/// program before them.
fn statement(tests: &SeparateTests, line: usize) -> Option<String> {
    [&tests.tests, &tests.appended].into_iter().find_map(|text| {
        let mut lines = text.lines().skip(line.checked_sub(1)?).take(MAX_LINES);
        let mut statement = lines.next()?.trim().to_owned();
        if !statement.contains("assert") {
            return None;
        }
        for line in lines {
            if statement.find('(').is_none_or(|at| inside(&statement[at..]).is_some()) {
                break;
            }
            statement.push(' ');
            statement += line.trim();
        }
        Some(statement)
    })
}

/// Calls `visit` with every byte of code and its depth of brackets, outside of texts, until it returns true.
fn scan(code: &str, mut visit: impl FnMut(usize, u8, usize) -> bool) {
    let bytes = code.as_bytes();
    let (mut depth, mut quote, mut at) = (0_usize, None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            // A lifetime in Rust is no text; no test has one.
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, _) => {
                depth -= usize::from(matches!(byte, b')' | b']' | b'}') && depth > 0);
                if visit(at, byte, depth) {
                    return;
                }
                depth += usize::from(matches!(byte, b'(' | b'[' | b'{'));
            }
        }
        at += 1;
    }
}

/// The text between the bracket that a text begins with and the one that closes it.
fn inside(text: &str) -> Option<&str> {
    if !text.starts_with(['(', '[', '{']) {
        return None;
    }
    let mut end = None;
    scan(text, |at, byte, depth| {
        if at > 0 && depth == 0 && matches!(byte, b')' | b']' | b'}') {
            end = Some(at);
        }
        end.is_some()
    });
    end.map(|end| &text[1..end])
}

/// A condition without parentheses around all of it.
fn without_parentheses(condition: &str) -> &str {
    match inside(condition) {
        Some(inner) if condition.starts_with('(') && inner.len() + 2 == condition.len() => {
            without_parentheses(inner.trim())
        }
        _ => condition,
    }
}

/// The two sides of the first such operator outside of brackets and texts.
fn split_at<'a>(condition: &'a str, operator: &str) -> Option<(&'a str, &'a str)> {
    let mut place = None;
    scan(condition, |at, _, depth| {
        let is_operator =
            depth == 0 && at > 0 && condition.as_bytes()[at..].starts_with(operator.as_bytes());
        if is_operator {
            place = Some(at);
        }
        is_operator
    });
    let at = place?;
    Some((&condition[..at], &condition[at + operator.len()..]))
}

fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    scan(text, |at, byte, depth| {
        if byte == b',' && depth == 0 {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
        false
    });
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Both sides of a comparison, without a function that both are handed to.
fn without_wrapper<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    const WRAPPER: &str = "JSON.stringify";
    let inner = |side: &'a str| inside(side.trim().strip_prefix(WRAPPER)?);
    inner(left).zip(inner(right)).unwrap_or((left, right))
}

/// A text without its middle, if it is long.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_PART {
        return text.to_owned();
    }
    let head: String = text.chars().take(MAX_PART / 2).collect();
    let tail: String = text.chars().skip(count - MAX_PART / 2).collect();
    format!("{head} … {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, source: &str, expected: [&str; 3]) {
        let tests = SeparateTests {
            tests: format!("line 1\nline 2\n{source}\n"),
            server_code: String::new(),
            appended: String::new(),
        };
        let AssertionParts { call, expected: wanted, got } = AssertionParts::new(message, &tests);
        let found = [call, wanted, got].map(|part| part.unwrap_or_else(|| "-".to_owned()));
        assert_eq!(found, expected, "{message}");
    }

    #[test]
    fn the_parts_of_every_languages_assertions_are_found() {
        let at_3 = "(line 3 of the tests)";
        check(
            "tests: main.cpp:9: int main(): Assertion `f(\"a==b\", 1) == 2' failed.",
            "",
            ["f(\"a==b\", 1)", "2", "-"],
        );
        check("Assertion `(issame(f({1, 2}) , {3, 4}))' failed.", "", ["f({1, 2})", "{3, 4}", "-"]);
        check(
            "Assertion `abs(f(1) - 2.5) < 1e-4' failed.",
            "",
            ["f(1)", "within 1e-4 of 2.5", "-"],
        );
        check("Assertion `f(1)' failed.", "", ["f(1)", "true", "-"]);
        check("not true: f([1, 2]) === true", "", ["f([1, 2])", "true", "-"]);
        check(
            "not true: JSON.stringify(f([1])) === JSON.stringify([2, 3])",
            "",
            ["f([1])", "[2, 3]", "-"],
        );
        check(&format!("not true: s.f(1) == 2 {at_3}"), "x", ["s.f(1)", "2", "-"]);
        check(
            &format!("not true: s.f(1).equals(Arrays.asList(1, 2)) {at_3}"),
            "x",
            ["s.f(1)", "Arrays.asList(1, 2)", "-"],
        );
        check(&format!("not true: !s.f(1) {at_3}"), "x", ["s.f(1)", "false", "-"]);
        check(
            &format!("[]int{{1}} is given, not []int{{2}} {at_3}"),
            "    assert.Equal([]int{2}, F(\"a, b\", 1))",
            ["F(\"a, b\", 1)", "[]int{2}", "[]int{1}"],
        );
        check(
            &format!("assertion `left == right` failed\n  left: [1]\n right: [2] {at_3}"),
            "assert_eq!(f(vec![1,\n  2]),\n  vec![2]);",
            ["f(vec![1, 2])", "[2]", "[1]"],
        );
        check(&format!("assertion failed: f(1) == true {at_3}"), "", ["f(1)", "true", "-"]);
        check("Segmentation fault", "", ["-", "-", "-"]);
        check("", "", ["-", "-", "-"]);
    }

    proptest::proptest! {
        #[test]
        fn any_message_has_parts(text in "(Assertion `|' failed|not true: |\\(line 3 of the tests\\)|left: |right: |[(){}\"',=<! ]|é|f){0,30}") {
            let tests = SeparateTests {
                tests: format!("a\nb\nassert{text}"),
                server_code: String::new(),
                appended: text.clone(),
            };
            let _ = AssertionParts::new(&text, &tests);
        }
    }
}
