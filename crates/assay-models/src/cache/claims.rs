//! Claims: whoever asks for a reply holds one, so that nobody else sends the same request at the same time.
//!
//! Within a process, claims are a set of hashes. Between processes, a claim is a lock on one byte of a file, at the
//! place that the hash gives; the kernel frees it when the process ends, however it ends.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_core::{Cancel, Digest};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

use super::log::open_regular;

/// The interval at which a waiting claim looks again.
const POLL: Duration = Duration::from_millis(20);

/// The claims on the replies of one log.
pub(super) struct Claims {
    /// The file of locks; without it, only this process keeps to its claims.
    file: Option<File>,
    held: Mutex<HashSet<Digest>>,
    freed: Condvar,
}

/// A claim on a few replies, which ends when it is dropped.
pub(crate) struct Claim<'c> {
    claims: &'c Claims,
    keys: Vec<Digest>,
}

impl Claims {
    pub(super) fn open(path: &Path) -> Self {
        let file = open_regular(path, OpenOptions::new().read(true).write(true).create(true));
        Self { file: file.ok(), held: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits until the claims on all of these replies are free, and takes them; `None` if the work is cancelled.
    /// Samples of one prompt are claimed in their order, so two claims cannot wait for each other.
    pub(super) fn claim(&self, keys: Vec<Digest>, cancel: &Cancel) -> Option<Claim<'_>> {
        let mut claim = Claim { claims: self, keys: Vec::new() };
        for key in keys {
            self.take_in_process(key, cancel)?;
            claim.keys.push(key);
            while !self.try_lock(&key) {
                if cancel.sleep(POLL) {
                    return None;
                }
            }
        }
        Some(claim)
    }

    fn take_in_process(&self, key: Digest, cancel: &Cancel) -> Option<()> {
        let mut held = self.held();
        while !held.insert(key) {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.freed.wait_timeout(held, POLL);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(())
    }

    /// Locks the byte of a reply, unless another process has; true also where files have no locks.
    fn try_lock(&self, key: &Digest) -> bool {
        let Some(file) = &self.file else { return true };
        let locked = fcntl(file, FcntlArg::F_OFD_SETLK(&byte(key, libc::F_WRLCK)));
        !matches!(locked, Err(Errno::EAGAIN | Errno::EACCES))
    }

    fn held(&self) -> MutexGuard<'_, HashSet<Digest>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut held = self.claims.held();
        for key in &self.keys {
            if let Some(file) = &self.claims.file {
                let _ = fcntl(file, FcntlArg::F_OFD_SETLK(&byte(key, libc::F_UNLCK)));
            }
            held.remove(key);
        }
        self.claims.freed.notify_all();
    }
}

/// A lock of the byte that stands for a hash.
#[expect(clippy::cast_possible_truncation, reason = "constants of the system, which are small")]
fn byte(key: &Digest, kind: libc::c_int) -> libc::flock {
    let mut start = [0; 8];
    start.copy_from_slice(&key.as_bytes()[..8]);
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: (u64::from_le_bytes(start) >> 2).cast_signed(),
        l_len: 1,
        l_pid: 0,
    }
}
