//! `assay explain`: a solver's answer to one task, and what the locator says about it.

mod asking;
mod json;
mod question;

use assay_core::{Error, LineQuestion, Result, exit_code};
use assay_locate::ExplainedLine;
use assay_solvers::SolverSpec;

use crate::args::ExplainArguments;
use crate::output::{self, Answered, Explanation};
use json::ExplanationJson;

/// The number of candidates that are shown, if the answer is the locator's.
const USUAL_CANDIDATES: u32 = 5;
/// The solver whose answers have reasons.
const LOCATOR: &str = "locate";

/// One task to explain.
struct Asked {
    /// The task, as it is called in messages.
    name: String,
    question: LineQuestion,
    /// The right line, if it is known.
    solution: Option<usize>,
}

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<u8> {
    let working_folder = std::env::current_dir()
        .map_err(|error| Error::failed("failed to find the working folder").because(error))?;
    let spec = SolverSpec::parse(&arguments.solver)?;
    let is_locator = spec.card().name() == LOCATOR;
    let locator = if is_locator { spec.clone() } else { SolverSpec::parse(LOCATOR)? };
    let locator = locator.locator(&working_folder)?;
    let asked = question::read(arguments)?;
    let answered = match arguments.answer {
        Some(line) => Some(given(line, &asked)?),
        None if is_locator => None,
        None => Some(asking::ask(arguments, &spec)?),
    };
    let question = &asked.question;
    let lines: Vec<&[u8]> = question.program_lines().collect();
    let all = locator.explain(question.line(), question.program(), usize::MAX);
    let candidates = all.len();
    let usual = if answered.is_some() { 1 } else { USUAL_CANDIDATES };
    let top = arguments.top.unwrap_or(usual) as usize;
    let explained = interesting(all, top, asked.solution, answered.as_ref());
    let explanation = Explanation {
        path: asked.name.clone(),
        new_line: question.line(),
        lines,
        candidates,
        explained,
        solution: asked.solution,
        answered,
        context: arguments.context as usize,
    };
    if arguments.json {
        output::json_pretty(&ExplanationJson::new(&explanation))?;
    } else {
        output::show_explanation(&explanation)?;
    }
    let is_answered =
        explanation.answered.as_ref().is_none_or(|answered| answered.no_answer.is_none());
    Ok(if is_answered { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// The user's own answer.
fn given(line: u32, asked: &Asked) -> Result<Answered> {
    let (line, length) = (line as usize, asked.question.program_lines().count());
    if !(1..=length).contains(&line) {
        let message =
            format!("{}: the program has lines 1 to {length}, and no line {line}", asked.name);
        return Err(
            Error::usage(message).hint("lines are counted in the program, after the empty line")
        );
    }
    Ok(Answered { by: None, lines: vec![line], no_answer: None })
}

/// The candidates to show, with their ranks: the best, the right one, and those that were answered, which come first.
fn interesting(
    all: Vec<ExplainedLine>,
    top: usize,
    solution: Option<usize>,
    answered: Option<&Answered>,
) -> Vec<(usize, ExplainedLine)> {
    let place = |line: usize| {
        let mut lines = answered.iter().flat_map(|answered| &answered.lines);
        lines.position(|answered| *answered == line)
    };
    let mut explained: Vec<(usize, ExplainedLine)> = (1..).zip(all).collect();
    explained.retain(|(rank, candidate)| {
        let line = candidate.ranked.line;
        *rank <= top || solution == Some(line) || place(line).is_some()
    });
    explained.sort_by_key(|(rank, candidate)| {
        (place(candidate.ranked.line).unwrap_or(usize::MAX), *rank)
    });
    explained
}
