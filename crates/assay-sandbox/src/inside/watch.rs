//! Watches a program until it has ended, its tests have spoken, or its time is up.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde_json::Value;

use super::dialogue::Examiner;
use super::memory::{PAUSE, Sampler};
use super::server::{Server, worked};
use crate::frame;
use crate::message::Caps;
use crate::sys::{self, Ended};

/// The most bytes of the end of standard error that are kept: a runtime's last words may be before a long trace.
const TAIL: usize = 1 << 15;
/// The time a program may take to end after it has cut the connection to its tests.
const LEAVING: Duration = Duration::from_secs(1);
/// The time that tests may go on after the program is gone.
const GRACE: Duration = Duration::from_secs(10);

/// A program's process.
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

    /// The CPU time that it has used, with that of the children that it has waited for.
    fn worked(&self) -> Option<Duration> {
        worked(self.pid())
    }

    fn pid(&self) -> i32 {
        let (Self::Forked(pid, _) | Self::Started(pid, _)) = self;
        *pid
    }

    /// Ends it, with all that it has started: it is the first process of its namespace.
    fn end(&self) {
        sys::kill(self.pid());
        // Without a namespace, at least its process group.
        sys::kill_group(self.pid());
    }

    fn ended(&self) -> Result<Ended, String> {
        match self {
            Self::Forked(_, server) => server.ended_within(GRACE * 6),
            Self::Started(pid, _) => sys::wait(*pid, true)
                .map_err(|error| error.to_string())?
                .ok_or_else(|| "a process is lost".to_owned()),
        }
    }
}

/// The process or connection that reports the outcome, beside the process itself.
pub(super) enum Witness<'a> {
    /// The tests; when they have spoken, the program is ended.
    Tests(&'a Server),
    /// Tests that are a process of their own; when they have ended, the program is ended.
    Examiner(&'a Examiner),
    /// The program's own last words, which nothing depends on that a program could gain by.
    Program(UnixStream),
    /// Nobody.
    Nobody,
}

impl Witness<'_> {
    /// The CPU time that the tests have used, for all programs so far.
    fn worked(&self) -> Duration {
        match self {
            Self::Tests(server) => server.worked().unwrap_or_default(),
            Self::Examiner(examiner) => worked(examiner.pid).unwrap_or_default(),
            Self::Program(_) | Self::Nobody => Duration::ZERO,
        }
    }
}

/// The observations of a watch.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) ended: Ended,
    /// The witness's message.
    pub(super) said: Option<Value>,
    /// The witness is lost, and must be replaced.
    pub(super) witness_lost: bool,
    pub(super) wall: Duration,
    /// Its wall time was up.
    pub(super) too_long: bool,
    /// It printed too much.
    pub(super) too_much: bool,
    /// It held too much memory.
    pub(super) too_big: bool,
    /// The worker ended it.
    pub(super) ended_here: bool,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// A program under watch.
pub(super) struct Watch<'a> {
    pub(super) process: Process<'a>,
    pub(super) witness: Witness<'a>,
    pub(super) output: File,
    pub(super) errors: File,
    pub(super) host: &'a UnixStream,
    pub(super) caps: &'a Caps,
    /// The sampler of its memory, if nothing else limits it.
    pub(super) sampler: Option<Sampler>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Default)]
struct State {
    ended: Option<Ended>,
    said: Option<Value>,
    witness_done: bool,
    witness_lost: bool,
    end_sent: bool,
    /// The time when it cut the connection to its tests.
    left: Option<Instant>,
    /// The CPU time that it had used when it was last asked.
    worked: Duration,
    /// The time when its memory was last looked at.
    sampled: Option<Instant>,
    /// The number of times it got more time.
    extended: u32,
    ended_here: bool,
    too_long: bool,
    too_much: bool,
    too_big: bool,
    output: Vec<u8>,
    errors: Vec<u8>,
    /// The bytes that the program sent to the worker so far.
    words: Vec<u8>,
    printed: u64,
    output_open: bool,
    errors_open: bool,
}

impl Watch<'_> {
    /// Watches until the end. An error is a failure of the sandbox.
    pub(super) fn see(mut self) -> Result<Seen, String> {
        let begun = Instant::now();
        let mut until = begun + Duration::from_millis(self.caps.wall_ms);
        // From the program's end on, only its tests may still have something to say.
        let mut closing = false;
        let mut state = State { output_open: true, errors_open: true, ..State::default() };
        state.witness_done = matches!(self.witness, Witness::Nobody);
        state.worked = self.witness.worked();
        while state.ended.is_none() || !state.witness_done {
            let now = Instant::now();
            if now >= until && closing {
                state.witness_lost = true;
                break;
            }
            if now >= until && !state.witness_done && self.still_works(&mut state) {
                until = now + Duration::from_millis(self.caps.wall_ms);
            } else if now >= until {
                // A program that has left its tests alone may take its time no more.
                state.too_long = !state.witness_done;
                self.end(&mut state);
            }
            if !closing && (state.end_sent || state.ended.is_some()) {
                (closing, until) = (true, now + GRACE);
            }
            if let Some(left) = state.left.take() {
                until = until.min(left + LEAVING);
            }
            self.step(&mut state, self.patience(until.saturating_duration_since(now)))?;
            self.look_at_memory(&mut state, begun);
        }
        self.drain(&mut state);
        let ended = state.ended.ok_or("a program could not be ended")?;
        Ok(Seen {
            ended,
            said: state.said,
            witness_lost: state.witness_lost,
            wall: begun.elapsed(),
            too_long: state.too_long,
            too_much: state.too_much,
            too_big: state.too_big,
            ended_here: state.ended_here,
            output: state.output,
            errors: state.errors,
        })
    }

    /// Returns whether it or its tests worked since this was asked last, as far as a busy machine let them:
    /// then it is not waiting. It is asked a few times at most, for tests have no end of their own.
    fn still_works(&self, state: &mut State) -> bool {
        const SHARE: u32 = 20;
        const MOST: u32 = 10;
        let worked = self.process.worked().unwrap_or_default() + self.witness.worked();
        let since = worked.saturating_sub(state.worked);
        (state.worked, state.extended) = (worked, state.extended + 1);
        state.extended <= MOST && since > Duration::from_millis(self.caps.wall_ms) / SHARE
    }

    /// The longest time to wait, so that memory is looked at now and then.
    fn patience(&self, patience: Duration) -> Duration {
        if self.sampler.is_some() { patience.min(PAUSE) } else { patience }
    }

    /// Ends a program that holds more memory than it may.
    fn look_at_memory(&self, state: &mut State, begun: Instant) {
        let due = state.sampled.unwrap_or(begun).elapsed() >= PAUSE && state.ended.is_none();
        let Some(sampler) = self.sampler.as_ref().filter(|_| due && !state.end_sent) else {
            return;
        };
        if sampler.exceeds() {
            state.too_big = true;
            self.end(state);
        }
        state.sampled = Some(Instant::now());
    }

    fn end(&self, state: &mut State) {
        if !state.end_sent {
            state.end_sent = true;
            state.ended_here = state.ended.is_none();
            // Of one that has ended, the number may be another's already.
            if state.ended_here {
                self.process.end();
            }
        }
    }

    /// Waits until something happens, and takes note of it.
    fn step(&mut self, state: &mut State, patience: Duration) -> Result<(), String> {
        let [host, process, witness, output, errors] = self.wait(state, patience)?;
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
            state.ended = Some(self.process.ended()?);
        }
        if witness {
            self.hear(state);
        }
        if state.printed > self.caps.output && !state.end_sent {
            state.too_much = true;
            self.end(state);
        }
        Ok(())
    }

    /// Returns for host, process, witness, output and errors whether they have something new.
    fn wait(&self, state: &State, patience: Duration) -> Result<[bool; 5], String> {
        let read = PollFlags::IN;
        let witness = match &self.witness {
            Witness::Tests(server) => Some(server.control.as_fd()),
            Witness::Examiner(examiner) => Some(examiner.watched.as_fd()),
            Witness::Program(connection) => Some(connection.as_fd()),
            Witness::Nobody => None,
        };
        let wanted = [
            Some((self.host.as_fd(), PollFlags::empty())),
            state.ended.is_none().then(|| (self.process.watched(), read)),
            witness.filter(|_| !state.witness_done).map(|file| (file, read)),
            state.output_open.then(|| (self.output.as_fd(), read)),
            state.errors_open.then(|| (self.errors.as_fd(), read)),
        ];
        let mut files: Vec<PollFd<'_>> = wanted
            .iter()
            .flatten()
            .map(|&(file, flags)| PollFd::from_borrowed_fd(file, flags))
            .collect();
        let patience = Timespec::try_from(patience).ok();
        match poll(&mut files, patience.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(format!("watch a program: {error}")),
        }
        let mut seen = files.iter().map(|file| !file.revents().is_empty());
        Ok(wanted.map(|file| file.is_some() && seen.next().unwrap_or(false)))
    }

    /// Listens to the witness; one message is all that it has to say.
    fn hear(&mut self, state: &mut State) {
        match &self.witness {
            Witness::Tests(server) => match server.answer_to_last(GRACE) {
                Ok(said) => state.said = Some(said),
                Err(_) => state.witness_lost = true,
            },
            Witness::Examiner(examiner) => state.said = examiner.said(),
            Witness::Program(connection) => {
                // Half a message is no last words, however slowly the rest may come.
                if !read_words(connection, &mut state.words) {
                    return;
                }
                state.said = frame::decode(&state.words);
            }
            Witness::Nobody => {}
        }
        state.witness_done = true;
        if let Witness::Tests(_) | Witness::Examiner(_) = self.witness {
            if state.said.as_ref().is_some_and(|said| said.get("gone").is_some()) {
                // How it ends says more than that it is gone.
                state.left = Some(Instant::now());
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

    /// Reads the rest of what was printed. Nobody is left to print more.
    fn drain(&mut self, state: &mut State) {
        while state.output_open && state.printed <= self.caps.output {
            self.read_output(state);
        }
        while state.errors_open && state.printed <= self.caps.output {
            self.read_errors(state);
        }
        state.too_much |= state.printed > self.caps.output;
    }
}

/// Reads what a program says to the worker; whether that is all: a message, or more than one may be.
fn read_words(mut connection: &UnixStream, words: &mut Vec<u8>) -> bool {
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

/// Reads what is there; whether there may be more.
fn read_some(file: &mut File, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 1 << 14];
    match file.read(&mut buffer) {
        // Nothing there at the moment; at the end, nothing will come.
        Ok(0) | Err(_) => false,
        Ok(count) => {
            into.extend_from_slice(&buffer[..count]);
            true
        }
    }
}
