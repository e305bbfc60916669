//! Solvers: whatever answers.
//!
//! A solver is named by a spec ([`SolverSpec`]): a baseline by its name, a program by
//! `program:CMD`, answers made elsewhere by `file:PATH`.

mod baseline;
mod file;
mod locate;
mod parsing;
mod program;
mod rewrite;
mod spec;

pub use baseline::Baseline;
pub use locate::LOCATE_LEARNED_FROM;
pub use spec::{BuiltSolver, CARDS, SolverCard, SolverSettings, SolverSpec};
