//! The competition's baselines.

use assay_core::{
    AnswerEach, Ask, DigestOf, Effort, LineQuestion, Question, Reference, Response, Result, Said,
    Why,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::SolverSettings;

/// The baselines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// Line 1.
    First,
    /// Half the number of lines, rounded down.
    Middle,
    /// The last line.
    Last,
    /// Lines drawn at random.
    Random,
    /// The end of the file that is farther from the solution.
    Worst,
    /// The solution.
    Gold,
}

impl Baseline {
    const ALL: [Self; 6] =
        [Self::First, Self::Middle, Self::Last, Self::Random, Self::Worst, Self::Gold];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Middle => "middle",
            Self::Last => "last",
            Self::Random => "random",
            Self::Worst => "worst",
            Self::Gold => "gold",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// Its name with those settings that change its answers.
    pub(crate) fn identity(self, settings: &SolverSettings) -> String {
        let name = self.name();
        match self {
            Self::Random => format!("{name},top={},seed={}", settings.top, settings.seed),
            Self::First | Self::Middle | Self::Last => format!("{name},top={}", settings.top),
            Self::Worst | Self::Gold => name.to_owned(),
        }
    }
}

pub(crate) struct BaselineSolver {
    baseline: Baseline,
    seed: u64,
    top: usize,
}

impl BaselineSolver {
    pub(crate) fn new(baseline: Baseline, settings: &SolverSettings) -> Self {
        Self { baseline, seed: settings.seed, top: settings.top }
    }

    fn lines(&self, question: &LineQuestion, solution: Option<usize>) -> Option<Vec<usize>> {
        let length = question.length();
        let top = self.top.min(length);
        Some(match self.baseline {
            Baseline::First => (1..=top).collect(),
            Baseline::Last => (1..=length).rev().take(top).collect(),
            Baseline::Middle => from_the_middle(length).take(top).collect(),
            Baseline::Random => random_lines(question, top, self.seed),
            Baseline::Gold => vec![solution?],
            Baseline::Worst => {
                let solution = solution?;
                vec![if solution - 1 > length - solution { 1 } else { length }]
            }
        })
    }
}

impl AnswerEach for BaselineSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Said> {
        let Question::Line(question) = ask.question;
        let solution = ask.reference.and_then(|Reference::Line(reference)| reference.solution);
        let response = match self.lines(question, solution) {
            Some(lines) => Response::Lines(lines),
            None => Response::none(Why::Silent, "the solution is not known"),
        };
        Ok(response.into())
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }

    fn peeks(&self) -> bool {
        matches!(self.baseline, Baseline::Worst | Baseline::Gold)
    }
}

/// The middle line, then its neighbours, the later one first.
fn from_the_middle(length: usize) -> impl Iterator<Item = usize> {
    let middle = (length / 2).max(1);
    let around = (1..length).flat_map(move |distance| {
        [Some(middle + distance).filter(|&line| line <= length), middle.checked_sub(distance)]
    });
    std::iter::once(middle).chain(around.flatten().filter(|&line| line > 0))
}

/// Different lines, drawn by the seed and the question alone: the same on every machine, in
/// whatever order the problems are asked.
fn random_lines(question: &LineQuestion, top: usize, seed: u64) -> Vec<usize> {
    let digest = DigestOf::new().field(&seed.to_le_bytes()).field(question.text()).finish();
    let mut random = ChaCha8Rng::from_seed(*digest.as_bytes());
    let drawn = rand::seq::index::sample(&mut random, question.length(), top);
    drawn.iter().map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use assay_core::LineRule;

    use super::*;

    fn answer(baseline: Baseline, top: usize, length: usize, solution: usize) -> Vec<usize> {
        let settings =
            SolverSettings { seed: 1, top, time_limit: Duration::ZERO, working_folder: ".".into() };
        let text = format!("x\n\n{}", "y\n".repeat(length));
        let question = LineQuestion::new(text.into(), LineRule::LineFeed);
        BaselineSolver::new(baseline, &settings).lines(&question, Some(solution)).unwrap()
    }

    #[test]
    fn answers_as_the_original_baselines() {
        assert_eq!(answer(Baseline::First, 1, 9, 3), [1]);
        assert_eq!(answer(Baseline::Last, 1, 9, 3), [9]);
        assert_eq!(answer(Baseline::Middle, 1, 9, 3), [4]);
        assert_eq!(answer(Baseline::Middle, 1, 1, 1), [1]);
        assert_eq!(answer(Baseline::Gold, 5, 9, 3), [3]);
        assert_eq!(answer(Baseline::Worst, 1, 9, 5), [9]);
        assert_eq!(answer(Baseline::Worst, 1, 9, 6), [1]);
    }

    #[test]
    fn more_than_one_line_is_a_ranking() {
        assert_eq!(answer(Baseline::First, 3, 9, 3), [1, 2, 3]);
        assert_eq!(answer(Baseline::Last, 3, 2, 1), [2, 1]);
        assert_eq!(answer(Baseline::Middle, 99, 5, 1), [2, 3, 1, 4, 5]);
    }

    #[test]
    fn random_lines_are_different_and_fixed_by_the_seed() {
        let lines = answer(Baseline::Random, 40, 50, 3);
        assert_eq!(lines, answer(Baseline::Random, 40, 50, 3));
        assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 40);
        assert!(lines.iter().all(|line| (1..=50).contains(line)));
        assert_eq!(answer(Baseline::Random, 99, 5, 3).len(), 5);
    }
}
