//! The tasks: one file and one card each, one line in `built_in`.

mod apps;
mod c2c;
mod card;
mod codrep;
mod evalplus;
mod fusion_brain;
mod humaneval;
mod humanevalpack;
mod mbpp;
mod own;
mod page;
mod programs;
mod sample;
mod trans;
mod translate_gfg;
mod translation;

use std::sync::Arc;

use assay_core::{Error, Result, Task};
use assay_data::programs::apps::Level;

pub use codrep::CodRep;
use humanevalpack::humanevalpack;
use own::OwnData;
pub use page::page;
pub use sample::codrep as codrep_sample;

/// The built-in tasks.
fn built_in() -> Vec<Arc<dyn Task>> {
    vec![
        Arc::new(CodRep::default()),
        Arc::new(c2c::c2c()),
        Arc::new(trans::trans_java_cs()),
        Arc::new(trans::trans_cs_java()),
        Arc::new(humaneval::humaneval()),
        Arc::new(humaneval::humaneval_plus()),
        Arc::new(mbpp::mbpp()),
        Arc::new(mbpp::mbpp_sanitized()),
        Arc::new(mbpp::mbpp_plus()),
        Arc::new(apps::apps(Level::Introductory)),
        Arc::new(apps::apps(Level::Interview)),
        Arc::new(apps::apps(Level::Competition)),
        Arc::new(humanevalpack(humanevalpack::PYTHON)),
        Arc::new(humanevalpack(humanevalpack::JS)),
        Arc::new(humanevalpack(humanevalpack::JAVA)),
        Arc::new(humanevalpack(humanevalpack::CPP)),
        Arc::new(humanevalpack(humanevalpack::GO)),
        Arc::new(humanevalpack(humanevalpack::RUST)),
        Arc::new(translate_gfg::translate_gfg_java_python()),
        Arc::new(fusion_brain::htr()),
        Arc::new(fusion_brain::zsod()),
        Arc::new(fusion_brain::vqa()),
        Arc::new(fusion_brain::FusionBrain::default()),
    ]
}

/// The tasks that can be run: the built-in ones, and added ones.
pub struct TaskRegistry {
    tasks: Vec<Arc<dyn Task>>,
}

impl TaskRegistry {
    /// The built-in tasks.
    pub fn built_in() -> Self {
        Self { tasks: built_in() }
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

    /// The task called `name`; with `own_name`, the same for the user's own data under that name.
    pub fn find_as(&self, name: &str, own_name: Option<&str>) -> Result<Arc<dyn Task>> {
        let task = Arc::clone(self.find(name)?);
        let Some(own_name) = own_name else { return Ok(task) };
        if self.iter().any(|known| known.card().name.eq_ignore_ascii_case(own_name)) {
            let message = format!(
                "{own_name:?} is the name of a task, whose results are those of its own data"
            );
            return Err(Error::usage(message).hint("give your data another --name"));
        }
        Ok(Arc::new(OwnData::new(task, own_name)?))
    }

    /// The task called `name`.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Task>> {
        let found = self.tasks.iter().find(|task| task.card().name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.iter().map(|task| task.card().name.as_str()).collect();
            Error::usage(format!("there is no task called {name:?}"))
                .hint(format!("the tasks are: {}", names.join(", ")))
        })
    }
}
