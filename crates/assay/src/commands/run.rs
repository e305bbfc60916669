//! `assay run`: the main job.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};

use assay_core::{
    Cancel, DataChoice, Error, Progress, Result, Results, TaskCard, counted, exit_code, shown_line,
};
use assay_data::output_folder;
use assay_run::{
    Complete, FailedSample, OpenTask, Plan, RunContext, RunOutcome, StoredRun, TaskRequest,
    failed_samples, is_run, job_count, start,
};
use assay_solvers::SolverSpec;
use assay_tasks::TaskRegistry;

use super::{
    cache_folder, cancel_on_interrupt, choose_data, locator_training_data, require,
    solver_settings, state_folder, tool, tour,
};
use crate::args::RunArguments;
use crate::output::{self, ResultsJson, ResultsView, RunProgressBar};

/// The arguments allowed with `--resume`; everything else comes from the record.
const WITH_RESUME: [&str; 13] = [
    "api_key_env",
    "no_cache",
    "resume",
    "trust",
    "jobs",
    "json",
    "cache",
    "failures",
    "require",
    "verbose",
    "log",
    "columns",
    "no_color",
];

/// The maximum number of bytes read of the user's reply.
const MAX_REPLY_BYTES: u64 = 100;

pub(crate) fn run(arguments: &RunArguments, typed: &[String], is_detailed: bool) -> Result<u8> {
    let names_left_out = !arguments.programs.pass_k.is_empty();
    let view = ResultsView { is_detailed, names_left_out };
    if let Some(folder) = &arguments.resume {
        if let Some(other) = typed.iter().find(|name| !WITH_RESUME.contains(&name.as_str())) {
            return Err(Error::usage(format!("`{other}` cannot be changed when a run is resumed"))
                .hint("only -j, --json, --cache, --no-cache, --api-key-env, --failures, --require, --trust, -v and --log go with --resume; start a new run for anything else"));
        }
        return resume_run(arguments, folder, view);
    }
    let parent = output_folder(&arguments.output)?;
    if arguments.data.name.is_some() && arguments.tasks.len() != 1 {
        return Err(Error::usage("--name is for the data of one task")
            .hint("name one task, or leave --name out"));
    }
    if arguments.tasks.is_empty() {
        if let Some(requirement) = arguments.require.first() {
            return Err(Error::usage(format!("{requirement}: --require needs a task"))
                .hint("for example: assay run codrep --data sample --require 'recall@1>=0.5'"));
        }
        return tour::tour(arguments, view, &parent, &cancel_on_interrupt()?);
    }
    arguments.models.check(&arguments.solvers, typed)?;
    let tasks = TaskRegistry::built_in();
    let mut plans = Vec::new();
    let cards = arguments.tasks.iter().map(|task| Ok(tasks.find(task)?.card()));
    let cards: Vec<&TaskCard> = cards.collect::<Result<_>>()?;
    for card in &cards {
        let programs = &arguments.programs;
        require::refuse_too_few_samples(&programs.pass_k, card, arguments.samples)?;
    }
    require::refuse_unknown(&arguments.require, &cards, &arguments.programs.pass_k())?;
    for task in &arguments.tasks {
        let data = choose_data(&arguments.data, tasks.find(task)?.card())?;
        plans.extend(plans_for(&tasks, arguments, (task, &arguments.solvers), data)?);
    }
    // Until here nothing has started, and Ctrl-C simply ends the process, however long the data
    // takes to read.
    Session::new(arguments, view, &cancel_on_interrupt()?).run(plans, &parent)
}

/// A plan for each solver, so that an error in the last one is found before the first one runs.
pub(crate) fn plans_for(
    tasks: &TaskRegistry,
    arguments: &RunArguments,
    (task, solvers): (&str, &[String]),
    data: DataChoice,
) -> Result<Vec<Plan>> {
    let own_name = arguments.data.name.as_deref();
    let found = tasks.find_as(task, own_name)?;
    let card = found.card();
    let solvers = if solvers.is_empty() { &card.default_solvers } else { solvers };
    let mut settings = solver_settings(&arguments.solving)?;
    if solvers.iter().any(|solver| is_model(solver)) {
        settings.specific = arguments.models.settings(arguments.samples);
    }
    for solver in solvers {
        SolverSpec::parse(solver)?.check(card)?;
    }
    let request = TaskRequest {
        name: task.to_owned(),
        own_name: own_name.map(str::to_owned),
        data,
        settings: arguments.programs.settings(arguments.data.settings_for(card), card)?,
        ids: arguments.chosen.ids.clone(),
        limit: arguments.chosen.limit(),
    };
    let cache = cache_folder(arguments.programs.cache.as_deref());
    let open = OpenTask::open(tasks, request, job_count(arguments.solving.jobs), cache.as_deref())?;
    warn_about_training_data(solvers, &open);
    let plan = |solver: &String| {
        let resources = arguments.models.resources(solver, cache.as_deref())?;
        Plan::new(&open, solver, settings.clone(), arguments.samples, (tool(), &resources))
    };
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

fn is_model(solver: &str) -> bool {
    SolverSpec::parse(solver).is_ok_and(|spec| spec.card().is_model)
}

/// Warns if the locator is tested on the data that it was trained on: that is no valid test.
fn warn_about_training_data(solvers: &[String], open: &OpenTask) {
    if !solvers.iter().any(|solver| solver == "locate") {
        return;
    }
    if let Some(dataset) = locator_training_data(open.ids()) {
        output::warn(&format!(
            "locate was trained on {dataset}: its figure here says nothing about new data; \
             `assay train locate --leave-one-out` gives honest ones"
        ));
    }
}

fn resume_run(arguments: &RunArguments, folder: &Path, view: ResultsView) -> Result<u8> {
    if !is_run(folder) {
        return Err(Error::refused(format!("{} is not the folder of a run", folder.display()))
            .hint("a run's folder has a run.json in it"));
    }
    let run = match StoredRun::open(folder)? {
        StoredRun::Unfinished(run) => run,
        StoredRun::Complete(complete) => {
            let cancel = cancel_on_interrupt()?;
            let mut session = Session::new(arguments, view, &cancel);
            session.record_finished(RunOutcome::Complete(complete));
            return session.print_results(false);
        }
    };
    let risks = run.risks(state_folder().as_deref())?;
    if !risks.is_empty() && !arguments.trust {
        let is_interactive = io::stdin().is_terminal() && io::stderr().is_terminal();
        ask_permission(folder, &risks, is_interactive.then_some(&mut io::stdin().lock()))?;
    }
    let cache = cache_folder(arguments.programs.cache.as_deref());
    let jobs = job_count(arguments.solving.jobs);
    let resources = arguments.models.resources(run.solver(), cache.as_deref())?;
    let plan = run.plan(&TaskRegistry::built_in(), (tool(), &resources), jobs, cache.as_deref())?;
    let cancel = cancel_on_interrupt()?;
    let mut session = Session::new(arguments, view, &cancel);
    let finished = run.finish(&plan, &session.context(&RunProgressBar::new()));
    let interrupted = session.record_finished(finished?);
    session.print_results(interrupted)
}

/// Shows what a run would do and asks the user to allow it; refuses if there is nobody to ask.
fn ask_permission(folder: &Path, risks: &[String], user: Option<&mut impl BufRead>) -> Result<()> {
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
    output::prompt("allow that? [y/N] ");
    let mut reply = String::new();
    let read = user.take(MAX_REPLY_BYTES).read_line(&mut reply);
    read.map_err(|error| Error::failed("failed to read the reply").because(error))?;
    match reply.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::refused(format!("{folder} is not resumed"))),
    }
}

/// Carries out runs one after another, and collects their results.
pub(crate) struct Session<'a> {
    arguments: &'a RunArguments,
    view: ResultsView,
    cancel: &'a Cancel,
    cache: Option<PathBuf>,
    state: Option<PathBuf>,
    complete: Vec<Complete>,
    /// True if nobody reads the output any more; the runs continue and are recorded.
    output_closed: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(arguments: &'a RunArguments, view: ResultsView, cancel: &'a Cancel) -> Self {
        let cache = cache_folder(arguments.programs.cache.as_deref());
        let state = state_folder();
        let complete = Vec::new();
        Self { arguments, view, cancel, cache, state, complete, output_closed: false }
    }

    fn context<'m>(&'m self, progress: &'m dyn Progress) -> RunContext<'m> {
        let jobs = job_count(self.arguments.solving.jobs);
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
    fn record_finished(&mut self, finished: RunOutcome) -> bool {
        match finished {
            RunOutcome::Complete(complete) => {
                if self.arguments.json && !self.output_closed {
                    self.output_closed = self.print_json(&complete).is_err();
                }
                output::show_exclusions(&complete.excluded);
                output::show_sessions(&complete.sessions);
                output::warn_of_missing_answers(&complete.results);
                self.complete.push(*complete);
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
        let most = self.arguments.failures as usize;
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
        let most = self.arguments.failures as usize;
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
        if !self.arguments.json && !results.is_empty() {
            output::show_results(&results, self.view)?;
            let folders: Vec<&Path> = self.complete.iter().map(|run| &*run.folder).collect();
            output::show_folders(&folders, self.view)?;
            output::show_breakdowns(&results)?;
            self.show_failures()?;
        }
        let is_missed = require::report_missed(&self.arguments.require, &results);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_allows_a_command() {
        let allows = |reply: &str| {
            let risks = ["run in /: sh -c 'echo \x1b[2J'".to_owned()];
            ask_permission(Path::new("run"), &risks, Some(&mut reply.as_bytes()))
        };
        for reply in ["y\n", "Y\n", " yes\n", "y"] {
            allows(reply).unwrap();
        }
        for reply in ["", "\n", "n\n", "yy\n", "no\ny\n", "yes please\n"] {
            assert_eq!(allows(reply).unwrap_err().to_string(), "run is not resumed", "{reply:?}");
        }
        let nobody =
            ask_permission(Path::new("run"), &["x".to_owned()], None::<&mut &[u8]>).unwrap_err();
        assert_eq!(nobody.exit_code(), exit_code::REFUSED);
    }
}
