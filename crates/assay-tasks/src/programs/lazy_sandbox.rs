//! A sandbox that is created when the first candidate is graded: problems can be read without one.

use std::sync::{Mutex, OnceLock, PoisonError};

use assay_core::{Language, Opening, Result, TaskSettings};
use assay_sandbox::{Sandbox, Settings};

/// The sandbox of an opened task.
pub(super) struct LazySandbox {
    settings: TaskSettings,
    jobs: usize,
    language: Option<Language>,
    made: OnceLock<Sandbox>,
    making: Mutex<()>,
}

impl LazySandbox {
    pub(super) fn new(opening: &Opening<'_>, language: Option<Language>) -> Self {
        let (settings, jobs) = (opening.settings.clone(), opening.jobs.max(1));
        Self { settings, jobs, language, made: OnceLock::new(), making: Mutex::default() }
    }

    /// The sandbox, or an error if this machine cannot run programs of the task's language.
    pub(super) fn get(&self) -> Result<&Sandbox> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sandbox) = self.made.get() {
            return Ok(sandbox);
        }
        let sandbox = self.make()?;
        Ok(self.made.get_or_init(|| sandbox))
    }

    fn make(&self) -> Result<Sandbox> {
        let languages: Vec<Language> = self.language.into_iter().collect();
        let TaskSettings { isolation, unsafe_no_isolation, .. } = self.settings;
        let sandbox = Sandbox::new(Settings {
            no_isolation: unsafe_no_isolation,
            ..Settings::of_this_machine(self.jobs, isolation, &languages)?
        })?;
        self.language.map(|language| sandbox.tools().get(language)).transpose()?;
        Ok(sandbox)
    }
}
