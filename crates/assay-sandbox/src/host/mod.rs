//! The side of the sandbox that the rest of assay talks to.

mod cgroup;
mod dialogue;
mod doctor;
mod limits;
mod pool;
mod runtime;
mod tools;
mod worker;

pub use doctor::{Diagnosis, Runs, diagnose};
pub use pool::Sandbox;
pub use tools::{Tool, Tools};
