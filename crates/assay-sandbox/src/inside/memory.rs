//! Limits the memory of candidates: by a control group, otherwise by sampling their processes while they run. Limits
//! of each process (`rlimit`) are always set too, in [`child`](super::child).

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use crate::message::GroupFiles;

/// The memory of the worker and the fork server, which are in the same group as the candidate.
const OWN: u64 = 64 << 20;
/// The interval between two samples of a candidate's processes; one that ends sooner is not sampled.
pub(super) const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);

/// The limit on the memory of a worker's candidates.
pub(super) struct MemoryLimiter {
    group: Option<Group>,
    can_sample: bool,
    /// True if the worker has a process namespace of its own.
    own_namespace: bool,
    /// The mechanism that limits the current candidate.
    mechanism: &'static str,
}

struct Group {
    name: &'static str,
    limit_file: File,
    /// The group of the tests, which do not count towards the candidate's memory.
    tests: File,
    limit: u64,
}

impl MemoryLimiter {
    /// Opens the files of the control group; to be called while the host's files are visible.
    pub(super) fn open(files: Option<&GroupFiles>, own_namespace: bool) -> Self {
        let open = |path: &Path| OpenOptions::new().write(true).open(path).ok();
        let group = files.and_then(|files| {
            let name = if files.version == 2 { "cgroup-v2" } else { "cgroup-v1" };
            let (limit_file, tests) = (open(&files.limit)?, open(&files.tests)?);
            Some(Group { name, limit_file, tests, limit: u64::MAX })
        });
        Self { group, can_sample: false, own_namespace, mechanism: "rlimit" }
    }

    /// Detects whether processes can be sampled; to be called after `/proc` is mounted.
    pub(super) fn detect_sampling(&mut self) {
        self.can_sample = resident(std::process::id()) > 0;
        self.mechanism = match &self.group {
            Some(group) => group.name,
            None => self.without_group(),
        };
    }

    /// The group that the tests are counted in.
    pub(super) fn tests(&self) -> Option<&File> {
        self.group.as_ref().map(|group| &group.tests)
    }

    /// Limits the memory of the next candidate; returns a sampler if nothing else limits it.
    pub(super) fn limit(&mut self, memory: u64, servers: Vec<u32>) -> Option<Sampler> {
        if let Some(group) = &mut self.group
            && group.limit(memory)
        {
            self.mechanism = group.name;
            return None;
        }
        self.mechanism = self.without_group();
        self.can_sample.then_some(Sampler {
            limit: memory,
            servers,
            own_namespace: self.own_namespace,
        })
    }

    /// The mechanism that limits the current candidate: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub(super) fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    fn without_group(&self) -> &'static str {
        if self.can_sample { "sampled" } else { "rlimit" }
    }
}

impl Group {
    fn limit(&mut self, memory: u64) -> bool {
        let limit = memory.saturating_add(OWN);
        if limit != self.limit {
            let text = limit.to_string();
            let set = self.limit_file.write_at(text.as_bytes(), 0).is_ok();
            self.limit = if set { limit } else { u64::MAX };
        }
        self.limit == limit
    }
}

/// Samples the memory of a candidate's processes.
pub(super) struct Sampler {
    limit: u64,
    /// The worker's other processes.
    servers: Vec<u32>,
    /// True if only processes that the worker started are visible.
    own_namespace: bool,
}

impl Sampler {
    /// Returns true if the candidate's processes exceed the memory limit.
    pub(super) fn exceeds(&self) -> bool {
        let processes = self.processes();
        let sum = |of: fn(u32) -> u64| processes.iter().map(|&pid| of(pid)).sum::<u64>();
        // The first sum is cheap, but counts shared pages once for each process.
        sum(resident) > self.limit && sum(proportional) > self.limit
    }

    /// All processes started by the worker, except for its servers.
    fn processes(&self) -> Vec<u32> {
        let worker = std::process::id();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut found: Vec<u32> = numbers.collect();
        if !self.own_namespace {
            found = descendants(worker, &found);
        }
        found.retain(|pid| *pid != worker && !self.servers.contains(pid));
        found
    }
}

/// The direct and indirect children of a process among `processes`.
fn descendants(of: u32, processes: &[u32]) -> Vec<u32> {
    let parent = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The state and the parent follow the name, which may contain anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let pairs: Vec<(u32, u32)> =
        processes.iter().filter_map(|&pid| Some((pid, parent(pid)?))).collect();
    let (mut found, mut next) = (vec![of], 0);
    while let Some(&pid) = found.get(next) {
        next += 1;
        found.extend(pairs.iter().filter(|(_, parent)| *parent == pid).map(|&(child, _)| child));
    }
    found
}

/// The bytes of all pages that a process has in memory or swapped out.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    sum_of(&status, &["VmRSS:", "VmSwap:"])
}

/// The same, but a shared page counts only in part for each process.
fn proportional(pid: u32) -> u64 {
    match fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
        Ok(text) => sum_of(&text, &["Pss:", "SwapPss:"]),
        // The process cannot be inspected.
        Err(_) => resident(pid),
    }
}

fn sum_of(text: &str, names: &[&str]) -> u64 {
    let kilobytes = |line: &str| {
        let number = names.iter().find_map(|name| line.strip_prefix(name))?;
        number.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    text.lines().filter_map(kilobytes).sum::<u64>() * 1024
}
