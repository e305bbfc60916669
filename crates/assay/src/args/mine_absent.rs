//! `assay data mine …` in a build without the feature `mine`.

use std::ffi::OsString;

use clap::Args;

/// Anything: the command refuses whatever it is given.
#[derive(Debug, Args)]
pub(crate) struct MineArguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<OsString>,
}
