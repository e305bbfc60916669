//! `assay run`: the main job.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};

use assay_core::{
    Cancel, DataChoice, Error, ProblemId, Progress, Result, Results, exit_code, shown_line,
};
use assay_run::{
    Complete, OpenTask, Plan, Resumable, RunContext, RunOutcome, TaskRequest, is_run, job_count,
    start,
};
use assay_solvers::{LOCATE_LEARNED_FROM, SolverSpec};
use assay_tasks::TaskRegistry;

use super::{
    cache_folder, cancel_on_interrupt, choose_data, solver_settings, state_folder, tool, tour,
};
use crate::args::RunArguments;
use crate::output::{self, Bar};

/// What may be typed beside `--resume`; the rest, the record knows.
const WITH_RESUME: [&str; 7] = ["resume", "trust", "jobs", "json", "cache", "verbose", "log"];

/// How much of a reply is read.
const REPLY: u64 = 100;

pub(crate) fn run(arguments: &RunArguments, typed: &[String]) -> Result<u8> {
    if let Some(folder) = &arguments.resume {
        if let Some(other) = typed.iter().find(|name| !WITH_RESUME.contains(&name.as_str())) {
            return Err(Error::usage(format!("`{other}` cannot be changed when a run is resumed"))
                .hint("only -j and --json go with --resume; start a new run for anything else"));
        }
        return resume_run(arguments, folder);
    }
    if arguments.tasks.is_empty() {
        return tour::tour(arguments, &cancel_on_interrupt()?);
    }
    let tasks = TaskRegistry::built_in();
    let mut plans = Vec::new();
    for task in &arguments.tasks {
        let data = choose_data(&arguments.data, tasks.find(task)?.card())?;
        plans.extend(plans_for(arguments, task, data)?);
    }
    // Until here nothing is begun, and Ctrl-C just ends it, however long the data takes to read.
    Session::new(arguments, &cancel_on_interrupt()?).run(plans)
}

/// A plan for each solver, so that a mistake in the last is found before the first is run.
pub(crate) fn plans_for(
    arguments: &RunArguments,
    task: &str,
    data: DataChoice,
) -> Result<Vec<Plan>> {
    let tasks = TaskRegistry::built_in();
    let card = tasks.find(task)?.card();
    let defaults = || card.default_solvers.clone();
    let solvers: Vec<String> =
        if arguments.solvers.is_empty() { defaults() } else { arguments.solvers.clone() };
    let settings = solver_settings(&arguments.solving)?;
    for solver in &solvers {
        SolverSpec::parse(solver)?.check(card)?;
    }
    let request = TaskRequest {
        name: task.to_owned(),
        data,
        settings: arguments.programs.settings(arguments.data.settings_for(card)),
        ids: arguments.ids.clone(),
        limit: arguments.limit.map(|limit| limit as usize),
    };
    let cache = cache_folder(arguments.programs.cache.as_deref());
    let open =
        OpenTask::open(&tasks, request, job_count(arguments.solving.jobs), cache.as_deref())?;
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

fn resume_run(arguments: &RunArguments, folder: &Path) -> Result<u8> {
    if !is_run(folder) {
        return Err(Error::refused(format!("{} is not the folder of a run", folder.display()))
            .hint("a run's folder has a run.json in it"));
    }
    let run = Resumable::open(folder)?;
    let risks = run.risks(state_folder().as_deref())?;
    if !risks.is_empty() && !arguments.trust {
        let talks = io::stdin().is_terminal() && io::stderr().is_terminal();
        allow(folder, &risks, talks.then_some(&mut io::stdin().lock()))?;
    }
    let cache = cache_folder(arguments.programs.cache.as_deref());
    let jobs = job_count(arguments.solving.jobs);
    let plan = run.plan(&TaskRegistry::built_in(), tool(), jobs, cache.as_deref())?;
    let cancel = cancel_on_interrupt()?;
    let mut session = Session::new(arguments, &cancel);
    let finished = run.finish(plan.as_ref(), &session.context(&Bar::new()));
    let interrupted = session.note(finished?);
    session.sum_up(interrupted)
}

/// Shows what a run would do and has its user allow it; refuses it where there is nobody to ask.
fn allow(folder: &Path, risks: &[String], user: Option<&mut impl BufRead>) -> Result<()> {
    let folder = folder.display();
    let shown: Vec<String> = risks.iter().map(|risk| shown_line(risk).into_owned()).collect();
    let risks = shown.join("\n  ");
    let message =
        format!("{folder} was not started here by this user, or was changed; it would\n  {risks}");
    let Some(user) = user else {
        return Err(Error::refused(message)
            .hint("a record can come from anybody: if you trust this one, add --trust"));
    };
    output::warn(&message);
    output::ask("allow that? [y/N] ");
    let mut reply = String::new();
    let read = user.take(REPLY).read_line(&mut reply);
    read.map_err(|error| Error::failed("failed to read the reply").because(error))?;
    match reply.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::refused(format!("{folder} is not resumed"))),
    }
}

/// Runs one after the other, and what they found.
pub(crate) struct Session<'a> {
    arguments: &'a RunArguments,
    cancel: &'a Cancel,
    cache: Option<PathBuf>,
    state: Option<PathBuf>,
    complete: Vec<Complete>,
    /// Nobody reads what is printed; the runs go on and are recorded.
    unheard: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(arguments: &'a RunArguments, cancel: &'a Cancel) -> Self {
        let cache = cache_folder(arguments.programs.cache.as_deref());
        let state = state_folder();
        Self { arguments, cancel, cache, state, complete: Vec::new(), unheard: false }
    }

    fn context<'m>(&'m self, progress: &'m dyn Progress) -> RunContext<'m> {
        let jobs = job_count(self.arguments.solving.jobs);
        let (cache, state) = (self.cache.as_deref(), self.state.as_deref());
        RunContext { jobs, cache, state, cancel: self.cancel, progress }
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
            let finished = start(&plan, &self.arguments.output, &self.context(&Bar::new()))?;
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
    fn note(&mut self, finished: RunOutcome) -> bool {
        match finished {
            RunOutcome::Complete(complete) => {
                if self.arguments.json && !self.unheard {
                    self.unheard = output::json_line(&complete.results).is_err();
                }
                output::show_exclusions(&complete.excluded);
                output::show_sessions(&complete.sessions);
                self.complete.push(*complete);
                false
            }
            RunOutcome::Interrupted { folder, done, total } => {
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
        let missing = results
            .iter()
            .any(|results| results.counts.without_verdict() > 0 || !results.not_scored.is_empty());
        Ok(match (interrupted, missing) {
            (true, _) => exit_code::INTERRUPTED,
            (false, true) => exit_code::INCOMPLETE,
            (false, false) => exit_code::DONE,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_allows_a_command() {
        let allows = |reply: &str| {
            let risks = ["run in /: sh -c 'echo \x1b[2J'".to_owned()];
            allow(Path::new("run"), &risks, Some(&mut reply.as_bytes()))
        };
        for reply in ["y\n", "Y\n", " yes\n", "y"] {
            allows(reply).unwrap();
        }
        for reply in ["", "\n", "n\n", "yy\n", "no\ny\n", "yes please\n"] {
            assert_eq!(allows(reply).unwrap_err().to_string(), "run is not resumed", "{reply:?}");
        }
        let nobody = allow(Path::new("run"), &["x".to_owned()], None::<&mut &[u8]>).unwrap_err();
        assert_eq!(nobody.exit_code(), exit_code::REFUSED);
    }
}
