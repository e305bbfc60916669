//! Does one job after the other.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use assay_core::Ending;
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::Ground;
use super::bare::Folder;
use super::child::{self, Role, Start};
use super::dialogue::Shelf;
use super::memory::Sampler;
use super::root::{self, context};
use super::server::{Server, ServerEnvironment};
use super::verdict;
use super::watch::{Process, Seen, Watch, Witness};
use crate::message::{Caps, Job, Report, Script, Setup, Step, TestChoice};
use crate::sys;

/// After so many programs the servers are replaced, so that nothing piles up in them.
const RECYCLED: u32 = 2000;
/// The number of seconds the tests may work on one program, beside twice as long as the program.
const TESTER_SECONDS: u64 = 10;

/// The worker that serves jobs.
pub(super) struct Worker<'a> {
    host: &'a UnixStream,
    python: Option<String>,
    pub(super) ground: Ground,
    /// The size of the folder for writing.
    writable: u64,
    pub(super) nothing: File,
    forking: Option<Server>,
    testing: Option<Server>,
    /// The builds for dialogues.
    pub(super) kept: Shelf,
}

impl<'a> Worker<'a> {
    pub(super) fn new(host: &'a UnixStream, setup: &Setup, ground: Ground) -> Result<Self, String> {
        let nothing = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
            .map_err(context("open /dev/null"))?;
        Ok(Self {
            host,
            python: setup.python.as_ref().map(|path| path.to_string_lossy().into_owned()),
            ground,
            writable: setup.writable,
            nothing: File::from(nothing),
            forking: None,
            testing: None,
            kept: Shelf::default(),
        })
    }

    /// Does a job, with the files that came along.
    pub(super) fn work(&mut self, job: Job, files: &[OwnedFd]) -> Report {
        let outcome = match job {
            Job::Examine { program, tests, fresh, caps } => {
                self.examine(&program, tests.as_ref(), files.first(), fresh, &caps)
            }
            Job::Record { script, caps } => self.record(&script, files.first(), &caps),
            Job::Python { program, input, fresh, caps } => {
                self.run_python(&program, &input, fresh, &caps)
            }
            Job::Dialogue(dialogue) => self.converse(&dialogue),
            Job::Commands { files, steps, input } => self.run_commands(&files, &steps, &input),
        };
        let mut report = outcome.unwrap_or_else(|message| {
            // Whatever is wrong, the next program shall not suffer from it.
            self.end_servers();
            verdict::failure(message)
        });
        self.ground.memory.held_by().clone_into(&mut report.evidence.memory_by);
        report
    }

    /// Clears away what the last program wrote; a worker that cannot must end.
    pub(super) fn clear(&mut self) -> Result<(), String> {
        match &self.ground.folder {
            Folder::Mounted => root::renew_writable(self.writable),
            Folder::Made(folder) => folder.clear(),
        }
    }

    /// Limits the memory of the next program; what looks at it while it runs, if nothing else holds it.
    pub(super) fn limit_memory(&mut self, caps: &Caps) -> Option<Sampler> {
        let servers = [&self.forking, &self.testing].into_iter().flatten();
        let servers = servers.filter_map(Server::number).collect();
        self.ground.memory.limit(caps.memory, servers)
    }

    /// Ends the servers.
    pub(super) fn end_servers(&mut self) {
        for server in [self.forking.take(), self.testing.take()].into_iter().flatten() {
            server.end();
        }
        if self.ground.own_processes.is_some() {
            // The worker is the first process of its namespace: this reaches all others, also those
            // that have lost their server.
            sys::kill_all();
            while matches!(sys::wait(-1, true), Ok(Some(_))) {}
        }
    }

    fn server_environment(&self) -> Result<ServerEnvironment<'_>, String> {
        Ok(ServerEnvironment {
            python: self.python.as_deref().ok_or("there is no Python")?,
            scripts: &self.ground.scripts,
            folder: self.ground.folder.path(),
            isolate: self.ground.own_processes.is_some(),
            nothing: &self.nothing,
            tests_group: self.ground.memory.tests(),
        })
    }

    /// Makes sure that the servers are there that a job needs.
    fn prepare(&mut self, forks: Option<&Caps>, tests: Option<&TestChoice>) -> Result<(), String> {
        let unsuited = |server: &Server| forks.is_some_and(|caps| !server.suits(caps));
        let worn = |server: &Server| server.served >= RECYCLED;
        let new = |server: &Server| tests.is_some_and(|choice| !server.knows(&choice.key));
        let full = |server: &Server| new(server) && server.is_heavy();
        let old = [
            self.forking.take_if(|server| worn(server) || unsuited(server)),
            self.testing.take_if(|server| worn(server) || full(server)),
        ];
        old.into_iter().flatten().for_each(Server::end);
        if let (Some(caps), None) = (forks, &self.forking) {
            let own = self.ground.own_processes.as_ref();
            let server = Server::forking(&self.server_environment()?, own, caps)?;
            self.forking = Some(server);
        }
        if tests.is_some() && self.testing.is_none() {
            self.testing = Some(Server::testing(&self.server_environment()?)?);
        }
        Ok(())
    }

    fn examine(
        &mut self,
        program: &Script,
        tests: Option<&TestChoice>,
        recorded: Option<&OwnedFd>,
        fresh: bool,
        caps: &Caps,
    ) -> Result<Report, String> {
        self.prepare((!fresh).then_some(caps), tests)?;
        if let (Some(choice), Some(server)) = (tests, &mut self.testing)
            && !server.knows(&choice.key)
        {
            let Some(exam) = &choice.exam else {
                return Ok(Report { exam_unknown: true, ..verdict::failure(String::new()) });
            };
            server
                .learn(&choice.key, exam, recorded)
                .map_err(|trace| format!("the tests: {trace}"))?;
        }
        let mut seen = self.put_through(program, tests, false, fresh, caps)?;
        if verdict::wants_again(&seen) {
            self.clear()?;
            self.prepare((!fresh).then_some(caps), tests)?;
            seen = self.put_through(program, tests, true, fresh, caps)?;
        }
        let ending = if program.mode == "calls" {
            verdict::examined_by_calls(&seen, caps)
        } else {
            verdict::examined(&seen, caps, tests.is_none())
        };
        Ok(verdict::report(seen, ending))
    }

    /// Has a task's own program write down what it answers.
    fn record(
        &mut self,
        script: &Script,
        file: Option<&OwnedFd>,
        caps: &Caps,
    ) -> Result<Report, String> {
        self.prepare(Some(caps), None)?;
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        let nothing = File::open("/dev/null").map_err(context("open /dev/null"))?;
        let file = file.ok_or("there is no file to write to")?;
        let sheet = file.try_clone().map_err(context("copy a file"))?;
        let ends = Ends { input: nothing, connection: theirs, sheet: Some(File::from(sheet)) };
        let running = self.start_python(script, &ends, false, caps)?;
        drop(ends);
        let seen = running.watch(self, Witness::Program(ours), caps)?;
        let ending = verdict::executed(&seen, caps);
        Ok(verdict::report(seen, ending))
    }

    /// Puts a program through tests, or lets it run that carries them itself.
    fn put_through(
        &mut self,
        program: &Script,
        tests: Option<&TestChoice>,
        live: bool,
        fresh: bool,
        caps: &Caps,
    ) -> Result<Seen, String> {
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        // Opened anew: what a program does to it is not to be seen by the next.
        let nothing = File::open("/dev/null").map_err(context("open /dev/null"))?;
        let mut ends = Ends { input: nothing, connection: theirs, sheet: None };
        if let (Some(choice), Some(server)) = (tests, &mut self.testing) {
            let sheet = sys::memory_file(&[]).map_err(context("make a sheet for answers"))?;
            let seconds = TESTER_SECONDS + caps.cpu_kill_s * 2;
            server.test(choice, live, seconds, ours.as_fd(), sheet.as_fd())?;
            ends.sheet = Some(sheet);
        }
        let running = self.start_python(program, &ends, fresh, caps)?;
        drop(ends);
        let witness = match &self.testing {
            Some(server) if tests.is_some() => Witness::Tests(server),
            _ => Witness::Program(ours),
        };
        let seen = running.watch(self, witness, caps)?;
        if seen.witness_lost {
            // A tester that did not answer is not asked again.
            self.testing.take().into_iter().for_each(Server::end);
        }
        Ok(seen)
    }

    fn run_python(
        &mut self,
        program: &Script,
        input: &str,
        fresh: bool,
        caps: &Caps,
    ) -> Result<Report, String> {
        self.prepare((!fresh).then_some(caps), None)?;
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        let input = sys::memory_file(input.as_bytes()).map_err(context("write the input"))?;
        let ends = Ends { input, connection: theirs, sheet: None };
        let running = self.start_python(program, &ends, fresh, caps)?;
        drop(ends);
        let seen = running.watch(self, Witness::Program(ours), caps)?;
        let ending = verdict::executed(&seen, caps);
        Ok(verdict::report(seen, ending))
    }

    /// Starts Python code, forked or in a new interpreter.
    fn start_python(
        &mut self,
        script: &Script,
        ends: &Ends,
        fresh: bool,
        caps: &Caps,
    ) -> Result<Running, String> {
        let sampler = self.limit_memory(caps);
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let mut files = vec![ends.input.as_fd(), output, errors, ends.connection.as_fd()];
        files.extend(ends.sheet.as_ref().map(AsFd::as_fd));
        let Script { mode, preamble, program } = script;
        let head = format!("{mode} {} {}\n", caps.cpu_kill_s, preamble.len());
        let request = [head.as_bytes(), preamble.as_bytes(), program.as_bytes()].concat();
        if fresh {
            let described = sys::memory_file(&request).map_err(context("describe a program"))?;
            let environment = self.server_environment()?;
            let script = format!("{}/candidate.py", environment.scripts);
            let number = files.len().to_string();
            let command = [environment.python, "-s", "-S", script.as_str(), number.as_str()]
                .map(str::to_owned);
            files.push(described.as_fd());
            let role = Role::Python(caps, self.ground.own_processes.as_ref());
            let started = Some(self.start_command(&command, &files, role)?);
            return Ok(Running { forked: None, started, pipes: pipes.readers(), sampler });
        }
        let server = self.forking.as_mut().ok_or("there is no server")?;
        server.served += 1;
        server.send(&request, &files)?;
        let forked = Some(server.forked()?);
        Ok(Running { forked, started: None, pipes: pipes.readers(), sampler })
    }

    fn run_commands(
        &mut self,
        files: &[(String, String)],
        steps: &[Step],
        input: &str,
    ) -> Result<Report, String> {
        let folder = Path::new(self.ground.folder.path());
        for (name, text) in files {
            fs::write(folder.join(name), text).map_err(context("write a program"))?;
        }
        let mut last = Err("no command".to_owned());
        for (number, step) in steps.iter().enumerate() {
            let typed = if number + 1 == steps.len() { input } else { "" };
            let input = sys::memory_file(typed.as_bytes()).map_err(context("write the input"))?;
            let report = self.run_step(step, &input)?;
            let ended_well = report.ending == Ending::Passed;
            last = Ok(report);
            if !ended_well {
                break;
            }
        }
        last
    }

    pub(super) fn run_step(&mut self, step: &Step, input: &File) -> Result<Report, String> {
        let sampler = self.limit_memory(&step.caps);
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let files = [input.as_fd(), output, errors];
        let role = Role::Compiled(&step.caps, self.ground.own_processes.as_ref());
        let started = Some(self.start_command(&step.command, &files, role)?);
        let running = Running { forked: None, started, pipes: pipes.readers(), sampler };
        let seen = running.watch(self, Witness::Nobody, &step.caps)?;
        let mut ending = verdict::executed(&seen, &step.caps);
        if step.compiles && matches!(ending, Ending::EarlyExit { .. } | Ending::Crashed { .. }) {
            let errors = String::from_utf8_lossy(&seen.errors);
            let said = errors.trim();
            let message = if said.is_empty() { "the compiler gave up" } else { said };
            ending = Ending::SyntaxError { message: message.to_owned(), line: None };
        }
        Ok(verdict::report(seen, ending))
    }

    fn start_command(
        &self,
        command: &[String],
        files: &[BorrowedFd<'_>],
        role: Role<'_>,
    ) -> Result<(i32, OwnedFd), String> {
        self.start_in(self.ground.folder.path(), None, command, files, role)
    }

    /// Starts a command in a folder, out of sight of another one.
    pub(super) fn start_in(
        &self,
        folder: &str,
        hidden: Option<&str>,
        command: &[String],
        files: &[BorrowedFd<'_>],
        role: Role<'_>,
    ) -> Result<(i32, OwnedFd), String> {
        let isolate = self.ground.own_processes.is_some();
        let pid = child::start(&Start { command, files, folder, role, isolate, hidden })?;
        let number = Pid::from_raw(pid).ok_or("no process")?;
        let watched =
            pidfd_open(number, PidfdFlags::empty()).map_err(context("watch a process"))?;
        Ok((pid, watched))
    }
}

/// The ends of a Python program's connections, besides those that it prints to.
struct Ends {
    input: File,
    /// To the tests, or to the worker.
    connection: UnixStream,
    /// The file for its answers to its tests.
    sheet: Option<File>,
}

/// A program that was started.
pub(super) struct Running {
    /// The process that a server has forked for it.
    pub(super) forked: Option<i32>,
    /// The process that the worker has started for it.
    pub(super) started: Option<(i32, OwnedFd)>,
    pub(super) pipes: (File, File),
    /// The sampler of its memory.
    pub(super) sampler: Option<Sampler>,
}

impl Running {
    pub(super) fn watch(
        self,
        worker: &Worker<'_>,
        witness: Witness<'_>,
        caps: &Caps,
    ) -> Result<Seen, String> {
        let process = match (self.started, self.forked, &worker.forking) {
            (Some((pid, watched)), ..) => Process::Started(pid, watched),
            (None, Some(pid), Some(server)) => Process::Forked(pid, server),
            _ => return Err("there is no process".to_owned()),
        };
        let (output, errors) = self.pipes;
        let (host, sampler) = (worker.host, self.sampler);
        Watch { process, witness, output, errors, host, caps, sampler }.see()
    }
}

/// The pipes that a program prints to.
pub(super) struct Pipes {
    output: (OwnedFd, OwnedFd),
    errors: (OwnedFd, OwnedFd),
}

impl Pipes {
    pub(super) fn new() -> Result<Self, String> {
        let pipe = || {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
            fcntl_setfl(&reader, OFlags::NONBLOCK)?;
            Ok((reader, writer))
        };
        let told = context::<Errno>("make a pipe");
        Ok(Self { output: pipe().map_err(&told)?, errors: pipe().map_err(&told)? })
    }

    pub(super) fn writers(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.output.1.as_fd(), self.errors.1.as_fd())
    }

    /// The ends to read from; the others are closed.
    pub(super) fn readers(self) -> (File, File) {
        (File::from(self.output.0), File::from(self.errors.0))
    }
}
