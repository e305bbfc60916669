//! Starts processes: long-lived servers, and commands that run once in a namespace of their own.

use std::convert::Infallible;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{
    Resource, Rlimit, Signal, chdir, getrlimit, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, UnshareFlags, move_into_link_name_space, set_no_new_privs,
};

use super::filter;
use super::root::{self, context};
use crate::message::ProcessLimits;
use crate::sys;

/// The memory limit of the tests: the data of a problem, and the answers of a candidate.
const TESTER_MEMORY: u64 = 8 << 30;

/// The environment variables of candidates, besides those that name their folder.
const ENVIRONMENT: [&str; 13] = [
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "LANG=C.UTF-8",
    "USER=program",
    // A fixed order of sets and dictionaries makes verdicts reproducible.
    "PYTHONHASHSEED=0",
    // Symbols that the server has not used yet need not be resolved in every fork.
    "LD_BIND_NOW=1",
    "PYTHONUTF8=1",
    "PYTHONDONTWRITEBYTECODE=1",
    "OMP_NUM_THREADS=1",
    "OPENBLAS_NUM_THREADS=1",
    "MKL_NUM_THREADS=1",
    "GO111MODULE=off",
    "GOTOOLCHAIN=local",
    "GOFLAGS=-p=1",
];

/// A process to be started.
pub(super) struct Spawn<'a> {
    /// The executable and its arguments.
    pub(super) command: &'a [String],
    /// Its file descriptors, from 0.
    pub(super) files: &'a [BorrowedFd<'a>],
    /// The working folder, where it may write.
    pub(super) folder: &'a str,
    /// Its role.
    pub(super) role: Role<'a>,
    /// True if it is isolated further.
    pub(super) isolate: bool,
    /// A folder that it must not see.
    pub(super) hidden: Option<&'a str>,
}

/// The role of a process.
#[derive(Clone, Copy)]
pub(super) enum Role<'a> {
    /// Forks candidates, which get these limits.
    Forks(&'a ProcessLimits),
    /// Holds the tests; with the control group that counts their memory.
    Tests(Option<&'a File>),
    /// Runs a Python candidate; with the worker's own process namespace.
    Python(&'a ProcessLimits, Option<&'a File>),
    /// Runs a compiler or a compiled candidate, which may read `/proc` about itself.
    Compiled(&'a ProcessLimits, Option<&'a File>),
}

/// Starts a process.
pub(super) fn spawn(spawn: &Spawn<'_>) -> Result<i32, String> {
    let own = match spawn.role {
        Role::Python(_, own) | Role::Compiled(_, own) => own,
        Role::Forks(_) | Role::Tests(_) => None,
    };
    if own.is_some() {
        sys::unshare(UnshareFlags::NEWPID).map_err(context("make a process namespace"))?;
    }
    let forked = sys::fork().map_err(context("fork"));
    if matches!(forked, Ok(None)) {
        let Err(error) = exec_child(spawn);
        // Standard error may be closed already.
        let _ = rustix::io::write(std::io::stderr(), format!("{error}\n").as_bytes());
        sys::leave(127);
    }
    if let Some(own) = own {
        // The next fork must not be created in this one's namespace.
        move_into_link_name_space(own.as_fd(), Some(LinkNameSpaceType::ProcessID))
            .map_err(context("leave a namespace"))?;
    }
    forked?.ok_or_else(|| "a child came back".to_owned())
}

fn exec_child(spawn: &Spawn<'_>) -> Result<Infallible, String> {
    if let Role::Tests(Some(group)) = spawn.role {
        // If that fails, the tests count towards the candidate's memory, which is the safe side.
        let _ = rustix::io::write(group, b"0");
    }
    arrange_files(spawn.files)?;
    // If memory runs out, the kernel must not kill the worker.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    setsid().map_err(context("start a session"))?;
    if spawn.isolate {
        set_up_mounts(spawn.role)?;
        spawn.hidden.map_or(Ok(()), cover)?;
    } else {
        // Without a namespace, it must at least end with the worker.
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(context("hang on"))?;
    }
    limit_and_enter(spawn)?;
    if spawn.isolate {
        // The doctor reports a missing Landlock.
        let _ = filter::restrict_files(root::PRIVATE);
        // The fork server makes a namespace for each candidate.
        let kept = if matches!(spawn.role, Role::Forks(_)) {
            CapabilitySet::SYS_ADMIN
        } else {
            CapabilitySet::empty()
        };
        sys::keep_capabilities(kept).map_err(context("give up capabilities"))?;
    }
    set_no_new_privs(true).map_err(context("give up new privileges"))?;
    let programs = match spawn.role {
        Role::Forks(_) => filter::programs_for_forks()?,
        Role::Tests(_) | Role::Python(..) | Role::Compiled(..) => filter::programs()?,
    };
    for program in programs {
        let filtered = seccompiler::apply_filter(&program).map_err(context("filter system calls"));
        // A missing filter does not matter if no isolation is wanted.
        filtered.or_else(|problem| if spawn.isolate { Err(problem) } else { Ok(()) })?;
    }
    let command: Vec<CString> = spawn
        .command
        .iter()
        .map(|word| CString::new(word.as_str()))
        .collect::<Result<_, _>>()
        .map_err(context("name a program"))?;
    let folder = spawn.folder;
    let named = [("HOME", ""), ("TMPDIR", ""), ("GOCACHE", "/.go")];
    let named = named.map(|(name, below)| format!("{name}={folder}{below}"));
    let all = ENVIRONMENT.iter().copied().chain(named.iter().map(String::as_str));
    let environment: Vec<CString> = all.filter_map(|entry| CString::new(entry).ok()).collect();
    Err(context("start a program")(sys::exec(&command, &environment)))
}

/// Sets the limits of a process, and enters its working folder.
fn limit_and_enter(spawn: &Spawn<'_>) -> Result<(), String> {
    let set_all = |limits| {
        let mut limits = rlimits(limits);
        // Without a user namespace, the user's other processes would count too.
        limits.retain(|&(resource, _)| spawn.isolate || resource != Resource::Nproc);
        set_rlimits(limits)
    };
    match spawn.role {
        Role::Python(limits, _) | Role::Compiled(limits, _) => {
            set_all(limits)?;
            set_rlimits([(Resource::Cpu, limits.cpu_kill_s)])?;
        }
        Role::Forks(limits) => set_all(limits)?,
        Role::Tests(_) => set_rlimits([(Resource::As, TESTER_MEMORY)])?,
    }
    // A server enters the folder again for each candidate: each has its own file system there.
    let stays = matches!(spawn.role, Role::Forks(_) | Role::Tests(_));
    chdir(if stays { "/" } else { spawn.folder }).map_err(context("enter the folder"))
}

/// Gives the files the descriptors from 0 on, and closes all others.
fn arrange_files(files: &[BorrowedFd<'_>]) -> Result<(), String> {
    const AWAY: i32 = 200;
    for (place, file) in (AWAY..).zip(files) {
        // Copies to high descriptors first, so that no file overwrites another.
        sys::copy_file(file.as_raw_fd(), place).map_err(context("arrange files"))?;
    }
    for (place, away) in (0..).zip(AWAY..).take(files.len()) {
        sys::copy_file(away, place).map_err(context("arrange files"))?;
    }
    sys::close_from(u32::try_from(files.len()).unwrap_or(3));
    Ok(())
}

/// Hides all processes from Python; others see those of their own namespace, and nothing else of `/proc`: neither the
/// kernel's command line nor statistics of the machine.
fn set_up_mounts(role: Role<'_>) -> Result<(), String> {
    sys::unshare(UnshareFlags::NEWNS).map_err(context("make a mount namespace"))?;
    // A server is long-lived and must see the file systems that the worker mounts for each candidate; nothing
    // propagates the other way.
    let stays = matches!(role, Role::Forks(_) | Role::Tests(_));
    let kind =
        if stays { MountPropagationFlags::DOWNSTREAM } else { MountPropagationFlags::PRIVATE };
    mount_change("/", MountPropagationFlags::REC | kind).map_err(context("keep mounts private"))?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let shows = matches!(role, Role::Compiled(..))
        && mount("proc", "/proc", "proc", quiet, c"subset=pid").is_ok();
    if shows { Ok(()) } else { hide_processes() }
}

/// Covers `/proc`. It cannot be unmounted: the host's is beneath.
pub(super) fn hide_processes() -> Result<(), String> {
    cover("/proc")
}

/// Covers a folder with an empty one.
fn cover(folder: &str) -> Result<(), String> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    mount("tmpfs", folder, "tmpfs", flags, c"size=4k,mode=555").map_err(context("hide a folder"))
}

/// The limits of one process besides its CPU time.
pub(super) fn rlimits(limits: &ProcessLimits) -> Vec<(Resource, u64)> {
    let mut rlimits = vec![
        (Resource::Nproc, limits.processes),
        (Resource::Fsize, limits.file),
        // Fewer than the worker may open: files in transit between processes count for the whole user.
        (Resource::Nofile, 512),
        (Resource::Core, 0),
        (Resource::Data, limits.memory),
        (Resource::Stack, 64 << 20),
    ];
    if limits.limit_addresses {
        rlimits.push((Resource::As, limits.memory));
    }
    rlimits
}

/// Sets limits, none above this process's own.
pub(super) fn set_rlimits(limits: impl IntoIterator<Item = (Resource, u64)>) -> Result<(), String> {
    for (resource, value) in limits {
        let value = getrlimit(resource).maximum.map_or(value, |hard| value.min(hard));
        let both = Rlimit { current: Some(value), maximum: Some(value) };
        setrlimit(resource, both).map_err(context("set a limit"))?;
    }
    Ok(())
}
