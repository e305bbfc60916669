//! Lines that leave the program one that parses, put before the others.

use std::ops::Range;

use assay_core::LineQuestion;
use assay_syntax::java::Checked;

/// The most lines that are tried for one question; each costs a partial parse.
pub(crate) const MOST_CHECKS: usize = 64;

/// The `top` best of `ranked`, where a line with which the program still parses is better than any
/// other. Lines are tried in their order until enough are found, a limited number of them.
pub(crate) fn parsing_first(question: &LineQuestion, ranked: &[usize], top: usize) -> Vec<usize> {
    let places = places(question);
    let mut checked = Checked::new(question.program());
    let mut parses = |line: usize| {
        // By the rules of the original a lone CR ends a line: there may be more lines than places.
        let place = line.checked_sub(1).and_then(|at| places.get(at));
        place.is_some_and(|place| checked.would_parse(place.clone(), question.line()))
    };
    let tried = ranked.iter().copied().take(MOST_CHECKS);
    let mut best: Vec<usize> = tried.filter(|&line| parses(line)).take(top).collect();
    let rest = ranked.iter().copied().filter(|line| !best.contains(line));
    let rest: Vec<usize> = rest.take(top - best.len()).collect();
    best.extend(rest);
    best
}

/// The place of each line of a program, without its line feed.
fn places(question: &LineQuestion) -> Vec<Range<usize>> {
    let mut start = 0;
    let place = |line: &[u8]| {
        let place = start..start + line.len();
        start = place.end + 1;
        place
    };
    question.program_lines().map(place).collect()
}
