//! The run engine: one solver on one task with fixed settings.
//!
//! A [`Request`] says what is wanted; a [`Plan`] has opened everything and knows its signature;
//! [`start`] and [`resume`] carry it out and write the record. [`score`] grades answers made
//! elsewhere and [`predict`] answers without grading; neither writes a record.

mod engine;
mod host;
mod plan;
mod predict;
mod progress;
mod record;
mod run;
mod score;

pub use host::Tool;
pub use plan::{DataDigest, Plan, Request};
pub use predict::{Predicted, predict};
pub use progress::{NoProgress, Progress};
pub use record::{Manifest, is_run};
pub use run::{Complete, Finished, resume, start};
pub use score::{Scored, score};
