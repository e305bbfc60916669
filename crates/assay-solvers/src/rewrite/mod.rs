//! `rewrite`: a translator of a few rules, which knows words and layout but no meaning. What a
//! learned translator is worth shows against it, not against a copy.

mod braces;
mod python;

use assay_core::{
    AnswerEach, AnswerError, Ask, Effort, Language, Question, Reply, Response, Result,
    TextQuestion, Why,
};

/// Raised when the rules change.
pub(crate) const VERSION: u32 = 1;

pub(crate) struct RewriteSolver;

impl AnswerEach for RewriteSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let Question::Text(TextQuestion { source, languages: Some(languages) }) = ask.question
        else {
            return Ok(Response::none(Why::Silent, "there is nothing to translate").into());
        };
        let text = match (languages.from, languages.into) {
            (Language::Java, Language::Python) => python::from_java(source),
            (Language::Java, Language::CSharp) => braces::java_to_csharp(source),
            (Language::CSharp, Language::Java) => braces::csharp_to_java(source),
            (from, into) => {
                return Ok(
                    Response::none(Why::Silent, format!("no rules: {from} to {into}")).into()
                );
            }
        };
        Ok(Response::Text(text).into())
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }
}
