//! Which metrics judge the answers of which task.

use assay_core::{Language, Rules};
use assay_metrics::text::{Part, Score, Sums, TextMetric};

/// Whose metrics a task is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judged {
    /// Fusion Brain's Code2code.
    FusionBrain,
    /// CodeXGLUE's code-to-code translation.
    CodeXGlue,
}

/// A metric with what its task makes of it.
pub(super) struct Measure {
    /// The name of its scores and counts in verdicts.
    pub(super) name: &'static str,
    pub(super) metric: Box<dyn TextMetric>,
    /// What it gives in results.
    pub(super) results: &'static [Figure],
}

/// A number in results.
pub(super) struct Figure {
    /// Its name.
    pub(super) name: &'static str,
    /// The part of the metric's score that it is.
    pub(super) part: &'static str,
    /// The least and the greatest that it can be.
    pub(super) range: (f64, f64),
}

impl Figure {
    /// A number between 0 and 1.
    const fn share(name: &'static str, part: &'static str) -> Self {
        Self { name, part, range: (0.0, 1.0) }
    }

    /// Its value in a score; `None` where there is no such number.
    pub(super) fn value(&self, score: &Score) -> Option<f64> {
        match score.parts().get(self.part) {
            Some(Part::Number(value)) if value.is_finite() => Some(*value),
            _ => None,
        }
    }
}

const EXACT_MATCH: &[Figure] = &[Figure::share("exact-match", "exact_match")];

impl Judged {
    /// The metrics of texts in the language `into`, the one to rank by first.
    pub(super) fn measures(self, into: Language, rules: Rules) -> Vec<Measure> {
        match (self, into, rules) {
            (Self::FusionBrain | Self::CodeXGlue, _, Rules::Compat | Rules::Strict) => {
                vec![exact_match()]
            }
        }
    }
}

fn exact_match() -> Measure {
    Measure { name: "exact-match", metric: Box::new(ExactMatch), results: EXACT_MATCH }
}

impl Measure {
    /// Names everything that its numbers depend on.
    pub(super) fn signature(&self) -> String {
        // The task's data has one reference for each problem.
        let one = self.metric.measure(&[""], "");
        self.metric.signature(&one).replace('|', ",")
    }
}

/// The share of pairs whose texts are the same without the white space around them.
struct ExactMatch;

impl TextMetric for ExactMatch {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let same = references.iter().any(|reference| reference.trim() == hypothesis.trim());
        Sums::new([f64::from(u8::from(same)), 1.0])
    }

    fn score(&self, corpus: &Sums) -> Score {
        Score::new("exact_match", corpus.at(0) / corpus.at(1))
    }

    fn signature(&self, _corpus: &Sums) -> String {
        "stripped".to_owned()
    }
}
