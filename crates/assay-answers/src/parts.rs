//! Folders of answers: a file for each part of the task.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use assay_core::{
    AnswerForm, AnswerPart, Cancel, DigestOf, Error, Problems, Result, Selection, Submission,
};
use assay_data::find_file;

use crate::{AnswerFile, AnswerSource, Faults, GivenAnswer};

/// Reads the file of every part in `folder`. Each part's file is refused separately, with all of
/// its faults.
pub(super) fn read(
    folder: &Path,
    cancel: &Cancel,
    problems: &dyn Problems,
    chosen: &Selection,
) -> Result<AnswerFile> {
    let (mut answers, mut passed_over, mut not_chosen) = (Vec::new(), BTreeMap::new(), 0);
    let mut digest = DigestOf::new();
    for part in problems.answer_parts() {
        let of_part = |index| chosen.contains(part.first + index);
        let of_part = Selection::of(part.problems.ids().len(), of_part);
        if of_part.is_empty() && !part.problems.ids().is_empty() {
            continue;
        }
        let file = read_part(&file_of(&part, folder)?, cancel, part.problems, &of_part)?;
        digest.field(file.digest.as_bytes());
        let mut moved = file.answers;
        for GivenAnswer { submission: Submission { key, problem, .. }, .. } in &mut moved {
            key.index += part.first;
            *problem = problems.ids()[key.index].clone();
        }
        answers.append(&mut moved);
        passed_over.extend(file.passed_over);
        not_chosen += file.not_chosen;
    }
    let faults = Faults::new(AnswerForm::Parts);
    let digest = digest.finish();
    let (names, read_as) = (BTreeSet::new(), None);
    Ok(AnswerFile { answers, passed_over, names, not_chosen, read_as, faults, digest })
}

fn read_part(
    path: &Path,
    cancel: &Cancel,
    problems: &dyn Problems,
    chosen: &Selection,
) -> Result<AnswerFile> {
    let source = AnswerSource::open(path)?;
    let name = source.name();
    let file = source.read_chosen(cancel, problems, chosen, None)?;
    if file.faults.is_empty() { Ok(file) } else { Err(file.faults.refuse(&name)) }
}

/// The part's file, under any of its names.
fn file_of(part: &AnswerPart<'_>, folder: &Path) -> Result<PathBuf> {
    find_file(folder, &part.files)?.ok_or_else(|| {
        let usual = part.files.first().map_or("file", String::as_str);
        Error::refused(format!("there is no {usual} in {}", folder.display()))
            .hint("give the file, or take that part's truth out of the data to leave it out")
    })
}
