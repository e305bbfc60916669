//! `random` and `random-parses`: lines or options drawn at random.

use assay_core::{DigestOf, Effort, Question, Response};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::SolverCard;
use crate::baseline::{Baseline, Factor, best};
use crate::kind::{LINES, LINES_AND_CHOICES};
use crate::parsing::{MAX_CHECKS, parsing_first};

pub(crate) const RANDOM: Baseline = Baseline {
    card: SolverCard::new(
        "random",
        LINES_AND_CHOICES,
        "--top K different lines at random; --seed decides which",
    ),
    effort: Effort::Trivial,
    depends_on: &[Factor::Top, Factor::Seed],
    answer: |ask, settings| {
        best(ask.question, settings.top, |count, top| draw(ask.question, count, top, settings.seed))
    },
};

pub(crate) const RANDOM_PARSES: Baseline = Baseline {
    card: SolverCard::new(
        "random-parses",
        LINES,
        "like random, among the lines with which the file still parses as Java",
    ),
    effort: Effort::Working,
    depends_on: &[Factor::Grammar, Factor::Top, Factor::Seed],
    answer: |ask, settings| {
        let Question::Line(question) = ask.question else { return None };
        let length = question.length();
        let top = settings.top.min(length);
        let tried = top.max(MAX_CHECKS).min(length);
        let drawn = draw(ask.question, length, tried, settings.seed);
        Some(Response::Lines(parsing_first(question, &drawn, top)))
    },
};

/// Distinct numbers from 1 to `count`, which depend only on the seed and the question: the same on
/// every machine, in any order of the problems.
fn draw(question: &Question, count: usize, top: usize, seed: u64) -> Vec<usize> {
    let mut digest = DigestOf::new();
    digest.field(&seed.to_le_bytes());
    match question {
        Question::Line(question) => digest.field(question.text()),
        _ => digest.field(question.prompt().as_bytes()),
    };
    let mut random = ChaCha8Rng::from_seed(*digest.finish().as_bytes());
    rand::seq::index::sample(&mut random, count, top).iter().map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::baseline::testing::{choice, lines};

    #[test]
    fn random_lines_are_different_and_fixed_by_the_seed() {
        let answer = |top, length| lines(&RANDOM, top, "x", "y\n".repeat(length));
        let drawn = answer(40, 50);
        assert_eq!(drawn, answer(40, 50));
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 40);
        assert!(drawn.iter().all(|line| (1..=50).contains(line)));
        assert_eq!(answer(99, 5).len(), 5);
    }

    #[test]
    fn every_option_is_drawn_for_some_question() {
        let options = ["a", "b", "c"];
        let draw = |at: usize| choice(&RANDOM, &format!("question {at}"), &options).unwrap();
        let drawn: HashSet<String> = (0..50).map(draw).collect();
        assert_eq!(drawn.len(), options.len(), "{drawn:?}");
        assert_eq!(draw(1), draw(1));
        assert_eq!(choice(&RANDOM, "?", &[]), None);
    }
}
