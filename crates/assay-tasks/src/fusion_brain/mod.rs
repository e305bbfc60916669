//! The Fusion Brain Challenge of 2021: its subtasks on images, and the sum of all four.
//!
//! Each key of a file of right answers (a truth) is a problem. The images are not part of the data: a question names
//! the image, and a solver that needs it must have it.

mod accuracy;
mod estimates;
mod htr;
#[cfg_attr(not(feature = "russian-lemmas"), path = "lemmas_absent.rs")]
mod lemmas;
mod problems;
mod total;
mod truth;
mod vqa;
mod zsod;

use assay_core::{
    AnswerRules, DataChoice, Error, Opening, Problems, Result, Rules, Tally, Task, TaskCard,
    TaskSettings,
};
use assay_metrics::fusion_brain::integral::Subtask;

pub(crate) use htr::htr;
use problems::{ImageProblem, KeyedProblems};
pub(crate) use total::FusionBrain;
use truth::{Truth, only_path};
pub(crate) use vqa::vqa;
pub(crate) use zsod::zsod;

/// A subtask whose problems are the keys of its truth.
pub(crate) struct ImageTask {
    card: TaskCard,
    subtask: Subtask,
    /// Reads the problems of a truth.
    read: fn(&Truth) -> Result<Vec<ImageProblem>>,
    answers: AnswerRules,
    tally: fn() -> Box<dyn Tally>,
    interval: &'static str,
    /// Everything besides the data that the numbers depend on.
    depends_on: fn() -> Vec<(&'static str, String)>,
    sample: &'static [u8],
}

impl ImageTask {
    fn truth(&self, data: &DataChoice) -> Result<Truth> {
        match data {
            DataChoice::Sample => Ok(Truth::sample(self.subtask, self.sample)),
            DataChoice::Paths(paths) => {
                Truth::open(only_path(&self.card.name, paths)?, self.subtask)
            }
        }
    }
}

impl Task for ImageTask {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        refuse_strict(&self.card.name, opening.settings)?;
        let truth = self.truth(opening.data)?;
        let problems = (self.read)(&truth)?;
        if problems.is_empty() {
            return Err(truth.nothing_to_score());
        }
        Ok(Box::new(KeyedProblems::new(truth.name, problems, self.answers)))
    }

    fn tally(&self, _settings: &TaskSettings) -> Box<dyn Tally> {
        (self.tally)()
    }

    fn interval(&self) -> &'static str {
        self.interval
    }

    fn signature_fields(&self, _settings: &TaskSettings) -> Vec<(&'static str, String)> {
        (self.depends_on)()
    }
}

/// Refuses `strict`: the challenge has only one set of rules.
fn refuse_strict(task: &str, settings: &TaskSettings) -> Result<()> {
    match settings.rules {
        Rules::Compat => Ok(()),
        Rules::Strict => Err(Error::usage(format!("{task} has no strict rules"))
            .hint("it is scored by the challenge's own rules: --rules compat")),
    }
}
