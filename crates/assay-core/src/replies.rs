//! Totals of a language model's replies.

use serde::{Deserialize, Serialize};

use crate::Answer;
use crate::answer::{Finish, Response};

/// Totals of a language model's replies: what they cost, and the signs of a wrong way to ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Replies {
    /// The number of replies.
    pub replies: usize,
    /// Those with nothing in them that can be graded.
    pub empty: usize,
    /// Those that are missing: the server did not answer the prompt, such as one that is too long.
    #[serde(default)]
    pub refused: usize,
    /// Those with a text that names no answer, such as no line number.
    #[serde(default)]
    pub unread: usize,
    /// Those that reached the greatest number of tokens.
    pub cut_by_length: usize,
    /// Those that a filter withheld.
    pub filtered: usize,
    /// Those with a Markdown fence in the part that is graded.
    pub fenced: usize,
    /// The tokens that were read, as far as the server counts them.
    pub prompt_tokens: u64,
    /// The tokens that were written, as far as the server counts them.
    pub completion_tokens: u64,
    /// The price in US dollars, if prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The outcome of asking some questions again, if the same reply was promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
}

/// The outcome of asking some questions again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// The number of questions that were asked again.
    pub tried: usize,
    /// Those that got the same reply.
    pub same: usize,
}

impl Replies {
    /// Counts a reply.
    pub fn add(&mut self, answer: &Answer) {
        self.replies += 1;
        match answer.response.as_ref() {
            Response::Text(text) | Response::Program(text) => {
                self.empty += usize::from(text.trim().is_empty());
                let is_fence = |line: &str| line.trim_start().starts_with("```");
                self.fenced += usize::from(text.lines().any(is_fence));
            }
            Response::None(_) => {
                let count = match answer.reply.as_ref().map(|text| text.trim()) {
                    Some("") => &mut self.empty,
                    Some(_) => &mut self.unread,
                    None => &mut self.refused,
                };
                *count += 1;
            }
            Response::Lines(_) | Response::Choice(_) => {}
        }
        self.cut_by_length += usize::from(answer.finish == Some(Finish::Length));
        self.filtered += usize::from(answer.finish == Some(Finish::Filtered));
        let usage = &answer.usage;
        // A server may count anything.
        let sum = |total: u64, more: Option<u64>| total.saturating_add(more.unwrap_or_default());
        self.prompt_tokens = sum(self.prompt_tokens, usage.prompt_tokens);
        self.completion_tokens = sum(self.completion_tokens, usage.completion_tokens);
        if let Some(cost) = usage.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }

    /// The share of replies that a count is of.
    pub fn share(&self, count: usize) -> f64 {
        if self.replies == 0 { 0.0 } else { count as f64 / self.replies as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoAnswerKind, Usage};

    #[test]
    fn replies_are_counted_by_what_is_wrong_with_them() {
        let mut replies = Replies::default();
        let mut add = |response: Response, reply: Option<&str>, finish: Option<Finish>| {
            let usage =
                Usage { prompt_tokens: Some(10), completion_tokens: Some(3), cost: Some(0.5) };
            let reply = reply.map(str::to_owned);
            let answer = Answer { reply, finish, usage, ..Answer::new("a".into(), 0, response) };
            replies.add(&answer);
        };
        add(Response::Text("  return 1".to_owned()), None, Some(Finish::Stop));
        add(Response::Text(" \n".to_owned()), None, Some(Finish::Stop));
        add(Response::Text("Sure:\n  ```python\nx\n```".to_owned()), None, Some(Finish::Length));
        let unread = || Response::none(NoAnswerKind::Garbage, "no number");
        add(unread(), Some(""), Some(Finish::Filtered));
        add(Response::none(NoAnswerKind::Invalid, "the prompt is too long"), None, None);
        add(unread(), Some("I cannot tell."), None);
        add(Response::Lines(vec![1]), Some("1"), None);
        let expected = Replies {
            replies: 7,
            empty: 2,
            refused: 1,
            unread: 1,
            cut_by_length: 1,
            filtered: 1,
            fenced: 1,
            prompt_tokens: 70,
            completion_tokens: 21,
            cost: Some(3.5),
            repeated: None,
        };
        assert_eq!(replies, expected);
        let most = Some(u64::MAX);
        let usage = Usage { prompt_tokens: most, completion_tokens: most, cost: None };
        replies.add(&Answer { usage, ..Answer::new("a".into(), 0, Response::Lines(vec![1])) });
        assert_eq!((replies.prompt_tokens, replies.completion_tokens), (u64::MAX, u64::MAX));
        assert!((Replies { replies: 6, ..expected }.share(3) - 0.5).abs() < 1e-12);
        assert!(Replies::default().share(0).abs() < 1e-12);
    }
}
