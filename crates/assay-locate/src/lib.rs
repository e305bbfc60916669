//! The learned line locator: which line of a program does a new line replace?
//!
//! [`Locator::rank`] takes the new line and the program and ranks the program's lines. On the way:
//! the program is taken apart, a few dozen candidates are chosen, several hundred numbers describe
//! each of them, and boosted trees turn those into scores.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "lines, tokens and candidates are counted in 32 bits, trees in 16; both are checked"
)]

mod candidates;
mod features;
mod lex;
mod locator;
mod model;
mod overlap;
mod similarity;
mod source;
pub mod train;

pub use features::{Feature, Table, features, groups};
pub use locator::{Locator, Ranked};
pub use model::{Model, ModelError, softmax};
pub use overlap::{ByOverlap, by_overlap};
