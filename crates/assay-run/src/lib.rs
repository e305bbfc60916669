//! The run engine: one solver on one task with fixed settings.
//!
//! An [`OpenTask`] has its problems chosen and hashed; a [`Plan`] puts a solver to it and knows the
//! signature; [`start`] and [`Resumable`] carry it out and write the record. [`score`] grades answers made
//! elsewhere and [`predict`] answers without grading; neither writes a record. [`measure`] scores pairs of
//! texts by a metric.

mod engine;
mod gate;
mod host;
mod means;
mod measure;
mod once;
mod plan;
mod predict;
mod record;
mod registry;
mod run;
mod score;
#[cfg(test)]
mod testing;
pub mod train;
mod workers;

pub use assay_core::Progress;
pub use host::{Machine, Tool};
pub use means::Means;
pub use measure::{Measured, PairSink, measure};
pub use plan::{DataDigest, OpenTask, Plan, Request, TaskRequest};
pub use predict::{Predicted, Prediction, predict};
pub use record::{Manifest, is_run};
pub use run::{Complete, Finished, Resumable, start};
pub use score::{Scored, Scoring, score};
