//! Starts processes: servers that stay, and commands that run once in a namespace of their own.

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
use crate::message::Caps;
use crate::sys;

/// The memory limit of the tests: the data of a problem, and what a program answers.
const TESTER_MEMORY: u64 = 8 << 30;

/// The environment variables of programs, besides the names of their folder, and nothing else.
const ENVIRONMENT: [&str; 13] = [
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "LANG=C.UTF-8",
    "USER=program",
    // One order of sets and dictionaries, and so one verdict.
    "PYTHONHASHSEED=0",
    // What is forked need not look up again what the server has not used yet.
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
pub(super) struct Start<'a> {
    /// The program and its arguments.
    pub(super) command: &'a [String],
    /// Its files from number 0 on.
    pub(super) files: &'a [BorrowedFd<'a>],
    /// The folder where it starts, and may write.
    pub(super) folder: &'a str,
    /// Its role.
    pub(super) role: Role<'a>,
    /// True if it is to be shut in further.
    pub(super) isolate: bool,
    /// A folder that it must not see.
    pub(super) hidden: Option<&'a str>,
}

/// The role of a process.
#[derive(Clone, Copy)]
pub(super) enum Role<'a> {
    /// Forks programs, which get these limits.
    Forks(&'a Caps),
    /// Holds the tests; with the control group that they are counted in.
    Tests(Option<&'a File>),
    /// Is a Python program; with the namespace that the worker itself is in.
    Python(&'a Caps, Option<&'a File>),
    /// Is a compiler or a compiled program, which may want to know about itself.
    Compiled(&'a Caps, Option<&'a File>),
}

/// Starts a process.
pub(super) fn start(start: &Start<'_>) -> Result<i32, String> {
    let own = match start.role {
        Role::Python(_, own) | Role::Compiled(_, own) => own,
        Role::Forks(_) | Role::Tests(_) => None,
    };
    if own.is_some() {
        sys::unshare(UnshareFlags::NEWPID).map_err(context("make a process namespace"))?;
    }
    let forked = sys::fork().map_err(context("fork"));
    if matches!(forked, Ok(None)) {
        let Err(error) = become_it(start);
        // Standard error may be closed already.
        let _ = rustix::io::write(std::io::stderr(), format!("{error}\n").as_bytes());
        sys::leave(127);
    }
    if let Some(own) = own {
        // What is forked next is not to be born into the namespace of this one.
        move_into_link_name_space(own.as_fd(), Some(LinkNameSpaceType::ProcessID))
            .map_err(context("leave a namespace"))?;
    }
    forked?.ok_or_else(|| "a child came back".to_owned())
}

fn become_it(start: &Start<'_>) -> Result<Infallible, String> {
    if let Role::Tests(Some(group)) = start.role {
        // If that fails, the tests are counted as the program's memory, which is the safe side.
        let _ = rustix::io::write(group, b"0");
    }
    arrange_files(start.files)?;
    // If memory runs out, the kernel shall not take the worker for it.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    setsid().map_err(context("start a session"))?;
    if start.isolate {
        change_view(start.role)?;
        start.hidden.map_or(Ok(()), cover)?;
    } else {
        // Without a namespace, at least together with the worker.
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(context("hang on"))?;
    }
    limit_and_enter(start)?;
    if start.isolate {
        // Where Landlock is missing, the doctor says so.
        let _ = filter::restrict_files(root::PRIVATE);
        // The server that forks programs makes a namespace for each.
        let kept = if matches!(start.role, Role::Forks(_)) {
            CapabilitySet::SYS_ADMIN
        } else {
            CapabilitySet::empty()
        };
        sys::keep_capabilities(kept).map_err(context("give up capabilities"))?;
    }
    set_no_new_privs(true).map_err(context("give up new privileges"))?;
    let programs = match start.role {
        Role::Forks(_) => filter::programs_for_forks()?,
        Role::Tests(_) | Role::Python(..) | Role::Compiled(..) => filter::programs()?,
    };
    for program in programs {
        let filtered = seccompiler::apply_filter(&program).map_err(context("filter system calls"));
        // Where no isolation is wanted, its absence is no reason to stop.
        filtered.or_else(|problem| if start.isolate { Err(problem) } else { Ok(()) })?;
    }
    let command: Vec<CString> = start
        .command
        .iter()
        .map(|word| CString::new(word.as_str()))
        .collect::<Result<_, _>>()
        .map_err(context("name a program"))?;
    let folder = start.folder;
    let named = [("HOME", ""), ("TMPDIR", ""), ("GOCACHE", "/.go")];
    let named = named.map(|(name, below)| format!("{name}={folder}{below}"));
    let all = ENVIRONMENT.iter().copied().chain(named.iter().map(String::as_str));
    let environment: Vec<CString> = all.filter_map(|entry| CString::new(entry).ok()).collect();
    Err(context("start a program")(sys::execute(&command, &environment)))
}

/// Sets the limits of a process, and enters the folder that it starts in.
fn limit_and_enter(start: &Start<'_>) -> Result<(), String> {
    let limits = |caps| {
        let mut limits = limits(caps);
        // Without a namespace of its own, a user's other processes would count too.
        limits.retain(|&(resource, _)| start.isolate || resource != Resource::Nproc);
        limit(limits)
    };
    match start.role {
        Role::Python(caps, _) | Role::Compiled(caps, _) => {
            limits(caps)?;
            limit([(Resource::Cpu, caps.cpu_kill_s)])?;
        }
        Role::Forks(caps) => limits(caps)?,
        Role::Tests(_) => limit([(Resource::As, TESTER_MEMORY)])?,
    }
    // A server enters the folder for each program anew: every one has a file system of its own there.
    let stays = matches!(start.role, Role::Forks(_) | Role::Tests(_));
    chdir(if stays { "/" } else { start.folder }).map_err(context("enter the folder"))
}

/// Gives the files the numbers from 0 on, and closes all others.
fn arrange_files(files: &[BorrowedFd<'_>]) -> Result<(), String> {
    const AWAY: i32 = 200;
    for (place, file) in (AWAY..).zip(files) {
        // Copies beyond the numbers that they shall have, so that none overwrites another.
        sys::copy_file(file.as_raw_fd(), place).map_err(context("arrange files"))?;
    }
    for (place, away) in (0..).zip(AWAY..).take(files.len()) {
        sys::copy_file(away, place).map_err(context("arrange files"))?;
    }
    sys::close_from(u32::try_from(files.len()).unwrap_or(3));
    Ok(())
}

/// Hides all processes from whatever is Python; others see those of their own namespace, and nothing else of
/// `/proc`: neither the kernel's command line nor the machine's numbers.
fn change_view(role: Role<'_>) -> Result<(), String> {
    sys::unshare(UnshareFlags::NEWNS).map_err(context("make a mount namespace"))?;
    // A server stays, and must see what the worker mounts for each program; nothing goes the other way.
    let stays = matches!(role, Role::Forks(_) | Role::Tests(_));
    let kind =
        if stays { MountPropagationFlags::DOWNSTREAM } else { MountPropagationFlags::PRIVATE };
    mount_change("/", MountPropagationFlags::REC | kind).map_err(context("keep mounts private"))?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let shows = matches!(role, Role::Compiled(..))
        && mount("proc", "/proc", "proc", quiet, c"subset=pid").is_ok();
    if shows { Ok(()) } else { hide_processes() }
}

/// Covers whatever is shown of processes. It cannot be taken away: the host's lies beneath.
pub(super) fn hide_processes() -> Result<(), String> {
    cover("/proc")
}

/// Covers a folder with an empty one.
fn cover(folder: &str) -> Result<(), String> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    mount("tmpfs", folder, "tmpfs", flags, c"size=4k,mode=555").map_err(context("hide a folder"))
}

/// The limits of one process besides its time.
pub(super) fn limits(caps: &Caps) -> Vec<(Resource, u64)> {
    let mut limits = vec![
        (Resource::Nproc, caps.processes),
        (Resource::Fsize, caps.file),
        // Less than the worker may have: files under way between processes count for all of a user.
        (Resource::Nofile, 512),
        (Resource::Core, 0),
        (Resource::Data, caps.memory),
        (Resource::Stack, 64 << 20),
    ];
    if caps.limit_addresses {
        limits.push((Resource::As, caps.memory));
    }
    limits
}

/// Sets limits, none above what this process may have itself.
pub(super) fn limit(limits: impl IntoIterator<Item = (Resource, u64)>) -> Result<(), String> {
    for (resource, value) in limits {
        let value = getrlimit(resource).maximum.map_or(value, |hard| value.min(hard));
        let both = Rlimit { current: Some(value), maximum: Some(value) };
        setrlimit(resource, both).map_err(context("set a limit"))?;
    }
    Ok(())
}
