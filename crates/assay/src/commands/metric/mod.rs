//! `assay metric`: scores texts against references, from plain files.

mod input;
mod print;
mod summary;

use std::io::{self, IsTerminal};

use assay_core::{Error, Result, exit_code};
use assay_metrics::registry::REGISTRY;
use assay_metrics::text::TextMetric;
use assay_run::Measurement;
use assay_stats::Resampling;
use serde::Serialize;

use super::cancel_on_interrupt;
use crate::args::{MetricArguments, MetricChoice, MetricCommand};
use crate::output::{self, Column, FileProgressBar, Table};
use print::{Printer, Rows};
use summary::Summaries;

pub(crate) fn metric(command: &MetricCommand) -> Result<u8> {
    match command {
        MetricCommand::Score(arguments) => score(arguments),
        MetricCommand::List(arguments) => list(arguments.json),
    }
}

/// A metric that is computed.
struct ChosenMetric {
    name: &'static str,
    variant: String,
    /// The metric and its options as they were named among several.
    spec: Option<String>,
    metric: Box<dyn TextMetric>,
}

/// The metrics and the systems whose texts are scored.
struct Subjects {
    metrics: Vec<ChosenMetric>,
    /// The systems' files as they were named.
    systems: Vec<String>,
}

impl ChosenMetric {
    /// The name that tells it from the other metrics.
    fn label(&self) -> &str {
        self.spec.as_deref().unwrap_or(self.name)
    }
}

impl Subjects {
    fn new(arguments: &MetricArguments) -> Result<Self> {
        let files = input::hypothesis_files(&arguments.texts).iter();
        let systems = files.map(|path| path.display().to_string()).collect();
        Ok(Self { metrics: chosen_metrics(arguments)?, systems })
    }

    /// The only metric, if it was computed alone for the only system.
    fn single(&self) -> Option<&ChosenMetric> {
        match self.metrics.as_slice() {
            [metric] if self.systems.len() == 1 && metric.spec.is_none() => Some(metric),
            _ => None,
        }
    }
}

fn chosen_metrics(arguments: &MetricArguments) -> Result<Vec<ChosenMetric>> {
    match &arguments.choice {
        MetricChoice::One { kind, options } => Ok(vec![ChosenMetric {
            name: kind.card().name,
            variant: options.variant_name().to_owned(),
            spec: None,
            metric: kind.build(options)?,
        }]),
        MetricChoice::Several(several) => {
            let language = arguments.texts.lang.as_deref();
            let metrics = several.specified(language)?.into_iter().map(|specified| {
                let metric = specified.kind.build(&specified.options)?;
                let variant = specified.options.variant_name().to_owned();
                let spec = Some(specified.spec);
                Ok(ChosenMetric { name: specified.kind.card().name, variant, spec, metric })
            });
            let metrics = metrics.collect::<Result<Vec<_>>>()?;
            for name in several.left_out(language) {
                output::print_message(&format!("note: {name} is left out: it needs --lang"));
            }
            Ok(metrics)
        }
    }
}

fn score(arguments: &MetricArguments) -> Result<u8> {
    let texts = &arguments.texts;
    let subjects = Subjects::new(arguments)?;
    let metrics: Vec<&dyn TextMetric> =
        subjects.metrics.iter().map(|chosen| chosen.metric.as_ref()).collect();
    for note in metrics.iter().filter_map(|metric| metric.note()) {
        output::print_message(&format!("note: {note}"));
    }
    let (pairs, progress) = input::open(texts)?;
    // Not earlier: opening may wait for the writer of the file, and Ctrl-C then simply ends the
    // process.
    let cancel = cancel_on_interrupt()?;
    let names = pairs.names().join(" and ");
    let rows = Rows::new(texts);
    let bar = if rows.are_printed() && io::stdout().is_terminal() {
        FileProgressBar::hidden()
    } else {
        let title = subjects.single().map_or("metrics", |metric| metric.name);
        FileProgressBar::new(title, progress.size)
    };
    let mut printer = Printer { rows, subjects: &subjects, bar, progress, n: 0 };
    let jobs = texts.jobs as usize;
    let measurement = Measurement { metrics: &metrics, systems: subjects.systems.len() };
    let measured = assay_run::measure(pairs, measurement, jobs, &cancel, &mut printer)?;
    let n = printer.n;
    drop(printer);
    let Some(measured) = measured else {
        output::print_message(&format!("interrupted with {n} pairs measured; there is no score"));
        return Ok(exit_code::INTERRUPTED);
    };
    if measured.n == 0 {
        return Err(Error::refused(format!("there are no texts in {names}"))
            .hint("a score needs at least one pair"));
    }
    let resampling = Resampling { resamples: texts.resamples as usize, seed: texts.seed };
    let figures = assay_run::figures(&measured, &metrics, resampling, jobs, &cancel)?;
    let Some(figures) = figures else { return Ok(exit_code::INTERRUPTED) };
    Summaries::new(&subjects, &measured, &figures, resampling).print(rows, texts.json)?;
    Ok(exit_code::DONE)
}

/// A variant of a metric, as the list shows it.
#[derive(Serialize)]
struct VariantRow {
    metric: &'static str,
    variant: &'static str,
    about: &'static str,
}

fn list(json: bool) -> Result<u8> {
    let cards = REGISTRY.iter().map(|kind| kind.card());
    let listed = cards.flat_map(|card| {
        let metric = card.name;
        card.variants.iter().map(move |it| VariantRow { metric, variant: it.name, about: it.about })
    });
    if json {
        output::json_pretty(&listed.collect::<Vec<_>>())?;
    } else {
        let rows = listed.map(|it| [it.metric, it.variant, it.about].map(str::to_owned));
        let columns =
            [Column::text("metric"), Column::text("variant").always(), Column::prose("what it is")];
        Table::new(columns).rows(rows).print()?;
    }
    Ok(exit_code::DONE)
}
