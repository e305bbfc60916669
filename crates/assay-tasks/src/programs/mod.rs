//! What tasks share whose answers are programs: their problems, how programs are examined, the tally.
//!
//! A task is a [`Programs`]: its card, where its problems come from ([`Items`]), and how a program is
//! judged ([`Judging`]). What a problem asks and how it is tested, its task says ([`Item`]); what is
//! done with that is here.

mod assertion;
mod grader;
mod judging;
mod lazy_sandbox;
mod names;
mod problems;
mod python;
mod streamed;
mod suite;
mod suite_outcome;
mod tables;
mod tally;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::{
    DataChoice, Error, Language, Opening, Problems, Result, Tally, Task, TaskCard, TaskSettings,
};
use assay_sandbox::{Limits, Tools};

use grader::ProgramJudge;
pub(crate) use grader::{TESTS, TESTS_PASSED};
pub(crate) use judging::{Judging, Parts, Printed, Stop, Total};
use lazy_sandbox::LazySandbox;
pub(crate) use names::multipl_e_number;
pub(crate) use problems::{Item, Items, Names, TakeItem};
pub(crate) use python::{names_defined, names_used, python_text};
pub(crate) use streamed::{Streamed, Telling};
pub(crate) use suite::{Apart, CodeReference, TestSuite, Tests};
pub(crate) use tally::{PASS_METHOD, PassTally};

/// A task whose answers are programs.
pub(crate) struct Programs {
    pub(crate) card: TaskCard,
    /// Opens its problems, asked as the settings say.
    pub(crate) open: Open,
    /// Which names of a problem mean the same.
    pub(crate) names: Names,
    pub(crate) judging: Judging,
    /// What sums its verdicts up.
    pub(crate) tally: fn(&TaskSettings) -> Box<dyn Tally>,
}

impl Programs {
    /// The languages that programs of this task are written in.
    fn languages(&self) -> Vec<Language> {
        self.card.language.into_iter().collect()
    }

    /// How programs are judged, as the settings ask for it.
    fn judging(&self, settings: &TaskSettings) -> Judging {
        let judging = self.judging.with_timeout(settings.timeout_ms.map(Duration::from_millis));
        Judging { details: settings.details && judging.call.is_some(), ..judging }
    }
}

/// Opens the problems of a task.
pub(crate) type Open = fn(&DataChoice, &Asked<'_>) -> Result<Box<dyn Items>>;

/// How questions are put.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The prompt's name, if there are several.
    pub(crate) prompt: Option<&'a str>,
}

impl Task for Programs {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let Opening { data, settings, .. } = *opening;
        let prompt =
            self.card.prompt(settings.prompt.as_deref())?.map(|prompt| prompt.name.as_str());
        let items = (self.open)(data, &Asked { prompt })?;
        let sandbox = LazySandbox::new(opening, self.card.language);
        let judge = ProgramJudge::new(sandbox, self.judging(settings), opening);
        Ok(Box::new(problems::ProgramProblems::new(items, self.names, judge)))
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
        let judging = self.judging(settings);
        let Limits { cpu, memory, .. } = judging.limits();
        fields.push(("cpu", format!("{}s", cpu.as_secs_f64())));
        fields.extend(judging.call.map(|call| ("call", format!("{}s", call.as_secs_f64()))));
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

/// The one path of the data: problems have an order of their own, in which answers may come.
pub(crate) fn only_path<'a>(data: &'a [PathBuf], task: &str) -> Result<&'a Path> {
    match data {
        [path] => Ok(path),
        _ => Err(Error::usage(format!("{task} takes one dataset"))
            .hint("name one file, or the folder that it lies in, with --data")),
    }
}
