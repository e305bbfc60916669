//! `assay metric`: scores texts against references, from plain files.

mod input;
mod print;

use std::io::{self, IsTerminal};

use assay_core::{Error, Result, exit_code};
use assay_metrics::registry::REGISTRY;
use serde::Serialize;

use super::cancel_on_interrupt;
use crate::args::{MetricArguments, MetricCommand};
use crate::output::{self, Column, FileProgressBar, Table};
use print::{Printer, Rows};

pub(crate) fn metric(command: &MetricCommand) -> Result<u8> {
    match command {
        MetricCommand::Score(arguments) => score(arguments),
        MetricCommand::List(arguments) => list(arguments.json),
    }
}

fn score(arguments: &MetricArguments) -> Result<u8> {
    let MetricArguments { kind, options, texts } = arguments;
    let metric = kind.build(options)?;
    if let Some(note) = metric.note() {
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
        FileProgressBar::new(kind.card().name, progress.size)
    };
    let mut printer = Printer { rows, metric: metric.as_ref(), bar, progress, n: 0 };
    let jobs = texts.jobs as usize;
    let measured = assay_run::measure(pairs, metric.as_ref(), jobs, &cancel, &mut printer)?;
    drop(printer);
    let Some(measured) = measured else { return Ok(exit_code::INTERRUPTED) };
    if measured.n == 0 {
        return Err(Error::refused(format!("there are no texts in {names}"))
            .hint("a score needs at least one pair"));
    }
    print::summary(arguments, metric.as_ref(), &measured)?;
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
