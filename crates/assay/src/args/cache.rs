//! `assay cache …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// List what is kept, with sizes: replies by model, other results by kind.
    #[command(after_help = "\
Examples:
  assay cache list
  assay cache list --json | jq '.replies[] | .model'")]
    List {
        /// The cache folder. Default: assay's folder in the user's cache.
        #[arg(long, value_name = "DIR")]
        cache: Option<PathBuf>,

        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove replies of models, or everything.
    Clear(ClearArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay cache clear --model qwen2.5-coder
  assay cache clear --url http://localhost:8000
  assay cache clear --all --yes

Replies that a run is using stay, and are named. Records of runs are not in the cache.")]
pub(crate) struct ClearArguments {
    /// Remove the replies of this model.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub(crate) model: Option<String>,

    /// Remove the replies of this server; with --model, of this model on it.
    #[arg(long, value_name = "URL", conflicts_with = "all")]
    pub(crate) url: Option<String>,

    /// Remove everything: all replies, and the results that are computed again when they are needed.
    // Not from the environment: nobody should delete everything by a forgotten variable.
    #[arg(long)]
    pub(crate) all: bool,

    /// Remove everything without a question.
    #[arg(long, requires = "all")]
    pub(crate) yes: bool,

    /// The cache folder. Default: assay's folder in the user's cache.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
