//! `fusion-brain`: the challenge as a whole, all four subtasks and their sum.

mod problems;
mod tally;

use std::path::Path;

use assay_core::{
    DataChoice, Error, MetricCard, Opening, Problems, QuestionKind, Result, Rules, Tally, Task,
    TaskCard, TaskSettings,
};
use assay_data::fusion_brain::texts;
use assay_data::one_of;
use assay_metrics::fusion_brain::integral::Subtask;

use super::truth::{Truth, file_names, only_path};
use super::{HTR, VQA, ZSOD, refuse_strict};
use crate::c2c::C2C;
use problems::{Part, TotalProblems};
use tally::TotalTally;

/// The challenge as a whole.
pub struct FusionBrain;

/// The challenge as a whole.
pub static FUSION_BRAIN: FusionBrain = FusionBrain;

const INTEGRAL: &str = "integral";
/// The parts' own intervals, and [`assay_stats::SUM_METHOD`] for their sum.
const INTERVAL: &str = "each+mover95";

static CARD: TaskCard = TaskCard {
    name: "fusion-brain",
    version: 1,
    asks: QuestionKind::Text,
    language: None,
    folder: "fusion_brain",
    summary: "all four subtasks of the Fusion Brain Challenge, and their sum",
    about: "The Fusion Brain Challenge (AI Journey 2021) asked for one model for four subtasks: \
        translating code (c2c), reading handwriting (htr), finding objects (zsod) and answering \
        questions about images (vqa). Its problems are theirs, called like HTR/0.png.",
    data: "A folder with true_C2C.json, true_HTR.json, true_zsOD.json and true_VQA.json, each as its \
        task takes it; OD for zsOD and C2C with Cyrillic letters are found too. A subtask without a \
        truth is left out of the sum. Without --data, the folder fusion_brain under ASSAY_DATA is \
        taken; `--data sample` means the problems inside the binary.",
    answers: "A folder with a prediction for every truth: prediction_C2C.json, prediction_HTR.json, \
        prediction_zsOD.json and prediction_VQA.json; or the answers.jsonl of a run.",
    grading: "Each answer is graded as its subtask does. The score of a subtask is rounded to three \
        decimals before it is added and before it is compared with its minimum: c2c 0.2, htr 0.3, zsod \
        0.1, vqa 0.25.",
    rules: "compat: as the challenge's scripts. There are no strict rules.",
    default_rules: Rules::Compat,
    prompts: &[],
    metrics: &[
        MetricCard {
            name: INTEGRAL,
            lower_is_better: false,
            meaning: "sum of the subtasks' scores, between 0 and 4; the challenge's score",
        },
        MetricCard {
            name: "c2c",
            lower_is_better: false,
            meaning: "codebleu of the task c2c, rounded",
        },
        MetricCard {
            name: "htr",
            lower_is_better: false,
            meaning: "accuracy of the task htr, rounded",
        },
        MetricCard {
            name: "zsod",
            lower_is_better: false,
            meaning: "f1 of the task zsod, rounded",
        },
        MetricCard {
            name: "vqa",
            lower_is_better: false,
            meaning: "accuracy of the task vqa, rounded",
        },
    ],
    default_solvers: &["gold"],
    examples: &[
        "assay run fusion-brain --data sample",
        "assay score fusion-brain output --data truth",
    ],
};

/// The task of a subtask.
fn task_of(subtask: Subtask) -> &'static dyn Task {
    match subtask {
        Subtask::C2c => &C2C,
        Subtask::Htr => &HTR,
        Subtask::Zsod => &ZSOD,
        Subtask::Vqa => &VQA,
    }
}

impl Task for FusionBrain {
    fn card(&self) -> &TaskCard {
        &CARD
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        refuse_strict(CARD.name, opening.settings)?;
        let folder = match opening.data {
            DataChoice::Sample => None,
            DataChoice::Paths(paths) => Some(folder_of(paths)?),
        };
        let mut parts = Vec::new();
        for subtask in Subtask::ALL {
            let problems = match folder {
                None => Some(task_of(subtask).open(opening)?),
                Some(folder) => open_part(subtask, folder, opening)?,
            };
            parts.extend(problems.map(|problems| Part { subtask, problems }));
        }
        match folder.filter(|_| parts.is_empty()) {
            Some(folder) => Err(no_truth(folder)),
            None => Ok(Box::new(TotalProblems::new(parts))),
        }
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        Box::new(TotalTally::new(settings))
    }

    fn interval(&self) -> &'static str {
        INTERVAL
    }

    /// Everything depends on which subtasks have a truth: the problems know.
    fn signature_fields(&self, _settings: &TaskSettings) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

fn folder_of(paths: &[std::path::PathBuf]) -> Result<&Path> {
    let folder = only_path(CARD.name, paths)?;
    let metadata = folder.metadata().map_err(|error| Error::reading("open", folder, error))?;
    if metadata.is_dir() {
        return Ok(folder);
    }
    Err(Error::refused(format!("{} is no folder", folder.display()))
        .hint("its files are called true_HTR.json and so on"))
}

fn no_truth(folder: &Path) -> Error {
    Error::refused(format!("{} holds no truth", folder.display()))
        .hint("its files are called true_C2C.json, true_HTR.json, true_zsOD.json, true_VQA.json")
}

/// The problems of a subtask, if the folder has its truth.
fn open_part(
    subtask: Subtask,
    folder: &Path,
    opening: &Opening<'_>,
) -> Result<Option<Box<dyn Problems>>> {
    let Some(path) = one_of(folder, &file_names("true", subtask))? else { return Ok(None) };
    if subtask == Subtask::C2c {
        return open_c2c(&path, opening.settings).map(Some);
    }
    let data = &DataChoice::Paths(vec![path]);
    task_of(subtask).open(&Opening { data, ..*opening }).map(Some)
}

/// The task reads other forms of data too; the challenge has this one.
fn open_c2c(path: &Path, settings: &TaskSettings) -> Result<Box<dyn Problems>> {
    let truth = Truth::read(path)?;
    let truths = texts(&truth.bytes, &truth.name)?;
    if truths.is_empty() {
        return Err(truth.nothing_to_score());
    }
    let prompt = |key: &str| {
        format!(
            "Translate the Java function {key:?} of C2C/requests.json to Python. Answer with its tokens \
             parted by spaces, with NEW_LINE, INDENT and DEDENT for the layout.\n"
        )
    };
    Ok(C2C.of_truths(truth.name, truths, prompt, settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_names_its_method() {
        assert_eq!(INTERVAL, format!("each+{}", assay_stats::SUM_METHOD));
    }
}
