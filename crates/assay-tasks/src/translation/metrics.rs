//! The metrics of each translation task.

use assay_core::{Language, Rules};
use assay_metrics::registry::{MetricOptions, find};
use assay_metrics::text::{Part, Score, TextMetric};

/// The metrics of a task, named by their origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricSet {
    /// Fusion Brain's Code2code.
    FusionBrain,
    /// CodeXGLUE's code-to-code translation.
    CodeXGlue,
}

/// A metric, and the numbers that its task reports.
pub(super) struct Measure {
    /// The name of its scores and counts in verdicts.
    pub(super) name: &'static str,
    pub(super) metric: Box<dyn TextMetric>,
    /// The numbers that it contributes to the results.
    pub(super) results: &'static [Figure],
}

/// A number in results.
pub(super) struct Figure {
    /// Its name.
    pub(super) name: &'static str,
    /// The part of the metric's score.
    pub(super) part: &'static str,
    /// The minimum and maximum value.
    pub(super) range: (f64, f64),
}

impl Figure {
    /// A number between 0 and 1.
    const fn share(name: &'static str, part: &'static str) -> Self {
        Self { name, part, range: (0.0, 1.0) }
    }

    /// Its value in a score; `None` if there is none.
    pub(super) fn value(&self, score: &Score) -> Option<f64> {
        match score.parts().get(self.part) {
            Some(Part::Number(value)) if value.is_finite() => Some(*value),
            _ => None,
        }
    }
}

const CODEBLEU: &[Figure] = &[
    Figure::share("codebleu", "score"),
    Figure::share("ngram", "ngram"),
    Figure::share("weighted_ngram", "weighted_ngram"),
    Figure::share("syntax", "syntax"),
    Figure::share("dataflow", "dataflow"),
];
/// CodeBLEU without its parts, which matter only where CodeBLEU comes first.
const CODEBLEU_ALONE: &[Figure] = &[Figure::share("codebleu", "score")];
// The printed number is rounded to two digits, as in the original evaluator; an interval needs all of them.
const BLEU: &[Figure] = &[Figure { name: "bleu", part: "unrounded", range: (0.0, 100.0) }];
const EXACT_MATCH: &[Figure] = &[Figure::share("exact-match", "score")];

impl MetricSet {
    /// The metrics of texts in the language `into`, the one to rank by first.
    pub(super) fn measures(self, into: Language, rules: Rules) -> Vec<Measure> {
        let variant = match (self, rules) {
            (_, Rules::Strict) => "assay",
            (Self::FusionBrain, Rules::Compat) => "fusion-brain",
            (Self::CodeXGlue, Rules::Compat) => "codexglue",
        };
        let options = MetricOptions::default;
        // A variant supports the languages of its own task; ours supports all.
        let language = options().variant(variant).language(into.name());
        let codebleu = |results| Measure::new("codebleu", "codebleu", &language, results);
        let bleu = Measure::new("bleu", "bleu", &options().variant("nmt"), BLEU);
        let exact_match = Measure::new("exact-match", "exact", &options(), EXACT_MATCH);
        let measures = match self {
            Self::FusionBrain => [codebleu(CODEBLEU), bleu, exact_match],
            Self::CodeXGlue => [bleu, exact_match, codebleu(CODEBLEU_ALONE)],
        };
        measures.into_iter().flatten().collect()
    }
}

impl Measure {
    /// The metric from the registry, if it exists with these options.
    fn new(
        name: &'static str,
        metric: &str,
        options: &MetricOptions,
        results: &'static [Figure],
    ) -> Option<Self> {
        let metric = find(metric).ok()?.build(options).ok()?;
        Some(Self { name, metric, results })
    }

    /// Names everything that its numbers depend on.
    pub(super) fn signature(&self) -> String {
        // The task's data has one reference per problem.
        let one = self.metric.measure(&[""], "");
        self.metric.signature(&one).replace('|', ",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_all_of_its_metrics() {
        let names = |metric_set: MetricSet, into, rules| -> Vec<&str> {
            metric_set.measures(into, rules).iter().map(|measure| measure.name).collect()
        };
        for rules in [Rules::Compat, Rules::Strict] {
            let c2c = names(MetricSet::FusionBrain, Language::Python, rules);
            assert_eq!(c2c, ["codebleu", "bleu", "exact-match"]);
            for into in [Language::Java, Language::CSharp] {
                let trans = names(MetricSet::CodeXGlue, into, rules);
                assert_eq!(trans, ["bleu", "exact-match", "codebleu"]);
            }
        }
    }
}
