//! `program:CMD`: CodRep's predictor protocol, one for translators, and one for writers of programs.
//!
//! Asked about lines, the command gets the task folder as its last argument and prints `<path> <line>
//! [<line>…]`. Asked for texts, it gets a file with one source a line and prints one text a line, in
//! the same order, as the translators of CodeXGLUE and AVATAR do. Asked for programs, it gets a file
//! with one JSON object a line and prints samples as HumanEval and EvalPlus have them. In every case it
//! is given a private copy, so that it sees neither the solutions nor problems that it is not asked, and
//! cannot change the dataset. It is the user's own program and runs with the user's rights; programs
//! that are not trusted go through the sandbox instead.

mod conversation;
mod process;
mod stage;

use std::path::PathBuf;
use std::time::Duration;

use assay_core::{AnswerTogether, Batch, Result, TakeAnswers};

use crate::SolverSettings;
use conversation::Conversation;
use stage::stage;

pub(crate) struct ProgramSolver {
    command: Vec<String>,
    working_folder: PathBuf,
    time_limit: Duration,
}

impl ProgramSolver {
    pub(crate) fn new(words: &[String], settings: &SolverSettings) -> Self {
        Self {
            command: words.to_vec(),
            working_folder: settings.working_folder.clone(),
            time_limit: settings.time_limit,
        }
    }
}

impl AnswerTogether for ProgramSolver {
    fn answer_all(&self, batch: &mut Batch<'_>, emit: &mut dyn TakeAnswers) -> Result<()> {
        for staged in stage(batch)? {
            if batch.cancel.is_cancelled() {
                break;
            }
            Conversation::new(self, &staged, batch.problems).run(batch.cancel, emit)?;
        }
        Ok(())
    }
}
