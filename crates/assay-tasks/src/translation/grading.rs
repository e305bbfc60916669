//! Grading of texts, and the tally.
//!
//! A verdict stores the counts of its pair, so that a tally, which only sees verdicts, can score the whole corpus:
//! corpus metrics are not means of the pairs' scores.

use std::sync::Arc;

use assay_core::{
    Cancel, Check, DigestOf, Estimate, ExpectedCode, Fingerprint, Language, Named, Outcome,
    ProblemId, Reference, Response, Result, Submission, Tally, Verdict,
};
use assay_metrics::exact::is_exact;
use assay_metrics::text::{Score, Sums};
use assay_stats::corpus_metric;

use super::metrics::Measure;

/// Right texts, each as good as the others; none if they are hidden.
pub(super) struct TextReference {
    pub(super) texts: Vec<String>,
    /// The language that they are in.
    pub(super) language: Language,
    /// The metrics to grade by.
    pub(super) measures: Arc<[Measure]>,
}

impl Reference for TextReference {
    fn fingerprint(&self) -> Fingerprint {
        let mut all = DigestOf::new();
        for text in &self.texts {
            all.field(text.as_bytes());
        }
        Fingerprint::of(all.finish().as_bytes())
    }

    fn gold(&self) -> Option<Response> {
        self.texts.first().cloned().map(Response::Text)
    }

    fn expected_code(&self) -> Option<ExpectedCode<'_>> {
        Some(ExpectedCode { language: self.language, entry_points: Vec::new(), prompt: "" })
    }

    fn check(&self, response: &Response) -> Check {
        Check::kind(response.text())
    }

    fn grade(&self, submission: &Submission, _cancel: &Cancel) -> Result<Verdict> {
        let references: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        if references.is_empty() {
            let problem = submission.problem.clone();
            return Ok(Verdict::excluded(problem, "its solution is not known".to_owned()));
        }
        let (mut verdict, hypothesis) = match submission.response.text() {
            Ok(text) => {
                let right = is_exact(&references, text);
                let outcome = if right { Outcome::Passed } else { Outcome::Failed };
                (submission.verdict(outcome), text)
            }
            Err(reason) => (submission.unanswered(&reason), ""),
        };
        for measure in self.measures.iter() {
            let sums = measure.metric.measure(&references, hypothesis);
            store_counts(measure, &sums, &mut verdict);
        }
        Ok(verdict)
    }
}

/// Stores a pair's score and counts in its verdict.
fn store_counts(measure: &Measure, sums: &Sums, verdict: &mut Verdict) {
    let score = measure.metric.score_pair(sums).value();
    if score.is_finite() {
        verdict.scores.insert(measure.name.into(), score);
    }
    verdict.counts.insert(measure.name.into(), sums.as_slice().to_vec());
}

/// The counts that [`store_counts`] stored.
fn load_counts(measure: &Measure, verdict: &Verdict) -> Sums {
    Sums::new(verdict.counts.get(measure.name).cloned().unwrap_or_default())
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
        let sums = |measure| load_counts(measure, verdict);
        self.pairs.push((verdict.problem.clone(), self.measures.iter().map(sums).collect()));
    }

    fn metrics(&self) -> Named<Estimate> {
        // Fractional counts have the same sum only if they are added in the same order.
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
                    metrics.insert(figure.name.into(), estimate);
                }
            }
        }
        metrics
    }
}

/// The score of all pairs, and the scores with each pair left out: all before it joined with all after it.
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

#[cfg(test)]
mod tests {
    use assay_core::{NoAnswerKind, SampleKey};
    use assay_metrics::text::{Part, TextMetric};
    use proptest::prelude::*;

    use super::super::metrics::Figure;
    use super::*;

    /// A metric of the length of hypotheses relative to their references, with fractional counts; and the length of
    /// the last one, which depends on the order.
    struct Lengths;

    impl TextMetric for Lengths {
        fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
            let (said, wanted) = (hypothesis.len() as f64, references[0].len() as f64);
            Sums::new([said / 10.0, wanted / 10.0, said])
        }

        fn join(&self, total: &mut Sums, next: &Sums) {
            total.add(next);
            total.as_mut_slice()[2] = next.at(2);
        }

        fn score(&self, corpus: &Sums) -> Score {
            let (said, wanted) = (corpus.at(0), corpus.at(1));
            let share = if wanted > 0.0 { Part::Number(said / wanted) } else { Part::Missing };
            let last = Part::Number(corpus.at(2));
            Score::new("lengths", said).part("share", share).part("last", last)
        }

        fn range(&self) -> (f64, f64) {
            (0.0, 1.0)
        }

        fn signature(&self, _corpus: &Sums) -> String {
            "lengths|of:letters".to_owned()
        }
    }

    const FIGURES: &[Figure] = &[
        Figure { name: "length", part: "share", range: (0.0, 1.0) },
        Figure { name: "last", part: "last", range: (0.0, 100.0) },
        Figure { name: "absent", part: "nothing", range: (0.0, 1.0) },
    ];

    fn measures() -> Vec<Measure> {
        vec![Measure { name: "lengths", metric: Box::new(Lengths), results: FIGURES }]
    }

    fn grade(id: &str, references: &[&str], response: &Response) -> Verdict {
        let texts = references.iter().map(|&text| text.to_owned()).collect();
        let reference =
            TextReference { texts, language: Language::Python, measures: measures().into() };
        let key = SampleKey { index: 0, sample: 0 };
        let response = Arc::new(response.clone());
        let submission = Submission { key, problem: id.into(), response };
        reference.grade(&submission, &Cancel::new()).unwrap()
    }

    fn said(text: &str) -> Response {
        Response::Text(text.to_owned())
    }

    fn summed(verdicts: &[Verdict]) -> Named<Estimate> {
        let mut tally = TextTally::new(measures());
        for verdict in verdicts {
            tally.add(verdict);
        }
        tally.metrics()
    }

    #[test]
    fn any_reference_passes_and_white_space_around_does_not_matter() {
        for (references, response, outcome) in [
            (&["a b", "c"][..], said(" c\n"), Outcome::Passed),
            (&["a"], said("\x1c a"), Outcome::Passed),
            (&["a b"], said("a  b"), Outcome::Failed),
            (&["a"], said(""), Outcome::Failed),
            (&["a"], Response::none(NoAnswerKind::Silent, "nothing"), Outcome::NotAnswered),
            (&["a"], Response::none(NoAnswerKind::TimedOut, "late"), Outcome::TimedOut),
            (&["a"], Response::Lines(vec![1]), Outcome::NotAnswered),
            (&[], said("a"), Outcome::Excluded),
        ] {
            assert_eq!(grade("p", references, &response).outcome, outcome, "{response:?}");
        }
    }

    #[test]
    fn what_was_counted_is_summed_and_a_missing_answer_is_an_empty_one() {
        let verdicts = [
            grade("a", &["1234567890"], &said("12345")),
            grade("b", &["1234567890"], &Response::none(NoAnswerKind::Silent, "")),
            grade("c", &[], &said("a problem without a solution counts in nothing")),
        ];
        assert_eq!(verdicts[0].counts.get("lengths").map(|counts| counts[1]), Some(1.0));
        let metrics = summed(&verdicts);
        let share = metrics.get("length").unwrap();
        assert!((share.value - 0.25).abs() < 1e-12 && share.n == 2, "{share:?}");
        assert!(metrics.get("absent").is_none(), "what a score does not have is no result");
        assert!(summed(&[]).is_empty());
    }

    #[test]
    fn signatures_fit_into_the_signature_of_a_run() {
        assert_eq!(measures()[0].signature(), "lengths,of:letters");
    }

    proptest! {
        #[test]
        fn the_order_of_verdicts_does_not_matter(
            texts in prop::collection::vec(("[a-z]{1,30}", "[a-z]{0,30}"), 1..40),
        ) {
            let mut verdicts: Vec<Verdict> = texts
                .iter()
                .enumerate()
                .map(|(at, (reference, text))| grade(&format!("p{at}"), &[reference], &said(text)))
                .collect();
            let forward = summed(&verdicts);
            verdicts.reverse();
            prop_assert_eq!(&forward, &summed(&verdicts));
            verdicts.sort_by_key(|verdict| verdict.problem.as_str().len() % 2);
            prop_assert_eq!(&forward, &summed(&verdicts));
        }
    }
}
