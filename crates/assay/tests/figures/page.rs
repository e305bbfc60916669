//! The paragraphs of a page, the figures in them, and the sources that their comments name.

use crate::source::{Figure, value_of};
use crate::table;

/// The units of measured figures.
pub(crate) const UNITS: [&str; 19] = [
    "ms", "s", "µs", "seconds", "minutes", "hours", "KiB", "MiB", "GiB", "kB", "MB", "GB", "%",
    "times", "x", "fold", "CPU-ms", "percent", "points",
];

/// Shares in words, which nothing could check: numbers say the same.
const SHARES: [&str; 14] = [
    "a quarter",
    "a fifth",
    "a sixth",
    "a tenth",
    "a twelfth",
    "a twentieth",
    "a twenty-fifth",
    "a fiftieth",
    "a sixtieth",
    "a hundredth",
    "two thirds",
    "three quarters",
    "less than half",
    "twice as fast",
];

/// The reasons why a figure needs no kept result.
const REASONS: [&str; 5] = ["setting", "published", "definition", "example", "tested"];

/// Lines without a blank one between them, and the sources of their figures.
#[derive(Debug, Default)]
pub(crate) struct Paragraph {
    /// The first line, counted from 1.
    pub(crate) line: usize,
    pub(crate) lines: Vec<String>,
    sources: Vec<String>,
}

impl Paragraph {
    /// The paragraphs of a page; blocks of code and other comments are left out.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let mut paragraphs = Vec::new();
        let mut now = Self::default();
        let (mut in_code, mut in_comment) = (false, None);
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
                now.end(&mut paragraphs);
            } else if in_code {
            } else if let Some(figures) = in_comment {
                if line.ends_with("-->") {
                    in_comment = None;
                } else if figures {
                    now.sources.push(line.trim().to_owned());
                }
            } else if line.starts_with("<!--") {
                now.end(&mut paragraphs);
                in_comment = (!line.ends_with("-->")).then(|| line.starts_with("<!-- figures"));
            } else if line.trim().is_empty() {
                now.end(&mut paragraphs);
            } else {
                if now.lines.is_empty() {
                    now.line = number + 1;
                }
                now.lines.push(line.to_owned());
            }
        }
        now.end(&mut paragraphs);
        paragraphs
    }

    fn end(&mut self, paragraphs: &mut Vec<Self>) {
        if !self.lines.is_empty() {
            paragraphs.push(std::mem::take(self));
        }
    }

    /// The errors in the figures of this paragraph.
    pub(crate) fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let text = without_code(&self.lines.join(" "));
        let mut tied = Vec::new();
        if let Some(tables) = self.sources.iter().find_map(|line| line.strip_prefix("table = ")) {
            let columns = self.sources.iter().filter_map(|line| line.strip_prefix("column "));
            return table::errors(&self.lines, tables, &columns.collect::<Vec<_>>());
        }
        for source in &self.sources {
            match check(source, &text) {
                Ok(figure) => tied.push(figure),
                Err(error) => errors.push(error),
            }
        }
        let mut rest = text.clone();
        for figure in &tied {
            rest = rest.replace(figure.as_str(), "·");
        }
        for figure in figures(&rest) {
            errors.push(format!("`{figure}` has no source"));
        }
        for share in SHARES.iter().filter(|share| rest.contains(*share)) {
            errors.push(format!("`{share}` cannot be checked: give a number and its source"));
        }
        errors
    }
}

/// Checks a line of a comment; returns the figure that it is about.
fn check(source: &str, text: &str) -> Result<String, String> {
    if let Some((figure, expression)) = source.split_once(" = ") {
        let value = value_of(expression)?;
        let shown = Figure::parse(figure).ok_or_else(|| format!("`{figure}` is no figure"))?;
        shown.check(value, expression)?;
        return find(figure, text);
    }
    let (figure, reason) =
        source.rsplit_once(": ").ok_or_else(|| format!("`{source}` names no source"))?;
    if !REASONS.contains(&reason) {
        return Err(format!("`{reason}` is no reason; there are {}", REASONS.join(", ")));
    }
    find(figure, text)
}

fn find(figure: &str, text: &str) -> Result<String, String> {
    let found = text.contains(figure);
    found.then(|| figure.to_owned()).ok_or_else(|| format!("there is no `{figure}` in the text"))
}

/// The text without what is between backticks.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The numbers with a unit, and the scores between 0 and 1 and with three digits and more after the point.
pub(crate) fn figures(text: &str) -> Vec<String> {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || "()[]|*;:".contains(letter)).collect();
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let word = word.trim_matches(|letter: char| ",.~".contains(letter));
        let digits = word.find(|letter: char| !letter.is_ascii_digit() && !".,".contains(letter));
        let (number, unit) = word.split_at(digits.unwrap_or(word.len()));
        if !number.starts_with(|letter: char| letter.is_ascii_digit()) {
            continue;
        }
        let next = words.get(place + 1).map_or("", |next| next.trim_end_matches([',', '.']));
        let unit = if unit.is_empty() { next } else { unit };
        let interval =
            unit == "%" && words.get(place + 2).is_some_and(|word| word.starts_with("interval"));
        if UNITS.contains(&unit) && !interval {
            found.push(format!("{number} {unit}"));
        } else if is_score(number) {
            found.push(number.to_owned());
        }
    }
    found
}

fn is_score(number: &str) -> bool {
    let Some((whole, decimals)) = number.split_once('.') else { return false };
    let digits = decimals.chars().all(|letter| letter.is_ascii_digit());
    digits && !decimals.is_empty() && (whole == "0" || decimals.len() >= 3)
}

#[test]
fn numbers_with_units_and_scores_are_figures() {
    let check = |text: &str, found: &[&str]| assert_eq!(figures(text), found, "{text}");
    check("takes 90 ms of CPU, in 17 MiB.", &["90 ms", "17 MiB"]);
    check("a 95 % interval, version 0.1.0 of 2026, NLTK 3.10", &[]);
    check("0.033 to 0.062; 25 times (0.5)", &["0.033", "0.062", "25 times", "0.5"]);
    check("| 4.6 ms | 8.5 s |", &["4.6 ms", "8.5 s"]);
    check("12 problems, 3 of them", &[]);
}
