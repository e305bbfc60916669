//! `locate`: the learned locator.

use std::path::Path;
use std::sync::LazyLock;

use assay_core::{
    AnswerEach, AnswerError, Ask, Confidence, Digest, Error, Reply, Response, Result,
};
use assay_locate::{Locator, Model, RankedLine};

use crate::kind::LINES;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind, SolverSpec};

/// The datasets that the weights inside the binary were trained on.
pub const LOCATE_LEARNED_FROM: [&str; 4] = ["Dataset1", "Dataset2", "Dataset3", "Dataset4"];

/// The weights inside the binary.
static EMBEDDED: &[u8] = include_bytes!("../models/locate.bin");

static SHIPPED: LazyLock<Result<(Locator, Digest), String>> =
    LazyLock::new(|| read(EMBEDDED).map_err(|error| error.to_string()));

fn read(bytes: &[u8]) -> Result<(Locator, Digest), assay_locate::ModelError> {
    Ok((Locator::new(Model::from_bytes(bytes)?)?, Digest::of(bytes)))
}

/// The likeliest lines of a question's file, best first, by the weights inside the binary.
#[cfg(feature = "models")]
pub(crate) fn likeliest(question: &assay_core::LineQuestion) -> Vec<usize> {
    let Ok((locator, _)) = &*SHIPPED else { return Vec::new() };
    let ranked = locator.rank(question.line(), question.program());
    ranked.into_iter().map(|ranked| ranked.line).collect()
}

/// The learned locator.
#[derive(Debug)]
pub(crate) struct Locate;

const CARD: SolverCard = SolverCard {
    argument: Argument::Optional,
    ..SolverCard::new("locate", LINES, "the learned locator; locate:MODEL uses other weights")
};

impl SolverKind for Locate {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let BuildRequest { argument, settings, .. } = *request;
        let (locator, digest) = open(argument, &settings.working_folder)?;
        let top = settings.top;
        let identity = format!("locate,weights={},top={top}", digest.short());
        Ok(BuiltSolver::each(LocateSolver { locator, top }, identity))
    }
}

impl SolverSpec {
    /// The locator, whose answers can be explained; other solvers give no reasons.
    pub fn locator(&self, working_folder: &Path) -> Result<Locator> {
        if self.card().name() != CARD.name() {
            return Err(Error::usage(format!("{self} gives no reasons for its answers"))
                .hint("only the locator can be explained: --solver locate, or locate:MODEL"));
        }
        Ok(open(self.argument.as_deref(), working_folder)?.0)
    }
}

/// The locator with the weights inside the binary, or with those of a file, and their digest.
fn open(weights: Option<&str>, working_folder: &Path) -> Result<(Locator, Digest)> {
    let Some(path) = weights else { return SHIPPED.clone().map_err(Error::failed) };
    let path = working_folder.join(path);
    let bytes = std::fs::read(&path).map_err(|error| Error::reading("read", &path, error))?;
    read(&bytes).map_err(|error| {
        Error::refused(format!("{}: {error}", path.display()))
            .hint("`assay train locate` makes such files")
    })
}

struct LocateSolver {
    locator: Locator,
    top: usize,
}

impl AnswerEach for LocateSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let question = ask.question.line()?;
        let mut ranked = self.locator.rank(question.line(), question.program());
        ranked.truncate(self.top);
        if ranked.is_empty() {
            // Only blank lines and copies of the new line: all lines are equally good.
            return Ok(Response::Lines(vec![(question.length() / 2).max(1)]).into());
        }
        let sure = |ranked: &RankedLine| Confidence {
            score: ranked.score,
            probability: ranked.probability,
        };
        let lines = ranked.iter().map(|ranked| ranked.line).collect();
        let confidence = ranked.iter().map(sure).collect();
        Ok(Reply { confidence, ..Response::Lines(lines).into() })
    }
}
