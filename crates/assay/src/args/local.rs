//! Arguments about model servers that assay starts.

use assay_core::{Error, Result};
use assay_solvers::SolverSpec;
use clap::Args;
use serde_json::{Map, Value, json};

#[derive(Debug, Args)]
#[command(next_help_heading = "Models on disk (local:PATH)")]
pub(crate) struct LocalArguments {
    /// The command that starts a server, if it is none that assay knows. {model}, {port}, {key}, {threads},
    /// {context} and {slots} are filled in; the key is also in the variable ASSAY_SERVER_KEY, where nobody sees it.
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) server_command: Option<String>,

    /// The number of threads that compute. Default: half of the cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) threads: Option<u32>,

    /// The greatest number of tokens of a prompt and its reply together. Default: 8192, or 4096 on machines with
    /// little memory.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(64..))]
    pub(crate) context: Option<u32>,

    /// The number of requests that the server works on at once. Default: one for every four threads, at most 4.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) slots: Option<u32>,

    /// The time limit for the server's start, in seconds. Default: 600.
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    pub(crate) server_start_limit: Option<f64>,
}

impl LocalArguments {
    /// The settings, as a run records them, if one of these solvers starts a server. What is not given is chosen for
    /// this machine now, so that a run that is resumed has the same.
    pub(crate) fn settings(&self, solvers: &[String]) -> Map<String, Value> {
        if !solvers.iter().any(|solver| is_local(solver)) {
            return Map::new();
        }
        let given = json!({
            "server_command": self.server_command,
            "threads": self.threads,
            "slots": self.slots,
            "context": self.context,
            "start_limit_s": self.server_start_limit,
        });
        let settings = assay_solvers::local_settings(&super::models::without_nulls(given));
        Map::from_iter([("local".to_owned(), settings)])
    }

    /// Refuses arguments about servers if none is started.
    pub(super) fn check(solvers: &[String], typed: &[String]) -> Result<()> {
        if solvers.iter().any(|solver| is_local(solver)) {
            return Ok(());
        }
        let options = <Self as Args>::augment_args(clap::Command::new(""));
        let mut names = options.get_arguments().map(|argument| argument.get_id().as_str());
        match names.find(|name| typed.iter().any(|typed| typed == name)) {
            None => Ok(()),
            Some(name) => Err(Error::usage(format!(
                "--{} is for a server that assay starts, and no solver has one",
                name.replace('_', "-")
            ))
            .hint("a model on disk is named --solver local:PATH")),
        }
    }
}

fn is_local(solver: &str) -> bool {
    SolverSpec::parse(solver).is_ok_and(|spec| spec.card().name() == "local")
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;

    #[test]
    fn what_is_not_given_is_chosen_and_recorded() {
        let command = LocalArguments::augment_args(clap::Command::new("x").no_binary_name(true));
        let matches = command.try_get_matches_from(["--slots", "3"]).unwrap();
        let arguments = LocalArguments::from_arg_matches(&matches).unwrap();
        assert!(arguments.settings(&["http:m@http://localhost:1".to_owned()]).is_empty());
        let settings = arguments.settings(&["local:m.gguf".to_owned()]);
        assert_eq!(settings["local"]["slots"], 3);
        let has_models = cfg!(feature = "models");
        assert_eq!(settings["local"]["threads"].as_u64().is_some(), has_models, "{settings:?}");
    }

    #[test]
    fn options_of_a_server_need_one() {
        let http = ["http:m@http://localhost:1".to_owned()];
        let error = LocalArguments::check(&http, &["server_command".to_owned()]).unwrap_err();
        let message = "--server-command is for a server that assay starts, and no solver has one";
        assert_eq!(error.to_string(), message);
        LocalArguments::check(&["local:m".to_owned()], &["threads".to_owned()]).unwrap();
        LocalArguments::check(&http, &["api".to_owned()]).unwrap();
    }
}
