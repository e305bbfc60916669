//! `assay predict`: CodRep's predictor protocol, or the same as JSON.

use std::io::{self, BufWriter, Write};

use assay_answers::codrep;
use assay_core::{
    Confidence, Effort, Error, Opening, ProblemId, Problems, Response, Result, Task, TaskSettings,
    agreeing, counted, exit_code,
};
use assay_data::ScratchFolder;
use assay_run::{PredictSummary, Prediction, job_count};
use assay_solvers::{SolverResources, SolverSpec};
use serde::Serialize;

use super::{cancel_on_interrupt, data_at, locator_training_data, solver_settings};
use crate::args::PredictArguments;
use crate::output;

pub(crate) fn predict(arguments: &PredictArguments) -> Result<u8> {
    let task = assay_tasks::CodRep::default();
    let spec = SolverSpec::parse(&arguments.solver)?;
    spec.check(task.card())?;
    let data = data_at(std::slice::from_ref(&arguments.folder))?;
    let settings = TaskSettings::default();
    let with_references = spec.card().peeks;
    let problems = task.open(&Opening { with_references, ..Opening::new(&data, &settings) })?;
    let solver_settings = solver_settings(&arguments.solving)?;
    let solver =
        spec.build(&solver_settings, problems.as_ref(), &SolverResources::default())?.solver;
    if arguments.solver == "locate"
        && let Some(dataset) = locator_training_data(problems.ids())
    {
        output::warn(&format!(
            "locate was trained on {dataset}: a score of these predictions says nothing about new data"
        ));
    }
    // While the data is read, Ctrl-C simply ends the process.
    let cancel = cancel_on_interrupt()?;
    let failed = |error| Error::failed("failed to print the predictions").because(error);
    let scratch = ScratchFolder::new()
        .map_err(|error| Error::failed("failed to make a folder for the tasks").because(error))?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let streams = solver.effort() == Effort::Working;
    let predicted = assay_run::predict(
        problems.as_ref(),
        &solver,
        scratch.path(),
        job_count(arguments.solving.jobs),
        &cancel,
        &mut |prediction| {
            let line = if arguments.json {
                Some(
                    PredictionLine::new(problems.as_ref(), prediction, solver_settings.top)
                        .to_json()?,
                )
            } else {
                protocol_line(problems.as_ref(), prediction)
            };
            let Some(line) = line else { return Ok(()) };
            writeln!(out, "{line}").map_err(failed)?;
            // A slow solver's lines are shown as they come.
            if streams { out.flush().map_err(failed) } else { Ok(()) }
        },
    )?;
    out.flush().map_err(failed)?;
    if cancel.is_cancelled() {
        let (printed, total) = (predicted.answered, problems.ids().len());
        let message = format!("interrupted with {printed} of {total} tasks predicted");
        output::print_message(&message);
        return Ok(exit_code::INTERRUPTED);
    }
    Ok(report(&predicted))
}

/// The protocol's line for a prediction; `None` for a task without an answer.
fn protocol_line(problems: &dyn Problems, prediction: &Prediction) -> Option<String> {
    let response = prediction.answer.as_ref().ok()?;
    codrep::write_line(problems, prediction.index, response)
}

/// One task's prediction, as a line of JSON.
#[derive(Serialize)]
struct PredictionLine<'a> {
    path: String,
    problem: &'a ProblemId,
    lines: Vec<PredictedLine<'a>>,
    /// The reason why there are no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// A predicted line, with the solver's confidence if it has one.
#[derive(Serialize)]
struct PredictedLine<'a> {
    line: usize,
    #[serde(flatten)]
    confidence: Option<&'a Confidence>,
}

impl<'a> PredictionLine<'a> {
    fn new(problems: &'a dyn Problems, prediction: &'a Prediction, top: usize) -> Self {
        let (lines, reason) = match &prediction.answer {
            Ok(Response::Lines(lines)) => (lines.as_slice(), None),
            Ok(Response::Text(_) | Response::Program(_) | Response::Choice(_)) => {
                ([].as_slice(), Some("the answer is no line number"))
            }
            Ok(Response::None(reason)) => ([].as_slice(), Some(reason.detail.as_str())),
            Err(reason) => ([].as_slice(), Some(reason.as_str())),
        };
        // An external solver may answer with any number of lines.
        let entries = lines.iter().take(top).enumerate();
        let entry = |(at, &line)| PredictedLine { line, confidence: prediction.confidence.get(at) };
        Self {
            path: problems.location(prediction.index),
            problem: &problems.ids()[prediction.index],
            lines: entries.map(entry).collect(),
            reason,
        }
    }

    fn to_json(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|error| Error::failed("failed to write JSON").because(error))
    }
}

fn report(predicted: &PredictSummary) -> u8 {
    output::show_sessions(&predicted.sessions);
    if predicted.unanswered == 0 {
        return exit_code::DONE;
    }
    let total = predicted.answered + predicted.unanswered;
    let shown = predicted.reasons.iter().map(String::as_str);
    let details =
        shown.clone().map(|reason| reason.split_once(": ").map_or(reason, |(_, why)| why));
    let cause = output::likely_cause(details);
    output::list_some(
        &format!(
            "{} of {} {} no prediction{cause}",
            predicted.unanswered,
            counted(total, "task"),
            agreeing(predicted.unanswered, "has", "have")
        ),
        shown,
        predicted.unanswered,
    );
    exit_code::INCOMPLETE
}
