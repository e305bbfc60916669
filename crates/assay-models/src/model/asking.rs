//! Prompts that are sent again with less of a file, if they are too long.

use std::sync::Arc;

use assay_core::{AnswerError, Ask, Reply};
use tracing::debug;

use super::Model;
use crate::failure::Failure;
use crate::prompt::Prompts;
use crate::reply::Choice;
use crate::request::Request;

/// Gets replies to a request: the number of the first sample and how many, and about how many tokens they cost.
pub(super) type Fetch<'f> = dyn Fn(&Request, (u32, u32), u64) -> Result<Vec<Choice>, Failure> + 'f;

impl Model {
    /// Answers samples of a question by the replies that `fetch` gets.
    pub(super) fn answer_by(
        &self,
        ask: &Ask<'_>,
        count: u32,
        fetch: &Fetch<'_>,
    ) -> Result<Vec<Reply>, AnswerError> {
        let (mut window, count) = (self.settings.window, count.min(self.together()));
        loop {
            let prompt = self.prompts.prompt(ask.question, window);
            let asked: Arc<str> = prompt.as_ref().into();
            let failure = match self.fetch(ask, &prompt, count, fetch) {
                Ok(choices) => {
                    let reply = |choice| self.reply(choice, ask.question, &asked, window);
                    return Ok(choices.into_iter().map(reply).collect());
                }
                Err(failure) => failure,
            };
            debug!(?failure, "no reply");
            let narrower = Prompts::narrower(ask.question, window);
            if let (Failure::TooLong(_), Some(less)) = (&failure, narrower) {
                window = less;
                continue;
            }
            self.note_refusal(&failure);
            let reply: Reply = failure.into_answer()?.into();
            return Ok(vec![Reply { asked: Some(asked), ..reply }]);
        }
    }

    fn fetch(
        &self,
        ask: &Ask<'_>,
        prompt: &str,
        count: u32,
        fetch: &Fetch<'_>,
    ) -> Result<Vec<Choice>, Failure> {
        let stop = self.prompts.stop_words(ask.question);
        let request = Request::new(&self.address.model, &self.settings, self.seed, prompt, &stop);
        // Four characters are about a token.
        let estimate =
            prompt.len() as u64 / 4 + u64::from(count) * u64::from(self.settings.max_tokens) / 2;
        fetch(&request, (ask.sample, count), estimate)
    }
}
