//! `worst`: the lower bound of a line's score.

use assay_core::{Effort, Question, Response};

use crate::SolverCard;
use crate::baseline::Baseline;
use crate::kind::LINES;

pub(crate) const WORST: Baseline = Baseline {
    card: SolverCard {
        peeks: true,
        ..SolverCard::new("worst", LINES, "the end of the file that is farther from the solution")
    },
    effort: Effort::Trivial,
    depends_on: &[],
    answer: |ask, _| {
        let Question::Line(question) = ask.question else { return None };
        let Some(Response::Lines(lines)) = &ask.gold else { return None };
        let (length, solution) = (question.length(), *lines.first()?);
        let farther = if solution - 1 > length - solution { 1 } else { length };
        Some(Response::Lines(vec![farther]))
    },
};

#[cfg(test)]
mod tests {
    use assay_core::{LineQuestion, LineRule};

    use super::*;
    use crate::baseline::testing::ask;

    #[test]
    fn the_farther_end_is_worst() {
        let text = format!("x\n\n{}", "y\n".repeat(9));
        let question = Question::Line(LineQuestion::new(text.into(), LineRule::LineFeed));
        for (solution, wanted) in [(5, 9), (6, 1)] {
            let gold = Some(Response::Lines(vec![solution]));
            assert_eq!(ask(&WORST, 1, &question, gold), Response::Lines(vec![wanted]));
        }
        assert!(matches!(ask(&WORST, 1, &question, None), Response::None(_)));
    }
}
