//! `assay predict`: CodRep's predictor protocol.

use std::io::{self, BufWriter, Write};

use assay_core::{DataChoice, Error, Result, TaskOptions, exit_code};
use assay_run::Predicted;
use assay_solvers::SolverSpec;

use super::{SAMPLE, cancel_on_interrupt, jobs, solver_settings, split_paths};
use crate::args::PredictArguments;
use crate::output;

pub(crate) fn predict(arguments: &PredictArguments) -> Result<u8> {
    let cancel = cancel_on_interrupt()?;
    let task = assay_tasks::find("codrep")?;
    let spec = SolverSpec::parse(&arguments.solver)?;
    let data = if arguments.folder == SAMPLE {
        DataChoice::Sample
    } else {
        DataChoice::Paths(split_paths(std::slice::from_ref(&arguments.folder))?)
    };
    let rules = assay_core::Rules::Compat;
    let options = TaskOptions { rules, with_references: spec.needs_references() };
    let problems = task.open(&data, options)?;
    let settings = solver_settings(&arguments.solving)?;
    let solver = spec.build(&settings, problems.as_ref())?.solver;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let failed = |error| Error::failed("failed to print the predictions").because(error);
    let predicted = assay_run::predict(
        problems.as_ref(),
        &solver,
        jobs(&arguments.solving),
        &cancel,
        &mut |line| writeln!(out, "{line}").map_err(failed),
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
