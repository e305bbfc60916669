//! The challenge's code-to-code subtask: the task `c2c`, on the challenge's own files.

use std::path::PathBuf;

use assay_core::{Cancel, DataChoice, Error, Opening, Result, Results, Rules, Task, TaskSettings};

use assay_run::{RunContext, Scored, Scoring, job_count};

use super::files::Given;
use crate::commands::tool;
use crate::output::Bar;

fn settings() -> TaskSettings {
    TaskSettings::with_rules(Rules::Compat)
}

/// Names everything that the score depends on.
pub(super) fn c2c_signature() -> Result<String> {
    let fields = assay_tasks::C2C.signature_fields(&settings());
    let codebleu = fields.into_iter().find(|(name, _)| *name == "codebleu");
    codebleu.map(|(_, value)| value).ok_or_else(|| Error::failed("c2c has no codebleu"))
}

/// What the task makes of the files, by the challenge's rules.
pub(super) fn c2c_results(truth: &Given, prediction: &Given) -> Result<Results> {
    let task = &assay_tasks::C2C;
    let data = DataChoice::Paths(vec![PathBuf::from(&truth.name)]);
    let settings = settings();
    let problems = task.open(&Opening::new(&data, &settings))?;
    let answers = (&mut prediction.bytes.as_slice() as _, prediction.name.as_str());
    let scoring = Scoring {
        task,
        problems: problems.as_ref(),
        settings: &settings,
        read_all: false,
        verdicts: None,
        tool: &tool(),
    };
    let (cancel, progress) = (Cancel::new(), Bar::new());
    let context = RunContext {
        jobs: job_count(None),
        cache: None,
        state: None,
        cancel: &cancel,
        progress: &progress,
    };
    let scored = assay_run::score(&scoring, answers, &context)?;
    let Scored { results, flaws, .. } = scored.ok_or_else(|| Error::failed("interrupted"))?;
    match flaws.first() {
        None => Ok(results),
        Some(flaw) => Err(Error::refused(flaw.reason.clone())),
    }
}
