//! Does one job after the other.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use assay_core::Ending;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::mount::{MntFlags, umount2};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, pipe2};

use super::Ground;
use super::child::{self, Role, Start};
use super::dialogue::Shelf;
use super::root::{self, told};
use super::server::{Place, Server};
use super::verdict;
use super::watch::{Process, Seen, Watch, Witness};
use crate::message::{Caps, Job, Report, Script, Setup, Step, TestChoice};
use crate::sys;

/// After so many programs the servers are replaced, so that nothing piles up in them.
const RECYCLED: u32 = 2000;

/// What serves jobs.
pub(super) struct Worker<'a> {
    host: &'a UnixStream,
    python: Option<String>,
    scripts: String,
    pub(super) ground: Ground,
    /// The size of the folder for writing.
    writable: u64,
    pub(super) nothing: File,
    forking: Option<Server>,
    testing: Option<Server>,
    /// What was built for dialogues.
    pub(super) kept: Shelf,
}

impl<'a> Worker<'a> {
    pub(super) fn new(host: &'a UnixStream, setup: &Setup, ground: Ground) -> Result<Self, String> {
        let nothing =
            nix::fcntl::open("/dev/null", OFlag::O_RDWR | OFlag::O_CLOEXEC, Mode::empty())
                .map_err(told("open /dev/null"))?;
        let scripts = if ground.own_processes.is_some() {
            root::OWN.to_owned()
        } else {
            let folder = format!("{}.scripts", ground.folder);
            root::write_scripts(&folder)?;
            folder
        };
        Ok(Self {
            host,
            python: setup.python.as_ref().map(|path| path.to_string_lossy().into_owned()),
            scripts,
            ground,
            writable: setup.writable,
            nothing: File::from(nothing),
            forking: None,
            testing: None,
            kept: Shelf::default(),
        })
    }

    /// Does a job.
    pub(super) fn work(&mut self, job: Job) -> Report {
        let outcome = match job {
            Job::Examine { program, tests, fresh, caps } => {
                self.examine(&program, tests.as_ref(), fresh, &caps)
            }
            Job::Python { program, input, fresh, caps } => {
                self.run_python(&program, &input, fresh, &caps)
            }
            Job::Dialogue(dialogue) => self.converse(&dialogue),
            Job::Commands { files, steps, input } => self.run_commands(&files, &steps, &input),
        };
        outcome.unwrap_or_else(|message| {
            // Whatever is wrong, the next program shall not suffer from it.
            self.end_servers();
            verdict::failure(message)
        })
    }

    /// Clears away what the last program wrote.
    pub(super) fn clear(&mut self) {
        let folder = self.ground.folder.clone();
        let mut cleared = restore(&folder);
        let left: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        for entry in left {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            cleared &= removed.is_ok();
        }
        if !cleared && self.ground.own_processes.is_some() {
            // Whatever it has built there, it goes with the whole file system.
            self.end_servers();
            let _ = umount2(folder.as_str(), MntFlags::MNT_DETACH);
            let _ = root::mount_writable(self.writable);
        }
    }

    /// Ends the servers.
    pub(super) fn end(&mut self) {
        self.end_servers();
        if self.ground.own_processes.is_none() {
            let _ = fs::remove_dir_all(&self.scripts);
        }
    }

    fn end_servers(&mut self) {
        for server in [self.forking.take(), self.testing.take()].into_iter().flatten() {
            server.end();
        }
        if self.ground.own_processes.is_some() {
            // The worker is the first process of its namespace: this reaches all others, also those
            // that have lost their server.
            let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
            while matches!(sys::wait(-1, true), Ok(Some(_))) {}
        }
    }

    fn place(&self) -> Result<Place<'_>, String> {
        Ok(Place {
            python: self.python.as_deref().ok_or("there is no Python")?,
            scripts: &self.scripts,
            folder: &self.ground.folder,
            isolate: self.ground.own_processes.is_some(),
            nothing: &self.nothing,
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
            let server = Server::forking(&self.place()?, own, caps)?;
            self.forking = Some(server);
        }
        if tests.is_some() && self.testing.is_none() {
            self.testing = Some(Server::testing(&self.place()?)?);
        }
        Ok(())
    }

    fn examine(
        &mut self,
        program: &Script,
        tests: Option<&TestChoice>,
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
            server.learn(&choice.key, exam).map_err(|trace| format!("the tests: {trace}"))?;
        }
        let mut seen = self.put_through(program, tests, false, fresh, caps)?;
        if verdict::wants_again(&seen) {
            self.clear();
            self.prepare((!fresh).then_some(caps), tests)?;
            seen = self.put_through(program, tests, true, fresh, caps)?;
        }
        let ending = verdict::examined(&seen, caps, tests.is_none());
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
        let (ours, theirs) = UnixStream::pair().map_err(told("make a connection"))?;
        // Opened anew: what a program does to it is not to be seen by the next.
        let nothing = File::open("/dev/null").map_err(told("open /dev/null"))?;
        let mut ends = Ends { input: nothing, connection: theirs, sheet: None };
        if let (Some(choice), Some(server)) = (tests, &mut self.testing) {
            let sheet = sys::memory_file(&[]).map_err(told("make a sheet for answers"))?;
            server.test(choice, live, ours.as_fd(), sheet.as_fd())?;
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
        let (ours, theirs) = UnixStream::pair().map_err(told("make a connection"))?;
        let input = sys::memory_file(input.as_bytes()).map_err(told("write the input"))?;
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
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let mut files = vec![ends.input.as_fd(), output, errors, ends.connection.as_fd()];
        files.extend(ends.sheet.as_ref().map(AsFd::as_fd));
        let Script { mode, preamble, program } = script;
        let head = format!("{mode} {} {}\n", caps.cpu_kill_s, preamble.len());
        let request = [head.as_bytes(), preamble.as_bytes(), program.as_bytes()].concat();
        if fresh {
            let described = sys::memory_file(&request).map_err(told("describe a program"))?;
            let place = self.place()?;
            let script = format!("{}/candidate.py", place.scripts);
            let number = files.len().to_string();
            let command = [place.python.to_owned(), "-s".to_owned(), script, number];
            files.push(described.as_fd());
            let role = Role::Python(caps, self.ground.own_processes.as_ref());
            let started = Some(self.start_command(&command, &files, role)?);
            return Ok(Running { forked: None, started, pipes: pipes.readers() });
        }
        let server = self.forking.as_mut().ok_or("there is no server")?;
        server.served += 1;
        server.send(&request, &files)?;
        let forked = Some(server.forked()?);
        Ok(Running { forked, started: None, pipes: pipes.readers() })
    }

    fn run_commands(
        &mut self,
        files: &[(String, String)],
        steps: &[Step],
        input: &str,
    ) -> Result<Report, String> {
        let folder = Path::new(&self.ground.folder);
        for (name, text) in files {
            fs::write(folder.join(name), text).map_err(told("write a program"))?;
        }
        let mut last = Err("no command".to_owned());
        for (number, step) in steps.iter().enumerate() {
            let typed = if number + 1 == steps.len() { input } else { "" };
            let input = sys::memory_file(typed.as_bytes()).map_err(told("write the input"))?;
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
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let files = [input.as_fd(), output, errors];
        let role = Role::Compiled(&step.caps, self.ground.own_processes.as_ref());
        let started = Some(self.start_command(&step.command, &files, role)?);
        let running = Running { forked: None, started, pipes: pipes.readers() };
        let seen = running.watch(self, Witness::Nobody, &step.caps)?;
        let mut ending = verdict::executed(&seen, &step.caps);
        if step.compiles && matches!(ending, Ending::EarlyExit { .. }) {
            let errors = String::from_utf8_lossy(&seen.errors);
            ending = Ending::SyntaxError { message: errors.trim().to_owned(), line: None };
        }
        Ok(verdict::report(seen, ending))
    }

    fn start_command(
        &self,
        command: &[String],
        files: &[BorrowedFd<'_>],
        role: Role<'_>,
    ) -> Result<(i32, OwnedFd), String> {
        self.start_in(&self.ground.folder, None, command, files, role)
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
        let number = rustix::process::Pid::from_raw(pid).ok_or("no process")?;
        let watched = rustix::process::pidfd_open(number, rustix::process::PidfdFlags::empty())
            .map_err(told("watch a process"))?;
        Ok((pid, watched))
    }
}

/// Gives the folder its rights back, which a program may have taken from it; whether it has them.
fn restore(folder: &str) -> bool {
    const ALL: u32 = 0o1777;
    let has = fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o7777 == ALL);
    has || fs::set_permissions(folder, fs::Permissions::from_mode(ALL)).is_ok()
}

/// The ends of a Python program's connections, besides those that it prints to.
struct Ends {
    input: File,
    /// To the tests, or to the worker.
    connection: UnixStream,
    /// Where it writes answers for its tests.
    sheet: Option<File>,
}

/// A program that was started.
pub(super) struct Running {
    /// The process that a server has forked for it.
    pub(super) forked: Option<i32>,
    /// The process that the worker has started for it.
    pub(super) started: Option<(i32, OwnedFd)>,
    pub(super) pipes: (File, File),
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
        Watch { process, witness, output, errors, host: worker.host, caps }.see()
    }
}

/// Where a program prints to.
pub(super) struct Pipes {
    output: (OwnedFd, OwnedFd),
    errors: (OwnedFd, OwnedFd),
}

impl Pipes {
    pub(super) fn new() -> Result<Self, String> {
        let pipe = || {
            let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
            fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            Ok((reader, writer))
        };
        let told = told::<nix::errno::Errno>("make a pipe");
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
