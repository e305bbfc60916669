//! `assay run`: the main job.

use std::path::{Path, PathBuf};

use assay_core::{Cancel, DataChoice, Error, ProblemId, Progress, Result, Results, exit_code};
use assay_run::{Complete, Finished, Means, OpenTask, Plan, TaskRequest, is_run, resume, start};
use assay_solvers::{LOCATE_LEARNED_FROM, SolverSpec};

use super::{cache_folder, cancel_on_interrupt, choose_data, jobs, solver_settings, tool, tour};
use crate::args::RunArguments;
use crate::output::{self, Bar};

/// What may be typed beside `--resume`; the rest, the record knows.
const WITH_RESUME: [&str; 4] = ["resume", "jobs", "json", "cache"];

pub(crate) fn run(arguments: &RunArguments, typed: &[String]) -> Result<u8> {
    let cancel = cancel_on_interrupt()?;
    if let Some(folder) = &arguments.resume {
        if let Some(other) = typed.iter().find(|name| !WITH_RESUME.contains(&name.as_str())) {
            return Err(Error::usage(format!("`{other}` cannot be changed when a run is resumed"))
                .hint("only -j and --json go with --resume; start a new run for anything else"));
        }
        return take_up_again(arguments, folder, &cancel);
    }
    if arguments.tasks.is_empty() {
        return tour::tour(arguments, &cancel);
    }
    let mut plans = Vec::new();
    for task in &arguments.tasks {
        let data = choose_data(&arguments.data, assay_tasks::find(task)?.card())?;
        plans.extend(plans_for(arguments, task, data)?);
    }
    Session::new(arguments, &cancel).run(plans)
}

/// A plan for each solver, so that a mistake in the last is found before the first is run.
pub(crate) fn plans_for(
    arguments: &RunArguments,
    task: &str,
    data: DataChoice,
) -> Result<Vec<Plan>> {
    let card = assay_tasks::find(task)?.card();
    let defaults = || card.default_solvers.iter().map(|&name| name.to_owned()).collect();
    let solvers: Vec<String> =
        if arguments.solvers.is_empty() { defaults() } else { arguments.solvers.clone() };
    let settings = solver_settings(&arguments.solving)?;
    for solver in &solvers {
        SolverSpec::parse(solver)?.check(card)?;
    }
    let open = OpenTask::open(TaskRequest {
        name: task.to_owned(),
        data,
        settings: arguments.programs.settings(arguments.data.settings_for(card)),
        ids: arguments.ids.clone(),
        limit: arguments.limit.map(|limit| limit as usize),
    })?;
    warn_of_memory(&solvers, &open);
    let plan =
        |solver: &String| Plan::new(&open, solver, settings.clone(), arguments.samples, tool());
    let plans: Vec<Plan> = solvers.iter().map(plan).collect::<Result<_>>()?;
    for plan in &plans {
        if let Some(more) = plan.more_samples() {
            output::warn(&format!(
                "{} has up to {more} samples a problem, of which {} count; -n {more} takes all",
                plan.solver(),
                arguments.samples
            ));
        }
    }
    Ok(plans)
}

/// What the locator learned from, it knows by heart: that is no test of it.
fn warn_of_memory(solvers: &[String], open: &OpenTask) {
    let learned = |id: &ProblemId| {
        let dataset = id.as_str().split('/').next().unwrap_or_default();
        LOCATE_LEARNED_FROM.into_iter().find(|name| *name == dataset)
    };
    if !solvers.iter().any(|solver| solver == "locate") {
        return;
    }
    if let Some(dataset) = open.ids().find_map(learned) {
        output::warn(&format!(
            "locate was trained on {dataset}: its figure here says nothing about new data; \
             `assay train locate --leave-one-out` gives honest ones"
        ));
    }
}

fn take_up_again(arguments: &RunArguments, folder: &Path, cancel: &Cancel) -> Result<u8> {
    if !is_run(folder) {
        return Err(Error::refused(format!("{} is not the folder of a run", folder.display()))
            .hint("a run's folder has a run.json in it"));
    }
    let mut session = Session::new(arguments, cancel);
    let finished = resume(folder, tool(), &session.means(&Bar::new()));
    let interrupted = session.note(finished?);
    session.sum_up(interrupted)
}

/// Runs one after the other, and what they found.
pub(crate) struct Session<'a> {
    arguments: &'a RunArguments,
    cancel: &'a Cancel,
    cache: Option<PathBuf>,
    complete: Vec<Complete>,
    /// Nobody reads what is printed; the runs go on and are recorded.
    unheard: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(arguments: &'a RunArguments, cancel: &'a Cancel) -> Self {
        let cache = cache_folder(arguments.programs.cache.as_deref());
        Self { arguments, cancel, cache, complete: Vec::new(), unheard: false }
    }

    fn means<'m>(&'m self, progress: &'m dyn Progress) -> Means<'m> {
        let jobs = jobs(self.arguments.solving.jobs);
        Means { jobs, cache: self.cache.as_deref(), cancel: self.cancel, progress }
    }

    /// Carries every plan out, then prints what was found; also what was found before a failure.
    pub(crate) fn run(mut self, plans: Vec<Plan>) -> Result<u8> {
        let outcome = self.carry_out(plans);
        let code = self.sum_up(matches!(outcome, Ok(true)))?;
        outcome.map(|_| code)
    }

    /// Whether it was interrupted.
    fn carry_out(&mut self, plans: Vec<Plan>) -> Result<bool> {
        let mut waiting = plans.into_iter();
        while let Some(plan) = waiting.next() {
            let finished = start(&plan, &self.arguments.output, &self.means(&Bar::new()))?;
            if self.note(finished) {
                let left: Vec<String> =
                    waiting.map(|plan| format!("{} on {}", plan.solver(), plan.task())).collect();
                if !left.is_empty() {
                    output::talk(&format!("not started: {}", left.join(", ")));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes note of a run that ended; says whether it was interrupted.
    fn note(&mut self, finished: Finished) -> bool {
        match finished {
            Finished::Complete(complete) => {
                if self.arguments.json && !self.unheard {
                    self.unheard = output::json_line(&complete.results).is_err();
                }
                output::show_exclusions(&complete.excluded);
                output::show_sessions(&complete.sessions);
                self.complete.push(*complete);
                false
            }
            Finished::Interrupted { folder, done, total } => {
                output::talk(&format!(
                    "interrupted with {done} of {total} problems done; nothing is lost\n\
                     go on with: {}",
                    output::resume_command(&folder)
                ));
                true
            }
        }
    }

    /// Prints what was found, and says whether anything is missing.
    pub(crate) fn sum_up(&self, interrupted: bool) -> Result<u8> {
        let results: Vec<&Results> = self.complete.iter().map(|run| &run.results).collect();
        if !self.arguments.json && !results.is_empty() {
            output::results_tables(&results)?;
            let folders = self.complete.iter().map(|run| run.folder.display().to_string());
            output::listing("record", folders)?;
        }
        let missing = results.iter().any(|results| results.counts.without_verdict() > 0);
        Ok(match (interrupted, missing) {
            (true, _) => exit_code::INTERRUPTED,
            (false, true) => exit_code::INCOMPLETE,
            (false, false) => exit_code::DONE,
        })
    }
}
