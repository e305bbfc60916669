//! `zsod`: zero-shot object detection.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Cancel, Check, Estimate, Fault, FaultKind, Fingerprint, Named,
    NoAnswer, NoAnswerKind, ObjectValues, Outcome, Reference, Response, Result, Submission, Tally,
    Verdict,
};
use assay_data::fusion_brain::{Phrases, detections, phrases};
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::zsod::{Hits, hits_of_image, missing_phrase};

use super::ImageTask;
use super::estimates::around;
use super::problems::ImageProblem;
use super::truth::Truth;
use crate::card::card;
use crate::sample;

/// Zero-shot object detection.
pub(crate) fn zsod() -> ImageTask {
    ImageTask {
        card: card("zsod"),
        subtask: Subtask::Zsod,
        read,
        answers: AnswerRules {
            form: AnswerForm::Object(ObjectValues::Json),
            ignores_unknown: false,
            needs_every_answer: true,
        },
        tally: || Box::<BoxTally>::default(),
        interval: assay_stats::RATIO_METHOD,
        depends_on: Vec::new,
        sample: sample::ZSOD,
    }
}

const F1: &str = "f1";
const PRECISION: &str = "precision";
const RECALL: &str = "recall";

fn read(truth: &Truth) -> Result<Vec<ImageProblem>> {
    let problem = |(key, phrases): (String, Phrases)| {
        let names: Vec<String> = phrases.keys().map(|phrase| format!("{phrase:?}")).collect();
        let prompt = format!(
            "Find these phrases in the image {key:?}: {}. Answer with a JSON object that has a list of \
             boxes [x, y, width, height] for each phrase; the list is empty if it is not there.\n",
            names.join(", ")
        );
        ImageProblem { key, prompt, reference: Arc::new(TrueBoxes(phrases)) }
    };
    Ok(detections(&truth.bytes, &truth.name)?.into_iter().map(problem).collect())
}

/// The boxes of each phrase of an image.
struct TrueBoxes(Phrases);

impl TrueBoxes {
    fn json(&self) -> Option<String> {
        serde_json::to_string(&self.0).ok()
    }
}

impl Reference for TrueBoxes {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.json().unwrap_or_default().as_bytes())
    }

    fn gold(&self) -> Option<Response> {
        self.json().map(Response::Text)
    }

    fn check(&self, response: &Response) -> Check {
        let text = match response.text() {
            Ok(text) => text,
            missing => return Check::kind(missing),
        };
        let message = match phrases(text) {
            Err(message) => message,
            Ok(predicted) => match missing_phrase(&self.0, &predicted) {
                None => return Check::Possible,
                Some(phrase) => format!(
                    "lacks the phrase {phrase:?}; one that is not in the image has an empty list"
                ),
            },
        };
        Check::Impossible(Fault::new(FaultKind::Malformed, message))
    }

    fn grade(&self, submission: &Submission, _cancel: &Cancel) -> Result<Verdict> {
        let invalid = |detail| NoAnswer { kind: NoAnswerKind::Invalid, detail };
        let predicted = submission.response.text().and_then(|text| phrases(text).map_err(invalid));
        let hits = hits_of_image(&self.0, predicted.as_ref().unwrap_or(&Phrases::new()));
        let verdict = match predicted {
            Ok(_) if hits.wrong + hits.missed == 0 => submission.verdict(Outcome::Passed),
            Ok(_) => submission.verdict(Outcome::Failed),
            Err(reason) => submission.unanswered(&reason),
        };
        Ok(with_hits(verdict, hits))
    }
}

/// Stores the counts in a verdict.
fn with_hits(mut verdict: Verdict, hits: Hits) -> Verdict {
    let counts = [hits.right, hits.wrong, hits.missed].map(|count| count as f64);
    verdict.counts.insert(F1.into(), counts.to_vec());
    verdict
}

/// The counts that [`with_hits`] stored.
fn hits_of(verdict: &Verdict) -> Hits {
    let counts = verdict.counts.get(F1);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count")]
    let count = |at| counts.and_then(|counts| counts.get(at)).map_or(0, |&count| count as usize);
    Hits { right: count(0), wrong: count(1), missed: count(2) }
}

/// Sums up the boxes of every image.
#[derive(Default)]
struct BoxTally(Vec<Hits>);

impl Tally for BoxTally {
    fn add(&mut self, verdict: &Verdict) {
        if !verdict.is_excluded() {
            self.0.push(hits_of(verdict));
        }
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = Named::new();
        let total: Hits = self.0.iter().copied().sum();
        let mut add = |name: &'static str, value, pair: fn(&Hits) -> (usize, usize)| {
            // Sums are exact: the order of verdicts does not matter.
            let pairs: Vec<(f64, f64)> =
                self.0.iter().map(pair).map(|(part, whole)| (part as f64, whole as f64)).collect();
            if let Some(share) = assay_stats::ratio(&pairs) {
                metrics.insert(name.into(), around(value, share, 1.0));
            }
        };
        add(F1, total.f1(), |hits| (2 * hits.right, 2 * hits.right + hits.wrong + hits.missed));
        add(PRECISION, total.precision(), |hits| (hits.right, hits.right + hits.wrong));
        add(RECALL, total.recall(), |hits| (hits.right, hits.right + hits.missed));
        metrics
    }
}
