//! Says how a file of answers was read, before anything is graded.

use assay_answers::AnswerFile;
use assay_core::counted;

use super::settling::Forms;
use super::{Scoring, diagnosis, ids_without_answer};
use crate::RunContext;

/// Says how the file was read, and warns of what it may have been meant to be.
pub(super) fn announce(
    file: &AnswerFile,
    name: &str,
    forms: &Forms,
    scoring: &Scoring<'_>,
    context: &RunContext<'_>,
) {
    if let Some(read_as) = &file.read_as {
        context.progress.note(&format!("{name}: read as {read_as}{}", contents(file, forms)));
    }
    if let Some(warning) = diagnosis::warning_of_bodies(forms) {
        context.progress.warn(&warning);
    }
    let unanswered = ids_without_answer(file, scoring);
    if !unanswered.is_empty()
        && let Some(advice) = scoring.problems.advice(&file.names)
    {
        context.progress.warn(&advice);
    }
}

/// The number of problems and samples in a file, and what undecided texts turned out to be.
fn contents(file: &AnswerFile, forms: &Forms) -> String {
    let samples = match file.sample_counts() {
        None => "none".to_owned(),
        Some((1, 1)) => "1 sample each".to_owned(),
        Some((fewest, most)) if fewest == most => format!("{most} samples each"),
        Some((fewest, most)) => format!("{fewest} to {most} samples each"),
    };
    let problems = file.answers.chunk_by(|left, right| left.index() == right.index()).count();
    let problems = counted(problems, "problem");
    let settled = match (forms.settled_whole, forms.settled_continuing) {
        (0, 0) => String::new(),
        (whole, 0) => format!("; {}", counted(whole, "whole program")),
        (0, continuing) => format!("; {continuing} continue the prompt"),
        (whole, continuing) => {
            format!("; {continuing} continue the prompt, {whole} are whole programs")
        }
    };
    format!(", {problems}, {samples}{settled}")
}
