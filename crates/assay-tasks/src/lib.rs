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

use std::sync::Arc;

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

/// The built-in tasks.
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

/// The tasks that can be run: the built-in ones, and those that were added.
pub struct TaskRegistry {
    tasks: Vec<Arc<dyn Task>>,
}

impl TaskRegistry {
    /// The built-in tasks.
    pub fn built_in() -> Self {
        Self { tasks: REGISTRY.iter().map(|&task| Arc::new(task) as _).collect() }
    }

    /// Adds a task; its name must be new.
    pub fn add(&mut self, task: Arc<dyn Task>) -> Result<()> {
        let name = &task.card().name;
        if self.iter().any(|known| known.card().name == *name) {
            return Err(Error::usage(format!("there are two tasks called {name:?}")));
        }
        self.tasks.push(task);
        Ok(())
    }

    /// The tasks, in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Task> {
        self.tasks.iter().map(AsRef::as_ref)
    }

    /// The task called `name`.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Task>> {
        let found = self.tasks.iter().find(|task| task.card().name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.iter().map(|task| task.card().name).collect();
            Error::usage(format!("there is no task called {name:?}"))
                .hint(format!("the tasks are: {}", names.join(", ")))
        })
    }
}
