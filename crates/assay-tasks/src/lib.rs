//! The tasks: one file each, one line in the [`REGISTRY`].

mod apps;
mod c2c;
mod codrep;
mod evalplus;
mod fusion_brain;
mod humaneval;
mod humanevalpack;
mod mbpp;
mod page;
mod programs;
mod sample;
mod trans;
mod translate_gfg;
mod translation;

use assay_core::{Error, Result, Task};

pub use apps::{APPS_COMPETITION, APPS_INTERVIEW, APPS_INTRODUCTORY};
pub use c2c::C2C;
pub use codrep::CodRep;
pub use fusion_brain::{FUSION_BRAIN, FusionBrain, HTR, ImageTask, VQA, ZSOD};
pub use humaneval::{HUMANEVAL, HUMANEVAL_PLUS};
pub use humanevalpack::{
    HUMANEVALPACK_CPP, HUMANEVALPACK_GO, HUMANEVALPACK_JAVA, HUMANEVALPACK_JS,
    HUMANEVALPACK_PYTHON, HUMANEVALPACK_RUST,
};
pub use mbpp::{MBPP, MBPP_PLUS, MBPP_SANITIZED};
pub use page::page;
pub use programs::Programs;
pub use trans::{TRANS_CS_JAVA, TRANS_JAVA_CS};
pub use translate_gfg::TRANSLATE_GFG_JAVA_PYTHON;
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
    &APPS_INTRODUCTORY,
    &APPS_INTERVIEW,
    &APPS_COMPETITION,
    &HUMANEVALPACK_PYTHON,
    &HUMANEVALPACK_JS,
    &HUMANEVALPACK_JAVA,
    &HUMANEVALPACK_CPP,
    &HUMANEVALPACK_GO,
    &HUMANEVALPACK_RUST,
    &TRANSLATE_GFG_JAVA_PYTHON,
    &HTR,
    &ZSOD,
    &VQA,
    &FUSION_BRAIN,
];

/// The task called `name`.
pub fn find(name: &str) -> Result<&'static dyn Task> {
    REGISTRY.iter().copied().find(|task| task.card().name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|task| task.card().name).collect();
        Error::usage(format!("there is no task called {name:?}"))
            .hint(format!("the tasks are: {}", names.join(", ")))
    })
}
