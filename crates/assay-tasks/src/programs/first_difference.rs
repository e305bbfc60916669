//! The first difference between a program's output and the expected one, for people.

use super::grading_rules::ProgramOutput;

/// The number of lines that are kept of an output, and those among them before the first difference.
const MAX_LINES: usize = 8;
const BEFORE: usize = 2;
/// The number of characters that are kept of a line, in a message and in an output.
const MAX_MESSAGE: usize = 60;
const MAX_LINE: usize = 200;
/// The number of characters that are kept of an input.
const MAX_INPUT: usize = 1000;
/// Numbers that are closer than this share of them are no difference to show: rules may accept them.
const CLOSE: f64 = 1e-6;

/// The place where an output is not as expected.
pub(super) struct FirstDifference {
    /// The first line that differs, in words.
    pub(super) message: String,
    /// The expected lines around it.
    pub(super) expected: String,
    /// The lines of the output around it.
    pub(super) got: String,
}

impl FirstDifference {
    pub(super) fn new(printed: ProgramOutput<'_>) -> Self {
        let output = String::from_utf8_lossy(printed.output);
        let (got, expected): (Vec<&str>, Vec<&str>) =
            (output.lines().collect(), printed.expected.lines().collect());
        let at = first_difference(&got, &expected);
        let show = |lines: &[&str]| match at.and_then(|at| lines.get(at)) {
            Some(line) => format!("{:?}", clipped(line, MAX_MESSAGE)),
            None => "nothing".to_owned(),
        };
        let message = match at {
            Some(at) => format!("line {} is {}, not {}", at + 1, show(&got), show(&expected)),
            None => "it prints something else".to_owned(),
        };
        let around = |lines: &[&str]| around(lines, at.unwrap_or_default());
        Self { message, expected: around(&expected), got: around(&got) }
    }
}

/// The beginning of an input.
pub(super) fn shown_input(input: &str) -> String {
    let shown = clipped(input, MAX_INPUT);
    if shown.len() < input.len() { format!("{shown}…") } else { input.to_owned() }
}

/// The first line that differs by more than white space and rounding; if there is none, by anything.
fn first_difference(got: &[&str], expected: &[&str]) -> Option<usize> {
    let longest = got.len().max(expected.len());
    let differs = |same: fn(&str, &str) -> bool| {
        (0..longest).find(|&at| match (got.get(at), expected.get(at)) {
            (Some(got), Some(expected)) => !same(got, expected),
            (Some(line), None) | (None, Some(line)) => !same(line, ""),
            (None, None) => false,
        })
    };
    differs(is_alike).or_else(|| differs(|got, expected| got == expected))
}

fn is_alike(left: &str, right: &str) -> bool {
    let is_same = |(left, right): (&str, &str)| {
        let numbers = left.parse::<f64>().ok().zip(right.parse::<f64>().ok());
        let is_close =
            |(left, right): (f64, f64)| (left - right).abs() <= CLOSE * left.abs().max(right.abs());
        left == right || numbers.is_some_and(is_close)
    };
    let (mut lefts, mut rights) = (left.split_whitespace(), right.split_whitespace());
    loop {
        match (lefts.next(), rights.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if is_same((left, right)) => {}
            _ => return false,
        }
    }
}

/// The lines around number `at`.
fn around(lines: &[&str], at: usize) -> String {
    let start = at.saturating_sub(BEFORE).min(lines.len());
    let end = (start + MAX_LINES).min(lines.len());
    let mut shown: Vec<String> = Vec::new();
    if start > 0 {
        shown.push("…".to_owned());
    }
    shown.extend(lines[start..end].iter().map(|line| clipped(line, MAX_LINE).to_owned()));
    if end < lines.len() {
        shown.push("…".to_owned());
    }
    shown.join("\n")
}

/// The beginning of a text.
fn clipped(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str, expected: &str) -> FirstDifference {
        FirstDifference::new(ProgramOutput { output: output.as_bytes(), expected })
    }

    #[test]
    fn the_first_line_that_differs_is_told_with_those_around_it() {
        let lines = |changed: &str| {
            let line = |number: i32| match number {
                7 => format!("{changed}\n"),
                _ => format!("{number} \n"),
            };
            (1..=20).map(line).collect::<String>()
        };
        let found = of(&lines("x"), &lines("7.0").replace(' ', ""));
        assert_eq!(found.message, "line 7 is \"x\", not \"7.0\"");
        assert_eq!(found.got, "…\n5 \n6 \nx\n8 \n9 \n10 \n11 \n12 \n…");
        assert!(found.expected.contains("\n6\n7.0\n8\n"), "{}", found.expected);
    }

    #[test]
    fn white_space_and_rounding_are_no_differences_if_there_are_others() {
        assert_eq!(of("0.3333333\n1", "0.33333333 \n2").message, "line 2 is \"1\", not \"2\"");
        assert_eq!(of("1 ", "1").message, "line 1 is \"1 \", not \"1\"");
        assert_eq!(of("", "1\n").message, "line 1 is nothing, not \"1\"");
        assert_eq!(of("1\n2", "1").message, "line 2 is \"2\", not nothing");
        assert_eq!(of("1\n", "1").message, "it prints something else");
    }

    #[test]
    fn long_texts_are_bounded() {
        let long = "é".repeat(1 << 20);
        let found = of(&long, &"x\n".repeat(1 << 16));
        assert!(found.message.len() < 300 && found.got.len() < 1000 && found.expected.len() < 100);
        assert_eq!(shown_input(&long).chars().count(), MAX_INPUT + 1);
        assert_eq!(shown_input("1\n"), "1\n");
    }
}
