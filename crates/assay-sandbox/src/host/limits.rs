//! From limits in words to limits in the system's units.

use std::time::Duration;

use assay_core::{Clock, Ending};

use crate::job::Limits;
use crate::message::{Caps, Report};

/// The factor of its limit up to which a program's time is too close to trust one measurement.
const NEAR: f64 = 1.5;
/// The processes that a user's limit counts beside a program's: the worker and its servers.
const SERVERS: u64 = 8;

/// The limits of a program. It is ended well after its CPU limit, so that it can be told whether it was
/// close to it.
pub(crate) fn caps(limits: &Limits, limit_addresses: bool) -> Caps {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    Caps {
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

/// Returns whether a program ran out of time that might not have done so on an idle machine. One that was in time
/// beside others is in time alone, so it is not run again.
pub(crate) fn is_close(report: &Report, limits: &Limits) -> bool {
    let near = |share: f64| (1.0..NEAR).contains(&share);
    match report.ending {
        // Perhaps its neighbours took all the time there was.
        Ending::TimeLimit { clock: Clock::Wall } => true,
        Ending::TimeLimit { clock: Clock::Cpu } => {
            near(report.evidence.cpu_s / limits.cpu.as_secs_f64()) || near(report.longest_call)
        }
        _ => false,
    }
}
