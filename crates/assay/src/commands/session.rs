//! A session: runs one after another, and what is shown of them.

use std::path::{Path, PathBuf};

use assay_core::{Cancel, Result, Results, counted, exit_code};
use assay_run::{
    Complete, FailedSample, Plan, Progress, RunContext, RunOutcome, failed_samples, job_count,
    start,
};
use assay_tasks::TaskRegistry;

use super::{cache_folder, require, state_folder};
use crate::args::Requirement;
use crate::output::{self, ResultsJson, ResultsView, RunProgressBar};

/// The user's choices for a session.
#[derive(Clone, Copy)]
pub(crate) struct SessionOptions<'a> {
    /// The number of answers worked on at once.
    pub(crate) jobs: Option<u32>,
    /// The folder of the cache, if it is not the usual one.
    pub(crate) cache: Option<&'a Path>,
    /// True if results are printed as JSON.
    pub(crate) json: bool,
    /// The number of failed samples to show.
    pub(crate) failures: u32,
    /// The thresholds for metrics.
    pub(crate) require: &'a [Requirement],
    /// The way to show results.
    pub(crate) view: ResultsView,
}

/// Carries out runs one after another, and collects their results.
pub(crate) struct Session<'a> {
    options: SessionOptions<'a>,
    cancel: &'a Cancel,
    cache: Option<PathBuf>,
    state: Option<PathBuf>,
    complete: Vec<Complete>,
    /// True if nobody reads the output any more; the runs continue and are recorded.
    output_closed: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(options: SessionOptions<'a>, cancel: &'a Cancel) -> Self {
        let cache = cache_folder(options.cache);
        let state = state_folder();
        let complete = Vec::new();
        Self { options, cancel, cache, state, complete, output_closed: false }
    }

    pub(crate) fn context<'m>(&'m self, progress: &'m dyn Progress) -> RunContext<'m> {
        let jobs = job_count(self.options.jobs);
        let (cache, state) = (self.cache.as_deref(), self.state.as_deref());
        RunContext { jobs, cache, state, cancel: self.cancel, progress }
    }

    /// Carries out every plan and records it in the folder `parent`, then prints the results, including those from before a failure.
    pub(crate) fn run(mut self, plans: Vec<Plan>, parent: &Path) -> Result<u8> {
        let outcome = self.run_plans(plans, parent);
        let code = self.print_results(matches!(outcome, Ok(true)))?;
        outcome.map(|_| code)
    }

    /// Carries out the plans; returns whether the user interrupted them.
    pub(crate) fn run_plans(&mut self, plans: Vec<Plan>, parent: &Path) -> Result<bool> {
        let mut waiting = plans.into_iter();
        while let Some(plan) = waiting.next() {
            let finished = start(&plan, parent, &self.context(&RunProgressBar::new()))?;
            if self.record_finished(finished) {
                let left: Vec<String> =
                    waiting.map(|plan| format!("{} on {}", plan.solver(), plan.task())).collect();
                if !left.is_empty() {
                    output::print_message(&format!("not started: {}", left.join(", ")));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records a run that ended; returns whether it was interrupted.
    pub(crate) fn record_finished(&mut self, finished: RunOutcome) -> bool {
        match finished {
            RunOutcome::Complete(complete) => {
                if self.options.json && !self.output_closed {
                    self.output_closed = self.print_json(&complete).is_err();
                }
                output::show_exclusions(&complete.excluded);
                output::show_sessions(&complete.sessions);
                output::warn_of_missing_answers(&complete.results);
                if let Some(replies) = &complete.results.replies {
                    output::show_replies(replies);
                }
                self.complete.push(*complete);
                false
            }
            RunOutcome::Answered { folder, answers, unusable, replies } => {
                if let Some(replies) = replies {
                    output::show_replies(&replies);
                }
                output::show_answered(&folder, answers, &unusable);
                false
            }
            RunOutcome::Interrupted { folder, done, total } => {
                output::print_message(&format!(
                    "interrupted with {done} of {} done; nothing is lost\n\
                     go on with: {}",
                    counted(total, "problem"),
                    output::resume_command(&folder)
                ));
                true
            }
        }
    }

    /// Prints a run's results as a line of JSON.
    fn print_json(&self, complete: &Complete) -> Result<()> {
        let Complete { results, folder, .. } = complete;
        let most = self.options.failures as usize;
        let failed = if most > 0 { failures_of(folder, most) } else { Ok(Vec::new()) };
        // The results are worth more than the samples.
        let failed = failed.unwrap_or_else(|error| {
            output::show_error(&error);
            Vec::new()
        });
        let failed_samples = (most > 0).then(|| output::failed_json(&failed));
        output::json_line(&ResultsJson { results, failed_samples })
    }

    /// Shows failed samples of every run, if they were requested.
    fn show_failures(&self) -> Result<()> {
        let most = self.options.failures as usize;
        for Complete { results, folder, .. } in self.complete.iter().filter(|_| most > 0) {
            if self.complete.len() > 1 {
                output::print(&format!(
                    "\nfailed samples of {} on {}\n",
                    results.solver, results.task
                ))?;
            }
            output::show_failed(results, &failures_of(folder, most)?)?;
        }
        Ok(())
    }

    /// The complete runs.
    pub(crate) fn complete(&self) -> &[Complete] {
        &self.complete
    }

    /// Returns true if every problem of every run has an answer that was graded.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete.iter().all(|Complete { results, .. }| {
            results.counts.are_complete() && results.not_scored.is_empty()
        })
    }

    /// Prints the results, and returns the exit code.
    pub(crate) fn print_results(&self, interrupted: bool) -> Result<u8> {
        let results: Vec<&Results> = self.complete.iter().map(|run| &run.results).collect();
        if !self.options.json && !results.is_empty() {
            output::show_results(&results, self.options.view)?;
            let folders: Vec<&Path> = self.complete.iter().map(|run| &*run.folder).collect();
            output::show_folders(&folders, self.options.view)?;
            output::show_breakdowns(&results)?;
            self.show_failures()?;
        }
        let is_missed = require::report_missed(self.options.require, &results);
        Ok(match (interrupted, is_missed, !self.is_complete()) {
            (true, ..) => exit_code::INTERRUPTED,
            (false, true, _) => exit_code::MISSED,
            (false, false, true) => exit_code::INCOMPLETE,
            (false, false, false) => exit_code::DONE,
        })
    }
}

/// Failed samples of a complete run.
fn failures_of(folder: &Path, most: usize) -> Result<Vec<FailedSample>> {
    let (failed, problem) = failed_samples(&TaskRegistry::built_in(), folder, most)?;
    if let Some(reason) = problem {
        output::warn_of_missing_problems(&reason);
    }
    Ok(failed)
}
