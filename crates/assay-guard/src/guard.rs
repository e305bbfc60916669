//! The guard: a process that starts one command, and kills all that descends from it when its host is gone.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::signal::SigSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    wait,
};

use crate::command::Files;
use crate::wire::{Notice, receive_request};

/// The argument that turns an executable into a guard. It does not name assay, so that `pkill -f assay` does not end
/// the guards together with what they look after.
pub(crate) const GUARD_ARGUMENT: &str = "process-guard";

/// The interval at which orphans that have ended are reaped.
const REAPING: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The same if the kernel cannot report the end of the command.
const POLLING: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// The time between two rounds of killing: the first one, and the longest one.
const ROUNDS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(50)];

static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// The first call of a `main` that starts guarded processes. Gives the exit code if this process was started as a
/// guard, and has done its work. Otherwise this executable will be started again for its guards.
pub fn become_guard_if_asked() -> Option<ExitCode> {
    if std::env::args_os().nth(1).is_some_and(|word| word == GUARD_ARGUMENT) {
        return Some(guard_main());
    }
    // This name stays right if the file is replaced while it runs.
    let this = Path::new("/proc/self/exe");
    let executable = if this.exists() { Ok(this.to_owned()) } else { std::env::current_exe() };
    if let Ok(path) = executable {
        use_executable(path);
    }
    None
}

/// Has guards run by another executable, whose `main` calls [`become_guard_if_asked`]; for tests. The first path that
/// is named stays.
pub fn use_executable(path: impl Into<PathBuf>) {
    let _ = EXECUTABLE.set(path.into());
}

/// The executable that becomes a guard.
pub(crate) fn executable() -> io::Result<&'static Path> {
    EXECUTABLE.get().map(PathBuf::as_path).ok_or_else(|| {
        io::Error::other("this executable cannot start guards: its main function offers none")
    })
}

/// Serves the host at the other end of standard input.
fn guard_main() -> ExitCode {
    let Ok(connection) = io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let host = UnixStream::from(connection);
    // `killall` goes by this name.
    let _ = rustix::thread::set_name(c"guard");
    match set_up(&host) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn set_up(host: &UnixStream) -> io::Result<()> {
    let Some((words, files)) = receive_request(host)? else { return Ok(()) };
    // Orphans become children of this process, so that none of them escapes.
    let started = set_child_subreaper(Some(getpid())).map_err(io::Error::from);
    let command = match started.and_then(|()| start(&words, files)) {
        Ok(pid) => pid,
        Err(error) => {
            let reason = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            return Notice::Failed(reason).send(host);
        }
    };
    // Whoever wants the end of the guard ends its host. The command was started before, and blocks nothing.
    let _ = SigSet::all().thread_block();
    let mut subtree =
        Subtree { command, running: pidfd_open(command, PidfdFlags::empty()).ok(), host };
    // A host that is gone is noticed below.
    let _ = Notice::Started(command.as_raw_nonzero().get()).send(host);
    subtree.watch();
    subtree.kill();
    Ok(())
}

/// Starts a command as the leader of a new process group.
fn start(words: &[OsString], [stdin, stdout, stderr]: Files) -> io::Result<Pid> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    #[expect(clippy::disallowed_methods, reason = "the place where guarded commands are started")]
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).stdin(stdin).stdout(stdout).stderr(stderr);
    command.spawn().map(|child| Pid::from_child(&child))
}

/// The command and all that descends from it.
struct Subtree<'a> {
    command: Pid,
    /// Readable when the command has ended; `None` once that is known, or if the kernel cannot tell.
    running: Option<OwnedFd>,
    host: &'a UnixStream,
}

impl Subtree<'_> {
    /// Reports the end of the command, and returns when the host is gone or wants an end.
    fn watch(&mut self) {
        let mut interval = if self.running.is_some() { REAPING } else { POLLING };
        loop {
            let mut files = vec![PollFd::new(self.host, PollFlags::IN)];
            files.extend(self.running.iter().map(|file| PollFd::new(file, PollFlags::IN)));
            let polled = poll(&mut files, Some(&interval));
            let host_calls = files.first().is_none_or(|host| !host.revents().is_empty());
            if host_calls || !matches!(polled, Ok(_) | Err(Errno::INTR)) {
                return;
            }
            if self.reap().command_ended {
                interval = REAPING;
            }
        }
    }

    /// Kills everything, from the top: whatever loses its parent becomes a child of this process. So only children are
    /// ever killed, whose numbers no other process can take over.
    fn kill(&mut self) {
        let [mut pause, longest] = ROUNDS;
        loop {
            for child in children(self.command) {
                let _ = kill_process(child, Signal::KILL);
            }
            std::thread::sleep(pause);
            if self.reap().none_left {
                return;
            }
            pause = longest.min(pause * 2);
        }
    }

    /// Reaps the children that have ended, and reports the end of the command.
    fn reap(&mut self) -> Reaped {
        let mut command_ended = false;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command => {
                    self.running = None;
                    command_ended = true;
                    let _ = Notice::Ended(status.as_raw()).send(self.host);
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Reaped { command_ended, none_left: false },
                Err(_) => return Reaped { command_ended, none_left: true },
            }
        }
    }
}

/// What was found when ended children were reaped.
struct Reaped {
    command_ended: bool,
    none_left: bool,
}

/// The children of this process, some of which may have ended. Without `/proc`, the command is the only one known.
fn children(command: Pid) -> Vec<Pid> {
    let own = getpid().as_raw_nonzero();
    let listed = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
    let pids: Vec<i32> = match listed {
        Ok(text) => text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => processes().filter(|pid| parent(*pid) == Some(own.get())).collect(),
    };
    let pids: Vec<Pid> = pids.into_iter().filter_map(Pid::from_raw).collect();
    if pids.is_empty() && !Path::new("/proc/self").exists() { vec![command] } else { pids }
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent of a process.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
