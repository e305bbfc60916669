//! `assay predict`.

use clap::Args;

use super::shared::SolvingArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay predict Dataset5 > predictions.txt
  assay predict Dataset4/Tasks --solver random --top 5 --seed 7
  assay predict Dataset4.tar.zst --solver 'program:./predictor'
  assay predict sample --json --top 3

With --json each task is an object on a line of its own, in the same order:
  {\"path\":\"/data/Dataset4/Tasks/17.txt\",\"problem\":\"Dataset4/17\",
   \"lines\":[{\"line\":12,\"score\":3.21,\"probability\":0.93}]}
The locator was trained on Dataset1 to Dataset4: its predictions there say
nothing about new data.

Solvers without probabilities give the line alone; a task without an answer has
no lines and a \"reason\".")]
pub(crate) struct PredictArguments {
    /// A dataset's folder or archive, its Tasks folder, or `sample`.
    pub(crate) folder: String,

    /// The solver, as `assay solvers` lists them.
    #[arg(short, long, default_value = "locate")]
    pub(crate) solver: String,

    #[command(flatten)]
    pub(crate) solving: SolvingArguments,

    /// Print one JSON object per line, with scores and probabilities if the solver has them.
    // Not from the environment: a predictor that another assay runs must follow the protocol.
    #[arg(long)]
    pub(crate) json: bool,
}
