//! Watches a candidate until it has ended, its tests have reported, or its time is up.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde_json::Value;

use super::memory::{SAMPLE_INTERVAL, Sampler};
use super::server::{Server, cpu_time};
use super::two_processes::TestProcess;
use crate::frame;
use crate::message::ProcessLimits;
use crate::sys::{self, ProcessExit};

/// The maximum number of bytes kept of the end of standard error: a runtime's message may precede a long trace.
const TAIL: usize = 1 << 15;
/// The time a candidate may take to exit after it has closed the connection to its tests.
const LEAVING: Duration = Duration::from_secs(1);
/// The time the tests may continue after the candidate is gone.
const GRACE: Duration = Duration::from_secs(10);

/// A candidate's process.
pub(super) enum Process<'a> {
    /// Forked by a server, which also waits for it.
    Forked(i32, &'a Server),
    /// Started by the worker.
    Started(i32, OwnedFd),
}

impl Process<'_> {
    fn watched(&self) -> BorrowedFd<'_> {
        match self {
            Self::Forked(_, server) => server.control.as_fd(),
            Self::Started(_, watched) => watched.as_fd(),
        }
    }

    /// The CPU time it has used, including the children that it has waited for.
    fn cpu_time(&self) -> Option<Duration> {
        cpu_time(self.pid())
    }

    fn pid(&self) -> i32 {
        let (Self::Forked(pid, _) | Self::Started(pid, _)) = self;
        *pid
    }

    /// Kills it and all its child processes: it is the first process of its namespace.
    fn end(&self) {
        sys::kill(self.pid());
        // Without a namespace, kills at least its process group.
        sys::kill_group(self.pid());
    }

    fn wait(&self) -> Result<ProcessExit, String> {
        match self {
            Self::Forked(_, server) => server.wait_for_exit(GRACE * 6),
            Self::Started(pid, _) => sys::wait(*pid, true)
                .map_err(|error| error.to_string())?
                .ok_or_else(|| "a process is lost".to_owned()),
        }
    }
}

/// The process or connection that reports the outcome, besides the exit status.
pub(super) enum OutcomeSource<'a> {
    /// The test server; when it has reported, the candidate is killed.
    TestServer(&'a Server),
    /// Tests that are a process of their own; when they have ended, the candidate is killed.
    TestProcess(&'a TestProcess),
    /// The candidate's own message about its end. No candidate can gain by it.
    Candidate(UnixStream),
    /// Nothing but the exit status.
    ExitStatus,
}

impl OutcomeSource<'_> {
    /// The CPU time that the tests have used, for all candidates so far.
    fn cpu_time(&self) -> Duration {
        match self {
            Self::TestServer(server) => server.cpu_time().unwrap_or_default(),
            Self::TestProcess(test_process) => cpu_time(test_process.pid).unwrap_or_default(),
            Self::Candidate(_) | Self::ExitStatus => Duration::ZERO,
        }
    }
}

/// The observations about a candidate's run.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) exit: ProcessExit,
    /// The message of the outcome source.
    pub(super) outcome: Option<Value>,
    /// True if the outcome source is lost and must be replaced.
    pub(super) source_lost: bool,
    pub(super) wall: Duration,
    /// True if its wall time was up.
    pub(super) timed_out: bool,
    /// True if it printed too much.
    pub(super) printed_too_much: bool,
    /// True if it used too much memory.
    pub(super) over_memory: bool,
    /// True if the worker killed it.
    pub(super) killed: bool,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// A candidate under observation.
pub(super) struct Watch<'a> {
    pub(super) process: Process<'a>,
    pub(super) source: OutcomeSource<'a>,
    pub(super) output: File,
    pub(super) errors: File,
    pub(super) host: &'a UnixStream,
    pub(super) limits: &'a ProcessLimits,
    /// The sampler of its memory, if nothing else limits it.
    pub(super) sampler: Option<Sampler>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Default)]
struct State {
    exit: Option<ProcessExit>,
    outcome: Option<Value>,
    source_done: bool,
    source_lost: bool,
    end_sent: bool,
    /// The time when it closed the connection to its tests.
    disconnected: Option<Instant>,
    /// The CPU time that it had used at the last check.
    cpu_time: Duration,
    /// The time of the last memory sample.
    sampled: Option<Instant>,
    /// The number of times its wall time was extended.
    extended: u32,
    killed: bool,
    timed_out: bool,
    printed_too_much: bool,
    over_memory: bool,
    output: Vec<u8>,
    errors: Vec<u8>,
    /// The bytes that the candidate has sent to the worker.
    received: Vec<u8>,
    printed: u64,
    output_open: bool,
    errors_open: bool,
}

impl Watch<'_> {
    /// Watches until the end. An error is a failure of the sandbox.
    pub(super) fn run(mut self) -> Result<Observation, String> {
        let begun = Instant::now();
        let mut until = begun + Duration::from_millis(self.limits.wall_ms);
        // After the candidate's end, only its tests may still report.
        let mut closing = false;
        let mut state = State { output_open: true, errors_open: true, ..State::default() };
        state.source_done = matches!(self.source, OutcomeSource::ExitStatus);
        state.cpu_time = self.source.cpu_time();
        while state.exit.is_none() || !state.source_done {
            let now = Instant::now();
            if now >= until && closing {
                state.source_lost = true;
                break;
            }
            if now >= until && !state.source_done && self.is_making_progress(&mut state) {
                until = now + Duration::from_millis(self.limits.wall_ms);
            } else if now >= until {
                // A candidate that has disconnected from its tests gets no more time.
                state.timed_out = !state.source_done;
                self.end(&mut state);
            }
            if !closing && (state.end_sent || state.exit.is_some()) {
                (closing, until) = (true, now + GRACE);
            }
            if let Some(disconnected) = state.disconnected.take() {
                until = until.min(disconnected + LEAVING);
            }
            let timeout = self.poll_timeout(until.saturating_duration_since(now));
            if let Err(failure) = self.step(&mut state, timeout) {
                // Without a process namespace, nobody else ends it.
                self.end(&mut state);
                return Err(failure);
            }
            self.check_memory(&mut state, begun);
        }
        self.drain(&mut state);
        let exit = state.exit.ok_or("a program could not be ended")?;
        Ok(Observation {
            exit,
            outcome: state.outcome,
            source_lost: state.source_lost,
            wall: begun.elapsed(),
            timed_out: state.timed_out,
            printed_too_much: state.printed_too_much,
            over_memory: state.over_memory,
            killed: state.killed,
            output: state.output,
            errors: state.errors,
        })
    }

    /// Returns true if the candidate or its tests used CPU time since the last check, even little on a busy machine:
    /// then they are not waiting. The number of extensions is limited, since tests have no time limit of their own.
    fn is_making_progress(&self, state: &mut State) -> bool {
        const SHARE: u32 = 20;
        const MOST: u32 = 10;
        let cpu_time = self.process.cpu_time().unwrap_or_default() + self.source.cpu_time();
        let since = cpu_time.saturating_sub(state.cpu_time);
        (state.cpu_time, state.extended) = (cpu_time, state.extended + 1);
        state.extended <= MOST && since > Duration::from_millis(self.limits.wall_ms) / SHARE
    }

    /// The poll timeout, short enough to sample memory regularly.
    fn poll_timeout(&self, timeout: Duration) -> Duration {
        if self.sampler.is_some() { timeout.min(SAMPLE_INTERVAL) } else { timeout }
    }

    /// Kills a candidate that exceeds its memory limit.
    fn check_memory(&self, state: &mut State, begun: Instant) {
        let due =
            state.sampled.unwrap_or(begun).elapsed() >= SAMPLE_INTERVAL && state.exit.is_none();
        let Some(sampler) = self.sampler.as_ref().filter(|_| due && !state.end_sent) else {
            return;
        };
        if sampler.exceeds() {
            state.over_memory = true;
            self.end(state);
        }
        state.sampled = Some(Instant::now());
    }

    fn end(&self, state: &mut State) {
        if !state.end_sent {
            state.end_sent = true;
            state.killed = state.exit.is_none();
            // The process id of a process that has ended may belong to another already.
            if state.killed {
                self.process.end();
            }
        }
    }

    /// Waits until something happens, and handles it.
    fn step(&mut self, state: &mut State, timeout: Duration) -> Result<(), String> {
        let [host, process, source, output, errors] = self.wait(state, timeout)?;
        if host {
            return Err("the host is gone".to_owned());
        }
        if output {
            self.read_output(state);
        }
        if errors {
            self.read_errors(state);
        }
        if process {
            state.exit = Some(self.process.wait()?);
        }
        if source {
            self.read_outcome(state);
        }
        if state.printed > self.limits.output && !state.end_sent {
            state.printed_too_much = true;
            self.end(state);
        }
        Ok(())
    }

    /// Returns for host, process, outcome source, output and errors whether they have something new.
    fn wait(&self, state: &State, timeout: Duration) -> Result<[bool; 5], String> {
        let read = PollFlags::IN;
        let source = match &self.source {
            OutcomeSource::TestServer(server) => Some(server.control.as_fd()),
            OutcomeSource::TestProcess(test_process) => Some(test_process.watched.as_fd()),
            OutcomeSource::Candidate(connection) => Some(connection.as_fd()),
            OutcomeSource::ExitStatus => None,
        };
        let wanted = [
            Some((self.host.as_fd(), PollFlags::empty())),
            state.exit.is_none().then(|| (self.process.watched(), read)),
            source.filter(|_| !state.source_done).map(|file| (file, read)),
            state.output_open.then(|| (self.output.as_fd(), read)),
            state.errors_open.then(|| (self.errors.as_fd(), read)),
        ];
        let mut files: Vec<PollFd<'_>> = wanted
            .iter()
            .flatten()
            .map(|&(file, flags)| PollFd::from_borrowed_fd(file, flags))
            .collect();
        let timeout = Timespec::try_from(timeout).ok();
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(format!("watch a program: {error}")),
        }
        let mut observed = files.iter().map(|file| !file.revents().is_empty());
        Ok(wanted.map(|file| file.is_some() && observed.next().unwrap_or(false)))
    }

    /// Reads the message of the outcome source; there is only one.
    fn read_outcome(&mut self, state: &mut State) {
        match &self.source {
            OutcomeSource::TestServer(server) => match server.answer_to_last(GRACE) {
                Ok(outcome) => state.outcome = Some(outcome),
                Err(_) => state.source_lost = true,
            },
            OutcomeSource::TestProcess(test_process) => state.outcome = test_process.outcome(),
            OutcomeSource::Candidate(connection) => {
                // A partial message is ignored, however slowly the rest may arrive.
                if !read_message(connection, &mut state.received) {
                    return;
                }
                state.outcome = frame::decode(&state.received);
            }
            OutcomeSource::ExitStatus => {}
        }
        state.source_done = true;
        if let OutcomeSource::TestServer(_) | OutcomeSource::TestProcess(_) = self.source {
            if state.outcome.as_ref().is_some_and(|outcome| outcome.get("gone").is_some()) {
                // The way it exits is more informative than the lost connection.
                state.disconnected = Some(Instant::now());
            } else {
                self.end(state);
            }
        }
    }

    fn read_output(&mut self, state: &mut State) {
        let before = state.output.len();
        state.output_open = read_some(&mut self.output, &mut state.output);
        state.printed += (state.output.len() - before) as u64;
    }

    fn read_errors(&mut self, state: &mut State) {
        let before = state.errors.len();
        state.errors_open = read_some(&mut self.errors, &mut state.errors);
        state.printed += (state.errors.len() - before) as u64;
        let surplus = state.errors.len().saturating_sub(TAIL);
        state.errors.drain(..surplus);
    }

    /// Reads the rest of the output. No process is left to print more.
    fn drain(&mut self, state: &mut State) {
        while state.output_open && state.printed <= self.limits.output {
            self.read_output(state);
        }
        while state.errors_open && state.printed <= self.limits.output {
            self.read_errors(state);
        }
        state.printed_too_much |= state.printed > self.limits.output;
    }
}

/// Reads from the candidate's connection; returns true if that is all: a whole message, or too many bytes for one.
fn read_message(mut connection: &UnixStream, words: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 1 << 12];
    let _ = connection.set_nonblocking(true);
    match connection.read(&mut buffer) {
        Ok(0) => true,
        Ok(count) => {
            words.extend_from_slice(&buffer[..count]);
            frame::is_whole(words)
        }
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

/// Reads the available bytes; returns true if there may be more.
fn read_some(file: &mut File, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 1 << 14];
    match file.read(&mut buffer) {
        // Nothing is available now; after the end, nothing will be.
        Ok(0) | Err(_) => false,
        Ok(count) => {
            into.extend_from_slice(&buffer[..count]);
            true
        }
    }
}
