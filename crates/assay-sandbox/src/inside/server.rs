//! The two long-lived Python processes: the fork server for candidates, and the test server.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use serde_json::{Value, json};

use super::child::{Role, Spawn, rlimits, spawn};
use super::root::context;
use super::wait_for_any;
use crate::frame;
use crate::message::{KEPT_SUITES, ProcessLimits, SelectedTest, SuiteSource};
use crate::sys::{self, ProcessExit};

/// The time limit for a server's start.
const START_TIMEOUT: Duration = Duration::from_mins(1);
/// The time limit for the tests' setup code.
const SETUP_TIMEOUT: Duration = Duration::from_mins(10);

/// A long-lived Python process.
pub(super) struct Server {
    pid: i32,
    pub(super) control: UnixStream,
    /// The connection to the host: without it, nothing is waited for.
    host: UnixStream,
    /// The number of requests, which is also the number of the last one.
    requests: u64,
    /// The number of candidates it has served.
    pub(super) served: u32,
    /// The limits of the candidates that it forks, besides their time.
    limits: Option<ProcessLimits>,
    /// The test suites that it has loaded, oldest first.
    suites: VecDeque<String>,
}

/// The resources that a server needs to start.
pub(super) struct ServerEnvironment<'a> {
    pub(super) python: &'a str,
    pub(super) scripts: &'a str,
    pub(super) folder: &'a str,
    pub(super) isolate: bool,
    pub(super) dev_null: &'a File,
    /// The connection to the host.
    pub(super) host: &'a UnixStream,
    /// The control group of the tests.
    pub(super) tests_group: Option<&'a File>,
}

impl Server {
    fn new(
        environment: &ServerEnvironment<'_>,
        script: &str,
        role: Role<'_>,
    ) -> Result<Self, String> {
        let (control, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        let host = environment.host.try_clone().map_err(context("copy a connection"))?;
        let nothing = environment.dev_null.as_fd();
        let script = format!("{}/{script}", environment.scripts);
        let command: Vec<String> =
            [environment.python, "-s", "-S", &script].iter().map(|&word| word.to_owned()).collect();
        let pid = spawn(&Spawn {
            command: &command,
            files: &[nothing, nothing, std::io::stderr().as_fd(), theirs.as_fd()],
            folder: environment.folder,
            role,
            isolate: environment.isolate,
            hidden: None,
        })?;
        let (served, suites) = (0, VecDeque::new());
        Ok(Self { pid, control, host, requests: 0, served, limits: None, suites })
    }

    /// Starts the server that forks candidates.
    pub(super) fn start_fork_server(
        environment: &ServerEnvironment<'_>,
        own: Option<&File>,
        limits: &ProcessLimits,
    ) -> Result<Self, String> {
        let server = Self {
            limits: Some(*limits),
            ..Self::new(environment, "zygote.py", Role::Forks(limits))?
        };
        let files: Vec<BorrowedFd<'_>> = own.iter().map(|own| own.as_fd()).collect();
        frame::send_with_files(&server.control, &[], &files).map_err(context("ask Python"))?;
        server.expect_ready(START_TIMEOUT)?;
        Ok(server)
    }

    /// Starts the server that runs the tests.
    pub(super) fn start_test_server(environment: &ServerEnvironment<'_>) -> Result<Self, String> {
        let server = Self::new(environment, "tester.py", Role::Tests(environment.tests_group))?;
        server.expect_ready(START_TIMEOUT)?;
        Ok(server)
    }

    fn expect_ready(&self, timeout: Duration) -> Result<(), String> {
        self.answer_within(timeout).and_then(|answer| is_ready(&answer))
    }

    /// Runs a test against the candidate at the other end of `connection`.
    ///
    /// The candidate may write the answers to independent calls to a sheet, all at once; `live` makes it answer one
    /// call after the other. The tests end themselves after this many seconds of CPU time.
    pub(super) fn start_test(
        &mut self,
        selected: &SelectedTest,
        live: bool,
        seconds: u64,
        connection: BorrowedFd<'_>,
        sheet: BorrowedFd<'_>,
    ) -> Result<(), String> {
        self.requests += 1;
        self.served += 1;
        let SelectedTest { key, test, seed, details, .. } = selected;
        let message = json!({
            "number": self.requests, "key": key, "test": test, "seed": seed, "live": live,
            "details": details, "seconds": seconds,
        });
        self.ask(&message, &[connection, sheet])
    }

    /// The answer to the last request, if it arrives in time. An answer to an earlier request means that the server is
    /// out of step and must be replaced.
    pub(super) fn answer_to_last(&self, timeout: Duration) -> Result<Value, String> {
        let answer = self.answer_within(timeout)?;
        if answer.get("number").and_then(Value::as_u64) == Some(self.requests) {
            Ok(answer)
        } else {
            Err("an answer to another question".to_owned())
        }
    }

    /// The next message, if it arrives in time.
    pub(super) fn answer_within(&self, timeout: Duration) -> Result<Value, String> {
        self.wait_for_bytes(timeout)?;
        let _ = self.control.set_read_timeout(Some(timeout));
        let answer = frame::receive(&self.control);
        let _ = self.control.set_read_timeout(None);
        match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err("Python ended".to_owned()),
            Err(error) => Err(format!("Python is silent: {error}")),
        }
    }

    /// Waits until there is something to read; fails if the host is gone first.
    fn wait_for_bytes(&self, timeout: Duration) -> Result<(), String> {
        let control = PollFd::new(&self.control, PollFlags::IN);
        let mut files = [control, PollFd::new(&self.host, PollFlags::empty())];
        if !wait_for_any(&mut files, Some(timeout)) {
            return Err("Python is silent".to_owned());
        }
        let host_is_gone = !files[1].revents().is_empty();
        if host_is_gone { Err("the host is gone".to_owned()) } else { Ok(()) }
    }

    /// Its process id.
    pub(super) fn pid(&self) -> Option<u32> {
        u32::try_from(self.pid).ok()
    }

    /// The CPU time it has used.
    pub(super) fn cpu_time(&self) -> Option<Duration> {
        cpu_time(self.pid)
    }

    /// The process id of the candidate that it forks, which it reports at once.
    pub(super) fn forked_pid(&self) -> Result<i32, String> {
        let mut number = [0; 8];
        self.read_within(START_TIMEOUT, &mut number)?;
        i32::try_from(u64::from_le_bytes(number)).map_err(context("fork a program"))
    }

    /// The exit of the candidate that it forked last.
    pub(super) fn wait_for_exit(&self, timeout: Duration) -> Result<ProcessExit, String> {
        let mut words = [0; ProcessExit::BYTES];
        self.read_within(timeout, &mut words)?;
        Ok(ProcessExit::from_bytes(&words))
    }

    /// The next bytes, if they arrive in time.
    fn read_within(&self, timeout: Duration, bytes: &mut [u8]) -> Result<(), String> {
        self.wait_for_bytes(timeout)?;
        let _ = self.control.set_read_timeout(Some(timeout));
        let read = (&self.control).read_exact(bytes);
        let _ = self.control.set_read_timeout(None);
        read.map_err(context("hear from Python"))
    }

    /// Sends bytes with files.
    pub(super) fn send(&self, bytes: &[u8], files: &[BorrowedFd<'_>]) -> Result<(), String> {
        frame::send_with_files(&self.control, bytes, files).map_err(context("ask Python"))
    }

    /// Sends a message with files.
    fn ask(&self, message: &Value, files: &[BorrowedFd<'_>]) -> Result<(), String> {
        self.send(message.to_string().as_bytes(), files)
    }

    /// Returns true if the candidates that it forks get these limits.
    pub(super) fn has_limits(&self, limits: &ProcessLimits) -> bool {
        self.limits.is_some_and(|own| rlimits(&own) == rlimits(limits))
    }

    /// Returns true if it uses so much memory that it should be replaced.
    pub(super) fn uses_much_memory(&self) -> bool {
        const PAGES: u64 = (512 << 20) / 4096;
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.pid)).unwrap_or_default();
        let resident = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
        resident.is_some_and(|pages: u64| pages > PAGES)
    }

    /// Returns true if it has loaded the suite called `key`.
    pub(super) fn has_suite(&self, key: &str) -> bool {
        self.suites.iter().any(|known| known == key)
    }

    /// Loads a suite, whose recorded answers are in `file` if it has any.
    pub(super) fn load_suite(
        &mut self,
        key: &str,
        suite: &SuiteSource,
        file: Option<&OwnedFd>,
    ) -> Result<(), String> {
        self.requests += 1;
        let dropped = if self.suites.len() >= KEPT_SUITES { self.suites.pop_front() } else { None };
        let message =
            json!({ "number": self.requests, "key": key, "forget": dropped, "learn": suite });
        self.ask(&message, &file.map(AsFd::as_fd).into_iter().collect::<Vec<_>>())?;
        self.suites.push_back(key.to_owned());
        let loaded = self.answer_to_last(SETUP_TIMEOUT).and_then(|answer| is_ready(&answer));
        if loaded.is_err() {
            self.suites.clear();
        }
        loaded
    }

    /// Kills it.
    pub(super) fn end(self) {
        sys::kill(self.pid);
        let _ = sys::wait(self.pid, true);
    }
}

/// The CPU time of a process, including the children that it has waited for.
pub(super) fn cpu_time(pid: i32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Four numbers of clock ticks (1/100 s), after the name and eleven other fields.
    let (_, numbers) = stat.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.filter_map(|number| number.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

/// Checks that an answer reports readiness.
fn is_ready(answer: &Value) -> Result<(), String> {
    match (answer.get("ready"), answer.get("broken").and_then(Value::as_str)) {
        (Some(Value::Bool(true)), _) => Ok(()),
        (_, Some(trace)) => Err(trace.trim().to_owned()),
        _ => Err("Python talks nonsense".to_owned()),
    }
}
