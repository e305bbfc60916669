//! `assay score RUN`: grade the answers that a run recorded.

use std::path::Path;

use assay_core::{Error, Result};
use assay_run::{Resumable, RunOutcome, StoredRun, is_run, job_count};
use assay_tasks::TaskRegistry;

use super::session::{Session, SessionOptions};
use super::{cache_folder, cancel_on_interrupt, data_at, require, tool};
use crate::args::ScoreArguments;
use crate::output::{ResultsView, RunProgressBar};

/// The arguments that are for a run's own answers too; everything else comes from the record.
const WITH_RUN: [&str; 11] = [
    "task", "data", "jobs", "json", "cache", "failures", "require", "verbose", "log", "columns",
    "no_color",
];
/// The argument by which the user allows grading without isolation.
const NO_ISOLATION: &str = "unsafe_no_isolation";

pub(crate) fn grade_run(
    arguments: &ScoreArguments,
    typed: &[String],
    is_detailed: bool,
) -> Result<u8> {
    let folder = Path::new(&arguments.task);
    if !is_run(folder) {
        return Err(no_answers(&arguments.task));
    }
    let is_other = |name: &&String| !WITH_RUN.contains(&name.as_str()) && *name != NO_ISOLATION;
    if let Some(other) = typed.iter().find(is_other) {
        return Err(Error::usage(format!("`{other}` cannot be changed for the answers of a run"))
            .hint("only --data, -j, --cache, --failures, --require, --json, -v and --log go with a run's folder"));
    }
    let options = SessionOptions {
        jobs: arguments.jobs,
        cache: arguments.programs.cache.as_deref(),
        json: arguments.json,
        failures: arguments.failures,
        require: &arguments.require,
        view: ResultsView { is_detailed, names_left_out: false },
    };
    let (outcome, cancel);
    match StoredRun::open(folder)? {
        StoredRun::Complete(complete) => {
            cancel = cancel_on_interrupt()?;
            outcome = RunOutcome::Complete(complete);
        }
        StoredRun::Unfinished(mut run) => {
            refuse_risks(&run, typed)?;
            let tasks = TaskRegistry::built_in();
            let task = tasks.find(run.task())?;
            require::refuse_unknown(&arguments.require, &[task.card()], run.pass_k())?;
            let data = arguments.data.data.as_slice();
            let data = (!data.is_empty()).then(|| data_at(data)).transpose()?;
            let cache = cache_folder(arguments.programs.cache.as_deref());
            let work = (job_count(arguments.jobs), cache.as_deref());
            let plan = run.grading_plan(&tasks, tool(), data, work)?;
            cancel = cancel_on_interrupt()?;
            let session = Session::new(options, &cancel);
            outcome = run.finish(&plan, &session.context(&RunProgressBar::new()))?;
        }
    }
    let mut session = Session::new(options, &cancel);
    let interrupted = session.record_finished(outcome);
    session.print_results(interrupted)
}

/// A record can come from anybody, so isolation is given up only by a word of the user.
fn refuse_risks(run: &Resumable, typed: &[String]) -> Result<()> {
    match run.grading_risks() {
        Some(risk) if !typed.iter().any(|name| name == NO_ISOLATION) => {
            Err(Error::refused(format!("the record asks to {risk}"))
                .hint("if you trust its answers, add --unsafe-no-isolation"))
        }
        _ => Ok(()),
    }
}

fn no_answers(task: &str) -> Error {
    let tasks = TaskRegistry::built_in();
    if tasks.find(task).is_ok() {
        return Error::usage(format!("{task}: there is no file of answers to grade"))
            .hint(format!("for example: assay score {task} answers.jsonl"));
    }
    Error::usage(format!("{task} is neither the folder of a run nor a task with a file of answers"))
        .hint("`assay tasks` lists the tasks; for example: assay score humaneval samples.jsonl")
}
