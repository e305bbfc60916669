//! Runs one job after the other.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use assay_core::Ending;
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::WorkerEnvironment;
use super::bare::Folder;
use super::child::{self, Role, Spawn};
use super::details::Details;
use super::memory::Sampler;
use super::root::{self, context};
use super::server::{Server, ServerEnvironment};
use super::two_processes::BuildCache;
use super::verdict;
use super::watch::{Observation, OutcomeSource, Process, Watch};
use crate::message::{Job, ProcessLimits, Report, Script, SelectedTest, Setup, Step};
use crate::sys;

/// The number of candidates after which the servers are replaced, so that nothing accumulates in them.
const RECYCLED: u32 = 2000;
/// The CPU seconds that the tests may use per candidate, in addition to twice the candidate's own limit.
const TESTER_SECONDS: u64 = 10;

/// The worker that serves jobs.
pub(super) struct Worker<'a> {
    host: &'a UnixStream,
    python: Option<String>,
    pub(super) environment: WorkerEnvironment,
    /// The size of the writable folder.
    writable: u64,
    pub(super) dev_null: File,
    fork_server: Option<Server>,
    test_server: Option<Server>,
    /// The builds of candidates and tests in two processes.
    pub(super) build_cache: BuildCache,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        host: &'a UnixStream,
        setup: &Setup,
        environment: WorkerEnvironment,
    ) -> Result<Self, String> {
        let dev_null = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
            .map_err(context("open /dev/null"))?;
        Ok(Self {
            host,
            python: setup.python.as_ref().map(|path| path.to_string_lossy().into_owned()),
            environment,
            writable: setup.writable,
            dev_null: File::from(dev_null),
            fork_server: None,
            test_server: None,
            build_cache: BuildCache::default(),
        })
    }

    /// Runs a job, with the files sent along with it.
    pub(super) fn work(&mut self, job: Job, files: &[OwnedFd]) -> Report {
        let outcome = match job {
            Job::Tests { program, tests, fresh, limits } => {
                self.run_tests(&program, tests.as_ref(), files.first(), fresh, &limits)
            }
            Job::Record { script, limits } => self.record(&script, files.first(), &limits),
            Job::Python { program, input, fresh, limits } => {
                self.run_python(&program, &input, fresh, &limits)
            }
            Job::TwoProcesses(job) => self.run_two_processes(&job),
            Job::Commands { files, steps, input } => self.run_commands(&files, &steps, &input),
        };
        let mut report = outcome.unwrap_or_else(|message| {
            // The failure must not affect the next candidate.
            self.end_servers();
            verdict::failure(message)
        });
        self.environment.memory.mechanism().clone_into(&mut report.evidence.memory_by);
        report
    }

    /// Removes the files of the last candidate; a worker that cannot must end.
    pub(super) fn clear(&mut self) -> Result<(), String> {
        match &self.environment.folder {
            Folder::Mounted => root::renew_writable(self.writable),
            Folder::Made(folder) => folder.clear(),
        }
    }

    /// Limits the memory of the next candidate; returns a sampler if nothing else limits it.
    pub(super) fn limit_memory(&mut self, limits: &ProcessLimits) -> Option<Sampler> {
        let servers = [&self.fork_server, &self.test_server].into_iter().flatten();
        let servers = servers.filter_map(Server::pid).collect();
        self.environment.memory.limit(limits.memory, servers)
    }

    /// Ends the servers.
    pub(super) fn end_servers(&mut self) {
        for server in [self.fork_server.take(), self.test_server.take()].into_iter().flatten() {
            server.end();
        }
        if self.environment.own_processes.is_some() {
            // The worker is the first process of its namespace: this reaches all others, also those that have lost
            // their server.
            sys::kill_all();
            while matches!(sys::wait(-1, true), Ok(Some(_))) {}
        }
    }

    fn server_environment(&self) -> Result<ServerEnvironment<'_>, String> {
        Ok(ServerEnvironment {
            python: self.python.as_deref().ok_or("there is no Python")?,
            scripts: &self.environment.scripts,
            folder: self.environment.folder.path(),
            isolate: self.environment.own_processes.is_some(),
            dev_null: &self.dev_null,
            host: self.host,
            tests_group: self.environment.memory.tests(),
        })
    }

    /// Starts the servers that a job needs.
    fn ensure_servers(
        &mut self,
        forks: Option<&ProcessLimits>,
        tests: Option<&SelectedTest>,
    ) -> Result<(), String> {
        let other_limits = |server: &Server| forks.is_some_and(|limits| !server.has_limits(limits));
        let worn = |server: &Server| server.served >= RECYCLED;
        let new = |server: &Server| tests.is_some_and(|selected| !server.has_suite(&selected.key));
        let full = |server: &Server| new(server) && server.uses_much_memory();
        let old = [
            self.fork_server.take_if(|server| worn(server) || other_limits(server)),
            self.test_server.take_if(|server| worn(server) || full(server)),
        ];
        old.into_iter().flatten().for_each(Server::end);
        if let (Some(limits), None) = (forks, &self.fork_server) {
            let own = self.environment.own_processes.as_ref();
            let server = Server::start_fork_server(&self.server_environment()?, own, limits)?;
            self.fork_server = Some(server);
        }
        if tests.is_some() && self.test_server.is_none() {
            self.test_server = Some(Server::start_test_server(&self.server_environment()?)?);
        }
        Ok(())
    }

    fn run_tests(
        &mut self,
        program: &Script,
        tests: Option<&SelectedTest>,
        recorded: Option<&OwnedFd>,
        fresh: bool,
        limits: &ProcessLimits,
    ) -> Result<Report, String> {
        self.ensure_servers((!fresh).then_some(limits), tests)?;
        if let (Some(selected), Some(server)) = (tests, &mut self.test_server)
            && !server.has_suite(&selected.key)
        {
            let Some(suite) = &selected.suite else {
                return Ok(Report { suite_unknown: true, ..verdict::failure(String::new()) });
            };
            server
                .load_suite(&selected.key, suite, recorded)
                .map_err(|trace| format!("the tests: {trace}"))?;
        }
        let mut observed = self.run_candidate(program, tests, false, fresh, limits)?;
        if verdict::wants_rerun(&observed) {
            self.clear()?;
            self.ensure_servers((!fresh).then_some(limits), tests)?;
            observed = self.run_candidate(program, tests, true, fresh, limits)?;
        }
        let ending = if program.mode == "calls" {
            verdict::ending_of_calls(&observed, limits)
        } else {
            verdict::ending_of_tests(&observed, limits, tests.is_none())
        };
        let details = Details::new(observed.outcome.as_ref(), &program.program, tests.is_some());
        Ok(details.added_to(verdict::report(observed, ending)))
    }

    /// Records the answers of a reference solution.
    fn record(
        &mut self,
        script: &Script,
        file: Option<&OwnedFd>,
        limits: &ProcessLimits,
    ) -> Result<Report, String> {
        self.ensure_servers(Some(limits), None)?;
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        let dev_null = File::open("/dev/null").map_err(context("open /dev/null"))?;
        let file = file.ok_or("there is no file to write to")?;
        let sheet = file.try_clone().map_err(context("copy a file"))?;
        let ends =
            CandidateFiles { input: dev_null, connection: theirs, sheet: Some(File::from(sheet)) };
        let running = self.start_python(script, &ends, false, limits)?;
        drop(ends);
        let observed = running.watch(self, OutcomeSource::Candidate(ours), limits)?;
        let ending = verdict::ending_of_run(&observed, limits);
        Ok(verdict::report(observed, ending))
    }

    /// Runs a candidate against a test, or by itself if it contains its tests.
    fn run_candidate(
        &mut self,
        program: &Script,
        tests: Option<&SelectedTest>,
        live: bool,
        fresh: bool,
        limits: &ProcessLimits,
    ) -> Result<Observation, String> {
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        // Opened again each time: changes that a candidate makes to it must not be visible to the next.
        let dev_null = File::open("/dev/null").map_err(context("open /dev/null"))?;
        let mut ends = CandidateFiles { input: dev_null, connection: theirs, sheet: None };
        if let (Some(selected), Some(server)) = (tests, &mut self.test_server) {
            let sheet = sys::memory_file(&[]).map_err(context("make a sheet for answers"))?;
            let seconds = TESTER_SECONDS + limits.cpu_kill_s * 2;
            server.start_test(selected, live, seconds, ours.as_fd(), sheet.as_fd())?;
            ends.sheet = Some(sheet);
        }
        let running = self.start_python(program, &ends, fresh, limits)?;
        drop(ends);
        let source = match &self.test_server {
            Some(server) if tests.is_some() => OutcomeSource::TestServer(server),
            _ => OutcomeSource::Candidate(ours),
        };
        let observed = running.watch(self, source, limits)?;
        if observed.source_lost {
            // A test server that did not answer is replaced.
            self.test_server.take().into_iter().for_each(Server::end);
        }
        Ok(observed)
    }

    fn run_python(
        &mut self,
        program: &Script,
        input: &str,
        fresh: bool,
        limits: &ProcessLimits,
    ) -> Result<Report, String> {
        self.ensure_servers((!fresh).then_some(limits), None)?;
        let (ours, theirs) = UnixStream::pair().map_err(context("make a connection"))?;
        let input = sys::memory_file(input.as_bytes()).map_err(context("write the input"))?;
        let ends = CandidateFiles { input, connection: theirs, sheet: None };
        let running = self.start_python(program, &ends, fresh, limits)?;
        drop(ends);
        let observed = running.watch(self, OutcomeSource::Candidate(ours), limits)?;
        let ending = verdict::ending_of_run(&observed, limits);
        Ok(verdict::report(observed, ending))
    }

    /// Starts Python code, forked or in a new interpreter.
    fn start_python(
        &mut self,
        script: &Script,
        ends: &CandidateFiles,
        fresh: bool,
        limits: &ProcessLimits,
    ) -> Result<RunningProcess, String> {
        let sampler = self.limit_memory(limits);
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let mut files = vec![ends.input.as_fd(), output, errors, ends.connection.as_fd()];
        files.extend(ends.sheet.as_ref().map(AsFd::as_fd));
        let Script { mode, preamble, program } = script;
        let head = format!("{mode} {} {}\n", limits.cpu_kill_s, preamble.len());
        let request = [head.as_bytes(), preamble.as_bytes(), program.as_bytes()].concat();
        if fresh {
            let described = sys::memory_file(&request).map_err(context("describe a program"))?;
            let environment = self.server_environment()?;
            let script = format!("{}/candidate.py", environment.scripts);
            let number = files.len().to_string();
            let command = [environment.python, "-s", "-S", script.as_str(), number.as_str()]
                .map(str::to_owned);
            files.push(described.as_fd());
            let role = Role::Python(limits, self.environment.own_processes.as_ref());
            let started = Some(self.start_command(&command, &files, role)?);
            return Ok(RunningProcess { forked: None, started, pipes: pipes.readers(), sampler });
        }
        let server = self.fork_server.as_mut().ok_or("there is no server")?;
        server.served += 1;
        server.send(&request, &files)?;
        let forked = Some(server.forked_pid()?);
        Ok(RunningProcess { forked, started: None, pipes: pipes.readers(), sampler })
    }

    fn run_commands(
        &mut self,
        files: &[(String, String)],
        steps: &[Step],
        input: &str,
    ) -> Result<Report, String> {
        let folder = Path::new(self.environment.folder.path());
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
        let sampler = self.limit_memory(&step.limits);
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let files = [input.as_fd(), output, errors];
        let role = Role::Compiled(&step.limits, self.environment.own_processes.as_ref());
        let started = Some(self.start_command(&step.command, &files, role)?);
        let running = RunningProcess { forked: None, started, pipes: pipes.readers(), sampler };
        let observed = running.watch(self, OutcomeSource::ExitStatus, &step.limits)?;
        let mut ending = verdict::ending_of_run(&observed, &step.limits);
        if step.compiles && matches!(ending, Ending::EarlyExit { .. } | Ending::Crashed { .. }) {
            let errors = String::from_utf8_lossy(&observed.errors);
            let errors = errors.trim();
            let message = if errors.is_empty() { "the compiler gave up" } else { errors };
            ending = Ending::SyntaxError { message: message.to_owned(), line: None };
        }
        Ok(verdict::report(observed, ending))
    }

    fn start_command(
        &self,
        command: &[String],
        files: &[BorrowedFd<'_>],
        role: Role<'_>,
    ) -> Result<(i32, OwnedFd), String> {
        self.start_in(self.environment.folder.path(), None, command, files, role)
    }

    /// Starts a command in a folder, with another one hidden.
    pub(super) fn start_in(
        &self,
        folder: &str,
        hidden: Option<&str>,
        command: &[String],
        files: &[BorrowedFd<'_>],
        role: Role<'_>,
    ) -> Result<(i32, OwnedFd), String> {
        let isolate = self.environment.own_processes.is_some();
        let pid = child::spawn(&Spawn { command, files, folder, role, isolate, hidden })?;
        let number = Pid::from_raw(pid).ok_or("no process")?;
        let watched =
            pidfd_open(number, PidfdFlags::empty()).map_err(context("watch a process"))?;
        Ok((pid, watched))
    }
}

/// The files of a Python candidate, besides those that it prints to.
struct CandidateFiles {
    input: File,
    /// The connection to the tests, or to the worker.
    connection: UnixStream,
    /// The file for its answers to its tests.
    sheet: Option<File>,
}

/// A process that was started.
pub(super) struct RunningProcess {
    /// The process that a server forked for it.
    pub(super) forked: Option<i32>,
    /// The process that the worker started for it.
    pub(super) started: Option<(i32, OwnedFd)>,
    pub(super) pipes: (File, File),
    /// The sampler of its memory.
    pub(super) sampler: Option<Sampler>,
}

impl RunningProcess {
    pub(super) fn watch(
        self,
        worker: &Worker<'_>,
        source: OutcomeSource<'_>,
        limits: &ProcessLimits,
    ) -> Result<Observation, String> {
        let process = match (self.started, self.forked, &worker.fork_server) {
            (Some((pid, watched)), ..) => Process::Started(pid, watched),
            (None, Some(pid), Some(server)) => Process::Forked(pid, server),
            _ => return Err("there is no process".to_owned()),
        };
        let (output, errors) = self.pipes;
        let (host, sampler) = (worker.host, self.sampler);
        Watch { process, source, output, errors, host, limits, sampler }.run()
    }
}

/// The pipes that a candidate prints to.
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
        let failed = context::<Errno>("make a pipe");
        Ok(Self { output: pipe().map_err(&failed)?, errors: pipe().map_err(&failed)? })
    }

    pub(super) fn writers(&self) -> (BorrowedFd<'_>, BorrowedFd<'_>) {
        (self.output.1.as_fd(), self.errors.1.as_fd())
    }

    /// The ends to read from; the others are closed.
    pub(super) fn readers(self) -> (File, File) {
        (File::from(self.output.0), File::from(self.errors.0))
    }
}
