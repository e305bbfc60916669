//! `assay run` without a task: a first look, on problems inside the binary.

mod failure;

use std::path::Path;

use assay_core::{
    Cancel, DataChoice, Error, Isolation, Language, QuestionKind, Result, Results, TaskCard,
    exit_code,
};
use assay_run::{Complete, Plan};
use assay_sandbox::{Sandbox, Settings};
use assay_solvers::SolverSpec;
use assay_tasks::TaskRegistry;

use super::run::{options, plans_for};
use super::session::Session;
use crate::args::RunArguments;
use crate::output::{self, Column, ResultsView, Table};
use failure::FailedProgram;

/// Tasks that the same solvers answer.
struct Group {
    asks: &'static str,
    kind: QuestionKind,
    /// A metric between 0 and 1, of which more is better.
    metric: &'static str,
    /// A solver that does not look at the question, a better one, and the solution.
    solvers: [&'static str; 3],
    tasks: &'static [&'static str],
}

const GROUPS: [Group; 3] = [
    Group {
        asks: "Which line of a file does a new line replace?",
        kind: QuestionKind::Line,
        metric: "recall@1",
        solvers: ["first", "locate", "gold"],
        tasks: &["codrep"],
    },
    Group {
        asks: "Translate a function into another language.",
        kind: QuestionKind::Text,
        metric: "codebleu",
        solvers: ["copy", "rewrite", "gold"],
        tasks: &["c2c", "trans-java-cs", "trans-cs-java"],
    },
    Group {
        asks: "Write a function; its tests are run in a sandbox.",
        kind: QuestionKind::Code,
        metric: "pass@1",
        solvers: ["echo", "example", "gold"],
        tasks: &[failure::FEW_TESTS, failure::MANY_TESTS],
    },
];

/// The width of the longest name of a task.
const TASK_WIDTH: usize = 14;

/// The meaning of the numbers.
const MEANING: &str = "0.65 [0.50, 0.77] means: 0.65 on these n problems and, with 95 % confidence, between 0.50 and 0.77 \
    on others of their kind. 1 is perfect. The left solver never looks at the question, the middle one tries, and \
    gold gives the reference solution: the ceiling.";

/// Commands to try after the tour, with descriptions.
const NEXT: [(&str, &str); 3] = [
    (
        "two solvers side by side, with every count and the signatures of the numbers",
        "ASSAY run codrep --data sample --solver most-similar --solver locate",
    ),
    (
        "answers in a file, scored; change one and score again",
        "ASSAY predict sample > predictions.txt\n  \
         ASSAY score codrep predictions.txt --data sample",
    ),
    ("every task; then `show TASK` says how to put your own model through it", "ASSAY tasks"),
];

pub(crate) fn tour(
    arguments: &RunArguments,
    view: ResultsView,
    parent: &Path,
    cancel: &Cancel,
) -> Result<u8> {
    if !arguments.data.data.is_empty() {
        return Err(Error::usage("--data needs a task")
            .hint("for example: assay run codrep --data Dataset4"));
    }
    let python_error = python_error(arguments);
    let tasks = TaskRegistry::built_in();
    let plans = if arguments.solvers.is_empty() {
        plans_of_groups(&tasks, arguments, python_error.as_ref())?
    } else {
        plans_of_solvers(&tasks, arguments, python_error.as_ref())?
    };
    let mut session = Session::new(options(arguments, view), cancel);
    let in_full = arguments.json || view.is_detailed || arguments.failures > 0;
    if in_full || !arguments.solvers.is_empty() {
        return session.run(plans, parent);
    }
    if session.run_plans(plans, parent)? {
        return session.print_results(true);
    }
    show(session.complete(), python_error.as_ref(), view)?;
    Ok(if session.is_complete() { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// The plans of the groups; programs are left out where they cannot be run.
fn plans_of_groups(
    tasks: &TaskRegistry,
    arguments: &RunArguments,
    python_error: Option<&Error>,
) -> Result<Vec<Plan>> {
    let mut plans = Vec::new();
    for group in &GROUPS {
        if let (QuestionKind::Code, Some(error)) = (group.kind, python_error) {
            if arguments.json {
                output::print_message(&format!("tour: {}", skipped(group, error)));
            }
            continue;
        }
        let solvers = group.solvers.map(str::to_owned);
        for task in group.tasks {
            plans.extend(plans_for(tasks, arguments, (task, &solvers), DataChoice::Sample)?);
        }
    }
    Ok(plans)
}

/// Plans of the requested solvers, on every task with sample problems that they can answer.
fn plans_of_solvers(
    tasks: &TaskRegistry,
    arguments: &RunArguments,
    python_error: Option<&Error>,
) -> Result<Vec<Plan>> {
    let mut plans = Vec::new();
    for card in tasks.iter().map(assay_core::Task::card) {
        if let Some(why) = left_out(arguments, card, python_error) {
            output::print_message(&format!("tour: {} is left out: {why}", card.name));
            continue;
        }
        let request = (card.name.as_str(), arguments.solvers.as_slice());
        plans.extend(plans_for(tasks, arguments, request, DataChoice::Sample)?);
    }
    Ok(plans)
}

/// The reason why a task is no part of a tour with requested solvers.
fn left_out(
    arguments: &RunArguments,
    card: &TaskCard,
    python_error: Option<&Error>,
) -> Option<String> {
    // An invalid spec is reported later.
    let error = |solver: &String| SolverSpec::parse(solver).ok()?.check(card).err();
    if let Some(error) = arguments.solvers.iter().find_map(error) {
        return Some(error.to_string());
    }
    if card.asks != QuestionKind::Code {
        let has_baselines = card.default_solvers.iter().any(|solver| solver != "gold");
        return (!has_baselines).then(|| "its sample problems are for checking files".to_owned());
    }
    // Compilers take long, and not every machine has them.
    match card.language {
        Some(language) if language != Language::Python => Some(format!("it runs {language}")),
        _ => python_error.map(ToString::to_string),
    }
}

/// The error if programs in Python cannot be run here: the rest of the tour has no requirements.
fn python_error(arguments: &RunArguments) -> Option<Error> {
    let sandbox =
        Settings::of_this_machine(1, Isolation::Warm, &[Language::Python]).and_then(|settings| {
            let no_isolation = arguments.programs.unsafe_no_isolation;
            Sandbox::new(Settings { no_isolation, ..settings })
        });
    match sandbox {
        Ok(sandbox) => sandbox.tools().get(Language::Python).err(),
        Err(error) => Some(error),
    }
}

/// The sentence about a group that cannot be run here.
fn skipped(group: &Group, error: &Error) -> String {
    let tasks = group.tasks.join(" and ");
    match error.hint_text() {
        Some(hint) => format!("{tasks} are skipped: {error}; {hint}"),
        None => format!("{tasks} are skipped: {error}; `assay doctor` says more"),
    }
}

/// Prints the tour of these runs.
fn show(runs: &[Complete], python_error: Option<&Error>, view: ResultsView) -> Result<()> {
    for group in &GROUPS {
        output::print(&format!("{}\n", group.asks))?;
        match python_error {
            Some(error) if group.kind == QuestionKind::Code => {
                output::print_wrapped("", &skipped(group, error))?;
            }
            _ => table(group, runs).print()?,
        }
        output::print("\n")?;
    }
    if let Some(failed) = FailedProgram::find(runs)? {
        failed.print()?;
        output::print("\n")?;
    }
    output::print_wrapped("", MEANING)?;
    let folders: Vec<_> = runs.iter().map(|run| &*run.folder).collect();
    output::show_folders(&folders, view)?;
    output::print("\nNext:\n")?;
    NEXT.iter().try_for_each(|(what, command)| {
        let command = command.replace("ASSAY", &output::assay_command());
        output::print(&format!("  # {what}\n  {command}\n"))
    })
}

/// A row for each task of a group, with a column for each solver.
fn table(group: &Group, runs: &[Complete]) -> Table {
    let solvers = group.solvers.map(Column::text);
    // As wide in every group.
    let metric = format!("{:TASK_WIDTH$}", group.metric);
    let columns = [Column::text(metric), Column::number("n").always()];
    let rows = group.tasks.iter().map(|task| {
        let found = group.solvers.map(|solver| result(runs, task, solver));
        let estimates = found.map(|results| results?.metrics.get(group.metric));
        let n = estimates.iter().flatten().map(|estimate| estimate.n).max().unwrap_or_default();
        let cells = estimates.map(|it| it.map_or_else(|| "-".to_owned(), output::brief));
        [(*task).to_owned(), n.to_string()].into_iter().chain(cells)
    });
    Table::new(columns.into_iter().chain(solvers)).with_option("-v").without_rule().rows(rows)
}

fn result<'a>(runs: &'a [Complete], task: &str, solver: &str) -> Option<&'a Results> {
    let mut results = runs.iter().map(|run| &run.results);
    results.find(|results| results.task == task && results.solver == solver)
}
