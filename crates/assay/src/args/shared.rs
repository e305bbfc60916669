//! Arguments that several commands share: data, problems, rules, and how answers are made.

use std::path::PathBuf;

use assay_core::{Rules, TaskCard, TaskSettings};
use clap::{Args, ValueEnum};

/// The problems to use.
#[derive(Debug, Args)]
pub(crate) struct ChosenArguments {
    /// Only the first N problems.
    #[arg(short = 'L', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,

    /// Only this problem; may be repeated.
    #[arg(short, long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

impl ChosenArguments {
    /// The maximum number of problems.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.limit.map(|limit| limit as usize)
    }
}

#[derive(Debug, Args)]
pub(crate) struct SolvingArguments {
    /// The number of answers worked on at once; 0 means all cores. Default: 0.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<u32>,

    /// Decides every random choice.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The number of lines to answer, best first.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,

    /// The time limit of a program for one dataset, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0, value_parser = seconds)]
    pub(crate) time_limit: f64,
}

#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Datasets: folders or archives, joined by `:`; or `sample`, the problems inside the binary.
    #[arg(short, long = "data", visible_alias = "datasets", value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,

    /// The name of your own data, if it has the form of the task's: its results are reported under that name.
    // Not from the environment: it belongs to one --data.
    #[arg(long, value_name = "NAME", requires = "data")]
    pub(crate) name: Option<String>,

    /// The folder of datasets when --data is not given, with a folder for each task.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_root: Option<PathBuf>,

    /// The original's behaviour (compat) or the corrected one (strict); `assay show TASK` explains both
    /// and names the default.
    #[arg(long)]
    pub(crate) rules: Option<RulesArgument>,

    /// The style of the prompt, if a task has several; `assay show TASK` names them.
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: Option<String>,
}

impl DataArguments {
    /// The task's settings: those asked for, or else the task's own defaults.
    pub(crate) fn settings_for(&self, card: &TaskCard) -> TaskSettings {
        let rules = self.rules.map_or(card.default_rules, Rules::from);
        TaskSettings { prompt: self.prompt.clone(), ..TaskSettings::with_rules(rules) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesArgument {
    /// As the original does.
    Compat,
    /// As it should be.
    Strict,
}

impl From<RulesArgument> for Rules {
    fn from(rules: RulesArgument) -> Self {
        match rules {
            RulesArgument::Compat => Self::Compat,
            RulesArgument::Strict => Self::Strict,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}
