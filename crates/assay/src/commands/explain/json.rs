//! An explanation as JSON, with every reason.

use assay_locate::{ExplainedLine, Reason};
use serde::Serialize;

use crate::output::Explanation;

#[derive(Serialize)]
pub(super) struct ExplanationJson<'a> {
    path: &'a str,
    new_line: String,
    lines: usize,
    candidates: usize,
    /// The right line, if it is known.
    solution: Option<usize>,
    /// True if the locator's best candidate is the right line.
    right: Option<bool>,
    /// The answer of another solver or of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<AnsweredJson<'a>>,
    explained: Vec<CandidateJson<'a>>,
}

#[derive(Serialize)]
struct AnsweredJson<'a> {
    /// The solver; `null` for the user's own answer.
    by: Option<&'a str>,
    lines: Vec<AnsweredLineJson>,
    /// True if the first line is the right one.
    right: Option<bool>,
    /// The reason why there is no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct AnsweredLineJson {
    line: usize,
    text: String,
    /// The locator's rank of it; `null` if it is no candidate.
    rank: Option<usize>,
    probability: Option<f32>,
}

#[derive(Serialize)]
struct CandidateJson<'a> {
    rank: usize,
    line: usize,
    text: String,
    score: f32,
    probability: f32,
    against: Option<usize>,
    margin: f64,
    reasons: Vec<ReasonJson<'a>>,
}

#[derive(Serialize)]
struct ReasonJson<'a> {
    feature: &'a str,
    value: f32,
    other: f32,
    contribution: f64,
    phrase: String,
}

impl<'a> ExplanationJson<'a> {
    pub(super) fn new(explanation: &'a Explanation<'_>) -> Self {
        let best = explanation.best().map(|best| best.ranked.line);
        let candidates = explanation.explained.iter();
        Self {
            path: &explanation.path,
            new_line: text_of(explanation.new_line),
            lines: explanation.lines.len(),
            candidates: explanation.candidates,
            solution: explanation.solution,
            right: explanation.solution.map(|solution| best == Some(solution)),
            answered: answered(explanation),
            explained: candidates
                .map(|(rank, candidate)| CandidateJson::new(explanation, *rank, candidate))
                .collect(),
        }
    }
}

fn answered<'a>(explanation: &'a Explanation<'_>) -> Option<AnsweredJson<'a>> {
    let answered = explanation.answered.as_ref()?;
    let line = |&line: &usize| {
        let candidate = explanation.candidate(line);
        AnsweredLineJson {
            line,
            text: text_of(explanation.lines.get(line.wrapping_sub(1)).copied().unwrap_or_default()),
            rank: candidate.map(|(rank, _)| *rank),
            probability: candidate.map(|(_, candidate)| candidate.ranked.probability),
        }
    };
    Some(AnsweredJson {
        by: answered.by.as_deref(),
        lines: answered.lines.iter().map(line).collect(),
        right: explanation.solution.map(|right| answered.lines.first() == Some(&right)),
        reason: answered.no_answer.as_deref(),
    })
}

impl<'a> CandidateJson<'a> {
    fn new(explanation: &Explanation<'_>, rank: usize, candidate: &'a ExplainedLine) -> Self {
        let ExplainedLine { ranked, against, margin, reasons } = candidate;
        let reason = |reason: &'a Reason| ReasonJson {
            feature: reason.feature,
            value: reason.value,
            other: reason.other,
            contribution: reason.contribution,
            phrase: reason.phrase(),
        };
        Self {
            rank,
            line: ranked.line,
            text: text_of(explanation.lines[ranked.line - 1]),
            score: ranked.score,
            probability: ranked.probability,
            against: *against,
            margin: *margin,
            reasons: reasons.iter().map(reason).collect(),
        }
    }
}

/// A line as text, without its line ending.
fn text_of(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}
