//! Hidden data, locked away and committed to.
//!
//! [`seal()`] turns a folder into two things: a file that only the holder of a key can open, and a
//! [`Commitment`] that may be published at once, because it binds its author to every byte and tells
//! nobody what the bytes are. [`unseal()`] turns the file back into the folder, and refuses unless
//! everything is as it was committed to.
//!
//! The hashes are in `merkle`, the list of files in `manifest`, the form of the archive in `archive`,
//! and who may open it in `keys`. `docs/seal.md` describes the construction for those who want to
//! check it with other tools.

mod against;
mod archive;
mod commitment;
mod keys;
mod manifest;
mod merkle;
mod paths;
mod sealing;
mod unsealing;
mod walk;

pub use against::compare_folder;
pub use commitment::Commitment;
pub use keys::{Key, Lock};
pub use merkle::Seed;
pub use sealing::{SealRequest, seal};
pub use unsealing::{UnsealRequest, examine_archive, unseal};

use assay_core::{Cancel, Error, Result};

/// The number of bytes of a file that are in memory at once.
const BLOCK: usize = 64 << 10;

/// Ends the work if the user asked for it; what was half made is cleared away on the way out.
fn go_on(cancel: &Cancel) -> Result<()> {
    if cancel.is_cancelled() { Err(Error::failed("interrupted")) } else { Ok(()) }
}
