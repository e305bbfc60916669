//! CodRep's datasets.
//!
//! A dataset is a folder with `Tasks/N.txt` (first edition: `Files/N.txt`) and `Solutions/N.txt`,
//! or an archive of one or several such folders. [`Dataset::open_all`] finds them under the user's
//! paths; [`Dataset::read`] streams their task files; [`find_task`] finds the task that a
//! prediction's path refers to; [`verify`] and [`stats`] examine a whole dataset.

mod dataset;
mod discover;
mod paths;
mod solution;
pub mod stats;
pub mod verify;

pub use dataset::{Dataset, FileFault, TaskFile};
pub use discover::count_tasks;
pub use paths::{PathFault, TaskAt, find_task};
pub use solution::parse_solution;
