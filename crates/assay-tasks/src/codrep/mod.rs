//! CodRep: which line of a file does a given line replace?

mod grading;
mod problems;
mod report;

use assay_core::{
    DataChoice, Opening, Problems, Result, Results, Tally, Task, TaskCard, TaskSettings,
};
use assay_data::codrep::Dataset;
use assay_stats::METHOD;

use crate::card::card;
use crate::sample;

/// The CodRep competition's task, both editions.
pub struct CodRep {
    card: TaskCard,
}

impl Default for CodRep {
    fn default() -> Self {
        Self { card: card("codrep") }
    }
}

impl Task for CodRep {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let Opening { data, settings, with_references, .. } = *opening;
        let datasets = match data {
            DataChoice::Sample => Dataset::open_store(sample::codrep(), with_references)?,
            DataChoice::Paths(paths) => Dataset::open_all(paths, with_references)?,
        };
        Ok(Box::new(problems::LineProblems::new(datasets, settings.rules, with_references)))
    }

    fn tally(&self, _settings: &TaskSettings) -> Box<dyn Tally> {
        Box::<grading::LineTally>::default()
    }

    fn interval(&self) -> &'static str {
        METHOD
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        vec![("rules", settings.rules.to_string())]
    }

    fn original_report(&self, results: &Results) -> Option<String> {
        Some(report::original_lines(results))
    }
}
