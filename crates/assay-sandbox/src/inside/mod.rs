//! The worker: a process in its own namespaces that runs one candidate at a time.
//!
//! It starts as a copy of the host's executable with one thread, isolates itself ([`root`], [`namespaces`]), and then
//! serves jobs until the host is gone. When it ends, everything in its process namespace ends with it.

mod bare;
mod child;
mod details;
mod filter;
mod jobs;
mod memory;
mod namespaces;
mod root;
mod server;
mod two_processes;
mod verdict;
mod watch;

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::frame;
use crate::message::{Handshake, Job, Layers, Setup};
use crate::sys;
use bare::Folder;
use jobs::Worker;
use memory::MemoryLimiter;

/// The argument that turns an executable into a worker.
pub const WORKER_ARGUMENT: &str = "assay-sandbox-worker";

/// The main function of an executable that was started with [`WORKER_ARGUMENT`]. Its standard input is the connection
/// to the host.
pub fn worker_main() -> ExitCode {
    // Files that the host inherited from its parents must not be visible here.
    sys::close_from(3);
    // A program's outcome must not depend on how assay was started.
    sys::unblock_signals();
    let Ok(connection) = std::io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let host = UnixStream::from(connection);
    let Ok(Some(setup)) = frame::receive::<Setup>(&host) else { return ExitCode::FAILURE };
    let outcome = start(&host, &setup);
    if let Err(error) = &outcome {
        // The host may be gone already.
        let _ = frame::send(&host, &Handshake::Failed(error.clone()));
    }
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The environment of the worker that serves jobs.
struct WorkerEnvironment {
    layers: Layers,
    /// The process namespace of the worker; candidates get one inside it.
    own_processes: Option<File>,
    /// The folder where candidates may write.
    folder: Folder,
    /// The folder of the sandbox's Python code.
    scripts: String,
    memory: MemoryLimiter,
}

fn start(host: &UnixStream, setup: &Setup) -> Result<(), String> {
    let memory = MemoryLimiter::open(setup.group.as_ref(), setup.isolate);
    if !setup.isolate {
        return bare::start(host, setup, memory);
    }
    let (layers, proc) = namespaces::enter_namespaces(setup)?;
    // The first process of the new namespace: when it ends, all others in it end.
    let Some(pid) = sys::fork().map_err(|error| error.to_string())? else {
        if let Err(error) = inside(host, setup, layers, &proc, memory) {
            let _ = frame::send(host, &Handshake::Failed(error));
        }
        sys::leave(0);
    };
    supervise(pid, host, LEAVING);
    Ok(())
}

/// The time for which a worker may clean up after its host is gone.
const LEAVING: Duration = Duration::from_millis(500);

/// Waits until the worker has ended. If its host is gone and the worker does not notice, it is killed after `leaving`.
fn supervise(worker: i32, host: &UnixStream, leaving: Duration) {
    let handle = Pid::from_raw(worker).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    if let Some(Ok(handle)) = handle {
        let worker_ended = PollFd::new(&handle, PollFlags::IN);
        wait_for_any(&mut [worker_ended.clone(), PollFd::new(host, PollFlags::empty())], None);
        if !wait_for_any(&mut [worker_ended], Some(leaving)) {
            sys::kill(worker);
        }
    }
    let _ = sys::wait(worker, true);
}

/// Waits for an event, at most for `timeout`; returns whether there was one.
fn wait_for_any(files: &mut [PollFd<'_>], timeout: Option<Duration>) -> bool {
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    loop {
        match poll(files, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            Ok(count) => return count > 0,
            Err(_) => return false,
        }
    }
}

fn inside(
    host: &UnixStream,
    setup: &Setup,
    layers: Layers,
    proc: &OwnedFd,
    mut memory: MemoryLimiter,
) -> Result<(), String> {
    let (layers, own_processes) = namespaces::finish_setup(setup, layers, proc)?;
    memory.detect_sampling();
    let (folder, scripts) = (Folder::Mounted, root::OWN.to_owned());
    let own_processes = Some(own_processes);
    serve(host, setup, WorkerEnvironment { layers, own_processes, folder, scripts, memory })
}

fn serve(host: &UnixStream, setup: &Setup, environment: WorkerEnvironment) -> Result<(), String> {
    let layers = Layers {
        memory_by: environment.memory.mechanism().to_owned(),
        ..environment.layers.clone()
    };
    let mut worker = Worker::new(host, setup, environment)?;
    frame::send(host, &Handshake::Ready(layers)).map_err(|error| error.to_string())?;
    while let Ok(Some((job, files))) = frame::receive_with_files::<Job>(host) {
        let report = worker.work(job, &files);
        // The host need not wait for the clean-up. A worker that cannot give the next candidate an empty folder ends;
        // the host starts another.
        if frame::send(host, &report).is_err() || worker.clear().is_err() {
            break;
        }
    }
    worker.end_servers();
    Ok(())
}
