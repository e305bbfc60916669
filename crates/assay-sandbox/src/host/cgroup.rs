//! Memory limits by control groups, where the machine lets us make one: version 2, else version 1.

use std::fs;
use std::path::{Path, PathBuf};

/// A control group for one worker and all that it starts.
pub(crate) struct Group {
    folder: PathBuf,
    version: Version,
    /// The limit in force.
    limit: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// What the servers of a worker need themselves: the tests hold their data and all that a program
/// answers.
const SERVERS: u64 = 4 << 30;

impl Group {
    /// A group with the process in it; `None` where that is not allowed.
    pub(crate) fn new(process: u32) -> Option<Self> {
        candidates(process).into_iter().find_map(|(folder, version)| {
            folder.parent().into_iter().for_each(clear_up);
            fs::create_dir(&folder).ok()?;
            let group = Self { folder, version, limit: u64::MAX };
            // Also says whether memory is this group's business at all.
            let usable = group.file(group.limit_name()).exists()
                && fs::write(group.file("cgroup.procs"), process.to_string()).is_ok();
            usable.then_some(group)
        })
    }

    /// What it is called in evidence.
    pub(crate) fn name(&self) -> &'static str {
        match self.version {
            Version::One => "cgroup-v1",
            Version::Two => "cgroup-v2",
        }
    }

    /// Limits the memory of a program; whether that worked.
    pub(crate) fn limit(&mut self, memory: u64) -> bool {
        let limit = memory.saturating_add(SERVERS);
        if limit == self.limit {
            return true;
        }
        let set = fs::write(self.file(self.limit_name()), limit.to_string()).is_ok();
        if set {
            self.limit = limit;
            // Swapped-out memory is memory too; not every kernel counts it.
            let swap = match self.version {
                Version::One => ("memory.memsw.limit_in_bytes", limit.to_string()),
                Version::Two => ("memory.swap.max", "0".to_owned()),
            };
            let _ = fs::write(self.file(swap.0), swap.1);
        }
        set
    }

    /// How often the kernel ended a process of the group for want of memory.
    pub(crate) fn ended(&self) -> u64 {
        let name = match self.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        let text = fs::read_to_string(self.file(name)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }

    fn limit_name(&self) -> &'static str {
        match self.version {
            Version::One => "memory.limit_in_bytes",
            Version::Two => "memory.max",
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The kernel takes a moment to let the last process go.
        for _ in 0..100 {
            if fs::remove_dir(&self.folder).is_ok() || !self.folder.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// Takes away groups of workers that were killed together with their host.
fn clear_up(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix("assay-").and_then(|pid| pid.parse::<u32>().ok());
        if process.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Where a group might be made, best first.
fn candidates(process: u32) -> Vec<(PathBuf, Version)> {
    let name = format!("assay-{process}");
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let root = Path::new("/sys/fs/cgroup");
    let mut candidates = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next(), parts.next());
        let path = path.unwrap_or("/").trim_start_matches('/');
        match controllers {
            Some("") => candidates.push((root.join(path).join(&name), Version::Two)),
            Some(list) if list.split(',').any(|one| one == "memory") => {
                candidates.push((root.join("memory").join(path).join(&name), Version::One));
                candidates.push((root.join("memory").join(&name), Version::One));
            }
            _ => {}
        }
    }
    candidates
}
