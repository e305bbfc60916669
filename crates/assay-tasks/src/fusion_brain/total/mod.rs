//! `fusion-brain`: the challenge as a whole, all four subtasks and their sum.

mod problems;
mod tally;

use std::path::{Path, PathBuf};

use assay_core::{
    DataChoice, Error, Opening, Problems, Result, Tally, Task, TaskCard, TaskSettings,
};
use assay_data::find_file;
use assay_data::fusion_brain::texts;
use assay_metrics::fusion_brain::integral::Subtask;

use super::truth::{Truth, file_names, only_path};
use super::{ImageTask, htr, refuse_strict, vqa, zsod};
use crate::c2c::c2c;
use crate::card::card;
use crate::translation::Translation;
use problems::{Part, TotalProblems};
use tally::TotalTally;

/// The challenge as a whole.
pub(crate) struct FusionBrain {
    card: TaskCard,
    c2c: Translation,
    htr: ImageTask,
    zsod: ImageTask,
    vqa: ImageTask,
}

const INTEGRAL: &str = "integral";
/// The parts' own intervals, and [`assay_stats::SUM_METHOD`] for their sum.
const INTERVAL: &str = "each+mover95";

impl Default for FusionBrain {
    fn default() -> Self {
        Self { card: card("fusion-brain"), c2c: c2c(), htr: htr(), zsod: zsod(), vqa: vqa() }
    }
}

impl FusionBrain {
    /// The task of a subtask.
    fn task_of(&self, subtask: Subtask) -> &dyn Task {
        match subtask {
            Subtask::C2c => &self.c2c,
            Subtask::Htr => &self.htr,
            Subtask::Zsod => &self.zsod,
            Subtask::Vqa => &self.vqa,
        }
    }

    /// The problems of a subtask, if the folder has its truth.
    fn open_part(
        &self,
        subtask: Subtask,
        folder: &Path,
        opening: &Opening<'_>,
    ) -> Result<Option<Box<dyn Problems>>> {
        let Some(path) = find_file(folder, &file_names("true", subtask))? else { return Ok(None) };
        if subtask == Subtask::C2c {
            return self.open_c2c(&path, opening.settings).map(Some);
        }
        let data = &DataChoice::Paths(vec![path]);
        self.task_of(subtask).open(&Opening { data, ..*opening }).map(Some)
    }

    /// Opens the Code2code part. The task also reads other forms of data; the challenge has this one.
    fn open_c2c(&self, path: &Path, settings: &TaskSettings) -> Result<Box<dyn Problems>> {
        let truth = Truth::read(path)?;
        let truths = texts(&truth.bytes, &truth.name)?;
        if truths.is_empty() {
            return Err(truth.nothing_to_score());
        }
        let prompt = |key: &str| {
            format!(
                "Translate the Java function {key:?} of C2C/requests.json to Python. Answer with its \
                 tokens parted by spaces, with NEW_LINE, INDENT and DEDENT for the layout.\n"
            )
        };
        Ok(self.c2c.of_truths(truth.name, truths, prompt, settings))
    }

    fn folder_of<'a>(&self, paths: &'a [PathBuf]) -> Result<&'a Path> {
        let folder = only_path(&self.card.name, paths)?;
        let metadata = folder.metadata().map_err(|error| Error::reading("open", folder, error))?;
        if metadata.is_dir() {
            return Ok(folder);
        }
        Err(Error::refused(format!("{} is no folder", folder.display()))
            .hint("its files are called true_HTR.json and so on"))
    }
}

impl Task for FusionBrain {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        refuse_strict(&self.card.name, opening.settings)?;
        let folder = match opening.data {
            DataChoice::Sample => None,
            DataChoice::Paths(paths) => Some(self.folder_of(paths)?),
        };
        let mut parts = Vec::new();
        for subtask in Subtask::ALL {
            let problems = match folder {
                None => Some(self.task_of(subtask).open(opening)?),
                Some(folder) => self.open_part(subtask, folder, opening)?,
            };
            let depends_on = self.task_of(subtask).signature_fields(opening.settings);
            parts.extend(problems.map(|problems| Part { subtask, problems, depends_on }));
        }
        match folder.filter(|_| parts.is_empty()) {
            Some(folder) => Err(no_truth(folder)),
            None => Ok(Box::new(TotalProblems::new(parts))),
        }
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        Box::new(TotalTally::new(self, settings))
    }

    fn interval(&self) -> &'static str {
        INTERVAL
    }

    /// Empty: everything depends on the subtasks that have right answers, which the problems know.
    fn signature_fields(&self, _settings: &TaskSettings) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

fn no_truth(folder: &Path) -> Error {
    Error::refused(format!("{} holds no truth", folder.display()))
        .hint("its files are called true_C2C.json, true_HTR.json, true_zsOD.json, true_VQA.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_names_its_method() {
        assert_eq!(INTERVAL, format!("each+{}", assay_stats::SUM_METHOD));
    }
}
