//! `assay data seal` and `assay data unseal` in a build without the feature `seal`.

use assay_core::{Error, Result};

use crate::args::{SealArguments, UnsealArguments};

pub(crate) fn seal(_arguments: &SealArguments) -> Result<u8> {
    Err(Error::usage("this build has no support for sealed data")
        .hint("build it with the feature seal"))
}

pub(crate) fn unseal(arguments: &UnsealArguments) -> Result<u8> {
    seal(arguments)
}
