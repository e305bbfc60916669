//! The command line's arguments. A command's own are in the file of its name, those of several commands in
//! `shared.rs`.

mod cache;
mod data;
mod environment;
mod explain;
mod export;
mod local;
mod log;
mod metric;
#[cfg_attr(not(feature = "mine"), path = "mine_absent.rs")]
mod mine;
mod models;
mod predict;
mod programs;
mod require;
mod run;
mod score;
#[cfg_attr(not(feature = "seal"), path = "seal_absent.rs")]
mod seal;
mod server;
mod several_metrics;
mod shared;
mod show;
mod train;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use cache::{CacheCommand, ClearArguments};
pub(crate) use data::{DataCommand, DatasetArguments, MineCommand};
pub(crate) use environment::{command, matches, variables_in};
pub(crate) use explain::ExplainArguments;
pub(crate) use export::ExportArguments;
pub(crate) use log::LogArguments;
pub(crate) use metric::{MetricArguments, MetricChoice, MetricCommand, TextArguments};
pub(crate) use mine::MineArguments;
pub(crate) use models::{ApiKey, ModelArguments};
pub(crate) use predict::PredictArguments;
pub(crate) use require::Requirement;
pub(crate) use run::RunArguments;
pub(crate) use score::{ExtractArgument, ScoreArguments, ScoreFormat};
pub(crate) use seal::{SealArguments, UnsealArguments};
pub(crate) use server::ServerArguments;
pub(crate) use shared::{DataArguments, ListArguments, SolvingArguments, seconds};
pub(crate) use show::ShowArguments;
pub(crate) use train::{TrainCommand, TrainLocateArguments};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Measures how well anything answers questions about source code, with an error bar on every score.
#[derive(Debug, Parser)]
#[command(name = "assay", version = version(), styles = STYLES, arg_required_else_help = true, max_term_width = 80)]
#[command(after_help = "\
Examples:
  assay run                                        the tour, in seconds
  assay run codrep --data Dataset4 --solver middle one solver on one task, recorded
  assay score codrep predictions.txt --data Dataset4
  assay predict sample --solver middle | assay score codrep - --data sample
  assay explain Dataset4/Tasks/17.txt              why this line and not another

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 input refused,
4 --require missed, 5 answers missing or problems excluded, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Print without colour.
    #[arg(long, global = true, hide = true)]
    pub(crate) no_color: bool,

    /// The width of tables; a terminal's own width if it is not given, and no limit in a pipe.
    // Shells set it, to anything: what is no width counts as none.
    #[arg(long, global = true, hide = true, value_parser = columns, default_value = "")]
    pub(crate) columns: usize,

    #[command(flatten)]
    pub(crate) log: LogArguments,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reads a number of columns; 0 if it is none.
#[expect(clippy::unnecessary_wraps, reason = "clap expects a result")]
fn columns(text: &str) -> Result<usize, String> {
    Ok(text.trim().parse().unwrap_or_default())
}

fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("ASSAY_COMMIT"), ")")
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run solvers on tasks, and record every answer and verdict.
    Run(Box<RunArguments>),
    /// Grade answers made elsewhere.
    Score(Box<ScoreArguments>),
    /// Write a run's programs in the format of another harness.
    Export(ExportArguments),
    /// Answer CodRep tasks by the competition's predictor protocol.
    Predict(PredictArguments),
    /// Show what a solver answers to one CodRep task, and what the locator says about it.
    Explain(ExplainArguments),
    /// List the tasks.
    #[command(after_help = "\
Examples:
  assay tasks
  assay tasks --json | jq -r '.[].name'")]
    Tasks(ListArguments),
    /// List the solvers.
    #[command(after_help = "\
Examples:
  assay solvers
  assay solvers --json | jq -r '.[].spec'")]
    Solvers(ListArguments),
    /// Describe a task: its data, answers, grading, rules and metrics.
    #[command(after_help = "\
Examples:
  assay show humaneval
  assay show codrep --json | jq .metrics")]
    Show(ShowArguments),
    /// List, check, measure, mine and seal datasets.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay data verify Dataset4.tar.zst
  assay data mine codrep ~/src/guava -o guava
  assay data seal hidden -o hidden.age"
    )]
    Data(DataCommand),
    /// Score texts against references.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay metric bleu --refs ref.txt --hyp out.txt
  assay metric codebleu --lang java --refs a.txt b.txt --hyp out.txt --json
  assay metric chrf --pairs pairs.jsonl --per-pair --json
  assay metric list                                every metric and its variants

Texts are lines of a plain file, or JSON: the file extension selects the format
(.jsonl, .ndjson, .json; .gz and .zst are unpacked). `assay metric bleu --help`
has every option."
    )]
    Metric(MetricCommand),
    /// Train what assay ships, from data.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay train locate --data Dataset1:Dataset2:Dataset3:Dataset4 -o locate.bin"
    )]
    Train(TrainCommand),
    /// Show what this machine offers: isolation, memory limits, interpreters and compilers.
    #[command(after_help = "\
Examples:
  assay doctor
  assay doctor --json

Exit codes: 0 programs can be run in isolation, 5 they cannot.")]
    Doctor(ListArguments),
    /// List what a model server offers, and try one small request of each kind.
    Models(ServerArguments),
    /// List and clear what assay keeps between runs: replies of models, and results that are reused.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay cache list
  assay cache clear --model qwen2.5-coder
  assay cache clear --all --yes"
    )]
    Cache(CacheCommand),
    /// Print a shell's completion script.
    #[command(after_help = "\
Examples:
  assay completions bash > ~/.local/share/bash-completion/completions/assay
  assay completions fish > ~/.config/fish/completions/assay.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}
