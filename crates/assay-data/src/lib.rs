//! Datasets: where they lie, how they are read, and whether they are sound.
//!
//! [`Store`] reads the files of a folder or an archive alike, without unpacking; [`codrep`] knows
//! what CodRep's files mean, [`fusion_brain`] what the Fusion Brain Challenge's do; [`catalogue`] knows the published datasets by their content; [`seal`]
//! locks hidden data away and commits to it.

pub mod catalogue;
pub mod codrep;
pub mod fusion_brain;
pub mod seal;
mod store;

pub use store::{Content, Store};
