//! CodRep's lines: `<path> <line> [<line>…]`.

use assay_core::{Fault, FaultKind, Problems, Response, SampleKey, shown_name};

use crate::ParsedAnswer;

/// Parses a line; `None` if it is blank.
pub fn parse_line(line: &str, problems: &dyn Problems) -> Result<Option<ParsedAnswer>, Fault> {
    let Some(prediction) = parse_prediction(line)? else { return Ok(None) };
    let index = problems
        .find(prediction.path)
        .map_err(|message| Fault::new(FaultKind::UnknownProblem, message))?;
    let lines =
        prediction.numbers.iter().map(|word| parse_line_number(word)).collect::<Result<_, _>>();
    let lines = lines.map_err(|fault: Fault| fault.about(index))?;
    Ok(Some(ParsedAnswer { key: SampleKey { index, sample: 0 }, response: Response::Lines(lines) }))
}

/// The line for an answer, without its line feed; `None` for an answer without lines.
pub fn write_line(problems: &dyn Problems, index: usize, response: &Response) -> Option<String> {
    let Response::Lines(lines) = response else { return None };
    let numbers = lines.iter().map(|line| format!(" {line}"));
    Some(std::iter::once(problems.location(index)).chain(numbers).collect())
}

/// The parts of one line of a prediction file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prediction<'a> {
    /// The task's path, as it was written.
    path: &'a str,
    /// The words after the path.
    numbers: Vec<&'a str>,
}

/// Parses a line; `None` if it is blank.
///
/// A path ends with the first word that ends in `.txt`, so it may contain spaces; in a line without
/// such a word, the first word is the path.
fn parse_prediction(line: &str) -> Result<Option<Prediction<'_>>, Fault> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let end = path_end(line);
    let (path, rest) = line.split_at(end);
    let numbers: Vec<&str> = rest.split_whitespace().collect();
    if numbers.is_empty() {
        return Err(Fault::new(
            FaultKind::Malformed,
            format!(
                "\"{}\" has no line number; expected `<path> <line> [<line>…]`",
                shown_name(line)
            ),
        ));
    }
    Ok(Some(Prediction { path, numbers }))
}

/// Parses a line number. The grader checks whether the file has such a line.
fn parse_line_number(word: &str) -> Result<usize, Fault> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("\"{}\" is not a line number", shown_name(word));
        return Err(Fault::new(FaultKind::NotANumber, message));
    }
    match word.strip_prefix('+').unwrap_or(word).parse::<usize>() {
        Ok(line) if line > 0 => Ok(line),
        Err(_) if !word.starts_with('-') => {
            let message = format!("line {} is out of range", shown_name(word));
            Err(Fault::new(FaultKind::OutOfRange, message))
        }
        _ => {
            let message = format!("line {} is out of range; lines count from 1", shown_name(word));
            Err(Fault::new(FaultKind::OutOfRange, message))
        }
    }
}

fn path_end(line: &str) -> usize {
    let first_word = line.find(char::is_whitespace).unwrap_or(line.len());
    if line[..first_word].ends_with(".txt") {
        return first_word;
    }
    let mut endings = line.match_indices(".txt").map(|(at, ending)| at + ending.len());
    let word_ends = |&end: &usize| line[end..].chars().next().is_none_or(char::is_whitespace);
    endings.find(word_ends).unwrap_or(first_word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, path: &str, numbers: &[&str]) {
        let expected = Prediction { path, numbers: numbers.to_vec() };
        assert_eq!(parse_prediction(line), Ok(Some(expected)), "{line:?}");
    }

    #[test]
    fn takes_lines_apart() {
        check("/a/Tasks/1.txt 5", "/a/Tasks/1.txt", &["5"]);
        check("1.txt 5 6\t7 \r", "1.txt", &["5", "6", "7"]);
        check("/a b/Tasks/1.txt 5", "/a b/Tasks/1.txt", &["5"]);
        check("Dataset1/7 5", "Dataset1/7", &["5"]);
        check("1.txt five", "1.txt", &["five"]);
        assert_eq!(parse_prediction(" \t"), Ok(None));
        assert!(parse_prediction("/a/Tasks/1.txt").is_err());
        assert!(parse_prediction("17").is_err());
    }

    #[test]
    fn tells_numbers_from_the_rest() {
        assert_eq!(parse_line_number("12"), Ok(12));
        assert_eq!(parse_line_number("+12"), Ok(12));
        for (word, kind) in [
            ("0", FaultKind::OutOfRange),
            ("99999999999999999999999", FaultKind::OutOfRange),
            ("-3", FaultKind::OutOfRange),
            ("-99999999999999999999999", FaultKind::OutOfRange),
            ("1.5", FaultKind::NotANumber),
            ("", FaultKind::NotANumber),
            ("-", FaultKind::NotANumber),
            ("+-1", FaultKind::NotANumber),
            ("twelve", FaultKind::NotANumber),
            ("１２", FaultKind::NotANumber),
        ] {
            assert_eq!(parse_line_number(word).map_err(|fault| fault.kind), Err(kind), "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_line_or_a_fault(line: String) {
            if let Ok(Some(prediction)) = parse_prediction(&line) {
                prop_assert!(line.contains(prediction.path));
                prop_assert!(!prediction.numbers.is_empty());
                for word in prediction.numbers {
                    prop_assert!(parse_line_number(word).is_ok_and(|line| line > 0) || parse_line_number(word).is_err());
                }
            }
        }

        #[test]
        fn what_was_written_is_read(
            folder in "(/[a-z ]{1,9}){0,4}",
            stem in "[a-z0-9]{1,6}",
            lines in prop::collection::vec(1usize..1_000_000, 1..6),
        ) {
            let path = format!("{folder}/{stem}.txt");
            let words: Vec<String> = lines.iter().map(usize::to_string).collect();
            let line = format!("{path} {}", words.join(" "));
            let prediction = parse_prediction(&line).unwrap().unwrap();
            prop_assert_eq!(prediction.path, path.trim());
            let read: Vec<usize> =
                prediction.numbers.iter().map(|word| parse_line_number(word).unwrap()).collect();
            prop_assert_eq!(read, lines);
        }
    }
}
