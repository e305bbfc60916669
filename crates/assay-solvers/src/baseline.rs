//! The common part of the baselines: solvers that are only a function of the question.

use assay_core::{
    AnswerEach, AnswerError, Ask, Effort, NoAnswerKind, Question, Reply, Response, Result,
};
use assay_syntax::{Language, grammar};

use crate::{BuildRequest, BuiltSolver, SolverCard, SolverKind, SolverSettings};

/// A baseline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Baseline {
    pub(crate) card: SolverCard,
    pub(crate) effort: Effort,
    /// Everything that its answers depend on, in the order of its identity.
    pub(crate) depends_on: &'static [Factor],
    /// Answers a question; `None` if its kind is not on the card or nothing is known.
    pub(crate) answer: fn(&Ask<'_>, &SolverSettings) -> Option<Response>,
}

/// A thing that the answers of a baseline depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Factor {
    /// The version of its rules.
    Version(u32),
    /// The version of Java's grammar.
    Grammar,
    /// The number of lines to answer.
    Top,
    /// The seed of random choices.
    Seed,
}

impl Baseline {
    fn identity(&self, settings: &SolverSettings) -> String {
        let mut identity = self.card.name().to_owned();
        for factor in self.depends_on {
            identity += &match factor {
                Factor::Version(version) => format!("@{version}"),
                Factor::Grammar => format!(",grammar={}", grammar(Language::Java)),
                Factor::Top => format!(",top={}", settings.top),
                Factor::Seed => format!(",seed={}", settings.seed),
            };
        }
        identity
    }
}

impl SolverKind for Baseline {
    fn card(&self) -> &SolverCard {
        &self.card
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let settings = request.settings;
        let solver = BaselineSolver { baseline: *self, settings: settings.clone() };
        Ok(BuiltSolver::each(solver, self.identity(settings)))
    }
}

struct BaselineSolver {
    baseline: Baseline,
    settings: SolverSettings,
}

impl AnswerEach for BaselineSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let unknown = || {
            let detail = if self.peeks() {
                "the solution is not known"
            } else {
                "it does not answer questions of this kind"
            };
            Response::none(NoAnswerKind::Silent, detail)
        };
        Ok((self.baseline.answer)(ask, &self.settings).unwrap_or_else(unknown).into())
    }

    fn effort(&self) -> Effort {
        self.baseline.effort
    }

    fn peeks(&self) -> bool {
        self.baseline.card.peeks
    }
}

/// The best `top` lines of a program, or the best of several options. Given the number of lines or
/// options, `rank` returns the numbers of the best, from 1.
pub(crate) fn best(
    question: &Question,
    top: usize,
    rank: impl Fn(usize, usize) -> Vec<usize>,
) -> Option<Response> {
    match question {
        Question::Line(question) => {
            let length = question.length();
            Some(Response::Lines(rank(length, top.min(length))))
        }
        Question::Choice(question) => {
            let count = question.options.len();
            let number = rank(count, 1.min(count)).first().copied()?;
            question.options.get(number - 1).cloned().map(Response::Choice)
        }
        Question::Text(_) | Question::Code(_) => None,
    }
}

/// Questions to baselines, for their tests.
#[cfg(test)]
pub(crate) mod testing {
    use std::time::Duration;

    use assay_core::{Cancel, ChoiceQuestion, LineQuestion, LineRule};

    use super::*;

    /// The response to one question.
    pub(crate) fn ask(
        baseline: &Baseline,
        top: usize,
        question: &Question,
        gold: Option<Response>,
    ) -> Response {
        let (id, cancel) = ("p".into(), Cancel::new());
        let ask = Ask { id: &id, index: 0, sample: 0, question, gold, cancel: &cancel };
        let solver = BaselineSolver { baseline: *baseline, settings: settings(top) };
        solver.answer(&ask).unwrap().response
    }

    /// The lines answered if `line` replaces one of `program`.
    pub(crate) fn lines(
        baseline: &Baseline,
        top: usize,
        line: &str,
        program: impl AsRef<[u8]>,
    ) -> Vec<usize> {
        let text = [line.as_bytes(), b"\n\n", program.as_ref()].concat();
        let question = Question::Line(LineQuestion::new(text, LineRule::Universal));
        match ask(baseline, top, &question, None) {
            Response::Lines(lines) => lines,
            other => panic!("{other:?}"),
        }
    }

    /// The chosen option.
    pub(crate) fn choice(baseline: &Baseline, prompt: &str, options: &[&str]) -> Option<String> {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let question = Question::Choice(ChoiceQuestion { prompt: prompt.to_owned(), options });
        match ask(baseline, 3, &question, None) {
            Response::Choice(option) => Some(option),
            _ => None,
        }
    }

    pub(crate) fn identity(baseline: &Baseline) -> String {
        baseline.identity(&settings(5))
    }

    fn settings(top: usize) -> SolverSettings {
        let specific = serde_json::Map::new();
        let working_folder = ".".into();
        SolverSettings { seed: 1, top, time_limit: Duration::ZERO, working_folder, specific }
    }
}

#[cfg(test)]
mod tests {
    use assay_core::TextQuestion;

    use super::*;
    use crate::{copy, gold, most_similar, positions, random, worst};

    #[test]
    fn only_gold_and_copy_answer_with_texts() {
        let question = Question::Text(TextQuestion::prompt("source".to_owned()));
        let text = |text: &str| Some(Response::Text(text.to_owned()));
        for (baseline, wanted) in [
            (positions::FIRST, None),
            (positions::MIDDLE, None),
            (positions::LAST, None),
            (random::RANDOM, None),
            (random::RANDOM_PARSES, None),
            (most_similar::MOST_SIMILAR, None),
            (most_similar::MOST_SIMILAR_PARSES, None),
            (worst::WORST, None),
            (gold::GOLD, text("right")),
            (copy::COPY, text("source")),
        ] {
            let said = testing::ask(&baseline, 1, &question, text("right"));
            let said = Some(said).filter(|said| !matches!(said, Response::None(_)));
            assert_eq!(said, wanted, "{baseline:?}");
        }
    }

    #[test]
    fn an_identity_names_what_answers_depend_on() {
        let grammar = grammar(Language::Java);
        for (baseline, wanted) in [
            (positions::FIRST, "first,top=5".to_owned()),
            (random::RANDOM, "random,top=5,seed=1".to_owned()),
            (random::RANDOM_PARSES, format!("random-parses,grammar={grammar},top=5,seed=1")),
            (most_similar::MOST_SIMILAR, "most-similar,top=5".to_owned()),
            (
                most_similar::MOST_SIMILAR_PARSES,
                format!("most-similar-parses,grammar={grammar},top=5"),
            ),
            (gold::GOLD, "gold".to_owned()),
        ] {
            assert_eq!(testing::identity(&baseline), wanted);
        }
    }
}
