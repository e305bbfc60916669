//! How texts are graded and summed up.
//!
//! A verdict carries what its pair was counted to, so that a tally, which sees verdicts alone, can
//! score the whole corpus: corpus metrics are no means of the scores of pairs.

use assay_core::{
    Case, Check, Estimate, Fault, FaultKind, Grader, Named, NoAnswer, Outcome, ProblemId,
    Reference, Response, Result, Tally, Verdict, Why,
};
use assay_metrics::text::{Score, Sums};
use assay_stats::corpus_metric;

use super::metrics::Measure;

pub(super) struct TextGrader {
    pub(super) measures: Vec<Measure>,
}

impl Grader for TextGrader {
    fn check(&self, _reference: &Reference, response: &Response) -> Check {
        match response {
            Response::Text(_) | Response::None(_) => Check::Possible,
            other @ Response::Lines(_) => {
                Check::Impossible(Fault::new(FaultKind::Malformed, why_none(other).detail))
            }
        }
    }

    fn grade(&self, case: &Case<'_>) -> Result<Verdict> {
        let (problem, sample) = (case.problem.clone(), case.sample);
        let references: Vec<&str> = match case.reference {
            Reference::Text(reference) => reference.texts.iter().map(String::as_str).collect(),
            Reference::Line(_) => Vec::new(),
        };
        if references.is_empty() {
            return Ok(Verdict::excluded(problem, "its solution is not known".to_owned()));
        }
        let (mut verdict, hypothesis) = match case.response {
            Response::Text(text) => {
                let right = references.iter().any(|reference| reference.trim() == text.trim());
                let outcome = if right { Outcome::Passed } else { Outcome::Failed };
                (Verdict::new(problem, sample, outcome), text.as_str())
            }
            other => (Verdict::unanswered(problem, sample, &why_none(other)), ""),
        };
        for measure in &self.measures {
            let sums = measure.metric.measure(&references, hypothesis);
            write_down(measure, &sums, &mut verdict.scores);
        }
        Ok(verdict)
    }
}

fn why_none(response: &Response) -> NoAnswer {
    match response {
        Response::None(reason) => reason.clone(),
        _ => NoAnswer { why: Why::Invalid, detail: "the answer is no text".to_owned() },
    }
}

/// Puts a pair's score and its counts into the scores of its verdict.
fn write_down(measure: &Measure, sums: &Sums, scores: &mut Named<f64>) {
    let name = measure.name;
    let score = measure.metric.score_pair(sums).value();
    if score.is_finite() {
        scores.set(name, score);
    }
    for (at, &count) in sums.as_slice().iter().enumerate() {
        scores.set(format!("{name}.{at}"), count);
    }
}

/// The counts that [`write_down`] left.
fn read_back(measure: &Measure, scores: &Named<f64>) -> Sums {
    let count = |at: usize| scores.get(&format!("{}.{at}", measure.name)).copied();
    Sums::new((0..).map_while(count).collect::<Vec<f64>>())
}

pub(super) struct TextTally {
    measures: Vec<Measure>,
    /// The counts of each pair, one for each metric.
    pairs: Vec<(ProblemId, Vec<Sums>)>,
}

impl TextTally {
    pub(super) fn new(measures: Vec<Measure>) -> Self {
        Self { measures, pairs: Vec::new() }
    }
}

impl Tally for TextTally {
    fn add(&mut self, verdict: &Verdict) {
        if verdict.is_excluded() {
            return;
        }
        let sums = |measure| read_back(measure, &verdict.scores);
        self.pairs.push((verdict.problem.clone(), self.measures.iter().map(sums).collect()));
    }

    fn metrics(&self) -> Named<Estimate> {
        // Counts that are no whole numbers add up to the same sum in the same order only.
        let mut pairs: Vec<&(ProblemId, Vec<Sums>)> = self.pairs.iter().collect();
        pairs.sort_by(|left, right| left.0.cmp(&right.0));
        let mut metrics = Named::new();
        for (at, measure) in self.measures.iter().enumerate() {
            let sums: Vec<&Sums> = pairs.iter().map(|(_, sums)| &sums[at]).collect();
            let (whole, without) = scores(measure, &sums);
            for figure in measure.results {
                let Some(value) = figure.value(&whole) else { continue };
                let left_out: Vec<f64> =
                    without.iter().map(|score| figure.value(score).unwrap_or(f64::NAN)).collect();
                if let Some(estimate) = corpus_metric(value, &left_out, figure.range) {
                    metrics.set(figure.name, estimate);
                }
            }
        }
        metrics
    }
}

/// The score of all pairs, and the scores with each pair left out: all before it joined with all
/// after it.
fn scores(measure: &Measure, pairs: &[&Sums]) -> (Score, Vec<Score>) {
    let join = |before: &Sums, after: &Sums| {
        let mut total = before.clone();
        if !after.as_slice().is_empty() {
            measure.metric.join(&mut total, after);
        }
        total
    };
    let mut after = vec![Sums::default(); pairs.len() + 1];
    for (at, pair) in pairs.iter().enumerate().rev() {
        after[at] = join(pair, &after[at + 1]);
    }
    let mut before = Sums::default();
    let mut without = Vec::with_capacity(pairs.len());
    for (pair, after) in pairs.iter().zip(&after[1..]) {
        without.push(measure.metric.score(&join(&before, after)));
        before = join(&before, pair);
    }
    (measure.metric.score(&before), without)
}
