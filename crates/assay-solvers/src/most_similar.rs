//! `most-similar` and `most-similar-parses`: the line that a competitor would try first.

use assay_core::{Effort, LineQuestion, Question, Response};
use assay_locate::{OverlapRanking, rank_by_overlap};

use crate::SolverCard;
use crate::baseline::{Baseline, Factor};
use crate::kind::LINES;
use crate::parsing::parsing_first;

pub(crate) const MOST_SIMILAR: Baseline = Baseline {
    card: SolverCard::new(
        "most-similar",
        LINES,
        "the line that shares most tokens with the new one",
    ),
    effort: Effort::Working,
    depends_on: &[Factor::Top],
    answer: |ask, settings| most_similar(ask.question, settings.top, |_, possible, _| possible),
};

pub(crate) const MOST_SIMILAR_PARSES: Baseline = Baseline {
    card: SolverCard::new(
        "most-similar-parses",
        LINES,
        "like most-similar, among the lines with which the file still parses as Java",
    ),
    effort: Effort::Working,
    depends_on: &[Factor::Grammar, Factor::Top],
    answer: |ask, settings| {
        most_similar(ask.question, settings.top, |question, possible, top| {
            parsing_first(question, &possible, top)
        })
    },
};

/// The `top` lines that share most tokens with the new one. The possible ones come first, as
/// selected by `choose` (all, or at least `top` of them), then the others, then those that exist
/// only where a lone CR ends a line.
fn most_similar(
    question: &Question,
    top: usize,
    choose: impl Fn(&LineQuestion, Vec<usize>, usize) -> Vec<usize>,
) -> Option<Response> {
    let Question::Line(question) = question else { return None };
    let length = question.length();
    let top = top.min(length);
    let OverlapRanking { possible, others } = rank_by_overlap(question.line(), question.program());
    let possible = choose(question, possible, top);
    let known = possible.len() + others.len();
    let lines = possible.into_iter().chain(others).chain(known + 1..=length);
    Some(Response::Lines(lines.take(top).collect()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use assay_core::LineRule;
    use proptest::prelude::*;

    use super::*;
    use crate::baseline::testing::lines;
    use crate::random::RANDOM_PARSES;

    const PROGRAM: &str = "\
class Account {
    private long balance;

    void deposit(long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException();
        }
        balance = balance + amount;
    }
}
";

    const GUESSES: [Baseline; 3] = [MOST_SIMILAR, MOST_SIMILAR_PARSES, RANDOM_PARSES];

    #[test]
    fn the_most_similar_line_is_meant() {
        let guess = |top, line| lines(&MOST_SIMILAR, top, line, PROGRAM);
        assert_eq!(guess(1, "        if (amount <= 0) {"), [5]);
        assert_eq!(guess(2, "        balance += amount;"), [8, 2]);
        assert_eq!(guess(99, "    private long balance;")[8..], [2, 3], "copy and blank line last");
    }

    #[test]
    fn a_line_that_breaks_the_program_is_not_meant() {
        // The most similar line is `if (amount < 0) {`, which a statement cannot replace.
        let line = "        assert (amount < 0);";
        assert_eq!(lines(&MOST_SIMILAR, 1, line, PROGRAM), [5]);
        assert_eq!(lines(&MOST_SIMILAR_PARSES, 2, line, PROGRAM), [6, 8]);
        let brace = "        while (amount < 0) {";
        for baseline in [MOST_SIMILAR_PARSES, RANDOM_PARSES] {
            assert_eq!(lines(&baseline, 1, brace, PROGRAM), [5]);
        }
    }

    #[test]
    fn where_no_line_parses_any_will_do() {
        let line = "} } }";
        let most_similar = lines(&MOST_SIMILAR, 3, line, PROGRAM);
        assert_eq!(lines(&MOST_SIMILAR_PARSES, 3, line, PROGRAM), most_similar);
        assert_eq!(lines(&RANDOM_PARSES, 3, line, PROGRAM).len(), 3);
    }

    #[test]
    fn as_many_lines_as_were_asked_for_are_guessed_in_any_text() {
        let deep = ["(", "{", "a<", "if(a)"].map(|part| part.repeat(100_000));
        let large = "x".repeat(10 << 20);
        let texts: Vec<Vec<u8>> = [
            "def f(x):\n    return [y for y in x]\n",
            "#include <stdio.h>\nint main(void) { return 0; }\n",
            "\0\0\n\0",
            "\n\n\n",
            "new line",
            "a\rb\rc",
            "class A {\r\n}\r\n",
            &large,
        ]
        .into_iter()
        .chain(deep.iter().map(String::as_str))
        .map(|text| text.as_bytes().to_vec())
        .chain([vec![0xFF, 0xFE, b'\n', 0xC3, b'\n']])
        .collect();
        for text in &texts {
            for baseline in GUESSES {
                check_guesses(baseline, "new line", text);
            }
        }
        let long_line = "a<".repeat(1 << 20);
        for baseline in GUESSES {
            check_guesses(baseline, &long_line, PROGRAM.as_bytes());
        }
    }

    fn check_guesses(baseline: Baseline, line: &str, program: &[u8]) {
        let text = [line.as_bytes(), b"\n\n", program].concat();
        let length = LineQuestion::new(text, LineRule::Universal).length();
        for top in [1, 3, 100] {
            let guesses = lines(&baseline, top, line, program);
            assert_eq!(guesses.len(), top.min(length), "{baseline:?}");
            assert_eq!(guesses.iter().collect::<HashSet<_>>().len(), guesses.len(), "{guesses:?}");
            assert!(guesses.iter().all(|line| (1..=length).contains(line)), "{guesses:?}");
        }
    }

    proptest! {
        #[test]
        fn guesses_are_lines_of_any_text(line in "[^\n]*", program: Vec<u8>) {
            for baseline in GUESSES {
                check_guesses(baseline, &line, &program);
            }
        }
    }
}
