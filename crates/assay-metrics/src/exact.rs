//! Exact match: the share of hypotheses that equal one of their references, apart from surrounding
//! white space.

use crate::card::{TextMetricCard, VariantCard};
use crate::parts;
use crate::python::strip;
use crate::references::{REFERENCE_COUNTS, pairs, reference_counts, references_per_pair};
use crate::registry::{TextMetricKind, VERSION};
use crate::text::{Part, Score, Sums, TextMetric};

/// Exact match on the command line.
pub(crate) static EXACT: TextMetricKind = TextMetricKind::new(
    TextMetricCard {
        name: "exact",
        summary: "The share of hypotheses that equal one of their references",
        variants: &[VariantCard::new(
            "trimmed",
            "Character by character, without white space around texts, as CodeXGLUE's evaluators",
        )],
        default_variant: "trimmed",
        needs_language: false,
        options: &[],
        examples: &[
            "assay metric exact --refs ref.txt --hyp out.txt",
            "assay metric exact --refs ref.txt --hyp out.txt --json",
            "zcat pairs.jsonl.gz | assay metric exact --pairs - --per-pair",
        ],
    },
    |_| Ok(Box::new(ExactMatch::new(VERSION))),
);

/// The share of pairs whose hypothesis equals a reference, both stripped as Python does.
#[derive(Debug, Clone)]
pub struct ExactMatch {
    version: String,
}

/// Returns whether the hypothesis equals a reference, both stripped as Python does.
pub fn is_exact(references: &[&str], hypothesis: &str) -> bool {
    let hypothesis = strip(hypothesis);
    references.iter().any(|reference| strip(reference) == hypothesis)
}

impl ExactMatch {
    /// Creates the metric, which has no options.
    pub fn new(version: &str) -> Self {
        Self { version: version.to_owned() }
    }
}

impl TextMetric for ExactMatch {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let matched = is_exact(references, hypothesis);
        let mut sums = reference_counts(references.len()).to_vec();
        sums.push(f64::from(u8::from(matched)));
        Sums::new(sums)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let (matched, pairs) = (corpus.at(REFERENCE_COUNTS), pairs(corpus));
        let score = Score::new("score", matched / pairs);
        let score = if pairs == 0.0 { score.part("score", Part::Missing) } else { score };
        score.part("matched", parts::count(matched)).part("pairs", parts::count(pairs))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn share(&self, corpus: &Sums) -> Option<(usize, usize)> {
        Some((parts::whole_number(corpus.at(REFERENCE_COUNTS)), parts::whole_number(pairs(corpus))))
    }

    fn signature(&self, corpus: &Sums) -> String {
        let references = references_per_pair(corpus);
        format!("exact-match|strip:yes|scale:1|nrefs:{references}|version:{}", self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_reference_counts_and_white_space_around_does_not() {
        let metric = ExactMatch::new("0");
        let mut corpus = Sums::default();
        for (references, hypothesis) in
            [(vec!["a", "b\n"], "\u{1c}b "), (vec!["a b"], "a  b"), (vec![""], " ")]
        {
            metric.join(&mut corpus, &metric.measure(&references, hypothesis));
        }
        assert!((metric.score(&corpus).value() - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(metric.signature(&corpus), "exact-match|strip:yes|scale:1|nrefs:var|version:0");
        let nothing = serde_json::to_string(&metric.score(&Sums::default())).unwrap();
        assert_eq!(nothing, r#"{"score":null,"matched":0,"pairs":0}"#);
    }
}
