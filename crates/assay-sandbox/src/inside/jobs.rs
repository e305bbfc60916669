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
use serde_json::{Value, json};

use super::child::{self, Role, Start};
use super::root::{self, told};
use super::server::{Place, Server};
use super::verdict;
use super::watch::{Process, Watch, Witness};
use super::{Ground, filter};
use crate::message::{Caps, Job, Report, Script, Setup, Step, TestChoice};
use crate::sys;

/// After so many programs the servers are replaced, so that nothing piles up in them.
const RECYCLED: u32 = 2000;

/// What serves jobs.
pub(super) struct Worker<'a> {
    host: &'a UnixStream,
    python: Option<String>,
    scripts: String,
    ground: Ground,
    /// The size of the folder for writing.
    writable: u64,
    /// The filter of system calls, as Python takes it.
    instructions: String,
    nothing: File,
    forking: Option<Server>,
    testing: Option<Server>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(host: &'a UnixStream, setup: &Setup, ground: Ground) -> Result<Self, String> {
        let instructions = filter::instructions(&filter::program()?);
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
            instructions: instructions.iter().map(|byte| format!("{byte:02x}")).collect(),
            nothing: File::from(nothing),
            forking: None,
            testing: None,
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
            let server = Server::forking(&self.place()?, &self.instructions, own, caps)?;
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
        let (ours, theirs) = UnixStream::pair().map_err(told("make a connection"))?;
        if let (Some(choice), Some(server)) = (tests, &mut self.testing) {
            if !server.knows(&choice.key) {
                let Some(exam) = &choice.exam else {
                    return Ok(Report { exam_unknown: true, ..verdict::failure(String::new()) });
                };
                server.learn(&choice.key, exam).map_err(|trace| format!("the tests: {trace}"))?;
            }
            server.test(choice, ours.as_fd())?;
        }
        // Opened anew: what a program does to it is not to be seen by the next.
        let nothing = File::open("/dev/null").map_err(told("open /dev/null"))?;
        let running = self.start_python(program, &nothing, &theirs, fresh, caps)?;
        drop(theirs);
        let witness = match &self.testing {
            Some(server) if tests.is_some() => Witness::Tests(server),
            _ => Witness::Program(ours),
        };
        let seen = running.watch(self, witness, caps)?;
        if seen.witness_lost {
            // A tester that did not answer is not asked again.
            self.testing.take().into_iter().for_each(Server::end);
        }
        let ending = verdict::examined(&seen, caps, tests.is_none());
        Ok(verdict::report(seen, ending))
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
        let running = self.start_python(program, &input, &theirs, fresh, caps)?;
        drop(theirs);
        let seen = running.watch(self, Witness::Program(ours), caps)?;
        let ending = verdict::executed(&seen, caps);
        Ok(verdict::report(seen, ending))
    }

    /// Starts Python code, forked or in a new interpreter.
    fn start_python(
        &mut self,
        script: &Script,
        input: &File,
        connection: &UnixStream,
        fresh: bool,
        caps: &Caps,
    ) -> Result<Running, String> {
        let pipes = Pipes::new()?;
        let mut request = json!({
            "mode": script.mode,
            "preamble": script.preamble,
            "program": script.program,
        });
        let streams = pipes.writers();
        if fresh {
            let described = serde_json::to_vec(&request).map_err(told("describe a program"))?;
            let described = sys::memory_file(&described).map_err(told("describe a program"))?;
            let place = self.place()?;
            let script = format!("{}/candidate.py", place.scripts);
            let command = [place.python.to_owned(), "-s".to_owned(), script];
            let (output, errors) = streams;
            let (input, described) = (input.as_fd(), described.as_fd());
            let files = [input, output, errors, connection.as_fd(), described];
            let role = Role::Python(caps, self.ground.own_processes.as_ref());
            let started = Some(self.start_command(&command, &files, role)?);
            return Ok(Running { started, pipes: pipes.readers() });
        }
        request["seconds"] = Value::from(caps.cpu_kill_s);
        let server = self.forking.as_mut().ok_or("there is no server")?;
        server.served += 1;
        let (output, errors) = streams;
        server.ask(&request, &[input.as_fd(), output, errors, connection.as_fd()])?;
        Ok(Running { started: None, pipes: pipes.readers() })
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

    fn run_step(&mut self, step: &Step, input: &File) -> Result<Report, String> {
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let files = [input.as_fd(), output, errors];
        let role = Role::Compiled(&step.caps, self.ground.own_processes.as_ref());
        let started = Some(self.start_command(&step.command, &files, role)?);
        let running = Running { started, pipes: pipes.readers() };
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
        let pid = child::start(&Start {
            command,
            files,
            folder: &self.ground.folder,
            role,
            isolate: self.ground.own_processes.is_some(),
        })?;
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

/// A program that was started.
struct Running {
    /// Its process, unless a server forked it.
    started: Option<(i32, OwnedFd)>,
    pipes: (File, File),
}

impl Running {
    fn watch(
        self,
        worker: &Worker<'_>,
        witness: Witness<'_>,
        caps: &Caps,
    ) -> Result<super::watch::Seen, String> {
        let process = match (self.started, &worker.forking) {
            (Some((pid, watched)), _) => Process::Started(pid, watched),
            (None, Some(server)) => Process::Forked(server),
            (None, None) => return Err("there is no server".to_owned()),
        };
        let (output, errors) = self.pipes;
        Watch { process, witness, output, errors, host: worker.host, caps }.see()
    }
}

/// Where a program prints to.
struct Pipes {
    output: (OwnedFd, OwnedFd),
    errors: (OwnedFd, OwnedFd),
}

impl Pipes {
    fn new() -> Result<Self, String> {
        let pipe = || {
            let (reader, writer) = pipe2(OFlag::O_CLOEXEC)?;
            fcntl(&reader, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            Ok((reader, writer))
        };
        let told = told::<nix::errno::Errno>("make a pipe");
        Ok(Self { output: pipe().map_err(&told)?, errors: pipe().map_err(&told)? })
    }

    fn writers(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.output.1.as_fd(), self.errors.1.as_fd())
    }

    /// The ends to read from; the others are closed.
    fn readers(self) -> (File, File) {
        (File::from(self.output.0), File::from(self.errors.0))
    }
}
