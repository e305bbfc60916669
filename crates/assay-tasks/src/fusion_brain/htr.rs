//! `htr`: handwritten text recognition.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Attempt, Check, Fingerprint, NoAnswer, ObjectValues, Outcome,
    Reference, Response, Result, Verdict, Why,
};
use assay_data::fusion_brain::texts;
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::{Accuracy, htr};

use super::accuracy::AccuracyTally;
use super::problems::Item;
use super::truth::Truth;
use super::{ImageTask, NO_TEXT};
use crate::card::card;
use crate::sample;

/// Handwritten text recognition.
pub(crate) fn htr() -> ImageTask {
    ImageTask {
        card: card("htr"),
        subtask: Subtask::Htr,
        read,
        answers: AnswerRules {
            form: AnswerForm::Object(ObjectValues::Texts),
            ignores_unknown: true,
            needs_every_answer: false,
        },
        tally: || Box::new(AccuracyTally::new(Accuracy::value)),
        interval: assay_stats::METHOD,
        depends_on: Vec::new,
        sample: sample::HTR,
    }
}

fn read(truth: &Truth) -> Result<Vec<Item>> {
    let item = |(key, text): (String, String)| Item {
        prompt: format!(
            "Read the handwritten text in the image {key:?}. Answer with the text alone.\n"
        ),
        key,
        reference: Arc::new(HandwrittenText(text)),
    };
    Ok(texts(&truth.bytes, &truth.name)?.into_iter().map(item).collect())
}

/// The text in an image.
struct HandwrittenText(String);

impl Reference for HandwrittenText {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.as_bytes())
    }

    fn gold(&self) -> Option<Response> {
        Some(Response::Text(self.0.clone()))
    }

    fn check(&self, response: &Response) -> Check {
        match response {
            Response::Text(_) | Response::None(_) => Check::Possible,
            _ => Check::wrong_kind(NO_TEXT),
        }
    }

    fn grade(&self, attempt: &Attempt<'_>) -> Result<Verdict> {
        let verdict = |outcome| Verdict::new(attempt.problem.clone(), attempt.sample, outcome);
        let unanswered = |reason: &NoAnswer| {
            Verdict::unanswered(attempt.problem.clone(), attempt.sample, reason)
        };
        Ok(match attempt.response {
            Response::Text(text) if htr::is_right(&self.0, Some(text)) => verdict(Outcome::Passed),
            Response::Text(_) => verdict(Outcome::Failed),
            // The script takes a text that is missing for an empty one.
            Response::None(NoAnswer { why: Why::Silent, .. }) if htr::is_right(&self.0, None) => {
                verdict(Outcome::Passed)
            }
            Response::None(reason) => unanswered(reason),
            _ => unanswered(&NoAnswer { why: Why::Invalid, detail: NO_TEXT.to_owned() }),
        })
    }
}
