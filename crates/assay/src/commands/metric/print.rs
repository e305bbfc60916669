//! How scores are printed: for people, and as JSON.

use assay_core::{Error, Result};
use assay_data::texts::PairId;
use assay_metrics::text::{Part, Score};
use serde::Serialize;

use super::choose::Chosen;
use super::stream::Measured;
use crate::args::TextArguments;
use crate::output;

/// What is printed of each pair, a line each.
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

    /// The line before the first.
    pub(super) fn header(self, score: &Score) -> String {
        if self != Self::Tabs {
            return String::new();
        }
        let names = single_parts(score).map(|(name, _)| format!("\t{name}"));
        format!("id{}\n", names.collect::<String>())
    }

    /// The line of a pair.
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

/// Prints what the corpus scores; talks of it where the pairs' rows are the data.
pub(super) fn summary(
    chosen: &Chosen,
    measured: &Measured,
    arguments: &TextArguments,
) -> Result<()> {
    let score = chosen.metric.score(&measured.total);
    let signature = chosen.metric.signature(&measured.total);
    let (metric, variant, n) = (chosen.name, chosen.variant.as_str(), measured.n);
    match Rows::new(arguments) {
        Rows::Json => {}
        Rows::Tabs => {
            let value = json(&score.value())?;
            output::talk(&format!("{metric} {value} on {n} pairs\nsignature: {signature}"));
        }
        Rows::Nothing if arguments.json => {
            let summary = Summary { metric, variant, n, signature: &signature, score: &score };
            output::json_line(&summary)?;
        }
        Rows::Nothing => {
            output::say(&format!("{metric} ({variant}) on {n} pairs\n\n"))?;
            let rows = score.parts().iter().map(|(name, part)| [name.to_owned(), in_words(part)]);
            output::table(["part", "value"], rows)?;
            output::say("\n")?;
            output::listing("signature (same signature, same number)", [signature])?;
        }
    }
    Ok(())
}

/// The parts that are one number each.
fn single_parts(score: &Score) -> impl Iterator<Item = (&str, &Part)> {
    let single = |part: &Part| !matches!(part, Part::Numbers(_) | Part::Counts(_));
    score.parts().iter().filter(move |(_, part)| single(part))
}

/// A number with every digit; nothing where there is none.
fn number(part: &Part) -> Result<String> {
    match part {
        Part::Missing => Ok(String::new()),
        part => json(part),
    }
}

/// As many digits as people read.
fn in_words(part: &Part) -> String {
    let rounded = |number: &f64| format!("{number:.4}");
    match part {
        Part::Number(number) => rounded(number),
        Part::Missing => "none".to_owned(),
        Part::Count(count) => count.to_string(),
        Part::Numbers(numbers) => numbers.iter().map(rounded).collect::<Vec<_>>().join("  "),
        Part::Counts(counts) => counts.iter().map(u64::to_string).collect::<Vec<_>>().join("  "),
    }
}

/// Text without what would end the cell or the line, or what a terminal would obey.
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
