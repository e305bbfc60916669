//! `locate`: the learned locator.

use std::path::Path;
use std::sync::LazyLock;

use assay_core::{
    AnswerEach, AnswerError, Ask, Confidence, Digest, Error, Reply, Response, Result,
};
use assay_locate::{Locator, Model, Ranked};

/// The datasets that the weights inside the binary were trained on.
pub const LOCATE_LEARNED_FROM: [&str; 4] = ["Dataset1", "Dataset2", "Dataset3", "Dataset4"];

/// The weights inside the binary.
static EMBEDDED: &[u8] = include_bytes!("../models/locate.bin");

static SHIPPED: LazyLock<Result<(Locator, Digest), String>> =
    LazyLock::new(|| read(EMBEDDED).map_err(|error| error.to_string()));

fn read(bytes: &[u8]) -> Result<(Locator, Digest), assay_locate::ModelError> {
    Ok((Locator::new(Model::from_bytes(bytes)?)?, Digest::of(bytes)))
}

/// The locator with the weights inside the binary, or with those of a file, and their digest.
pub(crate) fn open(weights: Option<&Path>) -> Result<(Locator, Digest)> {
    let Some(path) = weights else { return SHIPPED.clone().map_err(Error::failed) };
    let bytes = std::fs::read(path).map_err(|error| Error::reading("read", path, error))?;
    read(&bytes).map_err(|error| {
        Error::refused(format!("{}: {error}", path.display()))
            .hint("`assay train locate` makes such files")
    })
}

pub(crate) struct LocateSolver {
    locator: Locator,
    digest: Digest,
    top: usize,
}

impl LocateSolver {
    /// Answers `top` lines, with the weights inside the binary or with those of a file.
    pub(crate) fn open(weights: Option<&Path>, top: usize) -> Result<Self> {
        let (locator, digest) = open(weights)?;
        Ok(Self { locator, digest, top })
    }

    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }
}

impl AnswerEach for LocateSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let question = ask.question.line()?;
        let mut ranked = self.locator.rank(question.line(), question.program());
        ranked.truncate(self.top);
        if ranked.is_empty() {
            // Nothing but blank lines and copies of the new line: any line is as good as another.
            return Ok(Response::Lines(vec![(question.length() / 2).max(1)]).into());
        }
        let sure =
            |ranked: &Ranked| Confidence { score: ranked.score, probability: ranked.probability };
        let lines = ranked.iter().map(|ranked| ranked.line).collect();
        let confidence = ranked.iter().map(sure).collect();
        Ok(Reply { confidence, ..Response::Lines(lines).into() })
    }
}
