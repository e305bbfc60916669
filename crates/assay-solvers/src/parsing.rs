//! Ranks lines first whose replacement leaves a program that parses.

use std::ops::Range;

use assay_core::LineQuestion;
use assay_syntax::java::CheckedProgram;

/// The maximum number of lines tried for one question; each costs a partial parse.
pub(crate) const MAX_CHECKS: usize = 64;

/// The `top` best of `ranked`, where a line with which the program still parses is better than any
/// other. Lines are tried in order until enough are found, up to a limit.
pub(crate) fn parsing_first(question: &LineQuestion, ranked: &[usize], top: usize) -> Vec<usize> {
    let line_ranges = line_ranges(question);
    let mut checked = CheckedProgram::new(question.program());
    let mut parses = |line: usize| {
        // By the original's rules a lone CR ends a line: there may be more lines than ranges.
        let place = line.checked_sub(1).and_then(|at| line_ranges.get(at));
        place.is_some_and(|place| checked.would_parse(place.clone(), question.line()))
    };
    let tried = ranked.iter().copied().take(MAX_CHECKS);
    let mut best: Vec<usize> = tried.filter(|&line| parses(line)).take(top).collect();
    let rest = ranked.iter().copied().filter(|line| !best.contains(line));
    let rest: Vec<usize> = rest.take(top - best.len()).collect();
    best.extend(rest);
    best
}

/// The byte range of each line of a program, without its line feed.
fn line_ranges(question: &LineQuestion) -> Vec<Range<usize>> {
    let mut start = 0;
    let place = |line: &[u8]| {
        let place = start..start + line.len();
        start = place.end + 1;
        place
    };
    question.program_lines().map(place).collect()
}
