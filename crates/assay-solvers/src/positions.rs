//! `first`, `middle` and `last`: the competition's own baselines, which answer by position only.

use assay_core::Effort;

use crate::SolverCard;
use crate::baseline::{Baseline, Factor, best};
use crate::kind::{LINES, LINES_AND_CHOICES};

pub(crate) const FIRST: Baseline = Baseline {
    card: SolverCard::new("first", LINES_AND_CHOICES, "always the first line"),
    effort: Effort::Trivial,
    depends_on: &[Factor::Top],
    answer: |ask, settings| best(ask.question, settings.top, |_, top| (1..=top).collect()),
};

/// Half the number of lines, rounded down.
pub(crate) const MIDDLE: Baseline = Baseline {
    card: SolverCard::new("middle", LINES, "always the middle line"),
    effort: Effort::Trivial,
    depends_on: &[Factor::Top],
    answer: |ask, settings| {
        best(ask.question, settings.top, |count, top| from_the_middle(count).take(top).collect())
    },
};

pub(crate) const LAST: Baseline = Baseline {
    card: SolverCard::new("last", LINES_AND_CHOICES, "always the last line"),
    effort: Effort::Trivial,
    depends_on: &[Factor::Top],
    answer: |ask, settings| {
        best(ask.question, settings.top, |count, top| (1..=count).rev().take(top).collect())
    },
};

/// The middle line, then its neighbours, the later one first.
fn from_the_middle(length: usize) -> impl Iterator<Item = usize> {
    let middle = (length / 2).max(1);
    let around = (1..length).flat_map(move |distance| {
        [Some(middle + distance).filter(|&line| line <= length), middle.checked_sub(distance)]
    });
    std::iter::once(middle).chain(around.flatten().filter(|&line| line > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::testing::{choice, lines};

    fn answer(baseline: &Baseline, top: usize, length: usize) -> Vec<usize> {
        lines(baseline, top, "x", "y\n".repeat(length))
    }

    #[test]
    fn answers_as_the_original_baselines() {
        assert_eq!(answer(&FIRST, 1, 9), [1]);
        assert_eq!(answer(&LAST, 1, 9), [9]);
        assert_eq!(answer(&MIDDLE, 1, 9), [4]);
        assert_eq!(answer(&MIDDLE, 1, 1), [1]);
    }

    #[test]
    fn more_than_one_line_is_a_ranking() {
        assert_eq!(answer(&FIRST, 3, 9), [1, 2, 3]);
        assert_eq!(answer(&LAST, 3, 2), [2, 1]);
        assert_eq!(answer(&MIDDLE, 99, 5), [2, 3, 1, 4, 5]);
    }

    #[test]
    fn options_are_chosen_by_position_too() {
        let options = ["a", "b", "c"];
        assert_eq!(choice(&FIRST, "?", &options).unwrap(), "a");
        assert_eq!(choice(&LAST, "?", &options).unwrap(), "c");
        assert_eq!(choice(&LAST, "?", &[]), None);
    }
}
