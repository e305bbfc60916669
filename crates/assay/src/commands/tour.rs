//! `assay run` without a task: every kind of task, on problems inside the binary.

use std::path::Path;

use assay_core::{Cancel, DataChoice, Error, Isolation, Language, QuestionKind, Result, TaskCard};
use assay_sandbox::{Sandbox, Settings};
use assay_solvers::SolverSpec;
use assay_tasks::TaskRegistry;

use super::run::{Session, plans_for};
use crate::args::RunArguments;
use crate::output;

/// Commands to try after the tour, with descriptions.
const NEXT: [(&str, &str); 6] = [
    ("what the task is, its rules and metrics", "ASSAY show codrep"),
    (
        "predictions in the competition's format, scored; put a mistake into the file and see",
        "ASSAY predict sample > predictions.txt\n  \
         ASSAY score codrep predictions.txt --data sample",
    ),
    (
        "a program of your own on the same problems",
        "ASSAY run codrep --data sample --solver 'program:python3 my_predictor.py'",
    ),
    (
        "the competition's data, as a folder or an archive",
        "ASSAY run codrep --data Dataset4.tar.zst",
    ),
    (
        "translations in Fusion Brain's format, one JSON object of problem and text, scored",
        "ASSAY score c2c prediction_C2C.json --data true_C2C.json",
    ),
    ("every command, with examples", "ASSAY --help"),
];

/// The error if a requested solver cannot do a task; an invalid spec is reported later.
fn solver_error(solver: &str, card: &TaskCard) -> Option<Error> {
    SolverSpec::parse(solver).ok()?.check(card).err()
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

pub(crate) fn tour(arguments: &RunArguments, parent: &Path, cancel: &Cancel) -> Result<u8> {
    if !arguments.data.data.is_empty() {
        return Err(Error::usage("--data needs a task")
            .hint("for example: assay run codrep --data Dataset4"));
    }
    let mut plans = Vec::new();
    let python_error = python_error(arguments);
    let tasks = TaskRegistry::built_in();
    for task in tasks.iter() {
        let card = task.card();
        if let Some(error) = arguments.solvers.iter().find_map(|solver| solver_error(solver, card))
        {
            output::print_message(&format!("tour: {} is left out: {error}", card.name));
            continue;
        }
        // For programs, right answers alone show that they can be run; for other tasks they show
        // nothing.
        if card.asks != QuestionKind::Code && card.default_solvers == ["gold"] {
            output::print_message(&format!(
                "tour: {} is left out: only gold can answer it",
                card.name
            ));
            continue;
        }
        // Compilers take long, and not every machine has them.
        if let Some(language) = card.language.filter(|&language| language != Language::Python) {
            output::print_message(&format!("tour: {} is left out: it runs {language}", card.name));
            continue;
        }
        if let (QuestionKind::Code, Some(error)) = (card.asks, &python_error) {
            output::print_message(&format!("tour: {} is left out: {error}", card.name));
            continue;
        }
        output::print_message(&format!("tour: {} ({})", card.name, card.summary));
        plans.extend(plans_for(&tasks, arguments, &card.name, DataChoice::Sample)?);
    }
    let code = Session::new(arguments, cancel).run(plans, parent)?;
    if !arguments.json && !cancel.is_cancelled() {
        output::print("\nWhat next:\n")?;
        for (what, command) in NEXT {
            let command = command.replace("ASSAY", &output::assay_command());
            output::print(&format!("  # {what}\n  {command}\n"))?;
        }
    }
    Ok(code)
}
