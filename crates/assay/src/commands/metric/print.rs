//! Prints scores: for people, and as JSON.

use std::fmt;

use assay_core::{Error, Result, counted};
use assay_data::texts::{PairId, ReadProgress};
use assay_metrics::text::{Part, Score, Sums, TextMetric};
use assay_run::{Measured, PairSink};
use serde::Serialize;

use crate::args::{MetricArguments, TextArguments};
use crate::output::{self, Column, FileProgressBar, Table};

/// Prints the rows of pairs as they are measured, and shows the progress.
pub(super) struct Printer<'a> {
    pub(super) rows: Rows,
    pub(super) metric: &'a dyn TextMetric,
    pub(super) bar: FileProgressBar,
    pub(super) progress: ReadProgress,
    /// The number of pairs so far.
    pub(super) n: usize,
}

impl PairSink for Printer<'_> {
    type Row = String;

    fn render(&self, id: &PairId, sums: &Sums) -> Result<String> {
        self.rows.row(id, || self.metric.score_pair(sums))
    }

    fn accept(&mut self, pairs: Vec<(Sums, String)>) -> Result<()> {
        let mut text = match pairs.first() {
            Some((sums, _)) if self.n == 0 => self.rows.header(&self.metric.score_pair(sums)),
            _ => String::new(),
        };
        text.extend(pairs.iter().map(|(_, row)| row.as_str()));
        if !text.is_empty() {
            output::write(text.as_bytes())?;
        }
        self.n += pairs.len();
        self.bar.update(self.progress.read(), counted(self.n, "pair"));
        Ok(())
    }
}

/// The form of the rows: one line per pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Nothing,
    Json,
    Tabs,
}

#[derive(Serialize)]
struct PairLine<'a> {
    id: &'a PairId,
    #[serde(flatten)]
    score: &'a Score,
}

#[derive(Serialize)]
struct Summary<'a> {
    metric: &'a str,
    variant: &'a str,
    n: u64,
    signature: &'a str,
    #[serde(flatten)]
    score: &'a Score,
}

impl Rows {
    pub(super) fn new(arguments: &TextArguments) -> Self {
        match (arguments.per_pair, arguments.json) {
            (false, _) => Self::Nothing,
            (true, true) => Self::Json,
            (true, false) => Self::Tabs,
        }
    }

    pub(super) fn are_printed(self) -> bool {
        self != Self::Nothing
    }

    /// The header line, before the first row.
    pub(super) fn header(self, score: &Score) -> String {
        if self != Self::Tabs {
            return String::new();
        }
        let names = single_parts(score).map(|(name, _)| format!("\t{name}"));
        format!("id{}\n", names.collect::<String>())
    }

    /// The line of one pair.
    pub(super) fn row(self, id: &PairId, score: impl FnOnce() -> Score) -> Result<String> {
        match self {
            Self::Nothing => Ok(String::new()),
            Self::Json => Ok(json(&PairLine { id, score: &score() })? + "\n"),
            Self::Tabs => {
                let mut row = match id {
                    PairId::Number(number) => number.to_string(),
                    PairId::Text(text) => in_one_cell(text),
                };
                for (_, part) in single_parts(&score()) {
                    row.push('\t');
                    row.push_str(&number(part)?);
                }
                Ok(row + "\n")
            }
        }
    }
}

/// Prints the score of the corpus: to standard error if the rows of pairs are the data.
pub(super) fn summary(
    arguments: &MetricArguments,
    metric: &dyn TextMetric,
    measured: &Measured,
) -> Result<()> {
    let MetricArguments { kind, options, texts } = arguments;
    let (score, signature) = (metric.score(&measured.total), metric.signature(&measured.total));
    let (metric, variant, n) = (kind.card().name, options.variant_name(), measured.n);
    match Rows::new(texts) {
        Rows::Json => {}
        Rows::Tabs => {
            let value = json(&score.value())?;
            output::print_message(&format!(
                "{metric} {value} on {}\nsignature: {signature}",
                counted(n, "pair")
            ));
        }
        Rows::Nothing if texts.json => {
            let summary = Summary { metric, variant, n, signature: &signature, score: &score };
            output::json_line(&summary)?;
        }
        Rows::Nothing => {
            output::print(&format!("{metric} ({variant}) on {}\n\n", counted(n, "pair")))?;
            let rows =
                score.parts().iter().map(|(name, part)| [name.to_string(), format_part(part)]);
            Table::new([Column::text("part"), Column::prose("value")]).rows(rows).print()?;
            output::print("\n")?;
            output::listing("signature (same signature, same number)", [signature])?;
        }
    }
    Ok(())
}

/// The parts that are one number each.
fn single_parts(score: &Score) -> impl Iterator<Item = (impl fmt::Display, &Part)> {
    let single = |part: &Part| !matches!(part, Part::Numbers(_) | Part::Counts(_));
    score.parts().iter().filter(move |(_, part)| single(part))
}

/// A number with every digit; empty if it is undefined.
fn number(part: &Part) -> Result<String> {
    match part {
        Part::Missing => Ok(String::new()),
        part => json(part),
    }
}

/// Formats a part for people, with few digits.
fn format_part(part: &Part) -> String {
    let rounded = |number: &f64| format!("{number:.4}");
    match part {
        Part::Number(number) => rounded(number),
        Part::Missing => "none".to_owned(),
        Part::Count(count) => count.to_string(),
        Part::Numbers(numbers) => numbers.iter().map(rounded).collect::<Vec<_>>().join("  "),
        Part::Counts(counts) => counts.iter().map(u64::to_string).collect::<Vec<_>>().join("  "),
    }
}

/// Escapes characters that would end the cell or the line, or that a terminal would interpret.
fn in_one_cell(text: &str) -> String {
    let escaped = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    text.chars().map(escaped).collect()
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::failed("failed to write JSON").because(error))
}
