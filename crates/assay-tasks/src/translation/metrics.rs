//! Which metrics judge the answers of which task.

use assay_core::Rules;
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
    /// Its name in results, and that of its sums in verdicts.
    pub(super) name: &'static str,
    pub(super) metric: Box<dyn TextMetric>,
    /// The least and the greatest score.
    pub(super) range: (f64, f64),
    /// Those parts of its score that are results of their own, between 0 and 1.
    pub(super) parts: &'static [&'static str],
}

impl Judged {
    /// The metrics, the one to rank by first.
    pub(super) fn measures(self, rules: Rules) -> Vec<Measure> {
        match (self, rules) {
            (Self::FusionBrain | Self::CodeXGlue, Rules::Compat | Rules::Strict) => {
                vec![share("exact-match", Box::new(ExactMatch))]
            }
        }
    }
}

/// A metric between 0 and 1.
fn share(name: &'static str, metric: Box<dyn TextMetric>) -> Measure {
    Measure { name, metric, range: (0.0, 1.0), parts: &[] }
}

impl Measure {
    /// Names everything that its numbers depend on.
    pub(super) fn signature(&self) -> String {
        // The task's data has one reference for each problem.
        let one = self.metric.measure(&[""], "");
        self.metric.signature(&one).replace('|', ",")
    }

    /// The results that it gives, by name, with their range.
    pub(super) fn results(&self) -> impl Iterator<Item = (&'static str, (f64, f64))> {
        let parts = self.parts.iter().map(|&part| (part, (0.0, 1.0)));
        std::iter::once((self.name, self.range)).chain(parts)
    }

    /// The result called `name` in a score; `None` where there is no such number.
    pub(super) fn value(&self, score: &Score, name: &str) -> Option<f64> {
        let value = if name == self.name {
            Some(score.value())
        } else {
            match score.parts().get(name) {
                Some(Part::Number(value)) => Some(*value),
                _ => None,
            }
        };
        value.filter(|value| value.is_finite())
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
        Score::new("exact-match", corpus.at(0) / corpus.at(1))
    }

    fn signature(&self, _corpus: &Sums) -> String {
        "stripped".to_owned()
    }
}
