//! The worker: a process of its own, in namespaces of its own, that runs one program at a time.
//!
//! It starts as a copy of the host's executable with one thread, shuts itself in ([`root`],
//! [`namespaces`]), and then serves jobs until the host is gone. When it ends, everything in its
//! process namespace ends with it.

mod child;
mod dialogue;
mod filter;
mod jobs;
mod namespaces;
mod root;
mod server;
mod verdict;
mod watch;

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use crate::frame;
use crate::message::{Hello, Job, Layers, Setup};
use crate::sys;
use jobs::Worker;

/// The argument that makes an executable a worker.
pub const WORKER_ARGUMENT: &str = "assay-sandbox-worker";

/// What an executable does that was started with [`WORKER_ARGUMENT`]. The host's end of the
/// connection is its standard input.
pub fn worker_main() -> ExitCode {
    // What the host's own parents have left open is nobody's business here.
    sys::close_from(3);
    let Ok(connection) = std::io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let host = UnixStream::from(connection);
    let Ok(Some(setup)) = frame::receive::<Setup>(&host) else { return ExitCode::FAILURE };
    let outcome = start(&host, &setup);
    if let Err(error) = &outcome {
        // Nobody may be there to hear it.
        let _ = frame::send(&host, &Hello::Failed(error.clone()));
    }
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the worker that serves jobs stands on.
struct Ground {
    layers: Layers,
    /// The process namespace that the worker is in; programs get one inside it.
    own_processes: Option<File>,
    /// Where programs may write.
    folder: String,
}

fn start(host: &UnixStream, setup: &Setup) -> Result<(), String> {
    if !setup.isolate {
        let mut layers = Layers::default();
        layers.note("isolation", true, Err("not wanted".to_owned()));
        let folder = std::env::temp_dir().join(format!("assay-unsafe-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let folder = folder.to_string_lossy().into_owned();
        let ground = Ground { layers, own_processes: None, folder: folder.clone() };
        let outcome = serve(host, setup, ground);
        let _ = std::fs::remove_dir_all(folder);
        return outcome;
    }
    let (layers, proc) = namespaces::shut_in(setup)?;
    // The first process of the new namespace: when it ends, all others in it do.
    let Some(pid) = sys::fork().map_err(|error| error.to_string())? else {
        if let Err(error) = inside(host, setup, layers, &proc) {
            let _ = frame::send(host, &Hello::Failed(error));
        }
        sys::leave(0);
    };
    // The worker holds the connection; this process only waits for it.
    let _ = sys::wait(pid, true);
    Ok(())
}

fn inside(host: &UnixStream, setup: &Setup, layers: Layers, proc: &OwnedFd) -> Result<(), String> {
    let (layers, own_processes) = namespaces::settle(setup, layers, proc)?;
    let folder = root::WRITABLE.to_owned();
    serve(host, setup, Ground { layers, own_processes: Some(own_processes), folder })
}

fn serve(host: &UnixStream, setup: &Setup, ground: Ground) -> Result<(), String> {
    let layers = ground.layers.clone();
    let mut worker = Worker::new(host, setup, ground)?;
    frame::send(host, &Hello::Ready(layers)).map_err(|error| error.to_string())?;
    while let Ok(Some(job)) = frame::receive::<Job>(host) {
        let report = worker.work(job);
        worker.clear();
        if frame::send(host, &report).is_err() {
            break;
        }
    }
    worker.end();
    Ok(())
}
