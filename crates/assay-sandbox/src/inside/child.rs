//! Starts processes: servers that stay, and commands that run once in a namespace of their own.

use std::convert::Infallible;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::io::AsRawFd;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{chdir, dup2_raw, execve, setsid};

use super::filter;
use super::root::{self, told};
use crate::message::Caps;
use crate::sys;

/// May make namespaces, which the server that forks programs does.
const CAP_SYS_ADMIN: u32 = 1 << 21;

/// What the tests may hold: the data of a problem, and what a program answers.
const TESTER_MEMORY: u64 = 8 << 30;

/// What programs find in their environment besides the names of their folder, and nothing else.
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
    /// Where it starts, and may write.
    pub(super) folder: &'a str,
    /// What else it is.
    pub(super) role: Role<'a>,
    /// Whether it is to be shut in further.
    pub(super) isolate: bool,
    /// A folder that it must not see.
    pub(super) hidden: Option<&'a str>,
}

/// What a process is for.
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
        unshare(CloneFlags::CLONE_NEWPID).map_err(told("make a process namespace"))?;
    }
    let forked = sys::fork().map_err(told("fork"));
    if matches!(forked, Ok(None)) {
        let Err(error) = become_it(start);
        // Standard error may be closed already.
        let _ = nix::unistd::write(std::io::stderr(), format!("{error}\n").as_bytes());
        sys::leave(127);
    }
    if let Some(own) = own {
        // What is forked next is not to be born into the namespace of this one.
        setns(own.as_fd(), CloneFlags::CLONE_NEWPID).map_err(told("leave a namespace"))?;
    }
    forked?.ok_or_else(|| "a child came back".to_owned())
}

fn become_it(start: &Start<'_>) -> Result<Infallible, String> {
    if let Role::Tests(Some(group)) = start.role {
        // If that fails, the tests are counted as the program's memory, which is the safe side.
        let _ = nix::unistd::write(group, b"0");
    }
    arrange_files(start.files)?;
    // If memory runs out, the kernel shall not take the worker for it.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    setsid().map_err(told("start a session"))?;
    if start.isolate {
        change_view(start.role)?;
        start.hidden.map_or(Ok(()), cover)?;
    } else {
        // Without a namespace, at least together with the worker.
        prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).map_err(told("hang on"))?;
    }
    limit_and_enter(start)?;
    if start.isolate {
        // Where Landlock is missing, the doctor says so.
        let _ = filter::restrict_files(root::PRIVATE);
        sys::keep_capabilities(if matches!(start.role, Role::Forks(_)) {
            CAP_SYS_ADMIN
        } else {
            0
        })
        .map_err(told("give up capabilities"))?;
    }
    prctl::set_no_new_privs().map_err(told("give up new privileges"))?;
    let programs = match start.role {
        Role::Forks(_) => filter::programs_for_forks()?,
        Role::Tests(_) | Role::Python(..) | Role::Compiled(..) => filter::programs()?,
    };
    for program in programs {
        let filtered = seccompiler::apply_filter(&program).map_err(told("filter system calls"));
        // Where no isolation is wanted, its absence is no reason to stop.
        filtered.or_else(|problem| if start.isolate { Err(problem) } else { Ok(()) })?;
    }
    let command: Vec<CString> = start
        .command
        .iter()
        .map(|word| CString::new(word.as_str()))
        .collect::<Result<_, _>>()
        .map_err(told("name a program"))?;
    let folder = start.folder;
    let named = [("HOME", ""), ("TMPDIR", ""), ("GOCACHE", "/.go")];
    let named = named.map(|(name, below)| format!("{name}={folder}{below}"));
    let all = ENVIRONMENT.iter().copied().chain(named.iter().map(String::as_str));
    let environment: Vec<CString> = all.filter_map(|entry| CString::new(entry).ok()).collect();
    let program = command.first().ok_or("no program")?;
    execve(program, &command, &environment).map_err(told("start a program"))
}

/// Sets the limits of a process, and enters the folder that it starts in.
fn limit_and_enter(start: &Start<'_>) -> Result<(), String> {
    let limits = |caps| {
        let mut limits = limits(caps);
        // Without a namespace of its own, a user's other processes would count too.
        limits.retain(|&(resource, _)| start.isolate || resource != Resource::RLIMIT_NPROC);
        limit(limits)
    };
    match start.role {
        Role::Python(caps, _) | Role::Compiled(caps, _) => {
            limits(caps)?;
            limit([(Resource::RLIMIT_CPU, caps.cpu_kill_s)])?;
        }
        Role::Forks(caps) => limits(caps)?,
        Role::Tests(_) => limit([(Resource::RLIMIT_AS, TESTER_MEMORY)])?,
    }
    // A server enters the folder for each program anew: every one has a file system of its own there.
    let stays = matches!(start.role, Role::Forks(_) | Role::Tests(_));
    chdir(if stays { "/" } else { start.folder }).map_err(told("enter the folder"))
}

/// Gives the files the numbers from 0 on, and closes all others.
fn arrange_files(files: &[BorrowedFd<'_>]) -> Result<(), String> {
    const AWAY: i32 = 200;
    for (place, file) in (AWAY..).zip(files) {
        // Copies beyond the numbers that they shall have, so that none overwrites another.
        copy_to(file.as_raw_fd(), place)?;
    }
    for (place, away) in (0..).zip(AWAY..).take(files.len()) {
        copy_to(away, place)?;
    }
    sys::close_from(u32::try_from(files.len()).unwrap_or(3));
    Ok(())
}

#[expect(unsafe_code, reason = "numbers of files, which Rust's types do not let us choose")]
fn copy_to(from: i32, to: i32) -> Result<(), String> {
    // SAFETY: the child is about to become another program; none of its own files is used again.
    let copied = unsafe { dup2_raw(BorrowedFd::borrow_raw(from), to) };
    copied.map(std::os::fd::IntoRawFd::into_raw_fd).map(|_| ()).map_err(told("arrange files"))
}

/// Hides all processes from whatever is Python; others see those of their own namespace, and nothing else of
/// `/proc`: neither the kernel's command line nor the machine's numbers.
fn change_view(role: Role<'_>) -> Result<(), String> {
    let none: Option<&str> = None;
    unshare(CloneFlags::CLONE_NEWNS).map_err(told("make a mount namespace"))?;
    // A server stays, and must see what the worker mounts for each program; nothing goes the other way.
    let stays = matches!(role, Role::Forks(_) | Role::Tests(_));
    let kind = if stays { MsFlags::MS_SLAVE } else { MsFlags::MS_PRIVATE };
    mount(none, "/", none, MsFlags::MS_REC | kind, none).map_err(told("keep mounts private"))?;
    let quiet = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let shows = matches!(role, Role::Compiled(..))
        && mount(Some("proc"), "/proc", Some("proc"), quiet, Some("subset=pid")).is_ok();
    if shows { Ok(()) } else { hide_processes() }
}

/// Covers whatever is shown of processes. It cannot be taken away: the host's lies beneath.
pub(super) fn hide_processes() -> Result<(), String> {
    cover("/proc")
}

/// Covers a folder with an empty one.
fn cover(folder: &str) -> Result<(), String> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY;
    let options = Some("size=4k,mode=555");
    mount(Some("tmpfs"), folder, Some("tmpfs"), flags, options).map_err(told("hide a folder"))
}

/// The limits of one process besides its time.
pub(super) fn limits(caps: &Caps) -> Vec<(Resource, u64)> {
    let mut limits = vec![
        (Resource::RLIMIT_NPROC, caps.processes),
        (Resource::RLIMIT_FSIZE, caps.file),
        // Less than the worker may have: files under way between processes count for all of a user.
        (Resource::RLIMIT_NOFILE, 512),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_DATA, caps.memory),
        (Resource::RLIMIT_STACK, 64 << 20),
    ];
    if caps.limit_addresses {
        limits.push((Resource::RLIMIT_AS, caps.memory));
    }
    limits
}

/// Sets limits, none above what this process may have itself.
pub(super) fn limit(limits: impl IntoIterator<Item = (Resource, u64)>) -> Result<(), String> {
    for (resource, value) in limits {
        let (_, hard) = getrlimit(resource).map_err(told("read a limit"))?;
        let value = value.min(hard);
        setrlimit(resource, value, value).map_err(told("set a limit"))?;
    }
    Ok(())
}
