//! The file system that candidates see: the host's software, read-only, and a small folder of their own.

use std::ffi::CString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::pivot_root;

use crate::sys::{seal_device, seal_mount};

/// The folder where candidates may write; a link to [`MOUNT_POINT`].
pub(super) const WRITABLE: &str = "/tmp";
/// The folder named in Landlock's rule for writing. Landlock checks the folders above a mount point, but not the mount
/// point itself, so the rule is set above it to cover any file system that is mounted there.
pub(super) const PRIVATE: &str = "/private";
/// The mount point of every candidate's own file system.
const MOUNT_POINT: &str = "/private/tmp";
/// The folder of the sandbox's Python code.
pub(super) const OWN: &str = "/.assay";
/// The host's root while the new one is built.
const OLD: &str = "/.host";

/// Software that every candidate may need, if the host has it.
const SOFTWARE: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/java-17-openjdk",
    "/etc/ssl/openssl.cnf",
];
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The Python side of the sandbox.
const SCRIPTS: [(&str, &str); 14] = [
    ("operations.py", include_str!("../../python/operations.py")),
    ("packages.py", include_str!("../../python/packages.py")),
    ("ordering.py", include_str!("../../python/ordering.py")),
    ("wire.py", include_str!("../../python/wire.py")),
    ("packing.py", include_str!("../../python/packing.py")),
    ("program.py", include_str!("../../python/program.py")),
    ("recorder.py", include_str!("../../python/recorder.py")),
    ("table.py", include_str!("../../python/table.py")),
    ("candidate.py", include_str!("../../python/candidate.py")),
    ("rehearsal.py", include_str!("../../python/rehearsal.py")),
    ("tester.py", include_str!("../../python/tester.py")),
    ("failing.py", include_str!("../../python/failing.py")),
    ("handles.py", include_str!("../../python/handles.py")),
    ("zygote.py", include_str!("../../python/zygote.py")),
];

/// Replaces the root by one with `visible` and the usual software in it, read-only.
pub(super) fn build(visible: &[PathBuf]) -> Result<(), String> {
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .map_err(context("keep mounts private"))?;
    mount("tmpfs", "/tmp", "tmpfs", quiet, c"mode=755,size=1m")
        .map_err(context("mount a new root"))?;
    fs::create_dir(format!("/tmp{OLD}")).map_err(context("make a folder"))?;
    pivot_root("/tmp", format!("/tmp{OLD}")).map_err(context("enter the new root"))?;
    std::env::set_current_dir("/").map_err(context("enter the new root"))?;
    fs::create_dir_all(MOUNT_POINT).map_err(context("make a folder"))?;
    symlink(MOUNT_POINT, WRITABLE).map_err(context("make a link"))?;
    for path in SOFTWARE.iter().map(Path::new).chain(visible.iter().map(PathBuf::as_path)) {
        show(path)?;
    }
    for device in DEVICES {
        show_device(Path::new(device))?;
    }
    write_scripts(OWN)?;
    for folder in ["/proc", "/etc", "/dev"] {
        fs::create_dir_all(folder).map_err(context("make a folder"))?;
    }
    fs::write("/etc/passwd", "program:x:1000:1000::/tmp:/bin/sh\n")
        .map_err(context("write a file"))?;
    symlink(WRITABLE, "/dev/shm").map_err(context("make a link"))?;
    // A process namespace can mount its own `/proc` only if another one is visible.
    let proc = format!("{OLD}/proc");
    mount_bind_recursive(proc, "/proc").map_err(context("show /proc"))?;
    unmount(OLD, UnmountFlags::DETACH).map_err(context("leave the host's root"))?;
    fs::remove_dir(OLD).map_err(context("leave the host's root"))?;
    let sealed = quiet | MountFlags::BIND | MountFlags::RDONLY;
    mount_remount("/", sealed, "").map_err(context("seal the new root"))
}

/// Writes the Python side of the sandbox into `folder`.
pub(super) fn write_scripts(folder: &str) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(context("make a folder"))?;
    for (name, text) in SCRIPTS {
        fs::write(format!("{folder}/{name}"), text).map_err(context("write a file"))?;
    }
    Ok(())
}

/// Makes mounts of the worker appear in the namespaces of servers too, which copy this one later.
pub(super) fn share_mounts() -> Result<(), String> {
    mount_change("/", MountPropagationFlags::SHARED).map_err(context("share mounts"))
}

/// Mounts a new, empty writable file system.
pub(super) fn mount_writable(size: u64) -> Result<(), String> {
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    let options = CString::new(format!("mode=1777,size={size},nr_inodes=65536"))
        .map_err(context("name a size"))?;
    mount("tmpfs", MOUNT_POINT, "tmpfs", quiet, options.as_c_str())
        .map_err(context("mount a folder to write to"))
}

/// Replaces the writable file system by a new one. Emptying the old one is not enough: attributes of its root, its
/// times and its inode numbers would stay.
pub(super) fn renew_writable(size: u64) -> Result<(), String> {
    unmount(MOUNT_POINT, UnmountFlags::DETACH).map_err(context("unmount a program's folder"))?;
    mount_writable(size)
}

/// Makes a folder or file of the host visible at the same path; a missing one is skipped.
fn show(path: &Path) -> Result<(), String> {
    let old = under_old(path);
    let Ok(kind) = fs::symlink_metadata(&old) else { return Ok(()) };
    if fs::symlink_metadata(path).is_ok() {
        // Already visible, as part of another folder.
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(context("make a folder"))?;
    }
    if kind.is_symlink() {
        let target = fs::read_link(&old).map_err(context("read a link"))?;
        return symlink(target, path).map_err(context("make a link"));
    }
    if kind.is_dir() {
        fs::create_dir_all(path).map_err(context("make a folder"))?;
    } else {
        fs::write(path, "").map_err(context("make a file"))?;
    }
    let name = path.display();
    mount_bind_recursive(&old, path).map_err(|error| format!("show {name}: {error}"))?;
    let sealed =
        CString::new(path.as_os_str().as_encoded_bytes()).map_err(context("name a mount"))?;
    seal_mount(&sealed).map_err(|error| format!("seal {name}: {error}"))
}

fn show_device(path: &Path) -> Result<(), String> {
    let old = under_old(path);
    if !old.exists() {
        return Ok(());
    }
    fs::create_dir_all("/dev").map_err(context("make a folder"))?;
    fs::write(path, "").map_err(context("make a file"))?;
    mount_bind(&old, path).map_err(context("show a device"))?;
    let sealed =
        CString::new(path.as_os_str().as_encoded_bytes()).map_err(context("name a mount"))?;
    seal_device(&sealed).map_err(context("seal a device"))
}

fn under_old(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

/// Prefixes an error with the action that failed.
pub(super) fn context<E: std::fmt::Display>(doing: &'static str) -> impl Fn(E) -> String {
    move |error| format!("{doing}: {error}")
}
