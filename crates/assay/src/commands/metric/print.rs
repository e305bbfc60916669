//! Prints the scores of pairs as they are measured.

use std::fmt;

use assay_core::{Error, Result, counted};
use assay_data::texts::{PairId, ReadProgress};
use assay_metrics::text::{Part, Score, Sums};
use assay_run::PairSink;
use serde::Serialize;

use super::{ChosenMetric, Subjects};
use crate::args::TextArguments;
use crate::output::{self, FileProgressBar};

/// Prints the rows of pairs as they are measured, and shows the progress.
pub(super) struct Printer<'a> {
    pub(super) rows: Rows,
    pub(super) subjects: &'a Subjects,
    pub(super) bar: FileProgressBar,
    pub(super) progress: ReadProgress,
    /// The number of pairs so far.
    pub(super) n: usize,
}

impl PairSink for Printer<'_> {
    type Row = String;

    fn render(&self, id: &PairId, counts: &[Sums]) -> Result<String> {
        match (self.rows, self.subjects.single()) {
            (Rows::Nothing, _) => Ok(String::new()),
            (Rows::Json, Some(chosen)) => {
                Ok(json(&PairLine { id, subject: None, score: &score(chosen, counts) })? + "\n")
            }
            (Rows::Tabs, Some(chosen)) => tab_row(id, &score(chosen, counts)),
            (rows, None) => self.several_rows(rows, id, counts),
        }
    }

    fn accept(&mut self, pairs: Vec<(Vec<Sums>, String)>) -> Result<()> {
        let mut text = match pairs.first() {
            Some((counts, _)) if self.n == 0 && self.rows == Rows::Tabs => self.header(counts),
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

impl Printer<'_> {
    /// The header line, before the first row.
    fn header(&self, counts: &[Sums]) -> String {
        let Some(chosen) = self.subjects.single() else {
            return "id\thyp\tmetric\tscore\n".to_owned();
        };
        let score = score(chosen, counts);
        let names = single_parts(&score).map(|(name, _)| format!("\t{name}"));
        format!("id{}\n", names.collect::<String>())
    }

    /// The rows of a pair, one for each system and metric.
    fn several_rows(&self, rows: Rows, id: &PairId, counts: &[Sums]) -> Result<String> {
        let Subjects { metrics, systems } = self.subjects;
        let cells = systems.iter().flat_map(|hyp| metrics.iter().map(move |metric| (hyp, metric)));
        let mut text = String::new();
        for ((hyp, chosen), sums) in cells.zip(counts) {
            let score = chosen.metric.score_pair(sums);
            text += &if rows == Rows::Json {
                let subject = Some(Subject::new(chosen, hyp));
                json(&PairLine { id, subject, score: &score })?
            } else {
                let value = score.parts().first().map_or(&Part::Missing, |(_, part)| part);
                let hyp = in_one_cell(hyp);
                format!(
                    "{}\t{hyp}\t{}\t{}",
                    id_cell(id),
                    in_one_cell(chosen.label()),
                    number(value)?
                )
            };
            text.push('\n');
        }
        Ok(text)
    }
}

fn score(chosen: &ChosenMetric, counts: &[Sums]) -> Score {
    counts.first().map_or_else(
        || chosen.metric.score_pair(&Sums::default()),
        |sums| chosen.metric.score_pair(sums),
    )
}

/// The form of the rows: one line per pair, or one per pair, system and metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Nothing,
    Json,
    Tabs,
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
}

/// The system and the metric of a score.
#[derive(Serialize)]
pub(super) struct Subject<'a> {
    hyp: &'a str,
    metric: &'a str,
    variant: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a str>,
}

impl<'a> Subject<'a> {
    fn new(chosen: &'a ChosenMetric, hyp: &'a str) -> Self {
        let ChosenMetric { name, variant, spec, .. } = chosen;
        Self { hyp, metric: name, variant, spec: spec.as_deref() }
    }
}

#[derive(Serialize)]
struct PairLine<'a> {
    id: &'a PairId,
    #[serde(flatten)]
    subject: Option<Subject<'a>>,
    #[serde(flatten)]
    score: &'a Score,
}

fn tab_row(id: &PairId, score: &Score) -> Result<String> {
    let mut row = id_cell(id);
    for (_, part) in single_parts(score) {
        row.push('\t');
        row.push_str(&number(part)?);
    }
    Ok(row + "\n")
}

fn id_cell(id: &PairId) -> String {
    match id {
        PairId::Number(number) => number.to_string(),
        PairId::Text(text) => in_one_cell(text),
    }
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

/// Escapes characters that would end the cell or the line, or that a terminal would interpret.
fn in_one_cell(text: &str) -> String {
    let escaped = |letter: char| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    };
    text.chars().map(escaped).collect()
}

pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::failed("failed to write JSON").because(error))
}
