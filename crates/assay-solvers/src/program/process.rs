//! A child process whose output is read line by line, with a time limit and cancellation.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use assay_core::{Cancel, Error, Leftover, Result, SessionEnd};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The maximum number of lines that wait to be read.
const MAX_WAITING_LINES: usize = 256;
/// The number of bytes kept of the end of standard error.
const STDERR_TAIL_BYTES: usize = 4 << 10;
/// The interval between checks of the clock and the cancel flag while the command is silent.
const TICK: Duration = Duration::from_millis(20);
/// The time for which output may still arrive after the command itself has ended.
const GRACE: Duration = Duration::from_secs(2);

/// A running solver command.
pub(super) struct Process {
    child: Child,
    lines: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Closes when standard error has been read to its end.
    stderr_closed: Receiver<()>,
    started: Instant,
    /// The time that the command may take, without the time for which its answers waited to be taken.
    time_limit: Duration,
    waited: Duration,
    /// Kills the process group if this process ends at once. `None` once the child is reaped: after that, its number may
    /// belong to another process.
    leftover: Option<Leftover>,
    /// True if the output after the end is not waited for.
    cancelled: bool,
}

impl Process {
    /// Starts `command` in `folder`, as the leader of a new process group. Each line is cut to
    /// `longest_line` bytes.
    pub(super) fn start(
        command: &[String],
        folder: &Path,
        time_limit: Duration,
        longest_line: u64,
    ) -> Result<Self> {
        let (name, arguments) =
            command.split_first().ok_or_else(|| Error::usage("program: names no command"))?;
        #[expect(clippy::disallowed_methods, reason = "the user's own predictor, run as the user")]
        let mut child = Command::new(name)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| {
                Error::refused(format!("failed to start {name:?}"))
                    .because(error)
                    .hint("program:CMD is looked for as a shell would, without aliases")
            })?;
        let group = group_of(&child);
        let leftover = Some(Leftover::new(move || kill(group)));
        let (sender, lines) = bounded(MAX_WAITING_LINES);
        let (stderr_open, stderr_closed) = bounded::<()>(0);
        let stderr = Arc::default();
        if let Some(pipe) = child.stdout.take() {
            thread::spawn(move || send_lines(pipe, longest_line, &sender));
        }
        if let Some(pipe) = child.stderr.take() {
            let tail = Arc::clone(&stderr);
            thread::spawn(move || {
                keep_tail(pipe, &tail);
                drop(stderr_open);
            });
        }
        Ok(Self {
            child,
            lines,
            stderr,
            stderr_closed,
            started: Instant::now(),
            time_limit,
            waited: Duration::ZERO,
            leftover,
            cancelled: false,
        })
    }

    /// Passes on every line of output until the command ends, reaches the time limit or is
    /// cancelled. In every case the whole process group is gone afterwards.
    pub(super) fn run_to_end(
        &mut self,
        cancel: &Cancel,
        visit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<SessionEnd> {
        let end = self.read_lines(cancel, visit);
        let status = self.end_group();
        // Output before its end counts.
        for line in self.lines.try_iter() {
            visit(&line)?;
        }
        match end? {
            Some(end) => Ok(end),
            None => status.map(describe).map_err(|error| {
                Error::failed("failed to learn how the program ended").because(error)
            }),
        }
    }

    /// The time since its start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The end of its standard error.
    pub(super) fn stderr_tail(&self) -> String {
        // The last output may still be on its way; an escaped process may never close the pipe.
        let grace = if self.cancelled { TICK } else { GRACE };
        let _ = self.stderr_closed.recv_timeout(grace);
        let tail = self.stderr.lock().map(|tail| tail.clone()).unwrap_or_default();
        String::from_utf8_lossy(&tail).into_owned()
    }

    fn read_lines(
        &mut self,
        cancel: &Cancel,
        visit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<Option<SessionEnd>> {
        let mut ended: Option<Instant> = None;
        let mut silent = false;
        loop {
            if cancel.is_cancelled() {
                self.cancelled = true;
                return Ok(Some(SessionEnd::Cancelled));
            }
            let used = self.elapsed().saturating_sub(self.waited);
            if ended.is_none() && used >= self.time_limit && !self.has_ended() {
                return Ok(Some(SessionEnd::TimedOut));
            }
            if silent {
                thread::sleep(TICK);
            } else {
                match self.lines.recv_timeout(TICK) {
                    Ok(line) => {
                        let taken = Instant::now();
                        visit(&line)?;
                        self.waited += taken.elapsed();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => silent = true,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            if ended.is_none() && self.has_ended() {
                ended = Some(Instant::now());
            }
            // A process that the command left behind may keep its output open forever.
            if ended.is_some_and(|at| silent || at.elapsed() > GRACE) {
                return Ok(None);
            }
        }
    }

    /// Returns whether the child has ended. It is not reaped yet, so its group's number stays
    /// reserved.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(child) = group_of(&self.child) else { return true };
        !matches!(waitid(WaitId::Pid(child), options), Ok(None))
    }

    /// Kills everything that is left of the process group, and reaps the child.
    fn end_group(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(leftover) = self.leftover.take() {
            kill(group_of(&self.child));
            drop(leftover);
        }
        self.child.wait()
    }
}

/// The process group of a child, which is called as the child itself.
fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

fn kill(group: Option<Pid>) {
    if let Some(group) = group {
        // It is fine if the group is already gone.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end_group();
    }
}

fn describe(status: ExitStatus) -> SessionEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => SessionEnd::Exited(code),
        (None, signal) => SessionEnd::Signalled(signal.unwrap_or_default()),
    }
}

fn send_lines(pipe: impl Read, longest_line: u64, sender: &Sender<Vec<u8>>) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(longest_line).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if !line.ends_with(b"\n") && reader.skip_until(b'\n').is_err() {
            break;
        }
        if sender.send(line).is_err() {
            break;
        }
    }
}

fn keep_tail(mut pipe: impl Read, tail: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut chunk) {
        let Ok(mut tail) = tail.lock() else { break };
        tail.extend_from_slice(&chunk[..count]);
        let surplus = tail.len().saturating_sub(STDERR_TAIL_BYTES);
        tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_which_answers_wait_does_not_count() {
        // More lines than the queue and the pipe hold: the command has to wait for whoever takes them.
        let script = format!("yes {} | head -n 3000", "x".repeat(200));
        let command = ["sh", "-c", &script].map(str::to_owned);
        let limit = Duration::from_secs(2);
        let mut process = Process::start(&command, Path::new("/"), limit, 1 << 10).unwrap();
        let mut count = 0;
        let end = process.run_to_end(&Cancel::new(), &mut |_| {
            count += 1;
            thread::sleep(Duration::from_millis(1));
            Ok(())
        });
        assert!(process.elapsed() > limit);
        assert_eq!((end.unwrap(), count), (SessionEnd::Exited(0), 3000));
    }
}
