//! `assay explain`: the locator's answer to one task, with reasons.

use std::path::Path;

use assay_core::{Error, LineQuestion, LineRule, Result, exit_code};
use assay_data::codrep::parse_solution;
use assay_locate::{ExplainedLine, Reason};
use assay_solvers::SolverSpec;
use serde::Serialize;

use super::absolute;
use crate::args::ExplainArguments;
use crate::output::{self, Explanation};

const TASK_HINT: &str =
    "a task file holds the new line, an empty line and the program: Dataset4/Tasks/17.txt";

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<u8> {
    let working_folder = std::env::current_dir()
        .map_err(|error| Error::failed("failed to find the working folder").because(error))?;
    let locator = SolverSpec::parse(&arguments.solver)?.locator(&working_folder)?;
    let question = read(&arguments.file)?;
    let lines: Vec<&[u8]> = question.program_lines().collect();
    let solution = find_solution(&arguments.file)?.filter(|&line| {
        let possible = line <= lines.len();
        if !possible {
            output::warn(&format!("the solution is line {line}, of {}", lines.len()));
        }
        possible
    });
    let all = locator.explain(question.line(), question.program(), usize::MAX);
    let candidates = all.len();
    let mut explained: Vec<(usize, ExplainedLine)> = (1..).zip(all).collect();
    // The right line is always of interest.
    explained.retain(|(place, candidate)| {
        *place <= arguments.top as usize || solution == Some(candidate.ranked.line)
    });
    let explanation = Explanation {
        path: arguments.file.display().to_string(),
        new_line: question.line(),
        lines,
        candidates,
        explained,
        solution,
        context: arguments.context as usize,
    };
    if arguments.json {
        output::json_pretty(&ExplanationJson::new(&explanation))?;
    } else {
        output::show_explanation(&explanation)?;
    }
    Ok(exit_code::DONE)
}

fn read(path: &Path) -> Result<LineQuestion> {
    if path.is_dir() {
        return Err(Error::refused(format!("{} is a folder", path.display()))
            .hint("name one task file in it; `assay predict` answers a whole folder"));
    }
    let text =
        std::fs::read(path).map_err(|error| Error::reading("read", path, error).hint(TASK_HINT))?;
    let question = LineQuestion::new(text, LineRule::LineFeed);
    if question.length() == 0 {
        return Err(Error::refused(format!("{} holds no program", path.display())).hint(TASK_HINT));
    }
    Ok(question)
}

/// The right line, if `Solutions/N.txt` exists beside the task's folder. The locator does not see
/// it. A solution that cannot be read counts as missing, with a warning.
fn find_solution(task: &Path) -> Result<Option<usize>> {
    let task = absolute(task)?;
    let root = task.parent().and_then(Path::parent);
    let Some((root, name)) = root.zip(task.file_name()) else { return Ok(None) };
    let path = root.join("Solutions").join(name);
    // A file elsewhere has no solution, which is not worth a message.
    let Ok(content) = std::fs::read(&path) else { return Ok(None) };
    let solution = parse_solution(&content);
    if let Err(fault) = &solution {
        output::warn(&format!("{} {fault}", path.display()));
    }
    Ok(solution.ok())
}

#[derive(Serialize)]
struct ExplanationJson<'a> {
    path: &'a str,
    new_line: String,
    lines: usize,
    candidates: usize,
    /// The right line, if it is known.
    solution: Option<usize>,
    right: Option<bool>,
    explained: Vec<CandidateJson<'a>>,
}

#[derive(Serialize)]
struct CandidateJson<'a> {
    rank: usize,
    line: usize,
    text: String,
    score: f32,
    probability: f32,
    against: Option<usize>,
    margin: f64,
    reasons: Vec<ReasonJson<'a>>,
}

#[derive(Serialize)]
struct ReasonJson<'a> {
    feature: &'a str,
    value: f32,
    other: f32,
    contribution: f64,
    phrase: String,
}

impl<'a> ExplanationJson<'a> {
    fn new(explanation: &'a Explanation<'_>) -> Self {
        let answer = explanation.explained.first().map(|(_, best)| best.ranked.line);
        let right = explanation.solution.map(|solution| answer == Some(solution));
        let candidates = explanation.explained.iter();
        Self {
            path: &explanation.path,
            new_line: text_of(explanation.new_line),
            lines: explanation.lines.len(),
            candidates: explanation.candidates,
            solution: explanation.solution,
            right,
            explained: candidates
                .map(|(rank, candidate)| CandidateJson::new(explanation, *rank, candidate))
                .collect(),
        }
    }
}

impl<'a> CandidateJson<'a> {
    fn new(explanation: &Explanation<'_>, rank: usize, candidate: &'a ExplainedLine) -> Self {
        let ExplainedLine { ranked, against, margin, reasons } = candidate;
        let reason = |reason: &'a Reason| ReasonJson {
            feature: reason.feature,
            value: reason.value,
            other: reason.other,
            contribution: reason.contribution,
            phrase: reason.phrase(),
        };
        Self {
            rank,
            line: ranked.line,
            text: text_of(explanation.lines[ranked.line - 1]),
            score: ranked.score,
            probability: ranked.probability,
            against: *against,
            margin: *margin,
            reasons: reasons.iter().map(reason).collect(),
        }
    }
}

/// A line as text, without its line ending.
fn text_of(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}
