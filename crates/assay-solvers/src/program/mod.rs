//! `program:CMD`: CodRep's predictor protocol, one for translators, and one for solvers that write
//! programs.
//!
//! Asked about lines, the command gets the task folder as its last argument and prints `<path>
//! <line> [<line>…]`. Asked for texts, it gets a file with one source per line and prints one text
//! per line, in the same order, as the translators of CodeXGLUE and AVATAR do. Asked for programs,
//! it gets a file with one JSON object per line and prints samples in the format of HumanEval and
//! EvalPlus. In every case it is given a private copy, so that it sees neither the solutions nor
//! problems that it is not asked, and cannot change the dataset. It is the user's own command and
//! runs with the user's rights; programs that are not trusted go through the sandbox instead.

mod conversation;
mod process;
mod stage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{AnswerSink, AnswerTogether, Batch, DigestOf, Error, Result, Solver};

use crate::kind::ALL;
use crate::{Argument, BuildRequest, BuiltSolver, SolverCard, SolverKind, SolverSettings};
use conversation::Conversation;
use stage::stage;

/// The size limit of hashed files: a file of this size or more is data, not a program.
const MAX_HASHED_BYTES: u64 = 64 << 20;

/// A command of the user.
#[derive(Debug)]
pub(crate) struct CommandKind;

const CARD: SolverCard = SolverCard {
    argument: Argument::Required,
    costly: true,
    ..SolverCard::new(
        "program:CMD",
        ALL,
        "runs CMD with the task folder, a file with a source a line, or a file of JSON questions, \
         as its last argument and reads one answer a line",
    )
};

impl SolverKind for CommandKind {
    fn card(&self) -> &SolverCard {
        &CARD
    }

    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver> {
        let BuildRequest { argument, settings, .. } = *request;
        let solver = CommandSolver {
            command: words(argument)?,
            working_folder: settings.working_folder.clone(),
            time_limit: settings.time_limit,
        };
        let identity = solver.identity();
        Ok(BuiltSolver::new(Solver::Together(Box::new(solver)), identity))
    }

    fn check_argument(&self, argument: Option<&str>) -> Result<()> {
        words(argument).map(drop)
    }

    fn risk(&self, argument: Option<&str>, settings: &SolverSettings) -> Option<String> {
        Some(format!("run in {}: {}", settings.working_folder.display(), argument?))
    }
}

/// The words of a command.
fn words(command: Option<&str>) -> Result<Vec<String>> {
    let command = command.unwrap_or_default();
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err(Error::usage("program: names no command")
            .hint("for example: --solver 'program:python3 predictor.py'")),
        None => Err(Error::usage(format!("a quote in {command:?} is not closed"))),
    }
}

struct CommandSolver {
    command: Vec<String>,
    working_folder: PathBuf,
    time_limit: Duration,
}

impl CommandSolver {
    /// The command, the time limit and the files that the command names. Files that those read in
    /// turn are not known, and the identity of a command that names no file says so.
    fn identity(&self) -> String {
        let quoted = shlex::try_join(self.command.iter().map(String::as_str));
        let command = quoted.unwrap_or_else(|_| self.command.join(" "));
        let files = files_digest(&self.command, &self.working_folder);
        let files = files.unwrap_or_else(|| "unverified".to_owned());
        format!("program:{command},files={files},limit={}s", self.time_limit.as_secs_f64())
    }
}

/// A digest of the files among the words of a command, if there are any.
fn files_digest(command: &[String], folder: &Path) -> Option<String> {
    let is_small = |path: &PathBuf| {
        path.metadata().is_ok_and(|file| file.is_file() && file.len() < MAX_HASHED_BYTES)
    };
    let paths = command.iter().map(|word| folder.join(word)).filter(is_small);
    let mut contents = paths.filter_map(|path| std::fs::read(path).ok()).peekable();
    contents.peek()?;
    let mut digest = DigestOf::new();
    contents.for_each(|bytes| {
        digest.field(&bytes);
    });
    Some(digest.finish().short())
}

impl AnswerTogether for CommandSolver {
    fn answer_all(&self, batch: &mut Batch<'_>, emit: &mut dyn AnswerSink) -> Result<()> {
        for staged in stage(batch)? {
            if batch.cancel.is_cancelled() {
                break;
            }
            Conversation::new(self, &staged, batch.problems).run(batch.cancel, emit)?;
        }
        Ok(())
    }
}
