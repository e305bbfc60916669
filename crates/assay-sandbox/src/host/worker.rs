//! One worker, as the host sees it.

use std::collections::VecDeque;
use std::fs::File;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use assay_core::{Cancel, Error, Leftover, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tracing::debug;

use super::cgroup::{self, Group};
use crate::frame;
use crate::inside::WORKER_ARGUMENT;
use crate::message::{Handshake, Job, Layers, Report, Setup};

/// The interval at which a host that waits for a report checks whether the work was cancelled.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// A worker's process and the connection to it.
pub(crate) struct Worker {
    process: Child,
    connection: Arc<UnixStream>,
    /// The isolation between its candidates and the host.
    pub(crate) layers: Layers,
    /// The control group that limits its memory, if the machine has it.
    pub(crate) group: Option<Group>,
    /// The test suites that it has, oldest first.
    pub(crate) suites: VecDeque<String>,
    /// Ends the worker if this process ends at once.
    _leftover: Leftover,
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
        // Ctrl-C is handled by the host, which ends its workers.
        command.process_group(0);
        let mut process = command.spawn().map_err(failed)?;
        drop(command);
        let (connection, group) = (Arc::new(connection), Group::new(process.id()));
        let leftover = leftover(&connection, group.as_ref());
        let setup = Setup { group: group.as_ref().map(Group::files), ..setup.clone() };
        let handshake = frame::send(&connection, &setup);
        let handshake = handshake.and_then(|()| frame::receive(&connection));
        let problem = match handshake {
            Ok(Some(Handshake::Ready(layers))) => {
                let missing: Vec<&str> =
                    layers.missing().map(|layer| layer.name.as_str()).collect();
                let (pid, wall_s) = (process.id(), started.elapsed().as_secs_f64());
                debug!(pid, wall_s, memory_by = layers.memory_by, ?missing, "a worker started");
                return Ok(Self {
                    process,
                    connection,
                    layers,
                    group,
                    suites: VecDeque::new(),
                    _leftover: leftover,
                });
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

    /// Runs a job, with a file if it needs one; `None` if the worker is gone or the work was cancelled. After that,
    /// the worker is of no more use.
    pub(crate) fn ask(
        &mut self,
        job: &Job,
        file: Option<&File>,
        cancel: &Cancel,
    ) -> Option<Report> {
        let files: Vec<BorrowedFd<'_>> = file.iter().map(|file| file.as_fd()).collect();
        let job = serde_json::to_vec(job).ok()?;
        frame::send_with_files(&self.connection, &job, &files).ok()?;
        self.has_report(cancel).then(|| frame::receive(&self.connection).ok().flatten())?
    }

    /// Waits for a report; returns false if the work is cancelled first.
    fn has_report(&self, cancel: &Cancel) -> bool {
        while !cancel.is_cancelled() {
            let mut files = [PollFd::new(&*self.connection, PollFlags::IN)];
            match poll(&mut files, Some(&TICK)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return true,
                Err(_) => return false,
            }
        }
        false
    }

    /// Has the worker end, without waiting for it. A worker ends without its host, and all candidates with it.
    pub(crate) fn hang_up(&self) {
        let _ = self.connection.shutdown(Shutdown::Both);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.hang_up();
        let _ = self.process.wait();
    }
}

/// Has a worker end, and removes its groups, if this process ends at once.
fn leftover(connection: &Arc<UnixStream>, group: Option<&Group>) -> Leftover {
    let (connection, folders) = (Arc::clone(connection), group.map(Group::folders));
    Leftover::new(move || {
        let _ = connection.shutdown(Shutdown::Both);
        folders.iter().flatten().for_each(|folder| cgroup::remove(folder));
    })
}
