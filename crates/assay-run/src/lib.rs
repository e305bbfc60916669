//! The run engine: one solver on one task with fixed settings.
//!
//! An [`OpenTask`] holds the selected problems and their hash; a [`Plan`] adds a solver and the signature; [`start`]
//! and [`Resumable`] execute it and write the record. [`score()`] grades answers made elsewhere and [`predict()`] answers
//! without grading; neither writes a record. All of them feed one pipeline (`pipeline/`). [`measure()`] counts pairs of
//! texts for metrics, and [`figures()`] computes their intervals and the differences between systems.

mod context;
mod export;
mod failures;
mod figures;
mod gate;
mod hashing;
mod host;
mod measure;
mod pipeline;
mod plan;
mod predict;
mod registry;
mod run;
mod score;
#[cfg(test)]
mod testing;
pub mod train;
mod work;

pub use assay_core::Progress;
pub use assay_record::{Tool, is_run};
pub use context::{RunContext, job_count};
pub use export::{ExportSummary, RunExport};
pub use failures::{CutReply, FailedSample, failed_samples};
pub use figures::{Difference, Figure, figures};
pub use measure::{Measured, Measurement, PairSink, measure};
pub use plan::{OpenTask, Plan, Request, TaskRequest, select_problems};
pub use predict::{PredictSummary, Prediction, SinglePrediction, predict, predict_problem};
pub use run::{Complete, Resumable, RunOutcome, StoredRun, start};
pub use score::{InterruptedScore, ScoreOutcome, Scored, Scoring, score};
pub use work::GradeRequest;
