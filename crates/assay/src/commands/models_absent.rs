//! `assay models` in a build without the feature `models`.

use assay_core::{Error, Result};

use crate::args::ServerArguments;

pub(crate) fn models(_arguments: &ServerArguments) -> Result<u8> {
    Err(Error::usage("this build of assay asks no language models")
        .hint("build it with the feature `models`, which is on by default"))
}
