//! `file:PATH`: answers made elsewhere.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use assay_answers::AnswerFile;
use assay_core::{
    AnswerEach, AnswerError, Ask, Digest, Effort, Error, Problems, Reply, Response, Result,
    SampleKey, Why,
};

pub(crate) struct FileSolver {
    file: AnswerFile,
}

impl FileSolver {
    pub(crate) fn open(path: &Path, problems: &dyn Problems) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::reading("open", path, error))?;
        let name = path.display().to_string();
        let file = AnswerFile::read(&mut BufReader::new(file), &name, problems)?;
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
