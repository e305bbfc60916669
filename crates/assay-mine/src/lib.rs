//! Datasets of CodRep's kind from git history.
//!
//! [`mine`] walks the history of one or many repositories, keeps every change of a file that replaces
//! exactly one line by one line and passes the [`Filters`], and writes the tasks, the solutions and
//! where each comes from. The order is fixed by the histories alone, so that the same command gives
//! the same bytes, in one go or in several.

mod comments;
mod dataset;
mod filter;
mod history;
mod languages;
mod mining;
mod renames;
mod replacement;
mod split;
mod state;
mod text;

pub use dataset::Provenance;
pub use filter::{Filters, Rejected, examine};
pub use history::Walk;
pub use languages::{MinedLanguage, language, language_names};
pub use mining::{Mined, Request, mine};
pub use replacement::Replacement;
pub use split::{Cutoff, Side, Split, parse_cutoff};
