//! A check that a dataset is well-formed: every malformed file, with the reason.

use std::ops::ControlFlow;

use assay_core::{
    Digest, Fingerprint, LineQuestion, LineRule, Question, Result, solution_fingerprint,
    split_lines,
};
use serde::Serialize;

use super::{Dataset, FileFault};
use crate::catalogue;

/// The findings in one dataset.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The dataset's name.
    pub dataset: String,
    /// Its location.
    pub origin: String,
    /// The number of tasks.
    pub tasks: usize,
    /// The hash of its tasks and solutions, independent of the archive format.
    pub digest: Digest,
    /// The published dataset with exactly this content.
    pub published_as: Option<&'static str>,
    /// Every malformed file.
    pub malformed: Vec<Malformed>,
}

/// A malformed file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Its path.
    pub file: String,
    /// The line in it, if one can be named.
    pub line: Option<usize>,
    /// The reason why it is refused.
    pub reason: String,
}

/// Reads a whole dataset and lists everything that is wrong with it.
pub fn verify(dataset: &Dataset) -> Result<Verified> {
    let total = dataset.stems().len();
    let mut fingerprints: Vec<Option<[Fingerprint; 2]>> = vec![None; total];
    let mut found: Vec<Vec<Malformed>> = Vec::new();
    found.resize_with(total, Vec::new);
    dataset.read(&|_| true, &mut |task| {
        let solution = dataset.solution(task.place);
        let found = &mut found[task.place];
        match task.text {
            Ok(text) => {
                let solution = solution.as_ref().ok().copied();
                let question = LineQuestion::new(text, LineRule::Universal);
                check_task(&question, solution, &dataset.task_path(task.place), found);
                fingerprints[task.place] =
                    Some([Question::Line(question).fingerprint(), solution_fingerprint(solution)]);
            }
            Err(fault) => found.push(whole_file(fault)),
        }
        found.extend(solution.err().map(whole_file));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut malformed: Vec<Malformed> = found.into_iter().flatten().collect();
    malformed.extend(stray_files(dataset));
    let digest = Digest::of_all(fingerprints.into_iter().flatten().flatten());
    Ok(Verified {
        dataset: dataset.name().to_owned(),
        origin: dataset.origin(),
        tasks: total,
        digest,
        published_as: catalogue::by_digest(digest).map(|entry| entry.name),
        malformed,
    })
}

fn check_task(
    question: &LineQuestion,
    solution: Option<usize>,
    path: &str,
    found: &mut Vec<Malformed>,
) {
    let mut report = |line: usize, reason: String| {
        found.push(Malformed { file: path.to_owned(), line: Some(line), reason });
    };
    if let Err(error) = std::str::from_utf8(question.text()) {
        let line = split_lines(&question.text()[..=error.valid_up_to()]).count();
        report(line, format!("byte {} is not UTF-8", error.valid_up_to()));
    }
    if question.line().trim_ascii().is_empty() {
        report(1, "the new line is empty".to_owned());
    }
    if !question.separator().trim_ascii().is_empty() {
        report(2, "the line after the new line is not empty".to_owned());
    }
    let length = question.length();
    if length == 0 {
        report(3, "there is no program".to_owned());
        return;
    }
    let Some(solution) = solution else { return };
    match question.program_lines().nth(solution - 1) {
        None if solution > length => {
            report(3, format!("the solution is line {solution}, and the program has {length}"));
        }
        Some(old) if old.trim_ascii() == question.line().trim_ascii() => {
            report(
                solution + 2,
                "the new line is the same as the line that it replaces".to_owned(),
            );
        }
        _ => {}
    }
}

fn whole_file(fault: FileFault) -> Malformed {
    Malformed { file: fault.file, line: None, reason: fault.reason }
}

fn stray_files(dataset: &Dataset) -> impl Iterator<Item = Malformed> {
    let orphans = dataset.orphans.iter().map(|stem| Malformed {
        file: format!("{}/Solutions/{stem}.txt", dataset.origin()),
        line: None,
        reason: "there is no task for this solution".to_owned(),
    });
    let strays = dataset.strays.iter().map(|path| Malformed {
        file: format!("{}/{path}", dataset.store.location()),
        line: None,
        reason: "is neither a task nor a solution".to_owned(),
    });
    orphans.chain(strays)
}
