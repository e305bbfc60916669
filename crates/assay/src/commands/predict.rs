//! `assay predict`: CodRep's predictor protocol.

use std::io::{self, BufWriter, Write};

use assay_core::{Effort, Error, Result, TaskSettings, exit_code};
use assay_run::Predicted;
use assay_solvers::SolverSpec;

use super::{cancel_on_interrupt, data_at, jobs, solver_settings};
use crate::args::PredictArguments;
use crate::output;

pub(crate) fn predict(arguments: &PredictArguments) -> Result<u8> {
    let cancel = cancel_on_interrupt()?;
    let task = assay_tasks::find("codrep")?;
    let spec = SolverSpec::parse(&arguments.solver)?;
    let data = data_at(std::slice::from_ref(&arguments.folder))?;
    let settings = TaskSettings::default();
    let problems = task.open(&data, &settings, spec.needs_references())?;
    let solver = spec.build(&solver_settings(&arguments.solving)?, problems.as_ref())?.solver;
    let grader = task.grader(&settings)?;
    let failed = |error| Error::failed("failed to print the predictions").because(error);
    let scratch = tempfile::tempdir()
        .map_err(|error| Error::failed("failed to make a folder for the tasks").because(error))?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let streams = solver.effort() == Effort::Working;
    let predicted = assay_run::predict(
        problems.as_ref(),
        (&solver, grader.as_ref()),
        scratch.path(),
        jobs(&arguments.solving),
        &cancel,
        &mut |line| {
            writeln!(out, "{line}").map_err(failed)?;
            // Whoever waits for a slow solver wants each line as it comes.
            if streams { out.flush().map_err(failed) } else { Ok(()) }
        },
    )?;
    out.flush().map_err(failed)?;
    Ok(if cancel.is_cancelled() { exit_code::INTERRUPTED } else { tell(&predicted) })
}

fn tell(predicted: &Predicted) -> u8 {
    output::show_sessions(&predicted.sessions);
    if predicted.unanswered == 0 {
        return exit_code::DONE;
    }
    let total = predicted.answered + predicted.unanswered;
    let shown = predicted.reasons.iter().map(String::as_str);
    output::list_some(
        &format!("{} of {total} tasks have no prediction", predicted.unanswered),
        shown,
        predicted.unanswered,
    );
    exit_code::INCOMPLETE
}
