//! `http:MODEL@URL`: a language model on a server that speaks OpenAI's protocol.

use std::sync::Arc;

use assay_core::{LineQuestion, Result};
use assay_extract::Extraction;
use assay_models::{Api, Model, ModelAddress, ModelResources, ModelSettings};
use serde::Deserialize;

use crate::kind::{ALL, extraction_named};
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind, SolverSettings, locate};

/// A language model on a server.
#[derive(Debug)]
pub(crate) struct Http;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    costly: true,
    is_model: true,
    ..SolverCard::new(
        "http:MODEL@URL",
        ALL,
        "asks a language model on a server that speaks OpenAI's protocol, such as vLLM, llama.cpp or Ollama",
    )
};

/// The settings of a run that are for models.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ForModels {
    model: ModelSettings,
}

impl SolverKind for Http {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let BuildRequest { argument, settings, resources, .. } = *request;
        let ForModels { model } = settings.specific()?;
        let address = ModelAddress::parse(argument.unwrap_or_default())?;
        let extraction = extraction(&model)?;
        let say = resources.say.clone();
        let resources = ModelResources {
            key: resources.api_key.clone(),
            cache: resources.replies.clone(),
            say: Some(Arc::new(move |text: &str| say.say(text))),
        };
        let rank = |question: &LineQuestion| locate::likeliest(question);
        let choices = (settings.seed, settings.top);
        let model = Model::connect(address, model, choices, resources, Box::new(rank))?;
        let identity = identity(&format!("http:{}", model.identity()), settings.top, extraction);
        Ok(BuiltSolver { extraction, ..BuiltSolver::each(model, identity) })
    }

    fn check_argument(&self, argument: Option<&str>) -> Result<()> {
        ModelAddress::parse(argument.unwrap_or_default()).map(drop)
    }

    fn risk(&self, argument: Option<&str>, _settings: &SolverSettings) -> Option<String> {
        let address = ModelAddress::parse(argument?).ok()?;
        Some(format!("send requests, with your API key if one is set, to {}", address.url()))
    }
}

/// A model's identity, with what is made of its replies. One line is what every run of another task answers.
pub(crate) fn identity(model: &str, top: usize, extraction: Option<Extraction>) -> String {
    let top = if top == 1 { String::new() } else { format!(",top={top}") };
    let rule = extraction.map_or(String::new(), |rule| format!(",extract={rule}"));
    format!("{model}{top}{rule}")
}

/// The rule by which the code in replies is found: in a chat, code is among prose.
pub(crate) fn extraction(settings: &ModelSettings) -> Result<Option<Extraction>> {
    match settings.extract.as_deref() {
        None => Ok((settings.api == Api::Chat).then_some(Extraction::Code)),
        Some(name) => extraction_named(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_names_the_number_of_lines() {
        assert_eq!(identity("http:m", 1, None), "http:m");
        assert_eq!(identity("http:m", 5, None), "http:m,top=5");
        let both = identity("http:m", 5, Some(Extraction::Code));
        assert!(both.starts_with("http:m,top=5,extract=code"), "{both}");
    }
}
