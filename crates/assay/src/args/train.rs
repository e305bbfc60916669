//! `assay train …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum TrainCommand {
    /// Train the locator, which answers CodRep.
    Locate(TrainLocateArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay train locate --data Dataset1:Dataset2:Dataset3:Dataset4 -o locate.bin
  assay train locate --data Datasets --leave-one-out
  assay run codrep --data Dataset5 --solver locate:locate.bin")]
pub(crate) struct TrainLocateArguments {
    /// Datasets to learn from: folders or archives, joined by `:`.
    #[arg(short, long, required = true, value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,

    /// The file for the weights; `-` is standard output, and messages then go to standard error.
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,

    /// The file for the report. Default: MODEL with the extension .report.json.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Train on all datasets but one and test on that one, for each of them.
    #[arg(long)]
    pub(crate) leave_one_out: bool,

    /// Leave a group of features out, to see what it brings; may be repeated.
    #[arg(long, value_name = "GROUP")]
    pub(crate) without: Vec<String>,

    /// The number of trees of a forest.
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=5000))]
    pub(crate) trees: u32,

    /// The number of forests that are averaged.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) forests: u32,

    /// Decides every random choice.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
