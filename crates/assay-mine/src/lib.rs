//! Datasets of CodRep's kind from git history.
//!
//! [`mine`] walks the history of one or many repositories, keeps every change of a file that
//! replaces exactly one line by one line and passes the [`Filters`], and writes the tasks, the
//! solutions and their provenance. The order depends only on the histories, so that the same
//! command gives the same bytes, whether or not it was interrupted.

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
pub use filter::{Filters, Rejection, examine};
pub use history::Walk;
pub use languages::{MinedLanguage, language, language_names};
pub use mining::{Mined, Request, mine};
pub use replacement::Replacement;
pub use split::{Cutoff, Side, Split, parse_cutoff};
