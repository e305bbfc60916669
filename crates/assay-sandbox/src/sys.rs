//! The few system calls that no safe library offers, each behind a safe function.
#![expect(unsafe_code, reason = "fork, wait4 and three calls that libraries do not wrap")]

use std::ffi::CStr;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// What a process that ended has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// The signal that ended it, if one did.
    pub(crate) signal: Option<i32>,
    /// Its status, if it ended by itself.
    pub(crate) code: Option<i32>,
    /// Its CPU time, with that of all its children.
    pub(crate) cpu: Duration,
    /// The most memory that it or one of its children held.
    pub(crate) memory: u64,
}

impl Ended {
    /// The bytes of a status and of what the kernel tells of what was used.
    pub(crate) const WORDS: usize = 8 + size_of::<libc::rusage>();

    /// From such bytes.
    pub(crate) fn from_words(words: &[u8; Self::WORDS]) -> Self {
        let (words, _) = words.as_chunks::<8>();
        // The status; seconds and microseconds by itself, and in the kernel for it; memory.
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        let cpu = Duration::from_secs(word(1) + word(3)) + Duration::from_micros(word(2) + word(4));
        Self::new(i32::try_from(word(0)).unwrap_or(0), cpu, word(5) * 1024)
    }

    /// From the status that the system tells.
    pub(crate) fn new(status: i32, cpu: Duration, memory: u64) -> Self {
        Self {
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            cpu,
            memory,
        }
    }
}

/// Forks. The child gets `None`. To be called by a process with one thread only, so that the child may
/// do whatever it likes.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: the worker has one thread, so no lock can be held by a thread that the child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(pid)),
    }
}

/// Waits for a child; `None` if `block` is not set and it is still there.
pub(crate) fn wait(pid: i32, block: bool) -> io::Result<Option<Ended>> {
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
    Ok(Some(Ended::new(status, cpu, memory)))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// Makes a mount and all below it read-only, without devices and without programs that gain rights.
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

/// Gives up all capabilities but those in `keep` (a bit each), which programs that are started
/// next get too.
pub(crate) fn keep_capabilities(keep: u32) -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    // Effective, permitted and inheritable, for the lower 32 capabilities and for the upper.
    let data = [keep, keep, keep, 0, 0, 0];
    // SAFETY: the kernel reads two and six numbers, as the version says.
    let outcome = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), data.as_ptr()) };
    if outcome != 0 {
        return Err(io::Error::last_os_error());
    }
    for capability in (0..32).filter(|bit| keep >> bit & 1 == 1) {
        // SAFETY: takes numbers only.
        let raised = unsafe {
            libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, capability, 0, 0)
        };
        if raised != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// A file in memory with this content, to be read from its beginning.
pub(crate) fn memory_file(content: &[u8]) -> io::Result<std::fs::File> {
    use std::io::{Seek, Write};
    // SAFETY: the name ends with a zero; what comes back is ours alone.
    let mut file = unsafe {
        let number: RawFd = libc::memfd_create(c"request".as_ptr(), libc::MFD_CLOEXEC);
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        std::fs::File::from_raw_fd(number)
    };
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// A file that has just been received under this number.
pub(crate) fn own_file(number: RawFd) -> OwnedFd {
    // SAFETY: the kernel made the number for the message that was just read, and nobody else has seen it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Closes every file from this number on.
pub(crate) fn close_from(number: u32) {
    // SAFETY: whoever calls this has no use for those files; they are not touched again.
    unsafe {
        libc::close_range(number, libc::c_uint::MAX, 0);
    }
}

/// Ends this process at once; for what was forked and must not go on as its parent.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: nothing of this process is needed any more.
    unsafe { libc::_exit(code) }
}
