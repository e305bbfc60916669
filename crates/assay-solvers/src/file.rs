//! `file:PATH`: answers made elsewhere.

use assay_answers::{AnswerFile, AnswerSource};
use assay_core::{
    AnswerEach, AnswerError, Ask, Cancel, Effort, NoAnswerKind, Problems, Reply, Response, Result,
    SampleKey,
};

use crate::kind::ALL;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind};

/// A file of answers.
#[derive(Debug)]
pub(crate) struct AnswersFile;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    ..SolverCard::new("file:PATH", ALL, "answers made elsewhere, as `assay score` reads them")
};

impl SolverKind for AnswersFile {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let BuildRequest { argument, settings, problems, .. } = *request;
        let path = settings.working_folder.join(argument.unwrap_or_default());
        Self::build_from(AnswerSource::open(&path)?, problems)
    }
}

impl AnswersFile {
    /// Builds a solver that gives these answers.
    pub(crate) fn build_from(
        answers: AnswerSource<'_>,
        problems: &dyn Problems,
    ) -> Result<BuiltSolver> {
        let file = read(answers, problems)?;
        let identity = format!("file@{}", file.digest.short());
        let most = file.sample_counts().map_or(0, |(_, most)| most);
        Ok(BuiltSolver { samples: Some(most), ..BuiltSolver::each(FileSolver { file }, identity) })
    }
}

fn read(answers: AnswerSource<'_>, problems: &dyn Problems) -> Result<AnswerFile> {
    let name = answers.name().into_owned();
    let file = answers.read(&Cancel::new(), problems)?;
    if file.faults.is_empty() { Ok(file) } else { Err(file.faults.refuse(&name)) }
}

struct FileSolver {
    file: AnswerFile,
}

impl AnswerEach for FileSolver {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        let key = SampleKey { index: ask.index, sample: ask.sample };
        let answers = &self.file.answers;
        let found = answers.binary_search_by_key(&key, |answer| answer.submission.key).ok();
        let silent = || Response::none(NoAnswerKind::Silent, "the file has no answer to it");
        Ok(found.map_or_else(silent, |at| (*answers[at].submission.response).clone()).into())
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }

    fn is_verbatim(&self) -> bool {
        true
    }
}
