//! A record: written, read, truncated and resumed, in every version of its format.

#![expect(clippy::unwrap_used, reason = "the helpers are test code too")]

mod common;
mod crash;
mod golden;
mod parse;
mod run;
