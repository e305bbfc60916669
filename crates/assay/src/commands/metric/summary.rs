//! Prints the scores of corpora with their intervals, and the differences between systems.

use assay_core::{Estimate, Named, Result, counted};
use assay_metrics::corpus::{Corpus, interval_method, last_pair_rule};
use assay_metrics::text::{Part, Score};
use assay_run::{Difference, Figure, Measured};
use assay_stats::{DIFFERENCE_METHOD, Resampling, TEST_METHOD};
use serde::Serialize;

use super::print::{Rows, json};
use super::{ChosenMetric, Subjects};
use crate::output::{self, Column, Table};

/// A p-value below this marks a difference.
const SIGNIFICANT: f64 = 0.05;

/// The scores of all systems under all metrics.
pub(super) struct Summaries<'a> {
    subjects: &'a Subjects,
    n: u64,
    resampling: Resampling,
    /// For each system, those of each metric.
    cells: Vec<Vec<Cell<'a>>>,
}

/// The score of a system under a metric.
struct Cell<'a> {
    chosen: &'a ChosenMetric,
    hyp: &'a str,
    score: Score,
    signature: String,
    interval: &'static str,
    figure: &'a Figure,
}

impl<'a> Summaries<'a> {
    pub(super) fn new(
        subjects: &'a Subjects,
        measured: &Measured,
        figures: &'a [Vec<Figure>],
        resampling: Resampling,
    ) -> Self {
        let rows = subjects.systems.iter().zip(&measured.corpora).zip(figures);
        let row = |((hyp, corpora), figures): ((&'a String, &Vec<Corpus>), &'a Vec<Figure>)| {
            let cells = subjects.metrics.iter().zip(corpora).zip(figures);
            cells.map(|((chosen, corpus), figure)| Cell::new(chosen, hyp, corpus, figure)).collect()
        };
        Self { subjects, n: measured.n, resampling, cells: rows.map(row).collect() }
    }

    /// Prints them: to standard error if the rows of pairs are the data.
    pub(super) fn print(&self, rows: Rows, as_json: bool) -> Result<()> {
        match rows {
            Rows::Json => Ok(()),
            Rows::Tabs => self.print_messages(),
            Rows::Nothing if as_json => {
                self.cells.iter().flatten().try_for_each(|cell| output::json_line(&self.line(cell)))
            }
            Rows::Nothing => match self.cells.as_slice() {
                [row] if self.subjects.single().is_some() => {
                    row.iter().try_for_each(|cell| self.print_parts(cell))
                }
                _ => self.print_table(),
            },
        }
    }

    fn line<'c>(&self, cell: &'c Cell<'a>) -> Line<'c>
    where
        'a: 'c,
    {
        let ChosenMetric { name, variant, spec, metric } = cell.chosen;
        let estimate = cell.figure.estimate;
        let mut parts = cell.score.parts().clone();
        let score = parts.shift_remove("score").unwrap_or(Part::Missing);
        let difference = cell.figure.difference.as_ref();
        Line {
            metric: name,
            variant,
            n: self.n,
            signature: &cell.signature,
            spec: spec.as_deref(),
            hyp: cell.hyp,
            score,
            low: estimate.map(|estimate| estimate.low),
            high: estimate.map(|estimate| estimate.high),
            interval: cell.interval,
            last_pair: last_pair_rule(metric.as_ref()),
            parts,
            difference: difference.map(|difference| self.difference_line(difference)),
        }
    }

    fn difference_line(&self, difference: &Difference) -> DifferenceLine<'a> {
        DifferenceLine {
            baseline: self.baseline(),
            value: difference.value,
            low: difference.interval.map(|(low, _)| low),
            high: difference.interval.map(|(_, high)| high),
            p: difference.p,
            interval: DIFFERENCE_METHOD,
            test: TEST_METHOD,
            resamples: self.resampling.resamples,
            seed: self.resampling.seed,
        }
    }

    fn baseline(&self) -> &'a str {
        self.subjects.systems.first().map_or("", String::as_str)
    }

    /// The summary beside rows of pairs.
    fn print_messages(&self) -> Result<()> {
        for cell in self.cells.iter().flatten() {
            let system = match self.subjects.single() {
                Some(_) => String::new(),
                None => format!("{}: ", cell.hyp),
            };
            let (label, value) = (cell.chosen.label(), json(&cell.score.value())?);
            let pairs = counted(self.n, "pair");
            output::print_message(&format!("{system}{label} {value} on {pairs}"));
            output::print_message(&format!("signature: {}", cell.signature));
            if let Some(Estimate { low, high, .. }) = cell.figure.estimate {
                let interval = cell.interval;
                output::print_message(&format!("95 % interval: {low} to {high} ({interval})"));
            }
            if let Some(difference) = &cell.figure.difference {
                let Difference { value, interval, p } = difference;
                let (value, baseline) = (json(value)?, self.baseline());
                let interval = interval.map_or_else(String::new, |(low, high)| {
                    format!(", 95 % interval {low} to {high}")
                });
                let p = p.map_or_else(String::new, |p| format!(", p {p}"));
                output::print_message(&format!("difference to {baseline}: {value}{interval}{p}"));
            }
        }
        Ok(())
    }

    /// The score of one metric with all its parts.
    fn print_parts(&self, cell: &Cell) -> Result<()> {
        let ChosenMetric { name, variant, .. } = cell.chosen;
        output::print(&format!("{name} ({variant}) on {}\n\n", counted(self.n, "pair")))?;
        let mut rows: Vec<[String; 2]> = Vec::new();
        for (name, part) in cell.score.parts() {
            rows.push([name.to_string(), format_part(part)]);
            if name == "score" {
                rows.push(["95 % interval".to_owned(), cell.interval_in_words()]);
            }
        }
        Table::new([Column::text("part"), Column::prose("value")]).rows(rows).print()?;
        output::print("\n")?;
        output::signatures("signature (same signature, same number)", vec![cell.signature.clone()])
    }

    /// A row for each system, and its differences to the first one; a column for each metric.
    fn print_table(&self) -> Result<()> {
        let metrics = &self.subjects.metrics;
        let (metric_count, system_count) =
            (counted(metrics.len(), "metric"), counted(self.cells.len(), "system"));
        let pairs = counted(self.n, "pair");
        output::print(&format!("{metric_count} of {system_count} on {pairs}\n\n"))?;
        let header = std::iter::once("hyp").chain(metrics.iter().map(ChosenMetric::label));
        let mut rows = Vec::new();
        for (system, cells) in self.subjects.systems.iter().zip(&self.cells) {
            rows.push(row(system, cells, Cell::score_in_short));
            if cells.iter().any(|cell| cell.figure.difference.is_some()) {
                rows.push(row("  difference", cells, Cell::difference_in_short));
                rows.push(row("  p", cells, Cell::p_in_short));
            }
        }
        output::wide_table(header.map(str::to_owned).collect(), rows)?;
        self.print_explanation()
    }

    fn print_explanation(&self) -> Result<()> {
        let cells = self.cells.first().map(Vec::as_slice).unwrap_or_default();
        let label = |cell: &Cell| cell.chosen.label().to_owned();
        let methods = cells.iter().map(|cell| format!("{} {}", label(cell), cell.interval));
        let methods: Vec<String> = methods.collect();
        output::paragraph("95 % intervals", &methods.join(", "))?;
        if self.cells.len() > 1 {
            let Resampling { resamples, seed } = self.resampling;
            let text = format!(
                "to {}: intervals by paired bootstrap, p by approximate randomization, \
                 {resamples} resamples, seed {seed}; * is p < {SIGNIFICANT}",
                self.baseline()
            );
            output::paragraph("differences", &text)?;
        }
        output::print("\n")?;
        let signatures = cells.iter().map(|cell| format!("{}: {}", label(cell), cell.signature));
        output::signatures("signatures (same signature, same number)", signatures.collect())
    }
}

fn row<'c, 'a: 'c>(
    name: &str,
    cells: &'c [Cell<'a>],
    content: fn(&'c Cell<'a>) -> String,
) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells.iter().map(content)).collect()
}

impl<'a> Cell<'a> {
    fn new(chosen: &'a ChosenMetric, hyp: &'a str, corpus: &Corpus, figure: &'a Figure) -> Self {
        let metric = chosen.metric.as_ref();
        let (score, signature) = (metric.score(corpus.total()), metric.signature(corpus.total()));
        let interval = interval_method(metric, corpus.total());
        Self { chosen, hyp, score, signature, interval, figure }
    }

    fn interval_in_words(&self) -> String {
        match self.figure.estimate {
            Some(Estimate { low, high, .. }) => {
                format!("{low:.4} to {high:.4} ({})", self.interval)
            }
            None => "none".to_owned(),
        }
    }

    /// The number of digits that tell scores apart: as many for shares as for percentages.
    fn digits(&self) -> usize {
        if (2.0..=100.0).contains(&self.chosen.metric.range().1) { 2 } else { 4 }
    }

    fn score_in_short(&self) -> String {
        let digits = self.digits();
        match self.figure.estimate {
            Some(Estimate { value, low, high, .. }) => {
                format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]")
            }
            None if self.score.value().is_nan() => "none".to_owned(),
            None => format!("{:.digits$}", self.score.value()),
        }
    }

    fn difference_in_short(&self) -> String {
        let digits = self.digits();
        match &self.figure.difference {
            None => String::new(),
            Some(Difference { value, .. }) if value.is_nan() => "none".to_owned(),
            Some(Difference { value, interval: None, .. }) => format!("{value:+.digits$}"),
            Some(Difference { value, interval: Some((low, high)), .. }) => {
                format!("{value:+.digits$} [{low:+.digits$}, {high:+.digits$}]")
            }
        }
    }

    fn p_in_short(&self) -> String {
        match self.figure.difference.and_then(|difference| difference.p) {
            Some(p) if p < SIGNIFICANT => format!("{p:.3} *"),
            Some(p) => format!("{p:.3}"),
            None => "none".to_owned(),
        }
    }
}

/// A score as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    metric: &'a str,
    variant: &'a str,
    n: u64,
    signature: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a str>,
    hyp: &'a str,
    score: Part,
    low: Option<f64>,
    high: Option<f64>,
    interval: &'static str,
    /// The rule for the last pair in samples, if the score depends on which pair that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_pair: Option<&'static str>,
    #[serde(flatten)]
    parts: Named<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DifferenceLine<'a>>,
}

#[derive(Serialize)]
struct DifferenceLine<'a> {
    baseline: &'a str,
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    p: Option<f64>,
    interval: &'static str,
    test: &'static str,
    resamples: usize,
    seed: u64,
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
