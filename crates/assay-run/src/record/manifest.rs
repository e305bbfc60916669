//! `run.json`: what is run.

use std::path::Path;

use assay_core::{Error, Result, Signature};
use serde::{Deserialize, Serialize};

use crate::host::{Machine, Tool};
use crate::plan::DataDigest;
use crate::{Plan, Request};

/// The format that this version writes and reads.
const FORMAT: u32 = 1;

/// Everything that is known about a run before it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the record's format.
    pub format: u32,
    /// Names everything that the results depend on.
    pub signature: Signature,
    /// When it was started.
    pub started: String,
    /// How many problems it has.
    pub problems: usize,
    /// The hashes of those problems.
    pub data_digest: DataDigest,
    /// What was asked for.
    pub request: Request,
    /// The program that runs it.
    pub tool: Tool,
    /// The machine that it was started on.
    pub machine: Machine,
}

impl Manifest {
    pub(crate) fn new(plan: &Plan, started: String) -> Self {
        Self {
            format: FORMAT,
            signature: plan.signature.clone(),
            started,
            problems: plan.total(),
            data_digest: plan.open.digest,
            request: plan.request.clone(),
            tool: plan.tool.clone(),
            machine: Machine::this(),
        }
    }

    /// Reads the bytes of the manifest at `path`.
    pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            format: u32,
        }

        let refuse = |what: &str| Error::refused(format!("{} {what}", path.display()));
        let versioned: Versioned = serde_json::from_slice(bytes)
            .map_err(|error| refuse("is not a run's manifest").because(error))?;
        if versioned.format != FORMAT {
            let what = format!("has format {}, and this version reads {FORMAT}", versioned.format);
            return Err(refuse(&what));
        }
        serde_json::from_slice(bytes)
            .map_err(|error| refuse("is not a run's manifest").because(error))
    }
}
