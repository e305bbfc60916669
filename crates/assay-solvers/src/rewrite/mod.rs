//! `rewrite`: a translator with a few rules, which knows words and layout but no meaning. A learned
//! translator should be compared with it, not with a copy.

mod braces;
mod python;

use assay_core::{
    AnswerEach, AnswerError, Ask, Effort, Language, NoAnswerKind, Problems, Question, Reply,
    Response, Result, TextQuestion,
};

use crate::kind::TEXTS;
use crate::{BuiltSolver, SolverCard, SolverKind, SolverSettings};

/// The version of the rules; increased when they change.
const VERSION: u32 = 1;

/// The translator with a few rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rewrite;

const CARD: SolverCard =
    SolverCard::new("rewrite", TEXTS, "a translator of a few rules: words and layout, no meaning");

impl SolverKind for Rewrite {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(
        &self,
        _argument: Option<&str>,
        _settings: &SolverSettings,
        _problems: &dyn Problems,
    ) -> Result<BuiltSolver> {
        Ok(BuiltSolver::each(*self, format!("rewrite@{VERSION}")))
    }
}

impl AnswerEach for Rewrite {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let Question::Text(TextQuestion { source, languages: Some(languages) }) = ask.question
        else {
            return Ok(Response::none(NoAnswerKind::Silent, "there is nothing to translate").into());
        };
        let text = match (languages.from, languages.into) {
            (Language::Java, Language::Python) => python::from_java(source),
            (Language::Java, Language::CSharp) => braces::java_to_csharp(source),
            (Language::CSharp, Language::Java) => braces::csharp_to_java(source),
            (from, into) => {
                return Ok(Response::none(
                    NoAnswerKind::Silent,
                    format!("no rules: {from} to {into}"),
                )
                .into());
            }
        };
        Ok(Response::Text(text).into())
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }
}
