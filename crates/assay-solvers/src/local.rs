//! `local:PATH`: a language model on disk, on a server that assay starts for the run.

use assay_core::{Error, LineQuestion, Result};
use assay_models::{LocalServer, LocalSettings, Model, ModelSettings};
use serde::Deserialize;
use serde_json::Value;

use crate::http::{extraction, identity};
use crate::kind::ALL;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind, SolverSettings, locate};

/// A language model on disk.
#[derive(Debug)]
pub(crate) struct Local;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    costly: true,
    is_model: true,
    ..SolverCard::new(
        "local:PATH",
        ALL,
        "asks a language model on disk, a .gguf file or a folder of safetensors, on a server of its own",
    )
};

/// The settings of a server on this machine: what is given, and what is chosen for the rest.
pub fn local_settings(given: &Value) -> Value {
    let settings: LocalSettings = serde_json::from_value(given.clone()).unwrap_or_default();
    serde_json::to_value(settings).unwrap_or_default()
}

/// The settings of a run that are for models on disk.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ForLocal {
    model: ModelSettings,
    local: LocalSettings,
}

impl SolverKind for Local {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let BuildRequest { argument, settings, resources, .. } = *request;
        let ForLocal { model, local } = settings.specific()?;
        let path = settings.working_folder.join(argument.unwrap_or_default());
        let extraction = extraction(&model)?;
        // A server with fewer slots refuses requests for several samples.
        let local = LocalSettings { slots: local.slots.max(model.samples_per_request), ..local };
        let local = if model.deterministic { LocalSettings { slots: 1, ..local } } else { local };
        let (folder, cache) = (&settings.working_folder, resources.cache.as_deref());
        let say = resources.say.clone();
        let say = Box::new(move |text: &str| say.say(text));
        let own = LocalServer::find(&path, local, folder, cache, say)?;
        let rank = |question: &LineQuestion| locate::likeliest(question);
        let (choices, replies) = ((settings.seed, settings.top), resources.replies.clone());
        let model = Model::serve(own, model, choices, replies, Box::new(rank))?;
        let identity = identity(&format!("local:{}", model.identity()), settings.top, extraction);
        Ok(BuiltSolver { extraction, ..BuiltSolver::each(model, identity) })
    }

    fn check_argument(&self, argument: Option<&str>) -> Result<()> {
        if argument.is_some_and(|path| !path.is_empty()) {
            return Ok(());
        }
        Err(Error::usage("local: names no weights")
            .hint("for example: --solver local:SmolLM2-135M-Instruct.Q4_1.gguf"))
    }

    fn risk(&self, argument: Option<&str>, settings: &SolverSettings) -> Option<String> {
        let (folder, path) = (&settings.working_folder, argument?);
        let path = folder.join(path);
        let local = settings.specific::<ForLocal>().map(|settings| settings.local);
        let command = local.ok().and_then(|local| local.server_command);
        Some(match command {
            Some(command) => format!("run in {}: {command}", folder.display()),
            None => format!("start a model server for {}", path.display()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::SolverSpec;

    fn settings(local: &Value) -> SolverSettings {
        let settings = json!({
            "seed": 0, "time_limit_s": 1.0, "top": 1, "working_folder": "/w", "local": local,
        });
        serde_json::from_value(settings).unwrap()
    }

    #[test]
    fn what_is_started_is_named_for_consent() {
        let spec = SolverSpec::parse("local:m.gguf").unwrap();
        let risk = |local: Value| spec.risk(&settings(&local)).unwrap();
        assert_eq!(risk(json!({})), "start a model server for /w/m.gguf");
        assert_eq!(risk(json!({"server_command": "rm -r x"})), "run in /w: rm -r x");
        for empty in ["local", "local:"] {
            let error = SolverSpec::parse(empty).unwrap_err();
            assert_eq!(error.to_string(), "local: names no weights");
        }
    }

    #[test]
    fn what_is_chosen_is_recorded() {
        let chosen = local_settings(&json!({"slots": 3}));
        assert_eq!(chosen["slots"], 3);
        assert!(chosen["threads"].as_u64().unwrap() > 0, "{chosen}");
        assert_eq!(local_settings(&chosen), chosen, "what was recorded stays");
    }
}
