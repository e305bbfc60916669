//! Memory limits by control groups, if the machine allows creating them: version 2, otherwise version 1.
//!
//! A worker gets two groups. Its candidates, the fork server and the worker itself are in one, whose limit the worker
//! sets for each candidate. The tests are in the other, because their memory is not the candidate's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::message::GroupFiles;

/// The control groups of one worker.
pub(crate) struct Group {
    programs: PathBuf,
    tests: PathBuf,
    version: u8,
}

/// The memory limit of the tests: the data of a problem, and the answers of a candidate.
const TESTS: u64 = 4 << 30;

impl Group {
    /// Creates groups with the process in the first of them; `None` if that is not allowed.
    pub(crate) fn new(process: u32) -> Option<Self> {
        candidates().into_iter().find_map(|(parent, version)| {
            clear_up(&parent);
            let programs = parent.join(format!("assay-{process}"));
            let tests = parent.join(format!("assay-{process}-tests"));
            fs::create_dir(&programs).ok()?;
            // From here on, dropping the value removes the folders.
            let group = Self { programs, tests, version };
            fs::create_dir(&group.tests).ok()?;
            group.set_up(process).then_some(group)
        })
    }

    /// Returns true if the groups can limit memory, and the process could be moved into the first.
    fn set_up(&self, process: u32) -> bool {
        let (limit, swap) = self.names();
        for folder in [&self.programs, &self.tests] {
            // Swap counts as memory too; not every kernel supports this.
            let _ = fs::write(folder.join(swap), "0");
        }
        self.programs.join(limit).exists()
            && fs::write(self.tests.join(limit), TESTS.to_string()).is_ok()
            && fs::write(self.programs.join("cgroup.procs"), process.to_string()).is_ok()
    }

    /// The files that the worker uses.
    pub(crate) fn files(&self) -> GroupFiles {
        GroupFiles {
            version: self.version,
            limit: self.programs.join(self.names().0),
            tests: self.tests.join("cgroup.procs"),
        }
    }

    /// Its folders.
    pub(crate) fn folders(&self) -> [PathBuf; 2] {
        [self.programs.clone(), self.tests.clone()]
    }

    /// The number of times the kernel killed a candidate's process because memory ran out.
    pub(crate) fn ended(&self) -> u64 {
        let name = if self.version == 2 { "memory.events" } else { "memory.oom_control" };
        let text = fs::read_to_string(self.programs.join(name)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }

    /// The files for the memory limit and the swap limit.
    fn names(&self) -> (&'static str, &'static str) {
        match self.version {
            2 => ("memory.max", "memory.swap.max"),
            _ => ("memory.limit_in_bytes", "memory.swappiness"),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in [&self.programs, &self.tests] {
            remove(folder);
        }
    }
}

/// Removes a group. The kernel needs a moment until the last process is gone.
pub(crate) fn remove(folder: &Path) {
    for _ in 0..100 {
        if fs::remove_dir(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Removes groups of workers that were killed together with their host.
fn clear_up(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix("assay-").and_then(|rest| rest.split('-').next());
        let process = process.and_then(|pid| pid.parse::<u32>().ok());
        if process.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folders where groups might be created, best first, with the version.
fn candidates() -> Vec<(PathBuf, u8)> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let root = Path::new("/sys/fs/cgroup");
    let mut candidates = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next(), parts.next());
        let path = path.unwrap_or("/").trim_start_matches('/');
        match controllers {
            Some("") => candidates.push((root.join(path), 2)),
            Some(list) if list.split(',').any(|one| one == "memory") => {
                candidates.push((root.join("memory").join(path), 1));
                candidates.push((root.join("memory"), 1));
            }
            _ => {}
        }
    }
    candidates
}
