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

/// The message for a task without candidates.
const NO_CANDIDATE: &str = "no line could be meant, since all are blank or equal to the new one";

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
    /// The shown candidates, with their ranks from 1; those that were answered come first.
    pub(crate) explained: Vec<(usize, ExplainedLine)>,
    /// The right line, if it is known.
    pub(crate) solution: Option<usize>,
    /// The answer to explain, if it is not the locator's.
    pub(crate) answered: Option<Answered>,
    /// The number of lines shown before and after a candidate.
    pub(crate) context: usize,
}

/// The answer of another solver than the locator, or of the user.
pub(crate) struct Answered {
    /// The solver; `None` for the user.
    pub(crate) by: Option<String>,
    /// The lines, best first.
    pub(crate) lines: Vec<usize>,
    /// The reason why there are none.
    pub(crate) no_answer: Option<String>,
}

impl Explanation<'_> {
    /// The locator's answer.
    pub(crate) fn best(&self) -> Option<&ExplainedLine> {
        self.explained.iter().find(|(rank, _)| *rank == 1).map(|(_, best)| best)
    }

    /// The shown candidate at a line, with its rank.
    pub(crate) fn candidate(&self, line: usize) -> Option<&(usize, ExplainedLine)> {
        self.explained.iter().find(|(_, candidate)| candidate.ranked.line == line)
    }
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
    for line in no_candidates(explanation) {
        text += &format!("\n{}\n", page.paint(&format!("line {line}"), BOLD));
        text += &context_lines(explanation, line, page);
        text += &page.wrap_words("  ", "the locator never means this line: it is blank, equals the new one, or is too unlike it");
    }
    for (rank, candidate) in &explanation.explained {
        text += &format!("\n{}\n", title(explanation, *rank, candidate, page));
        text += &context_lines(explanation, candidate.ranked.line, page);
        text += &change(explanation, candidate.ranked.line, page);
        text += &reasons(candidate, page);
    }
    text
}

/// The answered lines that are no candidates.
fn no_candidates(explanation: &Explanation<'_>) -> impl Iterator<Item = usize> {
    let answered = explanation.answered.iter().flat_map(|answered| answered.lines.iter().copied());
    answered.filter(|&line| {
        explanation.candidate(line).is_none() && (1..=explanation.lines.len()).contains(&line)
    })
}

/// The question, the answer, and whether it is right.
fn verdict(explanation: &Explanation<'_>) -> String {
    let Explanation { path, lines, candidates, answered, .. } = explanation;
    let (lines, candidates) = (counted(lines.len(), "line"), counted(*candidates, "candidate"));
    let asked = format!("{path}, {lines}, {candidates}:");
    let Some(answered) = answered else {
        return format!("{asked} {}", locators_answer("the answer is", explanation));
    };
    let by = answered.by.as_deref().map_or("your answer is".to_owned(), |by| format!("{by} says"));
    let Some(&line) = answered.lines.first() else {
        let reason = answered.no_answer.as_deref().unwrap_or_default();
        let locator = locators_answer("the locator says", explanation);
        return format!("{asked} {by} nothing ({reason}); {locator}");
    };
    let right = match explanation.solution {
        None => String::new(),
        Some(right) if right == line => ", which is right".to_owned(),
        Some(right) => format!(", which is wrong: right is line {right}"),
    };
    format!("{asked} {by} line {line}{right}; {}", beside(line, explanation))
}

/// The locator's answer beside another solver's.
fn beside(line: usize, explanation: &Explanation<'_>) -> String {
    let probability = |candidate: &ExplainedLine| percent(candidate.ranked.probability);
    match explanation.candidate(line) {
        Some((1, same)) => format!("the locator says the same, probability {}", probability(same)),
        Some((rank, other)) => format!(
            "the locator says {}, and line {line} is its candidate {rank}, probability {}",
            best_line(explanation),
            probability(other)
        ),
        None => match explanation.best() {
            Some(_) => format!(
                "the locator says {}, and line {line} is none of its candidates",
                best_line(explanation)
            ),
            None => NO_CANDIDATE.to_owned(),
        },
    }
}

/// The locator's line, and whether it is right.
fn best_line(explanation: &Explanation<'_>) -> String {
    let Some(best) = explanation.best().map(|best| best.ranked.line) else { return String::new() };
    match explanation.solution {
        None => format!("line {best}"),
        Some(right) if right == best => format!("line {best}, which is right"),
        Some(_) => format!("line {best}, which is wrong"),
    }
}

/// The locator's answer, and whether it is right.
fn locators_answer(says: &str, explanation: &Explanation<'_>) -> String {
    let Some(best) = explanation.best().map(|best| best.ranked.line) else {
        return NO_CANDIDATE.to_owned();
    };
    let answer = format!("{says} line {best}");
    match (explanation.solution, explanation.solution.map(|right| explanation.candidate(right))) {
        (Some(right), _) if right == best => format!("{answer}, which is right"),
        (Some(right), Some(Some((rank, _)))) => {
            format!("{answer}, which is wrong: right is line {right}, candidate {rank}")
        }
        (Some(right), _) => {
            format!("{answer}, which is wrong: right is line {right}, which is no candidate")
        }
        (None, _) => answer,
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
    let answered = explanation.answered.as_ref().filter(|answered| answered.lines.contains(&line));
    let said = answered.map_or(String::new(), |answered| match &answered.by {
        Some(by) => format!(" ← the answer of {}", by.split(':').next().unwrap_or_default()),
        None => " ← your answer".to_owned(),
    });
    page.paint(&title, BOLD) + &said + &mark
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
