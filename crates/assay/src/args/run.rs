//! `assay run`.

use std::path::PathBuf;

use clap::Args;

use super::models::ModelArguments;
use super::programs::ProgramArguments;
use super::require::Requirement;
use super::shared::{ChosenArguments, DataArguments, SolvingArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay run                                   the tour, with problems inside the binary
  assay run codrep --data Dataset1:Dataset2 --solver middle --solver last
  assay run codrep --data Dataset4.tar.zst --solver 'program:python3 predictor.py'
  assay run codrep --data sample --solver random --top 5 --seed 7 -L 10 --json
  assay run c2c --data g4g_functions.zip --solver 'program:python3 translate.py'
  assay run humaneval --solver 'program:python3 generate.py' -n 20 -k 1,10
  assay run humaneval --solver http:qwen2.5-coder@http://localhost:8000/v1 -n 20
  assay run humaneval --data mine.jsonl --name my-bench --solver gold
  assay run codrep --data sample --solver locate --require 'recall@1>=0.6'
  assay run --resume runs/20261115T105049Z-codrep-middle-1f2e3d
  assay run --resume runs/20261115T105049Z-codrep-middle-1f2e3d --failures 3

The record of a run is a folder of plain files: run.json, answers.jsonl, verdicts.jsonl and
results.json.")]
pub(crate) struct RunArguments {
    /// The tasks; none means the tour.
    #[arg(value_name = "TASK")]
    pub(crate) tasks: Vec<String>,

    /// A solver, as `assay solvers` lists them; may be repeated. Default: the task's baselines.
    #[arg(short, long = "solver", value_name = "SOLVER")]
    pub(crate) solvers: Vec<String>,

    #[command(flatten)]
    pub(crate) data: DataArguments,

    #[command(flatten)]
    pub(crate) chosen: ChosenArguments,

    /// The number of samples per problem, for tasks that ask for programs.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) samples: u32,

    #[command(flatten)]
    pub(crate) solving: SolvingArguments,

    #[command(flatten)]
    pub(crate) programs: ProgramArguments,

    #[command(flatten)]
    pub(crate) models: ModelArguments,

    /// Only record the answers; `assay score RUN` grades them later, on any machine.
    #[arg(long)]
    pub(crate) generate_only: bool,

    /// The folder in which the run's folder is created.
    #[arg(short, long, value_name = "DIR", default_value = "runs")]
    pub(crate) output: PathBuf,

    /// Finish what is missing of the run in DIR.
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// With --resume: run the command that the record names, even if you did not start that run here.
    // Not from the environment: the user decides this for one record, after a look at it.
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,

    /// Show up to N failed samples after the results: the question, the answer, and what was wrong. Programs are
    /// chosen so that every way to fail comes up, lines and texts by their scores, the worst first.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) failures: u32,

    /// A threshold for a metric, such as 'pass@1>=0.6' (or >, <=, <, ==; 'pass@1.low>=0.55' for the interval's
    /// lower end); may be repeated. The exit code is 4 if a result misses one.
    #[arg(long, value_name = "CONDITION")]
    pub(crate) require: Vec<Requirement>,

    /// Print results.json, one line per run.
    #[arg(long)]
    pub(crate) json: bool,
}
