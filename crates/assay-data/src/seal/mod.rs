//! Hidden data, encrypted and committed to.
//!
//! [`seal()`] turns a folder into two things: a file that only the holder of a key can open, and a
//! [`Commitment`] that may be published at once, because it binds its author to every byte and
//! reveals nothing about them. [`unseal()`] turns the file back into the folder, and refuses unless
//! everything matches the commitment.
//!
//! The hashes are in `merkle`, the list of files in `manifest`, the format of the archive in
//! `archive`, and the keys in `keys`. `docs/seal.md` describes the construction for those who want
//! to check it with other tools.

mod archive;
mod commitment;
mod compare;
mod keys;
mod manifest;
mod merkle;
mod paths;
mod sealing;
mod unsealing;
mod walk;

pub use commitment::Commitment;
pub use compare::compare_folder;
pub use keys::{Key, Lock};
pub use merkle::Seed;
pub use sealing::{SealRequest, seal};
pub use unsealing::{UnsealRequest, examine_archive, unseal};

use assay_core::{Cancel, Error, Result};

/// The number of bytes of a file that are in memory at once.
const BLOCK: usize = 64 << 10;

/// Fails if the user interrupted the work; unfinished files are removed on the way out.
fn check_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_cancelled() { Err(Error::failed("interrupted")) } else { Ok(()) }
}
