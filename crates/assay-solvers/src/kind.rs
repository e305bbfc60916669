//! The description of a solver, and the way to build it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use assay_core::{AnswerEach, Error, Problems, QuestionKind, Result, Secret, Solver};
use assay_extract::Extraction;
use serde::Serialize;

use crate::SolverSettings;

pub(crate) const LINES: &[QuestionKind] = &[QuestionKind::Line];
pub(crate) const LINES_AND_CHOICES: &[QuestionKind] = &[QuestionKind::Line, QuestionKind::Choice];
pub(crate) const TEXTS: &[QuestionKind] = &[QuestionKind::Text];
pub(crate) const CODE: &[QuestionKind] = &[QuestionKind::Code];
pub(crate) const ALL: &[QuestionKind] =
    &[QuestionKind::Line, QuestionKind::Text, QuestionKind::Code, QuestionKind::Choice];

/// An entry of the [`REGISTRY`](crate::REGISTRY).
pub trait SolverKind: fmt::Debug + Sync {
    /// The solver's description.
    fn card(&self) -> &SolverCard;

    /// Builds the solver.
    fn build(&self, request: &BuildRequest<'_>) -> Result<BuiltSolver>;

    /// Fails if the argument of a spec is invalid, with a better message than that there is no such
    /// solver.
    fn check_argument(&self, _argument: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// A description of an action of the solver that a record from somebody else must not cause
    /// without consent.
    fn risk(&self, _argument: Option<&str>, _settings: &SolverSettings) -> Option<String> {
        None
    }
}

/// The input of a solver's construction.
pub struct BuildRequest<'a> {
    /// The argument of its spec.
    pub argument: Option<&'a str>,
    /// The settings.
    pub settings: &'a SolverSettings,
    /// The problems that it will answer.
    pub problems: &'a dyn Problems,
    /// What it may use.
    pub resources: &'a SolverResources,
}

/// What solvers may use. None of it changes an answer, and none of it is recorded.
#[derive(Debug, Clone, Default)]
pub struct SolverResources {
    /// The key of a model's server.
    pub api_key: Option<Secret>,
    /// The folder of replies of earlier runs; none are used or kept without it.
    pub replies: Option<PathBuf>,
    /// assay's cache folder, for what costs time to find out.
    pub cache: Option<PathBuf>,
    /// Receives news of work that takes long.
    pub say: Say,
}

/// Receives short messages for the user, or drops them.
#[derive(Clone, Default)]
pub struct Say(Option<Arc<Receive>>);

/// The treatment of a message.
type Receive = dyn Fn(&str) + Send + Sync;

impl Say {
    /// Passes messages on.
    pub fn to(receive: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Says something.
    pub fn say(&self, text: &str) {
        if let Some(receive) = &self.0 {
            receive(text);
        }
    }
}

impl fmt::Debug for Say {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Say")
    }
}

/// The description of a solver.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SolverCard {
    /// The solver's name, followed by `:ARGUMENT` where it requires one.
    pub spec: &'static str,
    /// The kinds of questions that it answers.
    pub answers: &'static [QuestionKind],
    /// A sentence about its answers.
    pub about: &'static str,
    /// The argument that may follow its name.
    #[serde(skip)]
    pub argument: Argument,
    /// True if it is shown the references.
    #[serde(skip)]
    pub peeks: bool,
    /// True if its answers take time or money that should not be spent twice.
    #[serde(skip)]
    pub costly: bool,
    /// True if it is a language model, whose settings have options of their own.
    #[serde(skip)]
    pub is_model: bool,
}

impl SolverCard {
    /// The card of a solver that has no argument, does not peek and costs little.
    pub(crate) const fn new(
        spec: &'static str,
        answers: &'static [QuestionKind],
        about: &'static str,
    ) -> Self {
        let argument = Argument::Forbidden;
        Self { spec, answers, about, argument, peeks: false, costly: false, is_model: false }
    }

    /// The solver's name, without its argument.
    pub fn name(&self) -> &'static str {
        self.spec.split(':').next().unwrap_or_default()
    }
}

/// The rule for the argument of a spec, which follows the name and a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The name has no argument.
    Forbidden,
    /// The name may have an argument.
    Optional,
    /// The name must have an argument.
    Required,
}

impl Argument {
    /// Returns true if a spec may have this argument. An empty one is never allowed.
    pub(crate) fn allows(self, argument: Option<&str>) -> bool {
        match argument {
            None => self != Self::Required,
            Some(argument) => self != Self::Forbidden && !argument.is_empty(),
        }
    }
}

/// The rule with this name by which code is found in replies.
pub(crate) fn extraction_named(name: &str) -> Result<Option<Extraction>> {
    if name == "none" {
        return Ok(None);
    }
    let found = Extraction::ALL.into_iter().find(|rule| rule.name() == name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = Extraction::ALL.iter().map(|rule| rule.name()).collect();
        Error::usage(format!("there is no rule called {name:?} to find code in replies"))
            .hint(format!("the rules are: none, {}", names.join(", ")))
    })
}

/// A solver that is ready to answer.
pub struct BuiltSolver {
    /// The solver.
    pub solver: Solver,
    /// Everything that its answers depend on, for the signature.
    pub identity: String,
    /// The number of samples per problem, if it cannot give as many as requested.
    pub samples: Option<u32>,
    /// The rule by which the code in its replies is found, if they are prose with code.
    pub extraction: Option<Extraction>,
}

impl BuiltSolver {
    pub(crate) fn new(solver: Solver, identity: String) -> Self {
        Self { solver, identity, samples: None, extraction: None }
    }

    pub(crate) fn each(solver: impl AnswerEach + 'static, identity: String) -> Self {
        Self::new(Solver::Each(Box::new(solver)), identity)
    }
}
