//! The side of the sandbox that the rest of assay uses.

mod cgroup;
mod doctor;
mod limits;
mod pool;
mod runtime;
mod tools;
mod two_processes;
mod worker;

pub use doctor::{Diagnosis, LanguageTool, diagnose};
pub use pool::Sandbox;
pub use tools::{Tool, Tools};
