//! Tasks whose answers are programs: their problems, grading and tally.
//!
//! A task is a [`Programs`]: its card, the source of its problems ([`CodeProblems`]), and its grading rules
//! ([`GradingRules`]). Each task defines its questions and tests ([`CodeProblem`]); everything else is shared.

mod assertion;
mod assertion_parts;
mod editions;
mod first_difference;
mod forms;
mod grader;
mod grading_rules;
mod lazy_sandbox;
mod names;
mod one_process;
mod one_test;
mod prelude;
mod problems;
mod python;
mod reference;
mod streamed;
mod suite;
mod suite_run;
mod tables;
mod tally;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{
    DataChoice, Error, Language, Opening, Problems, Result, Tally, Task, TaskCard, TaskSettings,
};
use assay_sandbox::{Limits, Tools};

use grader::ProgramGrader;
pub(crate) use grading_rules::{GradingRules, ProgramOutput, SourceParts, Stop, TotalCpuTime};
use lazy_sandbox::LazySandbox;
pub(crate) use names::{in_another_language, problem_number};
pub(crate) use problems::{CodeProblem, CodeProblems, NormalizeName, VisitCodeProblem};
pub(crate) use python::python_text;
pub(crate) use reference::{TESTS, TESTS_PASSED};
pub(crate) use streamed::{RecordReader, StreamedProblems};
pub(crate) use suite::{CodeReference, SeparateTests, TestSuite, Tests};
pub(crate) use tally::{PASS_METHOD, PassTally};

/// A task whose answers are programs.
pub(crate) struct Programs {
    pub(crate) card: TaskCard,
    /// Opens its problems with the chosen prompt style.
    pub(crate) open: Open,
    /// Normalizes the name of a problem.
    pub(crate) normalize_name: NormalizeName,
    pub(crate) grading: GradingRules,
    /// Creates the tally of its verdicts.
    pub(crate) tally: fn(&TaskSettings) -> Box<dyn Tally>,
}

impl Programs {
    /// The languages of this task's programs.
    fn languages(&self) -> Vec<Language> {
        self.card.language.into_iter().collect()
    }

    /// The grading rules under the settings.
    fn grading(&self, settings: &TaskSettings) -> GradingRules {
        let grading = self.grading.with_timeout(settings.timeout_ms.map(Duration::from_millis));
        GradingRules { details: settings.details && grading.call.is_some(), ..grading }
    }
}

/// Opens the problems of a task.
pub(crate) type Open =
    Box<dyn Fn(&DataChoice, &OpeningChoice<'_>) -> Result<Box<dyn CodeProblems>> + Send + Sync>;

/// The choices that problems are opened by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpeningChoice<'a> {
    /// True if the data is the user's own.
    pub(crate) own_data: bool,
    /// The name of the style, if there are several.
    pub(crate) prompt: Option<&'a str>,
}

impl Task for Programs {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let Opening { data, settings, own_data, .. } = *opening;
        let prompt =
            self.card.prompt(settings.prompt.as_deref())?.map(|prompt| prompt.name.as_str());
        let problems = (self.open)(data, &OpeningChoice { own_data, prompt })?;
        let sandbox = LazySandbox::new(opening, self.card.language);
        let grader = ProgramGrader::new(sandbox, self.grading(settings), opening);
        Ok(Box::new(problems::ProgramProblems::new(problems, self, grader)))
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        (self.tally)(settings)
    }

    fn interval(&self) -> &'static str {
        PASS_METHOD
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        let mut fields = vec![("rules", settings.rules.to_string())];
        if let Ok(Some(prompt)) = self.card.prompt(settings.prompt.as_deref()) {
            fields.push(("prompt", prompt.name.clone()));
        }
        fields.push(PassTally::signature_field(settings));
        fields.extend(settings.prelude.map(|prelude| ("prelude", prelude.to_string())));
        let grading = self.grading(settings);
        let Limits { cpu, memory, .. } = grading.limits();
        fields.push(("cpu", format!("{}s", cpu.as_secs_f64())));
        fields.extend(grading.call.map(|call| ("call", format!("{}s", call.as_secs_f64()))));
        fields.push(("patience", "4xgold".to_owned()));
        fields.push(("memory", format!("{}M", memory >> 20)));
        if settings.unsafe_no_isolation {
            fields.push(("isolation", "none".to_owned()));
        }
        let tools = Tools::of_this_machine(&self.languages());
        let numbers = tools.all().iter().map(|tool| (tool.language.name(), tool.number()));
        fields.extend(numbers.map(|(name, number)| (name, number.to_owned())));
        fields
    }
}

/// The only path of the data: the order of its problems matters, since answers may come in that order.
pub(crate) fn only_path<'a>(data: &'a [PathBuf], task: &str) -> Result<&'a Path> {
    match data {
        [path] => Ok(path),
        _ => Err(Error::usage(format!("{task} takes one dataset"))
            .hint("name one file, or the folder that it lies in, with --data")),
    }
}
