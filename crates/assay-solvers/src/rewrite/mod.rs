//! `rewrite`: a translator with a few rules, which knows words and layout but no meaning. A learned
//! translator should be compared with it, not with a copy.

mod braces;
mod python;

use assay_core::{Ask, Effort, Language, NoAnswerKind, Question, Response, TextQuestion};

use crate::baseline::{Baseline, Factor};
use crate::kind::TEXTS;
use crate::{SolverCard, SolverSettings};

/// The version of the rules; increased when they change.
const VERSION: u32 = 1;

/// The translator with a few rules.
pub(crate) const REWRITE: Baseline = Baseline {
    card: SolverCard::new(
        "rewrite",
        TEXTS,
        "a translator of a few rules: words and layout, no meaning",
    ),
    effort: Effort::Trivial,
    depends_on: &[Factor::Version(VERSION)],
    answer,
};

fn answer(ask: &Ask<'_>, _settings: &SolverSettings) -> Option<Response> {
    let none = |detail: String| Some(Response::none(NoAnswerKind::Silent, detail));
    let Question::Text(TextQuestion { source, languages: Some(languages) }) = ask.question else {
        return none("there is nothing to translate".to_owned());
    };
    Some(Response::Text(match (languages.from, languages.into) {
        (Language::Java, Language::Python) => python::from_java(source),
        (Language::Java, Language::CSharp) => braces::java_to_csharp(source),
        (Language::CSharp, Language::Java) => braces::csharp_to_java(source),
        (from, into) => return none(format!("no rules: {from} to {into}")),
    }))
}
