//! The likelihood of given answers: which option would the model say?
//!
//! A model gives every token of a text a probability, and the product over an option's tokens is the option's
//! likelihood. Servers tell it in one of two ways: some send the log-probabilities of a prompt back (`echo.rs`), and
//! llama.cpp tells that of a token that it is forced to say (`forced.rs`). Both are functions from a prompt and its
//! continuations to log-probabilities, and know no connection: what they ask for goes through an [`AskServer`].

pub(crate) mod echo;
pub(crate) mod forced;
pub(crate) mod probe;

use assay_core::Confidence;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::settings::Choose;

/// An answer to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The answer itself: an option, or the number of a line.
    pub(crate) answer: String,
    /// The text that follows the prompt: a blank, the answer, and a line end where one answer may begin another.
    pub(crate) continuation: String,
}

impl Candidate {
    /// Candidates for these answers.
    pub(crate) fn all(answers: Vec<String>) -> Vec<Self> {
        let begins_another = |answer: &String| {
            answers.iter().any(|other| other != answer && other.starts_with(answer.as_str()))
        };
        let end = if answers.iter().any(begins_another) { "\n" } else { "" };
        let continued = |answer: String| {
            let continuation = format!(" {answer}{end}");
            Self { answer, continuation }
        };
        answers.into_iter().map(continued).collect()
    }
}

/// The log-probabilities of a candidate's tokens, each given the prompt and the tokens before it.
pub(crate) type TokenLogprobs = Vec<f64>;

/// The endpoints that likelihoods come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// `/v1/completions`.
    Completions,
    /// llama.cpp's own `/completion`.
    Forced,
    /// llama.cpp's `/tokenize`.
    Tokenize,
}

impl Endpoint {
    /// The last part of its path.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completions => "completions",
            Self::Forced => "completion",
            Self::Tokenize => "tokenize",
        }
    }
}

/// A request, and the way to reduce its reply to the numbers that are kept.
pub(crate) struct Step<'s> {
    pub(crate) endpoint: Endpoint,
    pub(crate) body: Value,
    /// The input of the reduction besides the reply.
    pub(crate) wanted: String,
    /// Reads the numbers from the server's reply; an error is a sentence.
    pub(crate) reduce: &'s dyn Fn(&Value) -> Result<Value, Failure>,
}

/// Sends a step, or finds its numbers among those of earlier runs.
pub(crate) type AskServer<'a> = dyn Fn(&Step<'_>) -> Result<Value, Failure> + 'a;

/// The candidates with their scores, best first; equal ones stay in their order.
pub(crate) fn rank(
    candidates: &[Candidate],
    logprobs: &[TokenLogprobs],
    choose: Choose,
) -> Vec<(usize, f64)> {
    let scores = candidates.iter().zip(logprobs).map(|(candidate, logprobs)| {
        let sum: f64 = logprobs.iter().sum();
        match choose {
            Choose::Reply | Choose::Likelihood => sum,
            Choose::LikelihoodPerCharacter => sum / candidate.answer.chars().count().max(1) as f64,
            Choose::LikelihoodPerToken => sum / logprobs.len().max(1) as f64,
        }
    });
    let mut ranked: Vec<(usize, f64)> = scores.enumerate().collect();
    ranked.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    ranked
}

/// The numbers that a choice rests on, as a record keeps them: answer, log-likelihood, number of tokens.
pub(crate) fn evidence(candidates: &[Candidate], logprobs: &[TokenLogprobs]) -> String {
    let row = |(candidate, logprobs): (&Candidate, &TokenLogprobs)| {
        let sum: f64 = logprobs.iter().sum();
        json!([candidate.answer, (sum * 1e6).round() / 1e6, logprobs.len()])
    };
    Value::Array(candidates.iter().zip(logprobs).map(row).collect()).to_string()
}

/// The confidence in each of the best candidates: the shares of their scores among all.
#[expect(clippy::cast_possible_truncation, reason = "a confidence has few digits")]
pub(crate) fn confidence(ranked: &[(usize, f64)], count: usize) -> Vec<Confidence> {
    let best = ranked.first().map_or(0.0, |(_, score)| *score);
    let all: f64 = ranked.iter().map(|(_, score)| (score - best).exp()).sum();
    let sure = |(_, score): &(usize, f64)| Confidence {
        score: *score as f32,
        probability: ((score - best).exp() / all) as f32,
    };
    ranked.iter().take(count).map(sure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(answers: &[&str]) -> Vec<Candidate> {
        Candidate::all(answers.iter().map(|&answer| answer.to_owned()).collect())
    }

    #[test]
    fn an_answer_that_begins_another_is_compared_with_its_end() {
        let continued = |answers: &[&str]| -> Vec<String> {
            candidates(answers).into_iter().map(|candidate| candidate.continuation).collect()
        };
        assert_eq!(continued(&["yes", "no"]), [" yes", " no"]);
        assert_eq!(continued(&["1", "2", "12"]), [" 1\n", " 2\n", " 12\n"]);
        assert_eq!(continued(&["no", "no"]), [" no", " no"]);
    }

    #[test]
    fn each_rule_has_its_own_winner() {
        let candidates = candidates(&["ab", "abcdefghijkl", "xyz"]);
        // Sums -2, -3, -2.5; per character -1, -0.25, -0.83; per token -2, -1, -0.5.
        let logprobs = vec![vec![-2.0], vec![-1.0; 3], vec![-0.5; 5]];
        let best = |choose| rank(&candidates, &logprobs, choose)[0];
        assert_eq!(best(Choose::Likelihood), (0, -2.0));
        assert_eq!(best(Choose::LikelihoodPerCharacter), (1, -0.25));
        assert_eq!(best(Choose::LikelihoodPerToken), (2, -0.5));
        let kept = evidence(&candidates, &logprobs);
        assert_eq!(kept, r#"[["ab",-2.0,1],["abcdefghijkl",-3.0,3],["xyz",-2.5,5]]"#);
        let sure = confidence(&rank(&candidates, &logprobs, Choose::Likelihood), 2);
        assert_eq!(sure.len(), 2);
        // 1 / (1 + e^-0.5 + e^-1)
        assert!((sure[0].probability - 0.506_48).abs() < 1e-4, "{sure:?}");
    }

    #[test]
    fn impossible_answers_come_last_and_do_no_harm() {
        let candidates = candidates(&["a", "b"]);
        let ranked =
            rank(&candidates, &[vec![f64::NEG_INFINITY], vec![-700.0]], Choose::Likelihood);
        assert_eq!(ranked[0].0, 1);
        assert!(confidence(&ranked, 2)[0].probability > 0.99);
    }
}
