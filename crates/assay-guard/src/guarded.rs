//! A process with a guard, as its host sees it.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_core::Leftover;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::command::{GuardedCommand, Input, Output};
use crate::guard::{GUARD_ARGUMENT, executable};
use crate::wire::{Notice, send_request};

/// The time for which the end of a subtree is waited for. Afterwards the guard goes on alone.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same if this process ends at once.
const SHORT_PATIENCE: Duration = Duration::from_millis(900);

/// A process that ends, with all that it started, when this value is dropped or when this process ends.
#[derive(Debug)]
pub struct Guarded {
    /// The other end of its standard input, if that is piped.
    pub stdin: Option<PipeWriter>,
    /// The other end of its standard output, if that is piped.
    pub stdout: Option<PipeReader>,
    /// The other end of its standard error, if that is piped.
    pub stderr: Option<PipeReader>,
    guard: Child,
    connection: Arc<UnixStream>,
    pid: i32,
    status: Option<ExitStatus>,
    /// True if the guard has ended, and everything with it.
    gone: bool,
    /// Ends everything if this process ends at once.
    leftover: Option<Leftover>,
}

impl Guarded {
    /// Starts a command as the leader of a process group of its own. Fails as [`Command::spawn`] does.
    pub fn spawn(command: GuardedCommand) -> io::Result<Self> {
        let (connection, theirs) = UnixStream::pair()?;
        let mut guard = start_guard(&command, theirs)?;
        let connection = Arc::new(connection);
        let leftover = leftover(&connection);
        let (stdin_file, stdin) = input(command.stdin)?;
        let (stdout_file, stdout) = output(command.stdout)?;
        let (stderr_file, stderr) = output(command.stderr)?;
        let files = [stdin_file, stdout_file, stderr_file];
        let started = send_request(&connection, &command.words, &files);
        drop(files);
        let pid = match started.and_then(|()| Notice::receive(&connection)) {
            Ok(Some(Notice::Started(pid))) => pid,
            other => {
                let _ = connection.shutdown(Shutdown::Both);
                let _ = guard.wait();
                return Err(match other {
                    Ok(Some(Notice::Failed(reason))) => io::Error::from_raw_os_error(reason),
                    Ok(_) => io::Error::other("its guard did not start"),
                    Err(error) => error,
                });
            }
        };
        let leftover = Some(leftover);
        Ok(Self {
            stdin,
            stdout,
            stderr,
            guard,
            connection,
            pid,
            status: None,
            gone: false,
            leftover,
        })
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    /// Its exit status, if it has ended. Processes that it started may still run.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.listen(Duration::ZERO)?;
        Ok(self.status)
    }

    /// Kills it and all that it started, and returns its exit status. Nothing of it is left afterwards, except what
    /// this user may not kill, or what the kernel does not let go within five seconds.
    pub fn kill_all(&mut self) -> io::Result<ExitStatus> {
        let asked = Instant::now();
        let _ = self.connection.shutdown(Shutdown::Write);
        // A second call does not wait again.
        while !self.gone && self.leftover.is_some() {
            let left = PATIENCE.saturating_sub(asked.elapsed());
            if left.is_zero() {
                break;
            }
            self.listen(left)?;
        }
        self.leftover = None;
        self.status.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Waits for a notice from the guard.
    fn listen(&mut self, time: Duration) -> io::Result<()> {
        if self.gone || !has_word(&self.connection, time)? {
            return Ok(());
        }
        match Notice::receive(&self.connection) {
            Ok(Some(Notice::Ended(status))) => self.status = Some(ExitStatus::from_raw(status)),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => self.bury_guard()?,
        }
        Ok(())
    }

    fn bury_guard(&mut self) -> io::Result<()> {
        let end = self.guard.wait()?;
        self.gone = true;
        // Somebody killed the guard itself: only the group is still known.
        if !end.success()
            && let Some(group) = Pid::from_raw(self.pid)
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.status = self.status.or(Some(ExitStatus::from_raw(Signal::KILL.as_raw())));
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.kill_all();
    }
}

fn start_guard(command: &GuardedCommand, connection: UnixStream) -> io::Result<Child> {
    #[expect(clippy::disallowed_methods, reason = "the one place where guards are started")]
    let mut guard = Command::new(executable()?);
    // Ctrl-C is handled by the host, which ends its guards.
    guard.arg0("guard").arg(GUARD_ARGUMENT).process_group(0);
    guard.stdin(OwnedFd::from(connection)).stdout(Stdio::null()).stderr(Stdio::null());
    // The command inherits folder and environment from its guard.
    for key in assay_core::hidden_variables() {
        guard.env_remove(key);
    }
    if let Some(folder) = &command.folder {
        guard.current_dir(folder);
    }
    for (name, value) in &command.variables {
        match value {
            Some(value) => guard.env(name, value),
            None => guard.env_remove(name),
        };
    }
    guard.spawn()
}

/// Has the guard end everything, if this process ends at once.
fn leftover(connection: &Arc<UnixStream>) -> Leftover {
    let connection = Arc::clone(connection);
    Leftover::new(move || {
        let asked = Instant::now();
        let _ = connection.shutdown(Shutdown::Write);
        loop {
            let left = SHORT_PATIENCE.saturating_sub(asked.elapsed());
            let has_word = has_word(&connection, left).is_ok_and(|word| word);
            if !has_word || !matches!(Notice::receive(&connection), Ok(Some(_))) {
                return;
            }
        }
    })
}

/// Returns whether there is something to read, or an end, within this time.
fn has_word(connection: &UnixStream, time: Duration) -> io::Result<bool> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    let mut files = [PollFd::new(connection, PollFlags::IN)];
    match poll(&mut files, Some(&time)) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn input(input: Input) -> io::Result<(OwnedFd, Option<PipeWriter>)> {
    match input {
        Input::Null => Ok((File::open("/dev/null")?.into(), None)),
        Input::Piped => io::pipe().map(|(reader, writer)| (reader.into(), Some(writer))),
        Input::File(file) => Ok((file.into(), None)),
    }
}

fn output(output: Output) -> io::Result<(OwnedFd, Option<PipeReader>)> {
    match output {
        Output::Null => Ok((File::options().write(true).open("/dev/null")?.into(), None)),
        Output::Piped => io::pipe().map(|(reader, writer)| (writer.into(), Some(reader))),
        Output::File(file) => Ok((file.into(), None)),
    }
}
