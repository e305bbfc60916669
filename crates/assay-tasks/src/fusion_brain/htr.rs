//! `htr`: handwritten text recognition.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Cancel, Check, Fingerprint, NoAnswerKind, ObjectValues, Outcome,
    Reference, Response, Result, Submission, Verdict,
};
use assay_data::fusion_brain::texts;
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::{Accuracy, htr};

use super::ImageTask;
use super::accuracy::AccuracyTally;
use super::problems::ImageProblem;
use super::truth::Truth;
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

fn read(truth: &Truth) -> Result<Vec<ImageProblem>> {
    let problem = |(key, text): (String, String)| ImageProblem {
        prompt: format!(
            "Read the handwritten text in the image {key:?}. Answer with the text alone.\n"
        ),
        key,
        reference: Arc::new(HandwrittenText(text)),
    };
    Ok(texts(&truth.bytes, &truth.name)?.into_iter().map(problem).collect())
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
        Check::kind(response.text())
    }

    fn grade(&self, submission: &Submission, _cancel: &Cancel) -> Result<Verdict> {
        let (is_right, missing) = match submission.response.text() {
            Ok(text) => (htr::is_right(&self.0, Some(text)), None),
            // The original script treats a missing text as empty.
            Err(reason) => {
                (reason.kind == NoAnswerKind::Silent && htr::is_right(&self.0, None), Some(reason))
            }
        };
        Ok(match missing {
            _ if is_right => submission.verdict(Outcome::Passed),
            Some(reason) => submission.unanswered(&reason),
            None => submission.verdict(Outcome::Failed),
        })
    }
}
