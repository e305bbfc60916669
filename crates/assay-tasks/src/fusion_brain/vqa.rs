//! `vqa`: questions about images, in Russian and English.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Cancel, Check, DigestOf, Fingerprint, ObjectValues, Outcome,
    Reference, Response, Result, Submission, Verdict,
};
use assay_data::fusion_brain::{QuestionTruth, questions};
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::vqa::{self, QuestionLanguage};

use super::ImageTask;
use super::accuracy::AccuracyTally;
use super::lemmas::Lemmas;
use super::problems::ImageProblem;
use super::truth::Truth;
use crate::card::card;
use crate::sample;

/// Questions about images.
pub(crate) fn vqa() -> ImageTask {
    ImageTask {
        card: card("vqa"),
        subtask: Subtask::Vqa,
        read,
        answers: AnswerRules {
            form: AnswerForm::Object(ObjectValues::Texts),
            ignores_unknown: false,
            needs_every_answer: true,
        },
        tally: || Box::new(AccuracyTally::new(vqa::official_accuracy)),
        interval: assay_stats::METHOD,
        depends_on: || vec![("lemmas", Lemmas::version())],
        sample: sample::VQA,
    }
}

fn read(truth: &Truth) -> Result<Vec<ImageProblem>> {
    let questions = questions(&truth.bytes, &truth.name)?;
    let lemmas = if questions.values().any(|question| question.is_russian) {
        Some(Lemmas::russian()?)
    } else {
        None
    };
    let problem = |(key, QuestionTruth { answers, is_russian }): (String, QuestionTruth)| {
        let language =
            if is_russian { QuestionLanguage::Russian } else { QuestionLanguage::English };
        let name = if is_russian { "Russian" } else { "English" };
        let prompt = format!(
            "Answer the question {key:?} about its image in {name}. Answer with a few words alone.\n"
        );
        let reference = Arc::new(RightAnswers { truth: vqa::Truth { answers, language }, lemmas });
        ImageProblem { key, prompt, reference }
    };
    Ok(questions.into_iter().map(problem).collect())
}

/// The right answers to a question.
struct RightAnswers {
    truth: vqa::Truth,
    /// The lemmas, if any question of the data is Russian.
    lemmas: Option<Lemmas>,
}

impl RightAnswers {
    fn accepts(&self, text: &str) -> bool {
        let lemma = self.lemmas.map(|lemmas| move |word: &str| lemmas.lemma(word));
        vqa::is_right(&self.truth, text, lemma.as_ref().map(|lemma| lemma as _))
    }
}

impl Reference for RightAnswers {
    fn fingerprint(&self) -> Fingerprint {
        let mut all = DigestOf::new();
        all.field(&[u8::from(self.truth.language == QuestionLanguage::Russian)]);
        for answer in &self.truth.answers {
            all.field(answer.as_bytes());
        }
        Fingerprint::of(all.finish().as_bytes())
    }

    /// Some right answers can never be matched, because they are not normalised.
    fn gold(&self) -> Option<Response> {
        let answers = &self.truth.answers;
        let met = answers.iter().find(|answer| self.accepts(answer));
        met.or(answers.first()).cloned().map(Response::Text)
    }

    fn check(&self, response: &Response) -> Check {
        Check::kind(response.text())
    }

    fn grade(&self, submission: &Submission, _cancel: &Cancel) -> Result<Verdict> {
        Ok(match submission.response.text() {
            Ok(text) if self.accepts(text) => submission.verdict(Outcome::Passed),
            Ok(_) => submission.verdict(Outcome::Failed),
            Err(reason) => submission.unanswered(&reason),
        })
    }
}
