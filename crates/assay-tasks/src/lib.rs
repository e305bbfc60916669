//! The tasks: one file each, one line in the [`REGISTRY`].

mod codrep;
mod page;
mod sample;

use assay_core::{Error, Result, Task};

pub use codrep::CodRep;
pub use page::page;

/// Every task there is.
pub const REGISTRY: &[&dyn Task] = &[&CodRep];

/// The task called `name`.
pub fn find(name: &str) -> Result<&'static dyn Task> {
    REGISTRY.iter().copied().find(|task| task.card().name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|task| task.card().name).collect();
        Error::usage(format!("there is no task called {name:?}"))
            .hint(format!("the tasks are: {}", names.join(", ")))
    })
}
