//! Exit codes. These numbers are public and do not change.

/// The command succeeded.
pub const DONE: u8 = 0;
/// assay itself failed: a disk error, a bug.
pub const FAILED: u8 = 1;
/// Wrong usage: an unknown flag, task or solver.
pub const USAGE: u8 = 2;
/// The input was refused: a malformed file, an answer out of range.
pub const REFUSED: u8 = 3;
/// A threshold given by the user was missed.
pub const MISSED: u8 = 4;
/// The command finished, but some problems have no verdict: the solver failed, or a problem could not be read.
pub const INCOMPLETE: u8 = 5;
/// Interrupted by Ctrl-C or a termination signal, as shells count it (128 + SIGINT).
pub const INTERRUPTED: u8 = 130;
