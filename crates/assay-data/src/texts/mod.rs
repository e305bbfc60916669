//! Texts to be scored and the references that they are scored against, streamed from plain files.
//!
//! A [`Source`] is a file, compressed or not, or standard input; its [`Form`] is the format of its
//! texts. [`Pairs`] joins hypotheses with their references, line by line or key by key, or reads a
//! file that contains both. Memory use is constant for files of any size, except that joining
//! documents by key keeps all keys, and texts in a different order; lines may start with ids
//! (`ids.rs`), which are keys too.

mod document;
mod field;
mod ids;
mod join;
mod lines;
mod pairs;
mod source;
mod unique;
mod values;

pub(crate) use document::Document;
pub use field::Keys;
pub use ids::{FileIds, Ids, id_number, ids_of_lines, split_id};
pub(crate) use lines::Lines;
pub use pairs::{Pair, PairId, Pairs};
pub use source::{Form, ReadProgress, Source};
