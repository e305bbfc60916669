//! `assay metric`: score texts against references, from plain files.

mod choose;
mod input;
mod print;
mod stream;

use std::io::{self, IsTerminal};

use assay_core::{Error, Result, exit_code};
use clap::ValueEnum;
use serde::Serialize;

use super::{cancel_on_interrupt, jobs};
use crate::args::{
    BleuVariant, ChrfVariant, CodebleuVariant, ExactVariant, MetricCommand, TextArguments,
};
use crate::output::{self, Meter};
use choose::Chosen;
use print::Rows;

pub(crate) fn metric(command: &MetricCommand) -> Result<u8> {
    match command {
        MetricCommand::Bleu(arguments) => score(&choose::bleu(arguments)?, &arguments.texts),
        MetricCommand::Codebleu(arguments) => {
            score(&choose::codebleu(arguments)?, &arguments.texts)
        }
        MetricCommand::Chrf(arguments) => score(&choose::chrf(arguments)?, &arguments.texts),
        MetricCommand::Exact(arguments) => score(&choose::exact(arguments), &arguments.texts),
        MetricCommand::List(arguments) => list(arguments.json),
    }
}

fn score(chosen: &Chosen, arguments: &TextArguments) -> Result<u8> {
    let (pairs, watch) = input::open(arguments, &chosen.language)?;
    // Not before: opening may wait for whoever writes the file, and Ctrl-C ends that by itself.
    let cancel = cancel_on_interrupt()?;
    let names = pairs.names().join(" and ");
    let rows = Rows::new(arguments);
    let meter = if rows.are_printed() && io::stdout().is_terminal() {
        Meter::hidden()
    } else {
        Meter::new(chosen.name, watch.size)
    };
    let show = |n: u64| meter.at(watch.read(), format!("{n} pairs"));
    let metric = chosen.metric.as_ref();
    let measured = stream::measure(pairs, metric, jobs(arguments.jobs), &cancel, rows, &show)?;
    drop(meter);
    let Some(measured) = measured else { return Ok(exit_code::INTERRUPTED) };
    if measured.n == 0 {
        return Err(Error::refused(format!("there are no texts in {names}"))
            .hint("a score needs at least one pair"));
    }
    print::summary(chosen, &measured, arguments)?;
    Ok(exit_code::DONE)
}

/// A variant of a metric, as the list shows it.
#[derive(Serialize)]
struct Listed {
    metric: &'static str,
    variant: String,
    about: String,
}

fn list(json: bool) -> Result<u8> {
    let mut listed = variants::<BleuVariant>("bleu");
    listed.extend(variants::<CodebleuVariant>("codebleu"));
    listed.extend(variants::<ChrfVariant>("chrf"));
    listed.extend(variants::<ExactVariant>("exact"));
    if json {
        output::json_pretty(&listed)?;
    } else {
        let rows = listed.into_iter().map(|it| [it.metric.to_owned(), it.variant, it.about]);
        output::table(["metric", "variant", "what it is"], rows)?;
    }
    Ok(exit_code::DONE)
}

fn variants<V: ValueEnum>(metric: &'static str) -> Vec<Listed> {
    let values = V::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let listed = values.map(|value| Listed {
        metric,
        variant: value.get_name().to_owned(),
        about: value.get_help().map(ToString::to_string).unwrap_or_default(),
    });
    listed.collect()
}
