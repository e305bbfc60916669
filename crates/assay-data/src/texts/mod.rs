//! Texts to be scored and the references that they are scored against, streamed from plain files.
//!
//! A [`Source`] is a file, compressed or not, or standard input; its [`Form`] says how texts stand
//! in it. [`Pairs`] joins hypotheses with their references, line by line or key by key, or reads a
//! file in which they stand together. Memory stays flat whatever the files' sizes, except that
//! of documents which are joined by key all keys are remembered, and texts in another order.

mod document;
mod field;
mod join;
mod lines;
mod pairs;
mod source;
mod unique;
mod values;

pub(crate) use document::Document;
pub use field::Keys;
pub(crate) use lines::Lines;
pub use pairs::{Pair, PairId, Pairs};
pub use source::{Form, ReadProgress, Source};
