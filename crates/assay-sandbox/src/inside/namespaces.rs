//! Isolates the worker: namespaces for users, processes, mounts, network, IPC and host names.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Gid, Mode, OFlags, Uid, open, openat};
use rustix::mount::{MountFlags, mount};
use rustix::process::{
    DumpableBehavior, Resource, Signal, getegid, geteuid, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use rustix::system::sethostname;
use rustix::thread::{
    UnshareFlags, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use crate::message::{Layers, Setup};
use crate::sys::unshare;

use super::root::{self, context};

/// The user that runs root's candidates: nobody.
const NOBODY: u32 = 65534;
/// The user id that a candidate sees.
const PROGRAM: u32 = 1000;
/// Enough for a server and a candidate; also the maximum depth of a folder tree that is removed by hand.
const OPEN_FILES: u64 = 1024;

/// Builds the root and enters every namespace; the next process that is forked is the first of the new process
/// namespace. Also returns the host's `/proc`, which is needed once more.
pub(super) fn enter_namespaces(setup: &Setup) -> Result<(Layers, OwnedFd), String> {
    let mut layers = Layers::default();
    let proc = open("/proc", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(context("open /proc"))?;
    let administrator = geteuid().is_root();
    if administrator {
        unshare(UnshareFlags::NEWNS).map_err(context("make a mount namespace"))?;
    } else {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)
            .map_err(context("make a user namespace"))?;
        map_ids(&proc, (user, user), (group, group))?;
    }
    root::build(&setup.visible)?;
    layers.note("private read-only root", true, Ok(()));
    if administrator {
        become_nobody()?;
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(
        UnshareFlags::NEWUSER
            | UnshareFlags::NEWPID
            | UnshareFlags::NEWNS
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWIPC
            | UnshareFlags::NEWUTS
            | UnshareFlags::NEWCGROUP,
    )
    .map_err(context("make namespaces"))?;
    map_ids(&proc, (PROGRAM, user), (PROGRAM, group))?;
    for name in ["user", "process", "mount", "network", "message", "host name", "control group"] {
        layers.note(&format!("{name} namespace"), true, Ok(()));
    }
    Ok((layers, proc))
}

/// Prepares the first process of the namespace before it serves.
pub(super) fn finish_setup(
    setup: &Setup,
    mut layers: Layers,
    proc: &OwnedFd,
) -> Result<(Layers, File), String> {
    // It must end with its parent, even if that is killed.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(context("hang on the parent"))?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let own_processes = openat(proc, "self/ns/pid", flags, Mode::empty())
        .map_err(context("open the process namespace"))?;
    layers.note("its own /proc", false, show_processes());
    root::share_mounts()?;
    root::mount_writable(setup.writable)?;
    sethostname(b"assay").map_err(context("set the host name"))?;
    set_no_new_privs(true).map_err(context("give up new privileges"))?;
    layers.note("no new privileges", true, Ok(()));
    super::child::set_rlimits([(Resource::Nofile, OPEN_FILES)])?;
    layers.note("system call filter", true, super::filter::check());
    layers.note("Landlock", false, super::filter::landlock_abi().map(|_| ()));
    Ok((layers, File::from(own_processes)))
}

/// Shows the processes of the new namespace instead of the host's.
fn show_processes() -> Result<(), String> {
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let shown = mount("proc", "/proc", "proc", quiet, None);
    let shown = shown.map_err(context("mount /proc"));
    // No `/proc` is better than the host's.
    shown.or_else(|problem| super::child::hide_processes().and(Err(problem)))
}

pub(super) fn become_nobody() -> Result<(), String> {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    // The worker has one thread, so these calls change the whole process.
    set_thread_groups(&[]).map_err(context("leave groups"))?;
    set_thread_res_gid(group, group, group).map_err(context("become nobody"))?;
    set_thread_res_uid(user, user, user).map_err(context("become nobody"))?;
    // Otherwise its files in `/proc` belong to root.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(context("become nobody"))
}

/// Maps the users and groups inside to those outside.
fn map_ids(proc: &OwnedFd, user: (u32, u32), group: (u32, u32)) -> Result<(), String> {
    write_in(proc, "self/setgroups", "deny")?;
    write_in(proc, "self/uid_map", &format!("{} {} 1", user.0, user.1))?;
    write_in(proc, "self/gid_map", &format!("{} {} 1", group.0, group.1))
}

fn write_in(proc: &OwnedFd, name: &str, text: &str) -> Result<(), String> {
    let file = openat(proc.as_fd(), name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| format!("open {name}: {error}"))?;
    rustix::io::write(&file, text.as_bytes())
        .map(|_| ())
        .map_err(|error| format!("write {name}: {error}"))
}
