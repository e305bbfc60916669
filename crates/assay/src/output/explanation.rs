//! Explanations for a terminal.

use assay_core::{counted, shown_line};
use assay_locate::{ExplainedLine, Reason};

use super::diff::{Change, Part, diff};
use super::terminal::{Page, displayable};

/// The maximum numbers of reasons for and against a candidate that are shown, and their minimum
/// weight.
const MAX_REASONS_FOR: usize = 4;
const MAX_REASONS_AGAINST: usize = 3;
const MIN_WEIGHT: f64 = 0.01;

const BOLD: &str = "1";
const DIM: &str = "2";
const GREEN: &str = "32";
const RED: &str = "31";

/// The locator's answer to one task, with reasons.
pub(crate) struct Explanation<'a> {
    /// The task file.
    pub(crate) path: String,
    pub(crate) new_line: &'a [u8],
    /// The program's lines.
    pub(crate) lines: Vec<&'a [u8]>,
    /// The number of candidate lines.
    pub(crate) candidates: usize,
    /// The shown candidates, with their ranks from 1, best first.
    pub(crate) explained: Vec<(usize, ExplainedLine)>,
    /// The right line, if it is known.
    pub(crate) solution: Option<usize>,
    /// The number of lines shown before and after a candidate.
    pub(crate) context: usize,
}

/// Prints an explanation.
pub(crate) fn show_explanation(explanation: &Explanation<'_>) -> assay_core::Result<()> {
    // The text has colours, and every part of the task in it is escaped.
    super::write(view(explanation, Page::of_standard_output()).as_bytes())
}

fn view(explanation: &Explanation<'_>, page: Page) -> String {
    let mut text = page.wrap_words("", &shown_line(&verdict(explanation)));
    text += &format!("\n{}\n", page.paint("new line", BOLD));
    text += &format!("  {}\n", page.cut(explanation.new_line.trim_ascii(), 2));
    for (rank, candidate) in &explanation.explained {
        text += &format!("\n{}\n", title(explanation, *rank, candidate, page));
        text += &context_lines(explanation, candidate.ranked.line, page);
        text += &change(explanation, candidate.ranked.line, page);
        text += &reasons(candidate, page);
    }
    text
}

/// The question, the answer, and whether it is right.
fn verdict(explanation: &Explanation<'_>) -> String {
    let Explanation { path, lines, candidates, .. } = explanation;
    let (lines, candidates) = (counted(lines.len(), "line"), counted(*candidates, "candidate"));
    let asked = format!("{path}, {lines}, {candidates}:");
    let Some(best) = explanation.explained.first().map(|(_, best)| best.ranked.line) else {
        return format!(
            "{asked} no line could be meant, since all are blank or equal to the new one"
        );
    };
    let answer = format!("{asked} the answer is line {best}");
    let place_of = |line: usize| {
        let mut explained = explanation.explained.iter();
        explained.find(|(_, other)| other.ranked.line == line).map(|(place, _)| *place)
    };
    match (explanation.solution, explanation.solution.and_then(place_of)) {
        (None, _) => answer,
        (Some(right), _) if right == best => format!("{answer}, which is right"),
        (Some(right), Some(place)) => {
            format!("{answer}, which is wrong: right is line {right}, candidate {place}")
        }
        (Some(right), None) => {
            format!("{answer}, which is wrong: right is line {right}, which is no candidate")
        }
    }
}

fn title(
    explanation: &Explanation<'_>,
    rank: usize,
    candidate: &ExplainedLine,
    page: Page,
) -> String {
    let line = candidate.ranked.line;
    let title =
        format!("{rank}. line {line}, probability {}", percent(candidate.ranked.probability));
    let right = explanation.solution == Some(line);
    let mark = if right { page.paint(" ← the right line", GREEN) } else { String::new() };
    page.paint(&title, BOLD) + &mark
}

/// A probability that is never rounded to certainty.
fn percent(probability: f32) -> String {
    match probability {
        _ if probability > 0.9995 => "over 0.999".to_owned(),
        _ if probability < 0.0005 => "under 0.001".to_owned(),
        _ => format!("{probability:.3}"),
    }
}

/// The program around a candidate.
fn context_lines(explanation: &Explanation<'_>, line: usize, page: Page) -> String {
    let lines = &explanation.lines;
    let from = line.saturating_sub(explanation.context).max(1);
    let to = (line + explanation.context).min(lines.len());
    let digits = to.to_string().len();
    let mut text = String::new();
    for number in from..=to {
        let marker = match (number == line, explanation.solution == Some(number)) {
            (true, _) => '>',
            (false, true) => '*',
            (false, false) => ' ',
        };
        let start = format!("  {marker} {number:>digits$} │ ");
        let code = page.cut(lines[number - 1], start.chars().count());
        let row = format!("{start}{code}");
        let row = row.trim_end();
        text += &if number == line { page.paint(row, BOLD) } else { page.paint(row, DIM) };
        text.push('\n');
    }
    text
}

/// The candidate line with the removed and added words.
fn change(explanation: &Explanation<'_>, line: usize, page: Page) -> String {
    let old = explanation.lines[line - 1];
    let marked = |Part { change, text }| match change {
        Change::Kept => (text, ""),
        Change::Out if page.colour => (text, "31;9"),
        Change::In if page.colour => (text, "32;1"),
        Change::Out => (format!("[-{text}-]"), ""),
        Change::In => (format!("{{+{text}+}}"), ""),
    };
    let parts = diff(old, explanation.new_line, displayable);
    let pieces: Vec<(String, &str)> = parts.into_iter().map(marked).collect();
    format!("  change\n{}", page.wrap_code(&pieces, 4))
}

/// The reasons for and against a candidate.
fn reasons(candidate: &ExplainedLine, page: Page) -> String {
    let Some(other) = candidate.against else {
        return "  no other line could be meant\n".to_owned();
    };
    let telling = |wanted: fn(f64) -> bool, most: usize| {
        let reasons = candidate.reasons.iter().filter(move |reason| {
            wanted(reason.contribution) && reason.contribution.abs() >= MIN_WEIGHT
        });
        reasons.take(most)
    };
    let groups = [
        ("for it", telling(|share| share > 0.0, MAX_REASONS_FOR).collect::<Vec<_>>(), GREEN),
        ("against it", telling(|share| share < 0.0, MAX_REASONS_AGAINST).collect::<Vec<_>>(), RED),
    ];
    let mut text = String::new();
    let mut rest = candidate.margin;
    for (title, reasons, colour) in groups {
        if !reasons.is_empty() {
            text += &format!("  {title}\n");
        }
        for reason in reasons {
            rest -= reason.contribution;
            text += &format_reason(reason, other, colour, page);
        }
    }
    let line = |number: f64, what: &str| format!("  {number:>+7.2} {what}\n");
    text += "  in all\n";
    text + &line(rest, "whatever else is different")
        + &line(candidate.margin, &format!("compared with line {other}"))
}

/// A reason's share in its colour, and its description.
fn format_reason(reason: &Reason, other: usize, colour: &str, page: Page) -> String {
    let start = format!("  {:>+7.2} ", reason.contribution);
    let text = format!("{} ({})", reason.phrase(), reason.comparison(other));
    page.wrap_words(&start, &text).replacen(&start, &page.paint(&start, colour), 1)
}
