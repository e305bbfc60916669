//! Safe wrappers for system calls that rustix does not offer, or not as safe functions.
#![expect(unsafe_code, reason = "fork, execve, wait4 and a few calls that rustix does not wrap")]

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, configure_capability_in_ambient_set,
    set_capabilities, unshare_unsafe,
};

/// The exit status of a process and the resources that it used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessExit {
    /// The signal that killed it, if one did.
    pub(crate) signal: Option<i32>,
    /// Its exit status, if it exited.
    pub(crate) code: Option<i32>,
    /// Its CPU time, including all its children.
    pub(crate) cpu: Duration,
    /// The peak memory of it or one of its children.
    pub(crate) memory: u64,
}

impl ProcessExit {
    /// The length of a status and the kernel's resource usage, in bytes.
    pub(crate) const BYTES: usize = 8 + size_of::<libc::rusage>();

    /// Decodes such bytes.
    pub(crate) fn from_bytes(words: &[u8; Self::BYTES]) -> Self {
        let (words, _) = words.as_chunks::<8>();
        // The status; seconds and microseconds in user mode, and in kernel mode; memory.
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        let cpu = Duration::from_secs(word(1) + word(3)) + Duration::from_micros(word(2) + word(4));
        Self::new(i32::try_from(word(0)).unwrap_or(0), cpu, word(5) * 1024)
    }

    /// Decodes the status that the system reports.
    pub(crate) fn new(status: i32, cpu: Duration, memory: u64) -> Self {
        Self {
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            cpu,
            memory,
        }
    }
}

/// Forks. The child gets `None`. Only a process with one thread may call this, so that the child may run any code.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: the worker has one thread, so no lock can be held by a thread that the child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(pid)),
    }
}

/// Waits for a child; `None` if `block` is not set and it is still running.
pub(crate) fn wait(pid: i32, block: bool) -> io::Result<Option<ProcessExit>> {
    let mut status = 0;
    // SAFETY: a `rusage` is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = if block { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: both pointers are to live values of the right types.
        let waited = unsafe { libc::wait4(pid, &raw mut status, options, &raw mut usage) };
        match waited {
            -1 => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            0 => return Ok(None),
            _ => break,
        }
    }
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    let memory = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    Ok(Some(ProcessExit::new(status, cpu, memory)))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// Makes a mount and all below it read-only, without devices and without set-user-id programs.
pub(crate) fn seal_mount(path: &CStr) -> io::Result<()> {
    const AT_RECURSIVE: libc::c_uint = 0x8000;
    set_mount(
        path,
        AT_RECURSIVE,
        libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
    )
}

/// Makes the mount of a device read-only: it can still be written to, but its times cannot be set.
pub(crate) fn seal_device(path: &CStr) -> io::Result<()> {
    set_mount(path, 0, libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC)
}

fn set_mount(path: &CStr, flags: libc::c_uint, set: u64) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path ends with a zero, and the structure lives as long as the call.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Drops all capabilities but those in `kept`, which the programs that are started next inherit.
pub(crate) fn keep_capabilities(kept: CapabilitySet) -> io::Result<()> {
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
    for capability in kept.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Moves this process into new namespaces.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: only `FILES` can be unsound, and the worker has one thread in any case.
    unsafe { unshare_unsafe(namespaces) }.map_err(io::Error::from)
}

/// Creates a file in memory with this content, positioned at its start.
pub(crate) fn memory_file(content: &[u8]) -> io::Result<std::fs::File> {
    use std::io::{Seek, Write};
    let mut file = std::fs::File::from(memfd_create(c"request", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// Kills a process, if it still exists.
pub(crate) fn kill(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Kills the processes of a group, if any still exist.
pub(crate) fn kill_group(leader: i32) {
    if let Some(leader) = Pid::from_raw(leader) {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Kills every process that this one can see, except itself and the first of its namespace.
pub(crate) fn kill_all() {
    // SAFETY: takes numbers only.
    unsafe {
        libc::kill(-1, libc::SIGKILL);
    }
}

/// Lets every signal through again, whatever the host blocks.
pub(crate) fn unblock_signals() {
    // SAFETY: a set of signals is plain numbers, and both pointers are to live values or null.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Duplicates a file descriptor to another number, replacing the file that has that number. For a child that is about
/// to exec and uses none of its own files again.
pub(crate) fn copy_file(from: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: takes numbers only; the caller owns no file by the number that is replaced.
    let copied = unsafe { libc::dup2(from, to) };
    if copied == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Executes the command's first word in this process. Returns only if that fails, with the reason.
pub(crate) fn exec(command: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |words: &[CString]| -> Vec<*const c_char> {
        words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let Some(program) = command.first() else { return io::Error::other("no program") };
    let (command, environment) = (pointers(command), pointers(environment));
    // SAFETY: all texts end with a zero and both lists with a null, and they live as long as the call.
    unsafe { libc::execve(program.as_ptr(), command.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Closes every file descriptor from this number on.
pub(crate) fn close_from(number: u32) {
    // SAFETY: whoever calls this has no use for those files; they are not touched again.
    unsafe {
        libc::close_range(number, libc::c_uint::MAX, 0);
    }
}

/// Exits this process at once; for a forked child that must not continue as its parent.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: nothing of this process is needed any more.
    unsafe { libc::_exit(code) }
}
