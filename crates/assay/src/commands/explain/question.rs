//! Reads the task to explain: a file, or a problem of a dataset.

use std::ops::ControlFlow;
use std::path::Path;

use assay_core::{
    DataChoice, Error, LineQuestion, LineRule, Opening, Problem, Problems, Question, Reading,
    Response, Result, Rules, Selection, Task, TaskSettings,
};
use assay_data::codrep::parse_solution;
use assay_tasks::CodRep;

use super::super::{absolute, data_at};
use super::Asked;
use crate::args::ExplainArguments;
use crate::output;

const TASK_HINT: &str = "a task file holds the new line, an empty line and the program: Dataset4/Tasks/17.txt; \
     a problem of a dataset is named with --data Dataset4.tar.zst Dataset4/17";

/// Reads the question, and the right line if it is known.
pub(super) fn read(arguments: &ExplainArguments) -> Result<Asked> {
    if arguments.data.is_empty() {
        return of_file(Path::new(&arguments.task));
    }
    let problems = open(&data_at(&arguments.data)?, true)?;
    let index = problems.find(&arguments.task).map_err(Error::usage)?;
    of_problem(problems.as_ref(), index)
}

/// The problems of datasets, with their right lines if these are wanted.
pub(super) fn open(data: &DataChoice, with_references: bool) -> Result<Box<dyn Problems>> {
    let settings = TaskSettings::with_rules(Rules::Strict);
    CodRep::default().open(&Opening { with_references, ..Opening::new(data, &settings) })
}

fn of_problem(problems: &dyn Problems, index: usize) -> Result<Asked> {
    let wanted = Selection::of(problems.ids().len(), |other| other == index);
    let mut found = None;
    problems.read(&wanted, &mut |reading| {
        found = Some(reading);
        Ok(ControlFlow::Break(()))
    })?;
    let name = problems.location(index);
    match found {
        Some(Reading::Problem(Problem {
            question: Question::Line(question), reference, ..
        })) => {
            let solution = match reference.gold() {
                Some(Response::Lines(lines)) => lines.first().copied(),
                _ => None,
            };
            Ok(Asked { name, question, solution })
        }
        Some(Reading::Flawed(flaw)) => Err(Error::refused(flaw.reason)),
        _ => Err(Error::failed(format!("{name} cannot be read"))),
    }
}

fn of_file(path: &Path) -> Result<Asked> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(Error::refused(format!("{name} is a folder"))
            .hint("name one task file in it; `assay predict` answers a whole folder"));
    }
    let text =
        std::fs::read(path).map_err(|error| Error::reading("read", path, error).hint(TASK_HINT))?;
    let question = LineQuestion::new(text, LineRule::LineFeed);
    if question.length() == 0 {
        return Err(Error::refused(format!("{name} holds no program")).hint(TASK_HINT));
    }
    let length = question.program_lines().count();
    let solution = find_solution(path)?.filter(|&line| {
        let possible = line <= length;
        if !possible {
            output::warn(&format!("the solution is line {line}, of {length}"));
        }
        possible
    });
    Ok(Asked { name, question, solution })
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
