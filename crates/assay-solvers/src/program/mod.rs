//! `program:CMD`: one line-JSON protocol for every kind of question, beside the plain protocols of the field.
//!
//! The command reads one JSON object per question on standard input and prints one per answer. Its last argument names
//! the same questions as files: asked about lines, CodRep's task folder, and it may print `<path> <line> [<line>…]`;
//! asked for texts, a file with one source per line, and it may print one text per line, in the same order, as the
//! translators of CodeXGLUE and AVATAR do; otherwise the JSON lines. In every case it is given a private copy, so that it
//! sees neither the solutions nor problems that it is not asked, and cannot change the dataset. It is started once for all
//! questions. It is the user's own command and runs with the user's rights; programs that are not trusted go through the
//! sandbox instead.

mod conversation;
mod process;
mod question;
mod stage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{AnswerSink, AnswerTogether, Batch, DigestOf, Error, Result, Solver};
use serde::Deserialize;

use crate::kind::{ALL, extraction_named};
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
        "runs CMD with one JSON question per line on standard input, and reads one answer per line",
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
        let mut identity = solver.identity();
        let ForReplies { model: Replies { extract } } = settings.specific()?;
        let extraction = extract.as_deref().map(extraction_named).transpose()?.flatten();
        if let Some(rule) = extraction {
            identity.push_str(&format!(",extract={rule}"));
        }
        let solver = Solver::Together(Box::new(solver));
        Ok(BuiltSolver { extraction, ..BuiltSolver::new(solver, identity) })
    }

    fn check_argument(&self, argument: Option<&str>) -> Result<()> {
        words(argument).map(drop)
    }

    fn risk(&self, argument: Option<&str>, settings: &SolverSettings) -> Option<String> {
        Some(format!("run in {}: {}", settings.working_folder.display(), argument?))
    }
}

/// The settings of a run about the replies of models, which may be behind a program.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ForReplies {
    model: Replies,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Replies {
    extract: Option<String>,
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
        for mut staged in stage(batch)? {
            if batch.cancel.is_cancelled() {
                break;
            }
            let questions = staged.questions.finish()?;
            Conversation::new(self, &staged, batch.problems).run(questions, batch.cancel, emit)?;
        }
        Ok(())
    }
}
