//! `assay data seal` and `assay data unseal` in a build without the feature `seal`.

use std::ffi::OsString;

use clap::Args;

/// Anything: the command refuses whatever it is given.
#[derive(Debug, Args)]
pub(crate) struct SealArguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<OsString>,
}

pub(crate) type UnsealArguments = SealArguments;
