//! Holds the memory of programs in check: by a control group, else by looking at their processes while they
//! run. Limits of each process (`rlimit`) are set in any case, in [`child`](super::child).

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use crate::message::GroupFiles;

/// The memory of the worker and of the server that programs are forked from, which are in the same group.
const OWN: u64 = 64 << 20;
/// The pause between two looks at a program's processes; one that ends sooner is not looked at.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// The limit on the memory of a worker's programs.
pub(super) struct Memory {
    group: Option<Group>,
    can_sample: bool,
    /// True if the worker has a process namespace of its own.
    alone: bool,
    /// The mechanism that limits the current program.
    held_by: &'static str,
}

struct Group {
    name: &'static str,
    limit_file: File,
    /// The group of the tests, which are not to be counted as the program's.
    tests: File,
    limit: u64,
}

impl Memory {
    /// Opens the files of the control group; to be called while the host's files can be seen.
    pub(super) fn open(files: Option<&GroupFiles>, alone: bool) -> Self {
        let open = |path: &Path| OpenOptions::new().write(true).open(path).ok();
        let group = files.and_then(|files| {
            let name = if files.version == 2 { "cgroup-v2" } else { "cgroup-v1" };
            let (limit_file, tests) = (open(&files.limit)?, open(&files.tests)?);
            Some(Group { name, limit_file, tests, limit: u64::MAX })
        });
        Self { group, can_sample: false, alone, held_by: "rlimit" }
    }

    /// Finds out whether processes can be looked at; to be called when `/proc` is what it will be.
    pub(super) fn settle(&mut self) {
        self.can_sample = resident(std::process::id()) > 0;
        self.held_by = match &self.group {
            Some(group) => group.name,
            None => self.without_group(),
        };
    }

    /// The group that the tests are counted in.
    pub(super) fn tests(&self) -> Option<&File> {
        self.group.as_ref().map(|group| &group.tests)
    }

    /// Limits the memory of the next program. What looks at it while it runs, if nothing else holds it.
    pub(super) fn limit(&mut self, memory: u64, servers: Vec<u32>) -> Option<Sampler> {
        if let Some(group) = &mut self.group
            && group.limit(memory)
        {
            self.held_by = group.name;
            return None;
        }
        self.held_by = self.without_group();
        self.can_sample.then_some(Sampler { limit: memory, servers, alone: self.alone })
    }

    /// The mechanism that limits the current program: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub(super) fn held_by(&self) -> &'static str {
        self.held_by
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

/// Looks at the memory of a program's processes.
pub(super) struct Sampler {
    limit: u64,
    /// The worker's other processes.
    servers: Vec<u32>,
    /// True if nothing else can be seen than what the worker has started.
    alone: bool,
}

impl Sampler {
    /// Returns whether the program's processes hold more than they may.
    pub(super) fn exceeds(&self) -> bool {
        let processes = self.processes();
        let sum = |of: fn(u32) -> u64| processes.iter().map(|&pid| of(pid)).sum::<u64>();
        // The first is cheap, but counts pages that processes share once for each.
        sum(resident) > self.limit && sum(proportional) > self.limit
    }

    /// All that comes from the worker, but for itself and its servers.
    fn processes(&self) -> Vec<u32> {
        let worker = std::process::id();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut found: Vec<u32> = numbers.collect();
        if !self.alone {
            found = descendants(worker, &found);
        }
        found.retain(|pid| *pid != worker && !self.servers.contains(pid));
        found
    }
}

/// Those of the processes that a process has started, or one of those.
fn descendants(of: u32, processes: &[u32]) -> Vec<u32> {
    let parent = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name, which may hold anything, come the state and the parent.
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

/// The same, where a page that several processes have counts only in part for each.
fn proportional(pid: u32) -> u64 {
    match fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
        Ok(text) => sum_of(&text, &["Pss:", "SwapPss:"]),
        // It does not want to be looked at.
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
