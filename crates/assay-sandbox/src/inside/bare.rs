//! A worker without isolation, which must be requested explicitly: private folders in the temporary folder, and
//! another user if assay runs as root. Nothing else.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::{Access, access};
use rustix::process::{
    Signal, geteuid, getpid, set_child_subreaper, set_parent_process_death_signal,
};

use super::memory::MemoryLimiter;
use super::namespaces::become_nobody;
use super::root::{self, context};
use super::{LEAVING, WorkerEnvironment, serve, supervise};
use crate::frame;
use crate::message::{Handshake, Layers, Setup};
use crate::sys;

/// The folder where candidates may write.
pub(super) enum Folder {
    /// A file system of their own, at a fixed path.
    Mounted,
    /// A folder that was created for them.
    Made(PrivateFolder),
}

impl Folder {
    /// Its path.
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Mounted => root::WRITABLE,
            Self::Made(folder) => &folder.path,
        }
    }
}

/// A new folder with an unpredictable name.
pub(super) struct PrivateFolder {
    path: String,
    /// The device and inode numbers, which distinguish it from another folder at the same path.
    number: (u64, u64),
}

impl PrivateFolder {
    fn new() -> Result<Self, String> {
        let mut random = [0; 16];
        let mut source = File::open("/dev/urandom").map_err(context("draw a name"))?;
        source.read_exact(&mut random).map_err(context("draw a name"))?;
        let name = format!("assay-{:032x}", u128::from_le_bytes(random));
        let path = std::env::temp_dir().join(name);
        // Fails if the path exists, even as a link.
        DirBuilder::new().mode(0o700).create(&path).map_err(context("make a private folder"))?;
        let number = number_of(&path).ok_or("make a private folder: it is gone")?;
        Ok(Self { path: path.to_string_lossy().into_owned(), number })
    }

    /// Removes everything in it. Anything else that may be at its path now is not touched.
    pub(super) fn clear(&self) -> Result<(), String> {
        let path = Path::new(&self.path);
        if number_of(path) != Some(self.number) {
            return Err("a program has replaced its folder".to_owned());
        }
        fs::set_permissions(path, Permissions::from_mode(0o700))
            .map_err(context("clear a folder"))?;
        for entry in fs::read_dir(path).map_err(context("clear a folder"))? {
            let path = entry.map_err(context("clear a folder"))?.path();
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            removed.map_err(context("clear a folder"))?;
        }
        Ok(())
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if number_of(Path::new(&self.path)) == Some(self.number) {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The device and inode numbers of a folder; `None` if it is not a folder.
fn number_of(path: &Path) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}

/// Serves jobs without isolation.
pub(super) fn start(host: &UnixStream, setup: &Setup, memory: MemoryLimiter) -> Result<(), String> {
    // Created by the user of assay, so that root's candidates cannot write to it.
    let scripts = PrivateFolder::new()?;
    root::write_scripts(&scripts.path)?;
    if geteuid().is_root() {
        let readable = Permissions::from_mode(0o755);
        fs::set_permissions(&scripts.path, readable).map_err(context("show the scripts"))?;
    }
    let Some(pid) = sys::fork().map_err(context("fork"))? else {
        if let Err(error) = serve_as_nobody(host, setup, memory, scripts.path.clone()) {
            let _ = frame::send(host, &Handshake::Failed(error));
        }
        sys::leave(0);
    };
    // This process may remove the scripts; the worker may not. A worker that is killed leaves its own folder behind, so
    // it has more time.
    supervise(pid, host, 10 * LEAVING);
    Ok(())
}

fn serve_as_nobody(
    host: &UnixStream,
    setup: &Setup,
    mut memory: MemoryLimiter,
    scripts: String,
) -> Result<(), String> {
    if geteuid().is_root() {
        become_nobody()?;
    }
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(context("hang on the parent"))?;
    // Orphans of a candidate stay children of this worker.
    set_child_subreaper(Some(getpid())).map_err(context("keep orphans"))?;
    if let Some(python) = &setup.python {
        let name = python.display();
        access(python, Access::EXEC_OK).map_err(|error| {
            format!("programs of an administrator run as nobody, who cannot run {name}: {error}")
        })?;
    }
    memory.detect_sampling();
    let mut layers = Layers::default();
    layers.note("isolation", true, Err("not wanted (--unsafe-no-isolation)".to_owned()));
    let folder = Folder::Made(PrivateFolder::new()?);
    serve(host, setup, WorkerEnvironment { layers, own_processes: None, folder, scripts, memory })
}
