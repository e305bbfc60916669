//! What the process tells its caller. These numbers are public and do not change.

/// Done.
pub const DONE: u8 = 0;
/// The tool failed: a disk error, a bug.
pub const FAILED: u8 = 1;
/// Wrong usage: an unknown flag, task or solver.
pub const USAGE: u8 = 2;
/// The input was refused: a malformed file, an answer out of range.
pub const REFUSED: u8 = 3;
/// A threshold that was asked for was missed.
pub const MISSED: u8 = 4;
/// Done, but some problems have no verdict: the solver failed, or a problem could not be read.
pub const INCOMPLETE: u8 = 5;
/// Interrupted by Ctrl-C or a termination signal, as shells count it (128 + SIGINT).
pub const INTERRUPTED: u8 = 130;
