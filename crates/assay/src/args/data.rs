//! `assay data …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::mine::MineArguments;
use super::seal::{SealArguments, UnsealArguments};

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// List every task's published data: where it is here, and where it comes from.
    #[command(after_help = "\
Examples:
  assay data list
  assay data list --json | jq -r '.[] | select(.path) | .name'")]
    List {
        /// The folder of datasets, with a folder for each task.
        #[arg(long, value_name = "DIR")]
        data_root: Option<PathBuf>,

        /// Do not read the data to find out which published version it is.
        #[arg(long)]
        no_check: bool,

        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Read whole datasets and name every malformed file with the reason.
    Verify(DatasetArguments),
    /// Count files, lines, lengths and duplicates.
    Stats(DatasetArguments),
    /// Make datasets from git history.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay data mine codrep ~/src/guava -o guava
  assay data mine codrep --help                    every filter and the split"
    )]
    Mine(MineCommand),
    /// Encrypt a folder of hidden data, and make a public commitment to it.
    Seal(SealArguments),
    /// Open sealed data, after checking it against its commitment.
    Unseal(UnsealArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay data verify Dataset4.tar.zst
  assay data verify sample
  assay data stats Dataset1:Dataset2 --json")]
pub(crate) struct DatasetArguments {
    /// Folders or archives; several may be joined by `:`. Or `sample`, the problems inside the binary.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MineCommand {
    /// Make a CodRep dataset: every change of a file that replaced exactly one line.
    Codrep(MineArguments),
}
