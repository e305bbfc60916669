//! The one place that reads the clock and asks the machine what it is.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// The program that made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// The commit that it was built from, where that is known.
    pub commit: String,
}

/// The machine that a run was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The operating system.
    pub os: String,
    /// The processor's architecture.
    pub arch: String,
    /// How many threads it runs at once.
    pub cores: usize,
}

impl Machine {
    pub(crate) fn this() -> Self {
        Self {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The time, as a date (`2026-11-15T10:50:49Z`) and as a number that tells runs apart.
pub(crate) fn now() -> (String, u128) {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let now = SystemTime::now();
    let nanos = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    (humantime::format_rfc3339_seconds(now).to_string(), nanos ^ u128::from(std::process::id()))
}
