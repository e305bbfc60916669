//! `assay data mine` in a build without the feature `mine`.

use assay_core::{Error, Result};

use crate::args::MineArguments;

pub(crate) fn codrep(_arguments: &MineArguments, _typed: &[String]) -> Result<u8> {
    Err(Error::usage("this build has no support for git history")
        .hint("build it with the feature mine"))
}
