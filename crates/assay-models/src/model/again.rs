//! Questions that are asked a second time, to see whether the reply is the same.

use std::sync::Arc;

use assay_core::{AnswerError, Ask, Reply};

use super::Model;

impl Model {
    /// Asks for samples of a question once more. No reply of an earlier time is used, and none is kept.
    pub(super) fn ask_again(&self, ask: &Ask<'_>, count: u32) -> Result<Vec<Reply>, AnswerError> {
        let Ask { question, sample, cancel, .. } = *ask;
        let prompt = self.prompts.prompt(question);
        let request = self.request(question, &prompt);
        let asked: Arc<str> = prompt.as_ref().into();
        let estimate = prompt.len() as u64 / 4 + u64::from(self.settings.max_tokens) / 2;
        match self.ask_server(&request, (sample, count), estimate, cancel) {
            Ok(choices) => {
                Ok(choices.into_iter().map(|choice| self.reply(choice, question, &asked)).collect())
            }
            Err(failure) => Ok(vec![failure.into_answer()?.into()]),
        }
    }
}
