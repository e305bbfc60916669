//! A record: written, read, cut off and resumed, in every version of its format.

#![expect(clippy::unwrap_used, reason = "the helpers are test code too")]

mod common;
mod crash;
mod golden;
mod parse;
mod run;
