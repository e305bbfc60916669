//! `assay explain`.

use clap::Args;

use super::shared::seconds;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay explain Dataset4/Tasks/17.txt
  assay explain Dataset4/Tasks/17.txt --top 2 --context 5
  assay explain --data Dataset4.tar.zst Dataset4/17
  assay explain Dataset4/Tasks/17.txt --solver most-similar
  assay explain Dataset4/Tasks/17.txt --solver file:predictions.txt --json
  assay explain --data sample sample/3 --answer 12
  assay explain Dataset4/Tasks/17.txt --solver locate:mine.bin --json

A task file holds the new line, an empty line and the program. If Solutions/17.txt lies beside
the task's folder, the right line is marked. With another solver than the locator, or an answer
of your own, the answered line is shown first, with the locator's rank and reasons for it.")]
pub(crate) struct ExplainArguments {
    /// The task file; with --data, a problem's name, such as Dataset4/17.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,

    /// Datasets: folders or archives, joined by `:`; or `sample`, the problems inside the binary.
    #[arg(short, long = "data", visible_alias = "datasets", value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,

    /// The solver whose answer is explained, as `assay solvers` lists them; `locate:MODEL` for other weights of the
    /// locator.
    #[arg(short, long, default_value = "locate")]
    pub(crate) solver: String,

    /// Your own answer, in place of a solver's: explains this line.
    #[arg(short, long, value_name = "LINE")]
    pub(crate) answer: Option<u32>,

    /// Decides every random choice of a solver.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The time limit of a program, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0, value_parser = seconds)]
    pub(crate) time_limit: f64,

    /// The number of the locator's candidates to show, best first. Default: 5, and 1 with another solver or answer.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,

    /// The number of lines of the file to show before and after each candidate.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) context: u32,

    /// Print JSON, with every reason.
    #[arg(long)]
    pub(crate) json: bool,
}
