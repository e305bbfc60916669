//! Solver specs: what a user types after `--solver`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{DigestOf, Error, Problems, QuestionKind, Result, Solver, TaskCard};
use assay_locate::Locator;
use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, BaselineSolver};
use crate::file::FileSolver;
use crate::locate::{self, LocateSolver};
use crate::program::ProgramSolver;
use crate::rewrite::{self, RewriteSolver};

/// What there is to know about a solver.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SolverCard {
    /// How it is named.
    pub spec: &'static str,
    /// The kinds of questions that it answers.
    pub answers: &'static [QuestionKind],
    /// What it does.
    pub about: &'static str,
}

const LINES: &[QuestionKind] = &[QuestionKind::Line];
const TEXTS: &[QuestionKind] = &[QuestionKind::Text];
const ALL: &[QuestionKind] =
    &[QuestionKind::Line, QuestionKind::Text, QuestionKind::Code, QuestionKind::Choice];

/// Every kind of solver.
pub const CARDS: &[SolverCard] = &[
    card("locate", LINES, "the learned locator; locate:MODEL uses other weights"),
    card("first", LINES, "always the first line"),
    card("middle", LINES, "always the middle line"),
    card("last", LINES, "always the last line"),
    card("random", LINES, "--top K different lines at random; --seed decides which"),
    card(
        "random-parses",
        LINES,
        "like random, among the lines with which the file still parses as Java",
    ),
    card("most-similar", LINES, "the line that shares most tokens with the new one"),
    card(
        "most-similar-parses",
        LINES,
        "like most-similar, among the lines with which the file still parses as Java",
    ),
    card("worst", LINES, "the end of the file that is farther from the solution"),
    card("copy", TEXTS, "the source as it is, in the wrong language"),
    card("rewrite", TEXTS, "a translator of a few rules: words and layout, no meaning"),
    card("gold", ALL, "the solution itself: checks data and grading"),
    card(
        "program:CMD",
        ALL,
        "runs CMD with the task folder, a file with a source a line, or a file of JSON questions, \
         as its last argument and reads one answer a line",
    ),
    card("file:PATH", ALL, "answers made elsewhere, as `assay score` reads them"),
];

const fn card(
    spec: &'static str,
    answers: &'static [QuestionKind],
    about: &'static str,
) -> SolverCard {
    SolverCard { spec, answers, about }
}

/// Which solver is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolverSpec {
    /// The learned locator, with its own weights or those of a file.
    Locate(Option<PathBuf>),
    /// One of the baselines.
    Baseline(Baseline),
    /// The translator of a few rules.
    Rewrite,
    /// A command, split into words.
    Program(Vec<String>),
    /// A file of answers.
    File(PathBuf),
}

/// What a solver may be told; part of a run's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverSettings {
    /// Decides every random choice.
    pub seed: u64,
    /// How many lines to answer, best first.
    pub top: usize,
    /// How long a program may run, in seconds.
    #[serde(rename = "time_limit_s", with = "seconds")]
    pub time_limit: Duration,
    /// The folder in which a program runs, and from which a file's path counts.
    pub working_folder: PathBuf,
}

/// A solver that is ready to answer.
pub struct BuiltSolver {
    /// The solver.
    pub solver: Solver,
    /// Names what its answers depend on, for the signature.
    pub identity: String,
    /// How many samples a problem it has, where it cannot give as many as are asked for.
    pub samples: Option<u32>,
}

impl BuiltSolver {
    fn new(solver: Solver, identity: String) -> Self {
        Self { solver, identity, samples: None }
    }
}

impl SolverSpec {
    /// Reads a spec.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(baseline) = Baseline::by_name(text) {
            return Ok(Self::Baseline(baseline));
        }
        match text.split_once(':') {
            None if text == "locate" => Ok(Self::Locate(None)),
            None if text == "rewrite" => Ok(Self::Rewrite),
            Some(("locate", path)) if !path.is_empty() => Ok(Self::Locate(Some(path.into()))),
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(PathBuf::from(path))),
            Some(("program", command)) => match shlex::split(command) {
                Some(words) if !words.is_empty() => Ok(Self::Program(words)),
                Some(_) => Err(Error::usage("program: names no command").hint(PROGRAM_HINT)),
                None => Err(Error::usage(format!("a quote in {command:?} is not closed"))),
            },
            _ => {
                let specs: Vec<&str> = CARDS.iter().map(|card| card.spec).collect();
                Err(Error::usage(format!("there is no solver called {text:?}"))
                    .hint(format!("the solvers are: {}", specs.join(", "))))
            }
        }
    }

    /// Fails if it cannot answer what the task asks, and names those solvers that can.
    pub fn check(&self, task: &TaskCard) -> Result<()> {
        let text = self.to_string();
        let kind = |spec: &str| spec.split(':').next().unwrap_or_default().to_owned();
        let card = CARDS.iter().find(|card| kind(card.spec) == kind(&text));
        let Some(card) = card.filter(|card| !card.answers.contains(&task.asks)) else {
            return Ok(());
        };
        let able = CARDS.iter().filter(|card| card.answers.contains(&task.asks));
        let able: Vec<&str> = able.map(|card| card.spec).collect();
        let kinds: Vec<&str> = card.answers.iter().map(|kind| kind.answer()).collect();
        let (kinds, wanted) = (kinds.join(" or "), task.asks.answer());
        let message = format!("{text} answers with {kinds}, but {} asks for {wanted}", task.name);
        Err(Error::usage(message).hint(format!(
            "the solvers for {} are: {}",
            task.name,
            able.join(", ")
        )))
    }

    /// Whether it answers with the solutions.
    pub fn is_gold(&self) -> bool {
        *self == Self::Baseline(Baseline::Gold)
    }

    /// Whether it looks at the solutions.
    pub fn needs_references(&self) -> bool {
        matches!(self, Self::Baseline(Baseline::Worst | Baseline::Gold))
    }

    /// The locator, whose answers can be explained; other solvers give no reasons.
    pub fn locator(&self, working_folder: &Path) -> Result<Locator> {
        let Self::Locate(weights) = self else {
            return Err(Error::usage(format!("{self} gives no reasons for its answers"))
                .hint("only the locator can be explained: --solver locate, or locate:MODEL"));
        };
        let weights = weights.as_ref().map(|path| working_folder.join(path));
        Ok(locate::open(weights.as_deref())?.0)
    }

    /// Makes it ready to answer `problems`.
    pub fn build(&self, settings: &SolverSettings, problems: &dyn Problems) -> Result<BuiltSolver> {
        Ok(match self {
            Self::Baseline(baseline) => BuiltSolver::new(
                Solver::Each(Box::new(BaselineSolver::new(*baseline, settings))),
                baseline.identity(settings),
            ),
            Self::Rewrite => BuiltSolver::new(
                Solver::Each(Box::new(RewriteSolver)),
                format!("rewrite@{}", rewrite::VERSION),
            ),
            Self::Locate(weights) => {
                let weights = weights.as_ref().map(|path| settings.working_folder.join(path));
                let solver = LocateSolver::open(weights.as_deref(), settings.top)?;
                let identity =
                    format!("locate,weights={},top={}", solver.digest().short(), settings.top);
                BuiltSolver::new(Solver::Each(Box::new(solver)), identity)
            }
            Self::Program(words) => BuiltSolver::new(
                Solver::Together(Box::new(ProgramSolver::new(words, settings))),
                program_identity(words, settings),
            ),
            Self::File(path) => {
                let solver = FileSolver::open(&settings.working_folder.join(path), problems)?;
                let identity = format!("file@{}", solver.digest().short());
                let samples = Some(solver.most_samples());
                BuiltSolver { solver: Solver::Each(Box::new(solver)), identity, samples }
            }
        })
    }
}

/// A program's answers hang on its command, its time and the files that the command names. What
/// those files read in turn is not known, and a command that names none says so.
fn program_identity(words: &[String], settings: &SolverSettings) -> String {
    let mut files = DigestOf::new();
    let mut known = false;
    for word in words {
        let path = settings.working_folder.join(word);
        let small = path.metadata().is_ok_and(|file| file.is_file() && file.len() < LARGEST_HASHED);
        if small && let Ok(bytes) = std::fs::read(path) {
            files.field(&bytes);
            known = true;
        }
    }
    let files = if known { files.finish().short() } else { "unverified".to_owned() };
    let command = SolverSpec::Program(words.to_vec());
    format!("{command},files={files},limit={}s", settings.time_limit.as_secs_f64())
}

/// A larger file is data, not a program.
const LARGEST_HASHED: u64 = 64 << 20;

const PROGRAM_HINT: &str = "for example: --solver 'program:python3 predictor.py'";

impl fmt::Display for SolverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline(baseline) => f.write_str(baseline.name()),
            Self::Rewrite => f.write_str("rewrite"),
            Self::Locate(None) => f.write_str("locate"),
            Self::Locate(Some(path)) => write!(f, "locate:{}", path.display()),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Program(words) => {
                let quoted = shlex::try_join(words.iter().map(String::as_str));
                write!(f, "program:{}", quoted.unwrap_or_else(|_| words.join(" ")))
            }
        }
    }
}

/// Durations as seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_reads_what_it_writes() {
        for text in [
            "first",
            "gold",
            "most-similar",
            "most-similar-parses",
            "random-parses",
            "locate",
            "locate:a/model.bin",
            "copy",
            "rewrite",
            "file:a/b.txt",
            "program:python3 'my predictor.py' -v",
        ] {
            assert_eq!(SolverSpec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("frist", "there is no solver called \"frist\""),
            ("file:", "there is no solver called \"file:\""),
            ("program: ", "program: names no command"),
            ("program:a 'b", "a quote in \"a 'b\" is not closed"),
        ] {
            assert_eq!(SolverSpec::parse(text).unwrap_err().to_string(), message);
        }
    }
}
