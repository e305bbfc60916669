//! Datasets: finding, reading and checking them.
//!
//! [`Store`] reads the files of a folder or an archive alike, without unpacking; [`codrep`] reads
//! CodRep's datasets, [`parallel`] pairs of files with one text per line, [`named_texts`] JSON
//! objects of names and texts, [`fusion_brain`] the Fusion Brain Challenge's files, [`programs`]
//! problems whose answers are programs; [`catalogue`] identifies the published datasets by their
//! content; `seal` encrypts hidden data and commits to it; [`texts`] reads the texts that text
//! metrics score; [`unpack()`] reads a single file, packed or not.

mod blank;
mod bom;
pub mod catalogue;
pub mod codrep;
mod draft;
mod find_file;
pub mod fusion_brain;
mod json;
pub mod named_texts;
mod output_folder;
mod packing;
pub mod parallel;
pub mod programs;
mod scratch;
#[cfg(feature = "seal")]
pub mod seal;
mod store;
mod target;
pub mod texts;
mod unpack;

pub use blank::skip_blank_lines;
pub use bom::strip_bom;
pub use draft::{remove_leftovers, write_atomically};
pub use find_file::find_file;
pub use json::{JsonFault, json_message};
pub use output_folder::output_folder;
pub use scratch::ScratchFolder;
pub use store::{Content, Store, is_archive_name};
pub use target::OutputTarget;
pub use unpack::{Stream, unpack};
