//! Datasets: where they lie, how they are read, and whether they are sound.
//!
//! [`Store`] reads the files of a folder or an archive alike, without unpacking; [`codrep`] knows
//! what CodRep's files mean, [`parallel`] what pairs of files with a text a line do,
//! [`named_texts`] reads JSON objects of names and texts, [`fusion_brain`] the Fusion Brain
//! Challenge's files, [`programs`] problems whose answers are programs; [`catalogue`] knows the
//! published datasets by their content; `seal` locks hidden data away and commits to it; [`texts`]
//! reads what metrics of texts score; [`unpacked`] reads a single file, packed or not.

mod blank;
mod bom;
pub mod catalogue;
pub mod codrep;
mod draft;
pub mod fusion_brain;
mod json;
pub mod named_texts;
mod one_of;
mod packing;
pub mod parallel;
pub mod programs;
#[cfg(feature = "seal")]
pub mod seal;
mod store;
pub mod texts;
mod unpacked;

pub use blank::skip_blank_lines;
pub use bom::strip_bom;
pub use draft::{remove_leftovers, write_atomically};
pub use json::{JsonFault, json_message};
pub use one_of::one_of;
pub use store::{Content, Store};
pub use unpacked::{Stream, unpacked};
