//! A child process whose output is read line by line, with a time limit and cancellation.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use assay_core::{Cancel, Error, Result, SessionEnd};
use assay_guard::{Guarded, GuardedCommand, Input, Output};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

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
    guarded: Guarded,
    lines: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Closes when standard error has been read to its end.
    stderr_closed: Receiver<()>,
    started: Instant,
    /// The time that the command may take, without the time for which its answers waited to be taken.
    time_limit: Duration,
    waited: Duration,
    /// True if the output after the end is not waited for.
    cancelled: bool,
}

impl Process {
    /// Starts `command` in `folder`, with a guard and with `input` as its standard input. Each line of its output is cut
    /// to `longest_line` bytes.
    pub(super) fn start(
        command: &[String],
        folder: &Path,
        input: File,
        time_limit: Duration,
        longest_line: u64,
    ) -> Result<Self> {
        let (name, arguments) =
            command.split_first().ok_or_else(|| Error::usage("program: names no command"))?;
        let described = GuardedCommand::new(name)
            .args(arguments)
            .current_dir(folder)
            .stdin(Input::File(input))
            .stdout(Output::Piped)
            .stderr(Output::Piped);
        let mut guarded = Guarded::spawn(described).map_err(|error| {
            Error::refused(format!("failed to start {name:?}"))
                .because(error)
                .hint("program:CMD is looked for as a shell would, without aliases")
        })?;
        let (sender, lines) = bounded(MAX_WAITING_LINES);
        let (stderr_open, stderr_closed) = bounded::<()>(0);
        let stderr = Arc::default();
        if let Some(pipe) = guarded.stdout.take() {
            thread::spawn(move || send_lines(pipe, longest_line, &sender));
        }
        if let Some(pipe) = guarded.stderr.take() {
            let tail = Arc::clone(&stderr);
            thread::spawn(move || {
                keep_tail(pipe, &tail);
                drop(stderr_open);
            });
        }
        Ok(Self {
            guarded,
            lines,
            stderr,
            stderr_closed,
            started: Instant::now(),
            time_limit,
            waited: Duration::ZERO,
            cancelled: false,
        })
    }

    /// Passes on every line of output until the command ends, reaches the time limit or is
    /// cancelled. In every case nothing that it started is left afterwards.
    pub(super) fn run_to_end(
        &mut self,
        cancel: &Cancel,
        visit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<SessionEnd> {
        let end = self.read_lines(cancel, visit);
        let status = self.guarded.kill_all();
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

    fn has_ended(&mut self) -> bool {
        // A guard that cannot be asked is gone, and so is the command.
        !matches!(self.guarded.try_wait(), Ok(None))
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
