//! The simple way to find a line: the one that shares most tokens with the new line.

use std::cmp::Ordering;

use crate::lex::{self, State, Token};
use crate::similarity::{common_prefix, common_suffix, sorted_common};
use crate::source::squeezed;

/// A program's lines, counted from 1, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapRanking {
    /// The lines that the new line may replace.
    pub possible: Vec<usize>,
    /// The lines that are blank or equal the new line apart from white space.
    pub others: Vec<usize>,
}

/// Ranks a program's lines by the share of tokens that each has in common with the new line,
/// counted with repetitions. Of equals, the one with more bytes in common at both ends is better,
/// then the earlier one.
pub fn rank_by_overlap(line: &[u8], program: &[u8]) -> OverlapRanking {
    let new = line.trim_ascii();
    let mut scratch = Vec::new();
    let new_tokens = token_hashes(new, &mut State::default(), &mut scratch);
    let new_squeezed = squeezed(new);
    let mut state = State::default();
    let (mut possible, mut others) = (Vec::new(), Vec::new());
    for (at, raw) in lines(program).enumerate() {
        let text = raw.trim_ascii();
        let tokens = token_hashes(text, &mut state, &mut scratch);
        let scored = Scored {
            line: at + 1,
            common: sorted_common(&new_tokens, &tokens),
            total: (new_tokens.len() + tokens.len()).max(1),
            ends: common_ends(text, new),
        };
        let meant = !text.is_empty() && squeezed(text) != new_squeezed;
        if meant { &mut possible } else { &mut others }.push(scored);
    }
    OverlapRanking { possible: ranked(possible), others: ranked(others) }
}

/// A line and its overlap with the new one.
struct Scored {
    line: usize,
    /// Tokens that are in both.
    common: usize,
    /// The total number of tokens of both lines; at most a few thousand each.
    total: usize,
    ends: usize,
}

fn ranked(mut lines: Vec<Scored>) -> Vec<usize> {
    lines.sort_unstable_by(best_first);
    lines.iter().map(|scored| scored.line).collect()
}

/// Compares fractions without rounding, so that equals are equal on every machine.
fn best_first(left: &Scored, right: &Scored) -> Ordering {
    (right.common * left.total)
        .cmp(&(left.common * right.total))
        .then(right.ends.cmp(&left.ends))
        .then(left.line.cmp(&right.line))
}

/// The lines of a program, split on LF; an empty one has none.
fn lines(program: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = program.strip_suffix(b"\n").unwrap_or(program);
    body.split(|&byte| byte == b'\n').skip(usize::from(program.is_empty()))
}

/// The hashes of a line's tokens, sorted.
fn token_hashes(text: &[u8], state: &mut State, scratch: &mut Vec<Token>) -> Vec<u64> {
    scratch.clear();
    lex::lex_line(text, state, scratch);
    let mut hashes: Vec<u64> = scratch.iter().map(|token| token.hash).collect();
    hashes.sort_unstable();
    hashes
}

/// The number of bytes that two texts have in common from the start and from the end, none counted
/// twice.
fn common_ends(left: &[u8], right: &[u8]) -> usize {
    let prefix = common_prefix(left, right);
    let shorter = left.len().min(right.len());
    prefix + common_suffix(left, right).min(shorter - prefix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, program: &str, possible: &[usize], others: &[usize]) {
        let ranked = rank_by_overlap(line.as_bytes(), program.as_bytes());
        assert_eq!(ranked.possible, possible, "{line:?} in {program:?}");
        assert_eq!(ranked.others, others, "{line:?} in {program:?}");
    }

    #[test]
    fn shared_tokens_decide() {
        check("int a = f(x, y);", "return b;\nint a = f(x);\nint a;\n", &[2, 3, 1], &[]);
        check("a(b);", "// a(b);\nb(a, c);", &[1, 2], &[]);
        // Repetitions count: the first shares four tokens of its seven, the second three.
        check("f(0, 0);", "g(0, 0);\ng(0, 1);", &[1, 2], &[]);
    }

    #[test]
    fn of_equals_the_ends_then_the_place_decide() {
        check("value = two;", "other = one;\nvalue = one;\n", &[2, 1], &[]);
        check("x;", "y;\ny;\ny;", &[1, 2, 3], &[]);
    }

    #[test]
    fn blank_lines_and_copies_come_last() {
        check("a = 1;", "\n  a=1 ;\n}\n \t\n", &[3], &[2, 1, 4]);
        check("", "\n\n", &[], &[1, 2]);
        check("a", "", &[], &[]);
        check("a", "\n", &[], &[1]);
    }

    #[test]
    fn line_ends_of_windows_are_white_space() {
        check("a = 2;\r", "b();\r\na = 1;\r\n\r\na = 2;\r\n", &[2, 1], &[4, 3]);
    }

    #[test]
    fn long_lines_take_no_longer_than_reading_them() {
        let long = "x".repeat(10 << 20);
        check(&long, &format!("{long}y\nz"), &[1, 2], &[]);
        check(&"(".repeat(10 << 20), &"()".repeat(5 << 20), &[1], &[]);
    }

    proptest! {
        #[test]
        fn every_line_of_any_text_has_its_place(line: Vec<u8>, program: Vec<u8>) {
            let OverlapRanking { possible, others } = rank_by_overlap(&line, &program);
            let mut all = [possible, others].concat();
            all.sort_unstable();
            let lines = lines(&program).count();
            prop_assert_eq!(all, (1..=lines).collect::<Vec<_>>());
        }
    }
}
