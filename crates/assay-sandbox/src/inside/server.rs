//! The two Python processes that stay: one forks programs, the other holds the tests.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::child::{Role, Start, limits, start};
use super::root::context;
use crate::frame;
use crate::message::{Caps, ExamText, KEPT_EXAMS, TestChoice};
use crate::sys::{self, Ended};

/// The time a server may take to say that it is ready.
const START: Duration = Duration::from_mins(1);
/// The time the tests' own code may take before the first program is put through them.
const SETTING: Duration = Duration::from_mins(10);

/// A Python process that stays.
pub(super) struct Server {
    pid: i32,
    pub(super) control: UnixStream,
    /// The number of questions it was asked; each has its number.
    asked: u64,
    /// The number of programs it has served.
    pub(super) served: u32,
    /// The limits of the programs that it forks, besides their time.
    caps: Option<Caps>,
    /// The exams that it knows, the oldest first.
    exams: VecDeque<String>,
}

/// The resources that a server needs to start.
pub(super) struct ServerEnvironment<'a> {
    pub(super) python: &'a str,
    pub(super) scripts: &'a str,
    pub(super) folder: &'a str,
    pub(super) isolate: bool,
    pub(super) nothing: &'a File,
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
        let nothing = environment.nothing.as_fd();
        let script = format!("{}/{script}", environment.scripts);
        let command: Vec<String> =
            [environment.python, "-s", "-S", &script].iter().map(|&word| word.to_owned()).collect();
        let pid = start(&Start {
            command: &command,
            files: &[nothing, nothing, std::io::stderr().as_fd(), theirs.as_fd()],
            folder: environment.folder,
            role,
            isolate: environment.isolate,
            hidden: None,
        })?;
        Ok(Self { pid, control, asked: 0, served: 0, caps: None, exams: VecDeque::new() })
    }

    /// The server that forks programs.
    pub(super) fn forking(
        environment: &ServerEnvironment<'_>,
        own: Option<&File>,
        caps: &Caps,
    ) -> Result<Self, String> {
        let server =
            Self { caps: Some(*caps), ..Self::new(environment, "zygote.py", Role::Forks(caps))? };
        let files: Vec<BorrowedFd<'_>> = own.iter().map(|own| own.as_fd()).collect();
        frame::send_with_files(&server.control, &[], &files).map_err(context("ask Python"))?;
        server.expect_ready(START)?;
        Ok(server)
    }

    /// The server that holds the tests.
    pub(super) fn testing(environment: &ServerEnvironment<'_>) -> Result<Self, String> {
        let server = Self::new(environment, "tester.py", Role::Tests(environment.tests_group))?;
        server.expect_ready(START)?;
        Ok(server)
    }

    fn expect_ready(&self, patience: Duration) -> Result<(), String> {
        self.answer_within(patience).and_then(|answer| is_ready(&answer))
    }

    /// Puts a program, at the other end of `connection`, through a test.
    /// Its answers may come on a sheet, all those at once that do not depend on each other; `live`
    /// keeps to one after the other. The tests end themselves after so many seconds of work.
    pub(super) fn test(
        &mut self,
        choice: &TestChoice,
        live: bool,
        seconds: u64,
        connection: BorrowedFd<'_>,
        sheet: BorrowedFd<'_>,
    ) -> Result<(), String> {
        self.asked += 1;
        self.served += 1;
        let TestChoice { key, test, seed, details, .. } = choice;
        let message = json!({
            "number": self.asked, "key": key, "test": test, "seed": seed, "live": live,
            "details": details, "seconds": seconds,
        });
        self.ask(&message, &[connection, sheet])
    }

    /// The answer to the last question, if it comes in time. One to another question comes from a time
    /// that nobody waited for: whoever gives it is lost.
    pub(super) fn answer_to_last(&self, patience: Duration) -> Result<Value, String> {
        let answer = self.answer_within(patience)?;
        if answer.get("number").and_then(Value::as_u64) == Some(self.asked) {
            Ok(answer)
        } else {
            Err("an answer to another question".to_owned())
        }
    }

    /// The next message, if it comes in time.
    pub(super) fn answer_within(&self, patience: Duration) -> Result<Value, String> {
        let _ = self.control.set_read_timeout(Some(patience));
        let answer = frame::receive(&self.control);
        let _ = self.control.set_read_timeout(None);
        match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err("Python ended".to_owned()),
            Err(error) => Err(format!("Python is silent: {error}")),
        }
    }

    /// Its number, for whoever looks at all processes.
    pub(super) fn number(&self) -> Option<u32> {
        u32::try_from(self.pid).ok()
    }

    /// The CPU time that it has used.
    pub(super) fn worked(&self) -> Option<Duration> {
        worked(self.pid)
    }

    /// The number of the process that it forks, which it tells at once.
    pub(super) fn forked(&self) -> Result<i32, String> {
        let mut number = [0; 8];
        self.read_within(START, &mut number)?;
        i32::try_from(u64::from_le_bytes(number)).map_err(context("fork a program"))
    }

    /// Returns the exit status of the program that it forked last.
    pub(super) fn ended_within(&self, patience: Duration) -> Result<Ended, String> {
        let mut words = [0; Ended::WORDS];
        self.read_within(patience, &mut words)?;
        Ok(Ended::from_words(&words))
    }

    /// The next few bytes, if they come in time.
    fn read_within(&self, patience: Duration, bytes: &mut [u8]) -> Result<(), String> {
        let _ = self.control.set_read_timeout(Some(patience));
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

    /// Returns whether the programs that it forks get these limits.
    pub(super) fn suits(&self, caps: &Caps) -> bool {
        self.caps.is_some_and(|own| limits(&own) == limits(caps))
    }

    /// Returns whether it holds so much that it is better replaced.
    pub(super) fn is_heavy(&self) -> bool {
        const PAGES: u64 = (512 << 20) / 4096;
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.pid)).unwrap_or_default();
        let resident = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
        resident.is_some_and(|pages: u64| pages > PAGES)
    }

    /// Returns whether it has the exam called `key`.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.exams.iter().any(|known| known == key)
    }

    /// Teaches it an exam, whose recorded answers are in `file` if it has any.
    pub(super) fn learn(
        &mut self,
        key: &str,
        exam: &ExamText,
        file: Option<&OwnedFd>,
    ) -> Result<(), String> {
        self.asked += 1;
        let forgotten = if self.exams.len() >= KEPT_EXAMS { self.exams.pop_front() } else { None };
        let message =
            json!({ "number": self.asked, "key": key, "forget": forgotten, "learn": exam });
        self.ask(&message, &file.map(AsFd::as_fd).into_iter().collect::<Vec<_>>())?;
        self.exams.push_back(key.to_owned());
        let learned = self.answer_to_last(SETTING).and_then(|answer| is_ready(&answer));
        if learned.is_err() {
            self.exams.clear();
        }
        learned
    }

    /// Ends it.
    pub(super) fn end(self) {
        sys::kill(self.pid);
        let _ = sys::wait(self.pid, true);
    }
}

/// The CPU time of a process, with that of the children that it has waited for.
pub(super) fn worked(pid: i32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Four numbers, after the name and eleven others, in hundredths of a second.
    let (_, numbers) = stat.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.filter_map(|number| number.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

/// Returns whether an answer says that all is ready.
fn is_ready(answer: &Value) -> Result<(), String> {
    match (answer.get("ready"), answer.get("broken").and_then(Value::as_str)) {
        (Some(Value::Bool(true)), _) => Ok(()),
        (_, Some(trace)) => Err(trace.trim().to_owned()),
        _ => Err("Python talks nonsense".to_owned()),
    }
}
