//! The tasks: one file each, one line in the [`REGISTRY`].

mod c2c;
mod codrep;
mod evalplus;
mod humaneval;
mod mbpp;
mod page;
mod programs;
mod sample;
mod trans;
mod translation;

use assay_core::{Error, Result, Task};

pub use c2c::C2C;
pub use codrep::CodRep;
pub use humaneval::{HUMANEVAL, HUMANEVAL_PLUS};
pub use mbpp::{MBPP, MBPP_PLUS, MBPP_SANITIZED};
pub use page::page;
pub use programs::Programs;
pub use trans::{TRANS_CS_JAVA, TRANS_JAVA_CS};
pub use translation::Translation;

/// Every task there is.
pub const REGISTRY: &[&dyn Task] = &[
    &CodRep,
    &C2C,
    &TRANS_JAVA_CS,
    &TRANS_CS_JAVA,
    &HUMANEVAL,
    &HUMANEVAL_PLUS,
    &MBPP,
    &MBPP_SANITIZED,
    &MBPP_PLUS,
];

/// The task called `name`.
pub fn find(name: &str) -> Result<&'static dyn Task> {
    REGISTRY.iter().copied().find(|task| task.card().name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|task| task.card().name).collect();
        Error::usage(format!("there is no task called {name:?}"))
            .hint(format!("the tasks are: {}", names.join(", ")))
    })
}
