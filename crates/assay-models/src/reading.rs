//! Replies as answers: the line number or the option that a text names.
//!
//! Each way of reading has a name and a version, which are recorded beside the answer.

use assay_core::{ChoiceQuestion, NoAnswerKind, Question, Response};

/// A reply, as it answers its question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) response: Response,
    /// The name of the rule, if the response is only a part of the text.
    pub(crate) rule: Option<&'static str>,
}

/// Reads a reply to a question; `top` is the greatest number of lines that an answer may name.
pub(crate) fn read(text: &str, question: &Question, top: usize) -> Read {
    match question {
        Question::Text(_) | Question::Code(_) => {
            Read { response: Response::Text(text.to_owned()), rule: None }
        }
        Question::Line(question) => {
            let lines = lines(after_thoughts(text), question.program_lines().count(), top);
            Read { response: lines, rule: Some("line-number.2") }
        }
        Question::Choice(question) => {
            Read { response: option(after_thoughts(text), question), rule: Some("option.2") }
        }
    }
}

/// The part of a reply outside a reasoning model's thoughts, which may be cut off.
fn after_thoughts(text: &str) -> &str {
    let said = text.rfind("</think>").map_or(text, |at| &text[at + "</think>".len()..]);
    said.find("<think>").map_or(said, |at| &said[..at])
}

/// The line numbers that a reply names: those it begins with, or those after the word "line", or else the only number
/// in it.
fn lines(text: &str, length: usize, top: usize) -> Response {
    let mut begins = leading_numbers(text);
    if begins.len() == 1 && begins_list(text) && !other_numbers(text).is_empty() {
        begins.clear();
    }
    let named = if begins.is_empty() { numbers_after_line(text) } else { begins };
    let mut found = if named.is_empty() { other_numbers(text) } else { named.clone() };
    let mut seen = Vec::new();
    found.retain(|number| {
        let is_new = (1..=length).contains(number) && !seen.contains(number);
        seen.push(*number);
        is_new
    });
    if found.is_empty() || (named.is_empty() && found.len() > 1) {
        let why = if found.is_empty() { "no number of a line" } else { "several numbers" };
        return Response::none(NoAnswerKind::Garbage, format!("the reply names {why}"));
    }
    found.truncate(top.max(1));
    Response::Lines(found)
}

/// The numbers that a text begins with: `12`, `12, 7`, `**12**`, `12: return x;`. A number of things is none of them.
fn leading_numbers(text: &str) -> Vec<usize> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "*`#\"'([".contains(c));
    let mut numbers = Vec::new();
    for word in text.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty()) {
        let word = word.trim_matches(|c: char| "*`.:;\"'()[]".contains(c));
        match word.parse() {
            Ok(number) => numbers.push(number),
            Err(_) if is_counted(word) => {
                numbers.pop();
                break;
            }
            Err(_) => break,
        }
    }
    numbers
}

/// Returns whether a word after a number says that the number counts something.
fn is_counted(word: &str) -> bool {
    let counted =
        ["lines", "times", "candidates", "changes", "places", "statements", "characters", "spaces"];
    counted.contains(&word.trim_end_matches([',', ';', '.', ':']).to_lowercase().as_str())
}

/// Returns whether a text begins as a list does, with `1.` or `1)` and a word.
fn begins_list(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let rest = text.strip_prefix("1.").or_else(|| text.strip_prefix("1)"));
    let rest = rest.map(|rest| rest.trim_start_matches([' ', '*']));
    rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// The numbers after the word "line" or "lines".
fn numbers_after_line(text: &str) -> Vec<usize> {
    let lower = text.to_lowercase();
    let after = |(at, word): (usize, &str)| {
        // A baseline or a newline is no line.
        if lower[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let marks = ['s', ' ', '*', '`', ':', '#'];
        let rest = lower[at + word.len()..].trim_start_matches(marks);
        let rest = rest.strip_prefix("number").unwrap_or(rest).trim_start_matches(marks);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    lower.match_indices("line").filter_map(after).collect()
}

/// All numbers but those that count something, and but that of a list's first item.
fn other_numbers(text: &str) -> Vec<usize> {
    let skipped = usize::from(begins_list(text));
    let is_digit = |c: char| c.is_ascii_digit();
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_digit) {
        let digits = &rest[at..];
        let end = digits.find(|c: char| !is_digit(c)).unwrap_or(digits.len());
        rest = &digits[end..];
        let next = rest.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
        let number = digits[..end].parse().ok().filter(|_| !next.is_some_and(is_counted));
        numbers.push(number);
    }
    numbers.into_iter().skip(skipped).flatten().collect()
}

/// The option that a reply is, or the only one that it mentions.
fn option(text: &str, question: &ChoiceQuestion) -> Response {
    let trim = |text: &str| {
        text.trim_matches(|c: char| c.is_whitespace() || "*`\".'()[]:".contains(c)).to_lowercase()
    };
    let reply = trim(text);
    if let Some(exact) = question.options.iter().find(|option| trim(option) == reply) {
        return Response::Choice(exact.clone());
    }
    let mentioned: Vec<&String> =
        question.options.iter().filter(|option| mentions(text, option)).collect();
    match longest(&mentioned).as_slice() {
        [] => Response::none(NoAnswerKind::Garbage, "the reply names none of the options"),
        [one] => Response::Choice((*one).clone()),
        _ => Response::none(NoAnswerKind::Garbage, "the reply names several of the options"),
    }
}

/// The options that are not part of another one: of `vulnerable` and `not vulnerable`, the second.
fn longest<'o>(options: &[&'o String]) -> Vec<&'o String> {
    let is_part = |option: &&&String| {
        options.iter().any(|other| other.len() > option.len() && mentions(other, option))
    };
    options.iter().filter(|option| !is_part(option)).copied().collect()
}

/// Returns whether a text has an option as a word.
fn mentions(text: &str, option: &str) -> bool {
    let is_edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !option.is_empty()
        && text.match_indices(option).any(|(at, _)| {
            is_edge(text[..at].chars().next_back())
                && is_edge(text[at + option.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use assay_core::{LineQuestion, LineRule};
    use proptest::prelude::*;

    use super::*;

    fn about_line(reply: &str, top: usize) -> Response {
        let text = b"new\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n".to_vec();
        let question = Question::Line(LineQuestion::new(text, LineRule::LineFeed));
        read(reply, &question, top).response
    }

    #[test]
    fn line_numbers_are_found() {
        for (reply, lines) in [
            ("7", &[7][..]),
            (" **7**\n", &[7]),
            ("7: return x;", &[7]),
            ("7, 3 and 99", &[7, 3]),
            ("The replaced line is line 7, because 3 is a field.", &[7]),
            ("Line **12**.", &[12]),
            ("<think>maybe 3</think>\nIt is 4", &[4]),
            ("Number 5 it is", &[5]),
            ("1. The replaced line is line 7.", &[7]),
            ("1) The replaced line number is 7.", &[7]),
            ("1. The first line was replaced.", &[1]),
            ("1.\nThe replaced line is line 1, as 3 tells.", &[1]),
            ("7. It calls what line 3 defines.", &[7]),
            ("7 because line 3 is a field", &[7]),
            ("3 lines look similar, but line 7 was replaced.", &[7]),
            ("I looked at the baseline 3 times; it is 7", &[7]),
            ("Line number 7, on the newline 2", &[7]),
            ("1. line 7\n2. line 9", &[7, 9]),
            ("7\n<think>or line 3", &[7]),
        ] {
            assert_eq!(about_line(reply, 5), Response::Lines(lines.to_vec()), "{reply:?}");
        }
        assert_eq!(about_line("7, 3", 1), Response::Lines(vec![7]));
        let unclosed = "<think>First I suspect line 3, then";
        for reply in ["", "no idea", "99", "either 3 or 4", "3 lines look similar", unclosed] {
            assert!(matches!(about_line(reply, 5), Response::None(_)), "{reply:?}");
        }
    }

    fn about_options(reply: &str) -> Response {
        let options = ["vulnerable", "not vulnerable", "B"].map(str::to_owned).to_vec();
        let question = ChoiceQuestion { prompt: "Is it?".to_owned(), options };
        read(reply, &Question::Choice(question), 1).response
    }

    #[test]
    fn options_are_found() {
        for (reply, option) in [
            ("vulnerable", "vulnerable"),
            (" Vulnerable.\n", "vulnerable"),
            ("It is not vulnerable.", "not vulnerable"),
            ("(b)", "B"),
            ("The answer is B, I think", "B"),
        ] {
            assert_eq!(about_options(reply), Response::Choice(option.to_owned()), "{reply:?}");
        }
        for reply in ["", "perhaps", "B or vulnerable", "invulnerable", "<think>B"] {
            assert!(matches!(about_options(reply), Response::None(_)), "{reply:?}");
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_read(reply in "(line|lines |[0-9]{1,25}|\\*|é|</think>|B|,| ){0,30}") {
            if let Response::Lines(lines) = about_line(&reply, 3) {
                prop_assert!(!lines.is_empty() && lines.len() <= 3);
                prop_assert!(lines.iter().all(|line| (1..=12).contains(line)));
            }
            about_options(&reply);
        }
    }
}
