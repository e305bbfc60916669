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
            Read { response: lines, rule: Some("line-number.1") }
        }
        Question::Choice(question) => {
            Read { response: option(after_thoughts(text), question), rule: Some("option.1") }
        }
    }
}

/// The part of a reply after a reasoning model's thoughts.
fn after_thoughts(text: &str) -> &str {
    text.rfind("</think>").map_or(text, |at| &text[at + "</think>".len()..])
}

/// The line numbers that a reply names: those it begins with, or those after the word "line", or else the only number
/// in it.
fn lines(text: &str, length: usize, top: usize) -> Response {
    let begins = leading_numbers(text);
    let named = if begins.is_empty() { numbers_after_line(text) } else { begins };
    let mut found = if named.is_empty() { all_numbers(text) } else { named.clone() };
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

/// The numbers that a text begins with: `12`, `12, 7`, `**12**`, `12: return x;`.
fn leading_numbers(text: &str) -> Vec<usize> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "*`#\"'([".contains(c));
    let mut numbers = Vec::new();
    for word in text.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty()) {
        let word = word.trim_matches(|c: char| "*`.:;\"'()[]".contains(c));
        match word.parse() {
            Ok(number) => numbers.push(number),
            Err(_) => break,
        }
    }
    numbers
}

/// The numbers after the word "line" or "lines".
fn numbers_after_line(text: &str) -> Vec<usize> {
    let lower = text.to_lowercase();
    let after = |(at, word): (usize, &str)| {
        let rest = lower[at + word.len()..].trim_start_matches(['s', ' ', '*', '`', ':', '#']);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    lower.match_indices("line").filter_map(after).collect()
}

fn all_numbers(text: &str) -> Vec<usize> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    digits.filter_map(|digits| digits.parse().ok()).collect()
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
        ] {
            assert_eq!(about_line(reply, 5), Response::Lines(lines.to_vec()), "{reply:?}");
        }
        assert_eq!(about_line("7, 3", 1), Response::Lines(vec![7]));
        for reply in ["", "no idea", "99", "either 3 or 4"] {
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
        for reply in ["", "perhaps", "B or vulnerable", "invulnerable"] {
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
