//! Runs untrusted programs in isolation and reports how they ended.
//!
//! A [`Sandbox`] runs Python candidates against tests in another process ([`Sandbox::run_tests`]), runs candidates in
//! other languages against tests in their own language ([`Sandbox::run_two_processes`]), and runs programs in any
//! language that the machine has tools for ([`Sandbox::run`]). Nothing else in the workspace starts an untrusted
//! program.

mod frame;
mod host;
mod inside;
mod job;
mod message;
mod sys;

pub use host::{Diagnosis, LanguageTool, Sandbox, Tool, Tools, diagnose};
pub use inside::{WORKER_ARGUMENT, worker_main};
pub use job::{
    Limits, Recorded, Recording, RunRequest, Settings, Source, TableRequest, TestRequest,
    TwoProcessRequest,
};
pub use message::{Layer, Layers, Report};
