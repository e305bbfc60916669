//! `file:PATH`: answers made elsewhere.

use std::path::Path;

use assay_answers::{AnswerFile, AnswerSource};
use assay_core::{
    AnswerEach, AnswerError, Ask, Cancel, Digest, Effort, Problems, Reply, Response, Result,
    SampleKey, Why,
};

pub(crate) struct FileSolver {
    file: AnswerFile,
}

impl FileSolver {
    pub(crate) fn open(path: &Path, problems: &dyn Problems) -> Result<Self> {
        let answers = AnswerSource::open(path)?;
        let name = answers.name().into_owned();
        let file = answers.read(&Cancel::new(), problems)?;
        if !file.faults.is_empty() {
            return Err(file.faults.refuse(&name));
        }
        Ok(Self { file })
    }

    pub(crate) fn digest(&self) -> Digest {
        self.file.digest
    }

    /// The most samples that it has of any problem.
    pub(crate) fn most_samples(&self) -> u32 {
        self.file.sample_counts().map_or(0, |(_, most)| most)
    }
}

impl AnswerEach for FileSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let key = SampleKey { rank: ask.rank, sample: ask.sample };
        let answers = &self.file.answers;
        let found = answers.binary_search_by_key(&key, |answer| answer.key).ok();
        let silent = || Response::none(Why::Silent, "the file has no answer to it");
        Ok(found.map_or_else(silent, |at| answers[at].response.clone()).into())
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }

    fn is_verbatim(&self) -> bool {
        true
    }
}
