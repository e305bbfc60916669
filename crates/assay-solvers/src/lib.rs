//! Solvers: one file each, one line in the [`REGISTRY`].
//!
//! A solver is named by a spec ([`SolverSpec`]), such as `first` or `program:CMD`. Its
//! [`SolverKind`] has its card and builds it; [`SolverSettings`] has the settings of the run.

mod baseline;
mod copy;
mod echo;
mod example;
mod file;
mod gold;
#[cfg_attr(not(feature = "models"), path = "http_absent.rs")]
mod http;
mod kind;
#[cfg_attr(not(feature = "models"), path = "local_absent.rs")]
mod local;
mod locate;
mod most_similar;
mod parsing;
mod positions;
mod program;
mod random;
mod rewrite;
mod settings;
mod spec;
mod worst;

pub use kind::{Argument, BuildRequest, BuiltSolver, Say, SolverCard, SolverKind, SolverResources};
pub use local::local_settings;
pub use locate::LOCATE_LEARNED_FROM;
pub use settings::SolverSettings;
pub use spec::SolverSpec;

/// Every solver, in the order in which they are listed.
pub const REGISTRY: &[&dyn SolverKind] = &[
    &locate::Locate,
    &positions::FIRST,
    &positions::MIDDLE,
    &positions::LAST,
    &random::RANDOM,
    &random::RANDOM_PARSES,
    &most_similar::MOST_SIMILAR,
    &most_similar::MOST_SIMILAR_PARSES,
    &worst::WORST,
    &copy::COPY,
    &rewrite::REWRITE,
    &echo::ECHO,
    &example::Example,
    &gold::GOLD,
    &program::CommandKind,
    &http::Http,
    &local::Local,
    &file::AnswersFile,
];
