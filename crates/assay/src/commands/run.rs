//! `assay run`: the main job.

use std::path::Path;

use assay_core::{Cancel, DataChoice, Error, Result, Results, exit_code};
use assay_run::{Complete, Finished, Plan, Request, is_run, resume, start};

use super::{cancel_on_interrupt, choose_data, jobs, solver_settings, tool, tour};
use crate::args::RunArguments;
use crate::output::{self, Bar};

pub(crate) fn run(arguments: &RunArguments) -> Result<u8> {
    let cancel = cancel_on_interrupt()?;
    if let Some(folder) = &arguments.resume {
        return take_up_again(arguments, folder, &cancel);
    }
    if arguments.tasks.is_empty() {
        return tour::tour(arguments, &cancel);
    }
    let mut requests = Vec::new();
    for task in &arguments.tasks {
        let data = choose_data(&arguments.data, task)?;
        requests.extend(requests_for(arguments, task, &data)?);
    }
    Session::new(arguments, &cancel).all(requests)
}

/// One request for each solver.
pub(crate) fn requests_for(
    arguments: &RunArguments,
    task: &str,
    data: &DataChoice,
) -> Result<Vec<Request>> {
    let card = assay_tasks::find(task)?.card();
    let defaults = || card.default_solvers.iter().map(|&name| name.to_owned()).collect();
    let solvers: Vec<String> =
        if arguments.solvers.is_empty() { defaults() } else { arguments.solvers.clone() };
    let settings = solver_settings(&arguments.solving)?;
    let request = |solver: String| Request {
        task: task.to_owned(),
        data: data.clone(),
        rules: arguments.data.rules.into(),
        solver,
        settings: settings.clone(),
        ids: arguments.ids.clone(),
        limit: arguments.limit,
    };
    Ok(solvers.into_iter().map(request).collect())
}

fn take_up_again(arguments: &RunArguments, folder: &Path, cancel: &Cancel) -> Result<u8> {
    if !is_run(folder) {
        return Err(Error::refused(format!("{} is not the folder of a run", folder.display()))
            .hint("a run's folder has a run.json in it"));
    }
    let mut session = Session::new(arguments, cancel);
    let finished = resume(folder, tool(), jobs(&arguments.solving), cancel, &Bar::new())?;
    match session.note(finished)? {
        Some(interrupted) => Ok(interrupted),
        None => session.sum_up(),
    }
}

/// Runs one after the other, and what they found.
pub(crate) struct Session<'a> {
    arguments: &'a RunArguments,
    cancel: &'a Cancel,
    complete: Vec<Complete>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(arguments: &'a RunArguments, cancel: &'a Cancel) -> Self {
        Self { arguments, cancel, complete: Vec::new() }
    }

    /// Runs every request, then prints what was found.
    pub(crate) fn all(mut self, requests: Vec<Request>) -> Result<u8> {
        match self.execute(requests)? {
            Some(interrupted) => Ok(interrupted),
            None => self.sum_up(),
        }
    }

    /// Runs every request; says how it ended if it was interrupted.
    pub(crate) fn execute(&mut self, requests: Vec<Request>) -> Result<Option<u8>> {
        // A mistake in the last request is found before the first is run.
        for request in &requests {
            assay_solvers::SolverSpec::parse(&request.solver)?;
        }
        let mut waiting = requests.into_iter();
        while let Some(request) = waiting.next() {
            let plan = Plan::new(request, tool())?;
            let jobs = jobs(&self.arguments.solving);
            let finished = start(&plan, &self.arguments.output, jobs, self.cancel, &Bar::new())?;
            if let Some(code) = self.note(finished)? {
                let left: Vec<String> = waiting.map(|request| request.solver).collect();
                if !left.is_empty() {
                    output::talk(&format!("not started: {}", left.join(", ")));
                }
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    fn note(&mut self, finished: Finished) -> Result<Option<u8>> {
        match finished {
            Finished::Complete(complete) => {
                if self.arguments.json {
                    output::json_line(&complete.results)?;
                }
                output::show_exclusions(&complete.excluded);
                output::show_sessions(&complete.sessions);
                self.complete.push(*complete);
                Ok(None)
            }
            Finished::Interrupted { folder, done, total } => {
                output::talk(&format!(
                    "interrupted with {done} of {total} problems done; nothing is lost\n\
                     go on with: assay run --resume {}",
                    folder.display()
                ));
                Ok(Some(exit_code::INTERRUPTED))
            }
        }
    }

    /// Prints what was found, and says whether anything is missing.
    pub(crate) fn sum_up(&self) -> Result<u8> {
        let results: Vec<&Results> = self.complete.iter().map(|run| &run.results).collect();
        if !self.arguments.json {
            output::results_table(&results)?;
            output::listing(
                "record",
                self.complete.iter().map(|run| run.folder.display().to_string()),
            )?;
        }
        let missing = results.iter().any(|results| results.counts.without_verdict() > 0);
        Ok(if missing { exit_code::INCOMPLETE } else { exit_code::DONE })
    }
}
