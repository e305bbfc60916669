//! The baselines: the competition's own, and those that a competitor would try first.

use assay_core::{
    AnswerEach, AnswerError, Ask, DigestOf, Effort, LineQuestion, Question, Reply, Response,
    Result, Why,
};
use assay_locate::{ByOverlap, by_overlap};
use assay_syntax::{Language, grammar};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::SolverSettings;
use crate::parsing::{MOST_CHECKS, parsing_first};

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
    /// Lines drawn at random among those that leave a program that parses.
    RandomParses,
    /// The line that shares most tokens with the new one.
    MostSimilar,
    /// The line that shares most tokens, among those that leave a program that parses.
    MostSimilarParses,
    /// The end of the file that is farther from the solution.
    Worst,
    /// The solution.
    Gold,
    /// The source as it is.
    Copy,
}

impl Baseline {
    const ALL: [Self; 10] = [
        Self::First,
        Self::Middle,
        Self::Last,
        Self::Random,
        Self::RandomParses,
        Self::MostSimilar,
        Self::MostSimilarParses,
        Self::Worst,
        Self::Gold,
        Self::Copy,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Middle => "middle",
            Self::Last => "last",
            Self::Random => "random",
            Self::RandomParses => "random-parses",
            Self::MostSimilar => "most-similar",
            Self::MostSimilarParses => "most-similar-parses",
            Self::Worst => "worst",
            Self::Gold => "gold",
            Self::Copy => "copy",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// Its name with those settings that change its answers.
    pub(crate) fn identity(self, settings: &SolverSettings) -> String {
        let name = self.name();
        let SolverSettings { top, seed, .. } = settings;
        let grammar = grammar(Language::Java);
        match self {
            Self::Random => format!("{name},top={top},seed={seed}"),
            Self::RandomParses => format!("{name},grammar={grammar},top={top},seed={seed}"),
            Self::MostSimilarParses => format!("{name},grammar={grammar},top={top}"),
            Self::First | Self::Middle | Self::Last | Self::MostSimilar => {
                format!("{name},top={top}")
            }
            Self::Worst | Self::Gold | Self::Copy => name.to_owned(),
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

    fn lines(&self, question: &LineQuestion, gold: Option<&Response>) -> Option<Vec<usize>> {
        let length = question.length();
        let top = self.top.min(length);
        Some(match self.baseline {
            Baseline::First => (1..=top).collect(),
            Baseline::Last => (1..=length).rev().take(top).collect(),
            Baseline::Middle => from_the_middle(length).take(top).collect(),
            Baseline::Random => random_lines(question, top, self.seed),
            Baseline::RandomParses => {
                let drawn = random_lines(question, top.max(MOST_CHECKS).min(length), self.seed);
                parsing_first(question, &drawn, top)
            }
            Baseline::MostSimilar => {
                let ByOverlap { possible, others } =
                    by_overlap(question.line(), question.program());
                in_order(possible, others, length, top)
            }
            Baseline::MostSimilarParses => {
                let ByOverlap { possible, others } =
                    by_overlap(question.line(), question.program());
                let possible = parsing_first(question, &possible, top);
                in_order(possible, others, length, top)
            }
            Baseline::Copy | Baseline::Gold => return None,
            Baseline::Worst => {
                let Some(Response::Lines(lines)) = gold else { return None };
                let solution = *lines.first()?;
                vec![if solution - 1 > length - solution { 1 } else { length }]
            }
        })
    }

    fn why_silent(&self, question: &Question) -> &'static str {
        match (question, self.baseline) {
            (_, Baseline::Gold | Baseline::Worst) => "the solution is not known",
            (Question::Line(_), _) => "it answers with texts, not with lines",
            (Question::Text(_) | Question::Code(_) | Question::Choice(_), _) => {
                "it answers with lines, not with texts"
            }
        }
    }
}

impl AnswerEach for BaselineSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let response = match (self.baseline, ask.question) {
            (Baseline::Gold, _) => ask.gold.clone(),
            (Baseline::Copy, Question::Text(question)) => {
                Some(Response::Text(question.source.clone()))
            }
            (_, Question::Line(question)) => {
                self.lines(question, ask.gold.as_ref()).map(Response::Lines)
            }
            _ => None,
        };
        let silent = || Response::none(Why::Silent, self.why_silent(ask.question));
        Ok(response.unwrap_or_else(silent).into())
    }

    fn effort(&self) -> Effort {
        match self.baseline {
            Baseline::RandomParses | Baseline::MostSimilar | Baseline::MostSimilarParses => {
                Effort::Working
            }
            _ => Effort::Trivial,
        }
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

/// The `top` first of the lines that are possible (all, or at least `top` of them), then of the
/// others, then of those that exist only where a lone CR ends a line.
fn in_order(possible: Vec<usize>, others: Vec<usize>, length: usize, top: usize) -> Vec<usize> {
    let known = possible.len() + others.len();
    possible.into_iter().chain(others).chain(known + 1..=length).take(top).collect()
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

    use assay_core::{Cancel, LineRule, TextQuestion};
    use proptest::prelude::*;

    use super::*;

    fn answer(baseline: Baseline, top: usize, length: usize, solution: usize) -> Vec<usize> {
        let text = format!("x\n\n{}", "y\n".repeat(length));
        let question = LineQuestion::new(text.into(), LineRule::LineFeed);
        let gold = Response::Lines(vec![solution]);
        solver(baseline, top).lines(&question, Some(&gold)).unwrap()
    }

    fn solver(baseline: Baseline, top: usize) -> BaselineSolver {
        let settings =
            SolverSettings { seed: 1, top, time_limit: Duration::ZERO, working_folder: ".".into() };
        BaselineSolver::new(baseline, &settings)
    }

    #[test]
    fn answers_as_the_original_baselines() {
        assert_eq!(answer(Baseline::First, 1, 9, 3), [1]);
        assert_eq!(answer(Baseline::Last, 1, 9, 3), [9]);
        assert_eq!(answer(Baseline::Middle, 1, 9, 3), [4]);
        assert_eq!(answer(Baseline::Middle, 1, 1, 1), [1]);
        assert_eq!(answer(Baseline::Worst, 1, 9, 5), [9]);
        assert_eq!(answer(Baseline::Worst, 1, 9, 6), [1]);
    }

    #[test]
    fn only_gold_and_copy_answer_with_texts() {
        let question = Question::Text(TextQuestion::prompt("source".to_owned()));
        let (id, cancel) = ("p".into(), Cancel::new());
        let ask = Ask {
            id: &id,
            rank: 0,
            sample: 0,
            question: &question,
            gold: Some(Response::Text("right".to_owned())),
            cancel: &cancel,
        };
        for baseline in Baseline::ALL {
            let said = solver(baseline, 1).answer(&ask).unwrap().response;
            match baseline {
                Baseline::Gold => assert_eq!(said, Response::Text("right".to_owned())),
                Baseline::Copy => assert_eq!(said, Response::Text("source".to_owned())),
                _ => assert!(matches!(said, Response::None(_)), "{baseline:?}: {said:?}"),
            }
        }
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

    const GUESSES: [Baseline; 3] =
        [Baseline::MostSimilar, Baseline::MostSimilarParses, Baseline::RandomParses];

    fn guess(baseline: Baseline, top: usize, line: &str, program: impl AsRef<[u8]>) -> Vec<usize> {
        let text = [line.as_bytes(), b"\n\n", program.as_ref()].concat();
        let question = LineQuestion::new(text, LineRule::Universal);
        solver(baseline, top).lines(&question, None).unwrap()
    }

    #[test]
    fn the_most_similar_line_is_meant() {
        let guess = |top, line| guess(Baseline::MostSimilar, top, line, PROGRAM);
        assert_eq!(guess(1, "        if (amount <= 0) {"), [5]);
        assert_eq!(guess(2, "        balance += amount;"), [8, 2]);
        assert_eq!(guess(99, "    private long balance;")[8..], [2, 3], "copy and blank line last");
    }

    #[test]
    fn a_line_that_breaks_the_program_is_not_meant() {
        // Most alike is `if (amount < 0) {`, which a statement cannot replace.
        let line = "        assert (amount < 0);";
        assert_eq!(guess(Baseline::MostSimilar, 1, line, PROGRAM), [5]);
        assert_eq!(guess(Baseline::MostSimilarParses, 2, line, PROGRAM), [6, 8]);
        let brace = "        while (amount < 0) {";
        for baseline in [Baseline::MostSimilarParses, Baseline::RandomParses] {
            assert_eq!(guess(baseline, 1, brace, PROGRAM), [5]);
        }
    }

    #[test]
    fn where_no_line_parses_any_will_do() {
        let line = "} } }";
        let most_similar = guess(Baseline::MostSimilar, 3, line, PROGRAM);
        assert_eq!(guess(Baseline::MostSimilarParses, 3, line, PROGRAM), most_similar);
        assert_eq!(guess(Baseline::RandomParses, 3, line, PROGRAM).len(), 3);
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
            let lines = guess(baseline, top, line, program);
            assert_eq!(lines.len(), top.min(length), "{baseline:?}");
            assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len(), "{lines:?}");
            assert!(lines.iter().all(|line| (1..=length).contains(line)), "{lines:?}");
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
