//! Folders of answers: a file for each part of the task.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_core::{AnswerForm, AnswerPart, Cancel, DigestOf, Error, Problems, Result, Submission};
use assay_data::find_file;

use crate::{AnswerFile, AnswerSource, Faults, GivenAnswer};

/// Reads the file of every part in `folder`. Each part's file is refused separately, with all of
/// its faults.
pub(super) fn read(folder: &Path, cancel: &Cancel, problems: &dyn Problems) -> Result<AnswerFile> {
    let (mut answers, mut passed_over) = (Vec::new(), BTreeMap::new());
    let mut digest = DigestOf::new();
    for part in problems.answer_parts() {
        let file = read_part(&file_of(&part, folder)?, cancel, part.problems)?;
        digest.field(file.digest.as_bytes());
        let mut moved = file.answers;
        for GivenAnswer { submission: Submission { key, problem, .. }, .. } in &mut moved {
            key.index += part.first;
            *problem = problems.ids()[key.index].clone();
        }
        answers.append(&mut moved);
        passed_over.extend(file.passed_over);
    }
    let faults = Faults::new(AnswerForm::Parts);
    Ok(AnswerFile { answers, passed_over, faults, digest: digest.finish() })
}

fn read_part(path: &Path, cancel: &Cancel, problems: &dyn Problems) -> Result<AnswerFile> {
    let source = AnswerSource::open(path)?;
    let name = source.name();
    let file = source.read(cancel, problems)?;
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
