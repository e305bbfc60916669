//! Refuses `http:MODEL@URL`, which this build lacks.

use assay_core::{Error, Result};

use crate::kind::ALL;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind};

/// A language model on a server.
#[derive(Debug)]
pub(crate) struct Http;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    is_model: true,
    ..SolverCard::new("http:MODEL@URL", ALL, "language models: not in this build")
};

impl SolverKind for Http {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, _request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        Err(Error::usage("this build of assay asks no language models")
            .hint("build it with the feature `models`, which is on by default"))
    }
}
