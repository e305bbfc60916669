//! Conversion of limits to the system's units.

use std::time::Duration;

use assay_core::{Clock, Ending};

use crate::job::Limits;
use crate::message::{ProcessLimits, Report};

/// The factor of its limit up to which a candidate's time is too close to trust one measurement.
const NEAR: f64 = 1.5;
/// The processes that count towards a user's limit besides the candidate's: the worker and its servers.
const SERVERS: u64 = 8;

/// Converts the limits of a candidate. It is killed well after its CPU limit, so that the report shows whether it was
/// close.
pub(crate) fn process_limits(limits: &Limits, limit_addresses: bool) -> ProcessLimits {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    ProcessLimits {
        cpu_us: micros(limits.cpu),
        cpu_kill_s: limits.cpu.mul_f64(NEAR).as_millis().div_ceil(1000).try_into().unwrap_or(1),
        wall_ms: micros(limits.wall) / 1000,
        memory: limits.memory,
        limit_addresses,
        processes: u64::from(limits.processes) + SERVERS,
        file: limits.files,
        output: limits.output,
    }
}

/// Returns true if a candidate exceeded a time limit that it might not exceed on an idle machine. A candidate that was
/// in time next to others is in time alone, so it is not run again.
pub(crate) fn is_close(report: &Report, limits: &Limits) -> bool {
    let near = |share: f64| (1.0..NEAR).contains(&share);
    match report.ending {
        // Other processes may have taken all the CPU time.
        Ending::TimeLimit { clock: Clock::Wall } => true,
        Ending::TimeLimit { clock: Clock::Cpu } => {
            near(report.evidence.cpu_s / limits.cpu.as_secs_f64()) || near(report.longest_call)
        }
        _ => false,
    }
}
