//! `assay show`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The task.
    pub(crate) task: String,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
