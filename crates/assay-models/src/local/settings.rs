//! The settings of a model server that assay starts.

use std::thread::available_parallelism;

use assay_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// The settings of a model server; in a run's settings under `local`, with the values that were chosen for the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalSettings {
    /// The command that starts a server, if it is none of those that assay knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_command: Option<String>,
    /// The number of threads that compute.
    pub threads: u32,
    /// The number of requests that the server works on at once.
    pub slots: u32,
    /// The greatest number of tokens of a prompt and its reply together.
    pub context: u32,
    /// The time limit for the server's start, in seconds.
    pub start_limit_s: f64,
}

/// The greatest number of slots that is chosen for a machine.
const MOST_SLOTS: u32 = 4;
/// The context on machines with enough memory, and on others, in tokens.
const CONTEXT: [u32; 2] = [8192, 4096];
/// The memory from which on there is enough, in KiB.
const ENOUGH_KIB: u64 = 8 << 20;

impl Default for LocalSettings {
    /// The settings for this machine.
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        let cores = u32::try_from(cores).unwrap_or(u32::MAX);
        Self::for_machine(cores, memory_kib())
    }
}

impl LocalSettings {
    /// Threads of a model wait for each other, so each core that does something else as well slows all of them down:
    /// half of the cores are left to grading and to others. A slot more helps only where there are cores for it.
    fn for_machine(cores: u32, memory_kib: Option<u64>) -> Self {
        let threads = (cores / 2).max(1);
        let is_small = memory_kib.is_some_and(|memory| memory < ENOUGH_KIB);
        Self {
            server_command: None,
            threads,
            slots: (threads / 4).clamp(1, MOST_SLOTS),
            context: CONTEXT[usize::from(is_small)],
            start_limit_s: 600.0,
        }
    }

    /// Refuses settings that no server can have.
    pub(super) fn check(&self) -> Result<()> {
        if self.threads == 0 || self.slots == 0 || self.context == 0 {
            return Err(Error::usage("the numbers of threads, slots and tokens must be above 0"));
        }
        let is_time = self.start_limit_s > 0.0;
        if is_time { Ok(()) } else { Err(Error::usage("the time to start must be above 0")) }
    }

    /// The settings that replies depend on.
    pub(super) fn identity(&self) -> String {
        let Self { threads, slots, context, .. } = self;
        format!("threads={threads},slots={slots},context={context}")
    }
}

/// The memory that is free or can be freed, where the system tells.
fn memory_kib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_gets_what_it_can_bear() {
        for (cores, memory, threads, slots, context) in [
            (1, None, 1, 1, 8192),
            (2, Some(22 << 20), 1, 1, 8192),
            (16, Some(4 << 20), 8, 2, 4096),
            (128, Some(500 << 20), 64, 4, 8192),
        ] {
            let settings = LocalSettings::for_machine(cores, memory);
            let found = (settings.threads, settings.slots, settings.context);
            assert_eq!(found, (threads, slots, context), "{cores}");
        }
        LocalSettings::default().check().unwrap();
    }

    #[test]
    fn impossible_settings_are_refused_and_the_time_limit_changes_no_reply() {
        let plain = LocalSettings::for_machine(2, None);
        let patient = LocalSettings { start_limit_s: 1.0, ..plain.clone() };
        assert_eq!(plain.identity(), patient.identity());
        assert_eq!(plain.identity(), "threads=1,slots=1,context=8192");
        LocalSettings { slots: 0, ..plain.clone() }.check().unwrap_err();
        LocalSettings { start_limit_s: 0.0, ..plain }.check().unwrap_err();
    }
}
