//! Runs untrusted programs, isolated, and says how they ended.
//!
//! A [`Sandbox`] examines Python programs by tests that run in another process
//! ([`Sandbox::examine`]), has those of other languages answer tests of their own language
//! ([`Sandbox::converse`]), and runs programs of any language that the machine has tools for
//! ([`Sandbox::execute`]). Nothing else in the workspace starts an untrusted program.

mod frame;
mod host;
mod inside;
mod job;
mod message;
mod sys;

pub use host::{Diagnosis, Runs, Sandbox, Tool, Tools, diagnose};
pub use inside::{WORKER_ARGUMENT, worker_main};
pub use job::{
    Dialogue, Examination, Execution, Limits, Recorded, Recording, Settings, Source,
    TableExamination,
};
pub use message::{Layer, Layers, Report};
