//! What tasks that ask for programs share.

mod tally;

pub use tally::PassTally;
