//! The only place that reads the clock and the machine's properties.

use std::time::SystemTime;

use assay_record::Machine;

/// The machine of a run.
pub(crate) fn this_machine() -> Machine {
    Machine {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// The time, as a date (`2026-11-15T10:50:49Z`) and as a number that distinguishes runs.
pub(crate) fn now() -> (String, u128) {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let now = SystemTime::now();
    let nanos = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    (humantime::format_rfc3339_seconds(now).to_string(), nanos ^ u128::from(std::process::id()))
}
