//! `example`: answers to HumanEval's problems inside the binary, as a model might give them.

use assay_answers::AnswerSource;
use assay_core::{Error, Result};

use crate::file::AnswersFile;
use crate::kind::CODE;
use crate::{BuildRequest, BuiltSolver, SolverCard, SolverKind};

/// The answers, written by hand: two are wrong, and two more are wrong where only EvalPlus's tests look.
const ANSWERS: &[u8] = include_bytes!("../answers/humaneval.jsonl");

const CARD: SolverCard = SolverCard::new(
    "example",
    CODE,
    "answers to humaneval's problems inside the binary (--data sample), some of them wrong",
);

#[derive(Debug)]
pub(crate) struct Example;

impl SolverKind for Example {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let source = AnswerSource::stream(ANSWERS, "the examples");
        AnswersFile::build_from(source, request.problems).map_err(|error| {
            Error::usage(
                "example answers the sample problems of humaneval and humaneval-plus alone",
            )
            .because(error)
            .hint("for example: assay run humaneval-plus --data sample --solver example")
        })
    }
}
