//! The learned line locator: which line of a program does a new line replace?
//!
//! [`Locator::rank`] takes the new line and the program and ranks the program's lines: the program
//! is split into lines, tokens and blocks, a few dozen candidates are selected, several hundred
//! numbers describe each of them, and boosted trees turn those into scores.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "lines, tokens and candidates are counted in 32 bits, trees in 16; both are checked"
)]

mod candidates;
mod explain;
mod features;
mod lex;
mod locator;
mod model;
mod overlap;
mod phrases;
mod similarity;
mod source;
pub mod train;

pub use explain::{ExplainedLine, Reason};
pub use features::{Feature, Table, features, groups};
pub use locator::{Locator, RankedLine};
pub use model::{Model, ModelError, cooled, probabilities};
pub use overlap::{OverlapRanking, rank_by_overlap};
