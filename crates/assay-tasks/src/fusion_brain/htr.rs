//! `htr`: handwritten text recognition.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Attempt, Check, Fingerprint, MetricCard, NoAnswer, ObjectValues,
    Outcome, QuestionKind, Reference, Response, Result, Rules, TaskCard, Verdict, Why,
};
use assay_data::fusion_brain::texts;
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::{Accuracy, htr};

use super::accuracy::{ACCURACY, AccuracyTally};
use super::problems::Item;
use super::truth::Truth;
use super::{ImageTask, NO_TEXT};
use crate::sample;

/// Handwritten text recognition.
pub static HTR: ImageTask = ImageTask {
    card: CARD,
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
};

const CARD: TaskCard = TaskCard {
    name: "htr",
    version: 1,
    asks: QuestionKind::Text,
    language: None,
    folder: "fusion_brain",
    summary: "read the handwritten text in an image",
    about: "Given an image of a handwritten line, write its text. It was the subtask HTR of the Fusion \
        Brain Challenge (AI Journey 2021). The images are not part of the data: a question names the \
        image, and a solver that is to look at it must have it.",
    data: "The challenge's truth, one JSON object of image and text: {\"0.png\": \"text\"}; or a \
        folder with true_HTR.json in it. Without --data, the folder fusion_brain under ASSAY_DATA is \
        taken; `--data sample` means the problems inside the binary.",
    answers: "The challenge's prediction, one JSON object of image and text; or the answers.jsonl of a \
        run.",
    grading: "An answer passes if it is the text to the letter, case and spaces included. A missing \
        answer is the empty text; answers to images that the truth does not have are ignored.",
    rules: "compat: as the challenge's script. There are no strict rules.",
    default_rules: Rules::Compat,
    prompts: &[],
    metrics: &[MetricCard {
        name: ACCURACY,
        lower_is_better: false,
        meaning: "share of texts that are right; the challenge's score",
    }],
    default_solvers: &["gold"],
    examples: &[
        "assay run htr --data sample",
        "assay score htr prediction_HTR.json --data true_HTR.json",
    ],
};

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
