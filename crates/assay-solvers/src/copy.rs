//! `copy`: the source instead of its translation.

use assay_core::{Effort, Question, Response};

use crate::SolverCard;
use crate::baseline::Baseline;
use crate::kind::TEXTS;

pub(crate) const COPY: Baseline = Baseline {
    card: SolverCard::new("copy", TEXTS, "the source as it is, in the wrong language"),
    effort: Effort::Trivial,
    depends_on: &[],
    answer: |ask, _| match ask.question {
        Question::Text(question) => Some(Response::Text(question.source.clone())),
        _ => None,
    },
};
