//! The challenge's code-to-code subtask: the task `c2c`, on the challenge's own files.

use std::path::PathBuf;

use assay_core::{DataChoice, Error, Result, Results, Rules, TaskSettings};

use super::files::Given;
use crate::commands::tool;

/// What the task makes of the files, by the challenge's rules.
pub(super) fn c2c_results(truth: &Given, prediction: &Given) -> Result<Results> {
    let task = assay_tasks::find("c2c")?;
    let settings = TaskSettings { rules: Rules::Compat };
    let data = DataChoice::Paths(vec![PathBuf::from(&truth.name)]);
    let problems = task.open(&data, &settings, true)?;
    let answers = (&mut prediction.bytes.as_slice() as _, prediction.name.as_str());
    let scored = assay_run::score(task, problems.as_ref(), &settings, answers, false, &tool())?;
    match scored.flaws.first() {
        None => Ok(scored.results),
        Some(flaw) => Err(Error::refused(flaw.reason.clone())),
    }
}
