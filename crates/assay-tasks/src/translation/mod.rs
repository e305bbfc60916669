//! Translation tasks: parallel corpora, grading by text metrics, and the tally.
//!
//! A task defines its files, its source and target language, and its metrics.

mod grading;
mod metrics;
mod problems;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_core::{
    DataChoice, Error, Language, LanguagePair, Opening, Problems, Result, Tally, Task, TaskCard,
    TaskSettings,
};
use assay_data::Store;
use assay_data::parallel::{Corpus, Layout};
use assay_stats::CORPUS_METHOD;

use metrics::Measure;
pub(crate) use metrics::MetricSet;
use problems::{Pairs, TextProblems};

/// A translation task.
pub(crate) struct Translation {
    pub(crate) card: TaskCard,
    pub(crate) from: Language,
    pub(crate) into: Language,
    pub(crate) layout: Layout,
    /// True if a JSON object of problems and right answers is accepted as data too.
    pub(crate) takes_truths: bool,
    pub(crate) metric_set: MetricSet,
    pub(crate) sample: fn() -> Store,
}

impl Translation {
    fn pairs(&self, data: &DataChoice, with_references: bool) -> Result<Pairs> {
        let paths = match data {
            DataChoice::Sample => {
                let corpus = Corpus::from_store(&(self.sample)(), &self.layout, with_references)?;
                return Ok(self.pairs_of(corpus));
            }
            DataChoice::Paths(paths) => paths,
        };
        let path = self.only(paths)?;
        if self.takes_truths && problems::is_truth_file(path)? {
            return problems::read_truths(path);
        }
        let corpus = Corpus::open(path, &self.layout, with_references)?;
        Ok(self.pairs_of(corpus))
    }

    fn pairs_of(&self, corpus: Corpus) -> Pairs {
        let languages = LanguagePair { from: self.from, into: self.into };
        Pairs::from_corpus(corpus, &self.layout, languages)
    }

    /// Problems from right answers at `location`, without their sources; `prompt` says where those are.
    pub(crate) fn of_truths(
        &self,
        location: String,
        truths: BTreeMap<String, String>,
        prompt: fn(&str) -> String,
        settings: &TaskSettings,
    ) -> Box<dyn Problems> {
        let pairs = Pairs::from_truths(location, truths, prompt);
        Box::new(TextProblems::new(pairs, settings.rules, self.into, self.measures(settings)))
    }

    fn measures(&self, settings: &TaskSettings) -> Vec<Measure> {
        self.metric_set.measures(self.into, settings.rules)
    }

    /// The only path: a corpus has an order, in which answers may come; two have none.
    fn only<'a>(&self, paths: &'a [PathBuf]) -> Result<&'a Path> {
        match paths {
            [path] => Ok(path),
            _ => Err(Error::usage(format!("{} takes one dataset", self.card.name))
                .hint("name one folder or archive with --data")),
        }
    }
}

impl Task for Translation {
    fn card(&self) -> &TaskCard {
        &self.card
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let Opening { data, settings, with_references, .. } = *opening;
        let pairs = self.pairs(data, with_references)?;
        let measures = self.measures(settings);
        Ok(Box::new(TextProblems::new(pairs, settings.rules, self.into, measures)))
    }

    fn tally(&self, settings: &TaskSettings) -> Box<dyn Tally> {
        Box::new(grading::TextTally::new(self.measures(settings)))
    }

    fn interval(&self) -> &'static str {
        CORPUS_METHOD
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        let mut fields = vec![("rules", settings.rules.to_string())];
        let measures = self.measures(settings);
        fields.extend(measures.iter().map(|measure| (measure.name, measure.signature())));
        fields
    }
}
