//! One worker, as the host sees it.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use assay_core::{Error, Result};
use tracing::debug;

use super::cgroup::Group;
use crate::frame;
use crate::inside::WORKER_ARGUMENT;
use crate::message::{Handshake, Job, Layers, Report, Setup};

/// A worker's process and the connection to it.
pub(crate) struct Worker {
    process: Child,
    connection: UnixStream,
    /// The isolation between its candidates and the host.
    pub(crate) layers: Layers,
    /// The control group that limits its memory, if the machine has it.
    pub(crate) group: Option<Group>,
    /// The test suites that it has, oldest first.
    pub(crate) suites: VecDeque<String>,
}

impl Worker {
    /// Starts a worker from `executable`.
    pub(crate) fn start(executable: &Path, setup: &Setup) -> Result<Self> {
        let failed = |error| Error::failed("a worker of the sandbox did not start").because(error);
        let started = Instant::now();
        let (connection, theirs) = UnixStream::pair().map_err(failed)?;
        #[expect(clippy::disallowed_methods, reason = "the one place where workers are started")]
        let mut command = Command::new(executable);
        command.arg(WORKER_ARGUMENT).env_clear();
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null());
        command.stderr(Stdio::null());
        // Ctrl-C is handled by the host: grading in progress is finished.
        command.process_group(0);
        let mut process = command.spawn().map_err(failed)?;
        drop(command);
        let group = Group::new(process.id());
        let setup = Setup { group: group.as_ref().map(Group::files), ..setup.clone() };
        let handshake = frame::send(&connection, &setup).and_then(|()| frame::receive(&connection));
        let problem = match handshake {
            Ok(Some(Handshake::Ready(layers))) => {
                let missing: Vec<&str> =
                    layers.missing().map(|layer| layer.name.as_str()).collect();
                let (pid, wall_s) = (process.id(), started.elapsed().as_secs_f64());
                debug!(pid, wall_s, memory_by = layers.memory_by, ?missing, "a worker started");
                return Ok(Self { process, connection, layers, group, suites: VecDeque::new() });
            }
            Ok(Some(Handshake::Failed(problem))) => problem,
            Ok(None) => "it ended at once".to_owned(),
            Err(error) => error.to_string(),
        };
        let _ = process.kill();
        let _ = process.wait();
        if !setup.isolate {
            let message = format!("programs cannot be run without isolation: {problem}");
            return Err(Error::failed(message).hint(
                "as root, install interpreters where every user can run them, or be another user",
            ));
        }
        Err(Error::failed(format!("this machine cannot isolate programs: {problem}")).hint(
            "`assay doctor` says what is missing; --unsafe-no-isolation runs programs without",
        ))
    }

    /// The id of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Runs a job, with a file if it needs one; `None` if the worker is gone.
    pub(crate) fn ask(&mut self, job: &Job, file: Option<&File>) -> Option<Report> {
        let files: Vec<BorrowedFd<'_>> = file.iter().map(|file| file.as_fd()).collect();
        let job = serde_json::to_vec(job).ok()?;
        frame::send_with_files(&self.connection, &job, &files).ok()?;
        frame::receive(&self.connection).ok().flatten()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A worker ends without its host, and all candidates with it.
        let _ = self.connection.shutdown(std::net::Shutdown::Both);
        let _ = self.process.wait();
    }
}
