//! Refuses `local:PATH`, which this build lacks.

use assay_core::{Error, Result};
use serde_json::Value;

use crate::kind::ALL;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind};

/// A language model on disk.
#[derive(Debug)]
pub(crate) struct Local;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    is_model: true,
    ..SolverCard::new("local:PATH", ALL, "language models: not in this build")
};

/// The settings of a server: what is given.
pub fn local_settings(given: &Value) -> Value {
    given.clone()
}

impl SolverKind for Local {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, _request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        Err(Error::usage("this build of assay asks no language models")
            .hint("build it with the feature `models`, which is on by default"))
    }
}
