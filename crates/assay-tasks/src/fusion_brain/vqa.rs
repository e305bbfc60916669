//! `vqa`: questions about images, in Russian and English.

use std::sync::Arc;

use assay_core::{
    AnswerForm, AnswerRules, Attempt, Check, DigestOf, Error, Fingerprint, NoAnswer, ObjectValues,
    Outcome, Reference, Response, Result, Verdict, Why,
};
use assay_data::fusion_brain::{QuestionTruth, questions};
use assay_lemma::Lemmatizer;
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::vqa::{self, QuestionLanguage};

use super::accuracy::AccuracyTally;
use super::problems::Item;
use super::truth::Truth;
use super::{ImageTask, NO_TEXT};
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
        depends_on: || vec![("lemmas", format!("opencorpora-{}", assay_lemma::version()))],
        sample: sample::VQA,
    }
}

fn read(truth: &Truth) -> Result<Vec<Item>> {
    let questions = questions(&truth.bytes, &truth.name)?;
    let lemmas = if questions.values().any(|question| question.is_russian) {
        Some(russian_lemmas()?)
    } else {
        None
    };
    let item = |(key, QuestionTruth { answers, is_russian }): (String, QuestionTruth)| {
        let language =
            if is_russian { QuestionLanguage::Russian } else { QuestionLanguage::English };
        let name = if is_russian { "Russian" } else { "English" };
        let prompt = format!(
            "Answer the question {key:?} about its image in {name}. Answer with a few words alone.\n"
        );
        let reference = Arc::new(RightAnswers { truth: vqa::Truth { answers, language }, lemmas });
        Item { key, prompt, reference }
    };
    Ok(questions.into_iter().map(item).collect())
}

/// The dictionary, which only Russian answers need.
fn russian_lemmas() -> Result<&'static Lemmatizer> {
    assay_lemma::russian().map_err(|error| Error::failed(error.to_string()))
}

/// The right answers to a question.
struct RightAnswers {
    truth: vqa::Truth,
    /// Lemmas, where any question of the data is Russian.
    lemmas: Option<&'static Lemmatizer>,
}

impl RightAnswers {
    fn accepts(&self, text: &str) -> bool {
        vqa::is_right(&self.truth, text, self.lemmas)
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

    /// Some right answers are never met, because they are not written in the normalised way.
    fn gold(&self) -> Option<Response> {
        let answers = &self.truth.answers;
        let met = answers.iter().find(|answer| self.accepts(answer));
        met.or(answers.first()).cloned().map(Response::Text)
    }

    fn check(&self, response: &Response) -> Check {
        match response {
            Response::Text(_) | Response::None(_) => Check::Possible,
            _ => Check::wrong_kind(NO_TEXT),
        }
    }

    fn grade(&self, attempt: &Attempt<'_>) -> Result<Verdict> {
        let (problem, sample) = (attempt.problem.clone(), attempt.sample);
        Ok(match attempt.response {
            Response::Text(text) => {
                let outcome = if self.accepts(text) { Outcome::Passed } else { Outcome::Failed };
                Verdict::new(problem, sample, outcome)
            }
            Response::None(reason) => Verdict::unanswered(problem, sample, reason),
            _ => {
                let reason = NoAnswer { why: Why::Invalid, detail: NO_TEXT.to_owned() };
                Verdict::unanswered(problem, sample, &reason)
            }
        })
    }
}
