//! Failed samples as JSON: texts are whole.

use assay_core::{
    Ending, Evidence, FailureKind, Named, Outcome, Question, Response, Results, Verdict,
};
use assay_run::FailedSample;
use serde::Serialize;

use super::view::{STOP_WORDS, line_text};

/// Results, with failed samples if they were requested.
#[derive(Serialize)]
pub(crate) struct ResultsJson<'a> {
    #[serde(flatten)]
    pub(crate) results: &'a Results,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed_samples: Option<Vec<FailedJson<'a>>>,
}

/// A failed sample; fields that do not apply are left out.
#[derive(Default, Serialize)]
pub(crate) struct FailedJson<'a> {
    problem: &'a str,
    sample: u32,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<FailureKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The line of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    scores: Named<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
    /// The rule by which the answer was cut out of a reply, and that reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceback: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_tail: Option<&'a str>,
    /// The answered lines, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    predicted: Vec<LineJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<LineJson>,
}

#[derive(Serialize)]
struct LineJson {
    line: usize,
    /// Its text; `null` if the task could not be read.
    text: Option<String>,
}

/// Failed samples as JSON objects.
pub(crate) fn failed_json(failed: &[FailedSample]) -> Vec<FailedJson<'_>> {
    failed.iter().map(FailedJson::new).collect()
}

impl<'a> FailedJson<'a> {
    fn new(sample: &'a FailedSample) -> Self {
        let verdict = &sample.verdict;
        let json = Self {
            problem: verdict.problem.as_str(),
            sample: verdict.sample,
            outcome: if verdict.outcome == Outcome::TimedOut { "timed_out" } else { "failed" },
            scores: verdict.scores.clone(),
            answer: sample.response.as_deref().and_then(text_of),
            rule: sample.cut.as_ref().map(|cut| cut.rule.as_deref().unwrap_or(STOP_WORDS)),
            reply: sample.cut.as_ref().map(|cut| &*cut.reply),
            ..Self::default()
        };
        json.with_question(sample).with_ending(verdict)
    }

    fn with_question(self, sample: &'a FailedSample) -> Self {
        let verdict = &sample.verdict;
        let lines: Vec<&[u8]> = match &sample.question {
            Some(Question::Line(question)) => question.program_lines().collect(),
            _ => Vec::new(),
        };
        let line = |line: usize| LineJson { line, text: line_text(&lines, line) };
        let new_line = |question: &Question| match question {
            Question::Line(question) => line_text(&[question.line()], 1),
            _ => None,
        };
        let prompt = sample.question.as_ref().filter(|_| lines.is_empty());
        let is_code = matches!(sample.question, Some(Question::Code(_)));
        let gold = sample.gold.as_ref().filter(|_| !is_code && verdict.ending.is_none());
        Self {
            prompt: prompt.map(|question| question.prompt().into_owned()),
            new_line: sample.question.as_ref().and_then(new_line),
            reference: gold.and_then(text_of),
            predicted: verdict.predicted.iter().map(|&predicted| line(predicted)).collect(),
            solution: verdict.solution.map(line),
            ..self
        }
    }

    fn with_ending(self, verdict: &'a Verdict) -> Self {
        let (Some(ending), Some(evidence)) = (&verdict.ending, &verdict.evidence) else {
            return self;
        };
        let (class, message, line) = match ending {
            Ending::Exception { class, message, line } => {
                (Some(class.as_str()), Some(message.clone()), *line)
            }
            Ending::WrongAnswer { message } => (None, Some(message.clone()), None),
            Ending::SyntaxError { message, line } => (None, Some(message.clone()), *line),
            other => (None, Some(other.to_string()), None),
        };
        let Evidence { call, expected, got, input, traceback, stderr_tail, .. } = evidence;
        Self {
            kind: FailureKind::of(ending),
            class,
            message,
            line,
            input: input.as_deref(),
            call: call.as_deref(),
            expected: expected.as_deref(),
            got: got.as_deref(),
            traceback: traceback.as_deref(),
            stderr_tail: Some(stderr_tail.as_str()).filter(|tail| !tail.is_empty()),
            ..self
        }
    }
}

fn text_of(response: &Response) -> Option<&str> {
    match response {
        Response::Text(text) | Response::Program(text) | Response::Choice(text) => Some(text),
        Response::Lines(_) | Response::None(_) => None,
    }
}
