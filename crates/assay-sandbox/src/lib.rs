//! Runs untrusted programs, isolated, and says how they ended.
//!
//! A [`Sandbox`] examines Python programs by tests that run in another process
//! ([`Sandbox::examine`]), and runs programs of any language that the machine has tools for
//! ([`Sandbox::execute`]). Nothing else in the workspace starts an untrusted program.

mod job;

pub use job::{Examination, Examined, Executed, Execution, Limits, Settings, Source};

use assay_core::{Cancel, Result};

/// A pool of isolated workers. They start when they are first needed.
pub struct Sandbox {
    settings: Settings,
}

impl Sandbox {
    /// A sandbox; fails if this machine cannot isolate programs, unless the settings allow that.
    pub fn new(settings: Settings) -> Result<Self> {
        Ok(Self { settings })
    }

    /// The settings that it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Puts a Python program through tests that it cannot reach. Blocks; may be called by as many
    /// threads as there are workers. An error is a failure of the machine, not of the program.
    pub fn examine(&self, _examination: &Examination<'_>, _cancel: &Cancel) -> Result<Examined> {
        Err(assay_core::Error::failed("not there yet"))
    }

    /// Runs a program, after compiling it where its language asks for that.
    pub fn execute(&self, _execution: &Execution<'_>, _cancel: &Cancel) -> Result<Executed> {
        Err(assay_core::Error::failed("not there yet"))
    }
}
