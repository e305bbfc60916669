//! `assay run`: the main job.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use assay_core::{DataChoice, Error, QuestionKind, Result, TaskCard, shown_line};
use assay_data::output_folder;
use assay_run::{OpenTask, Plan, RunOutcome, StoredRun, TaskRequest, is_run, job_count};
use assay_solvers::SolverSpec;
use assay_tasks::TaskRegistry;

use super::session::{Session, SessionOptions};
use super::{
    cache_folder, cancel_on_interrupt, choose_data, locator_training_data, require,
    solver_settings, state_folder, tool, tour,
};
use crate::args::{ModelArguments, RunArguments};
use crate::output::{self, ResultsView, RunProgressBar};

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
    arguments.models.api_key.hide();
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
    if arguments.generate_only && !arguments.require.is_empty() {
        return Err(Error::usage("--require needs grades, which --generate-only leaves for later")
            .hint("require it when the answers are graded: assay score RUN --require CONDITION"));
    }
    if arguments.tasks.is_empty() {
        if let Some(requirement) = arguments.require.first() {
            return Err(Error::usage(format!("{requirement}: --require needs a task"))
                .hint("for example: assay run codrep --data sample --require 'recall@1>=0.5'"));
        }
        return tour::tour(arguments, view, &parent, &cancel_on_interrupt()?);
    }
    ModelArguments::check(&arguments.solvers, typed)?;
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
    Session::new(options(arguments, view), &cancel_on_interrupt()?).run(plans, &parent)
}

/// What a session needs of the arguments.
pub(crate) fn options(arguments: &RunArguments, view: ResultsView) -> SessionOptions<'_> {
    SessionOptions {
        jobs: arguments.solving.jobs,
        cache: arguments.programs.cache.as_deref(),
        json: arguments.json,
        failures: arguments.failures,
        require: &arguments.require,
        view,
    }
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
        arguments.models.check_task(card)?;
        if card.asks != QuestionKind::Line {
            // It changes nothing, and a model's signature has it.
            settings.top = 1;
        }
        settings.specific = arguments.models.settings(card.asks, arguments.samples);
        settings.specific.extend(arguments.models.local.settings(solvers));
    } else {
        settings.specific = arguments.models.reply_settings();
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
        let samples = arguments.samples;
        let plan = Plan::new(&open, solver, settings.clone(), samples, (tool(), &resources))?;
        Ok(if arguments.generate_only { plan.only_answers() } else { plan })
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
            let mut session = Session::new(options(arguments, view), &cancel);
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
    let mut session = Session::new(options(arguments, view), &cancel);
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

#[cfg(test)]
mod tests {
    use assay_core::exit_code;

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
