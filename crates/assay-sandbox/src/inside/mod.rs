//! The worker: a process of its own, in namespaces of its own, that runs one program at a time.
//!
//! It starts as a copy of the host's executable with one thread, shuts itself in ([`root`],
//! [`namespaces`]), and then serves jobs until the host is gone. When it ends, everything in its
//! process namespace ends with it.

mod bare;
mod child;
mod dialogue;
mod filter;
mod jobs;
mod memory;
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
use bare::Folder;
use jobs::Worker;
use memory::Memory;

/// The argument that makes an executable a worker.
pub const WORKER_ARGUMENT: &str = "assay-sandbox-worker";

/// The main function of an executable that was started with [`WORKER_ARGUMENT`]. The host's end of the
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

/// The surroundings of the worker that serves jobs.
struct Ground {
    layers: Layers,
    /// The process namespace that the worker is in; programs get one inside it.
    own_processes: Option<File>,
    /// The folder where programs may write.
    folder: Folder,
    /// The folder of the sandbox's Python code.
    scripts: String,
    memory: Memory,
}

fn start(host: &UnixStream, setup: &Setup) -> Result<(), String> {
    let memory = Memory::open(setup.group.as_ref(), setup.isolate);
    if !setup.isolate {
        return bare::start(host, setup, memory);
    }
    let (layers, proc) = namespaces::shut_in(setup)?;
    // The first process of the new namespace: when it ends, all others in it do.
    let Some(pid) = sys::fork().map_err(|error| error.to_string())? else {
        if let Err(error) = inside(host, setup, layers, &proc, memory) {
            let _ = frame::send(host, &Hello::Failed(error));
        }
        sys::leave(0);
    };
    // The worker holds the connection; this process only waits for it.
    let _ = sys::wait(pid, true);
    Ok(())
}

fn inside(
    host: &UnixStream,
    setup: &Setup,
    layers: Layers,
    proc: &OwnedFd,
    mut memory: Memory,
) -> Result<(), String> {
    let (layers, own_processes) = namespaces::settle(setup, layers, proc)?;
    memory.settle();
    let (folder, scripts) = (Folder::Mounted, root::OWN.to_owned());
    let own_processes = Some(own_processes);
    serve(host, setup, Ground { layers, own_processes, folder, scripts, memory })
}

fn serve(host: &UnixStream, setup: &Setup, ground: Ground) -> Result<(), String> {
    let layers = Layers { memory_by: ground.memory.held_by().to_owned(), ..ground.layers.clone() };
    let mut worker = Worker::new(host, setup, ground)?;
    frame::send(host, &Hello::Ready(layers)).map_err(|error| error.to_string())?;
    while let Ok(Some((job, files))) = frame::receive_with_files::<Job>(host) {
        let report = worker.work(job, &files);
        // The host need not wait for the clearing. A worker that cannot give the next program an empty
        // folder ends; the host starts another.
        if frame::send(host, &report).is_err() || worker.clear().is_err() {
            break;
        }
    }
    worker.end_servers();
    Ok(())
}
