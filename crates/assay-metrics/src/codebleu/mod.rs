//! CodeBLEU: n-grams, weighted n-grams, subtrees and data flow of a hypothesis and its references.

mod keywords;
mod structure;
mod variant;
mod words;

use assay_core::{Error, Result};
use assay_stats::ExactSum;
use assay_syntax::{Language, grammar, trim};

use crate::brevity::brevity_penalty;
use crate::card::{self, OptionCard, OptionKind, TextMetricCard, VariantCard};
use crate::parts;
use crate::registry::{MetricOptions, TextMetricKind, VERSION};
use crate::text::{Part, Score, Sums, TextMetric};
use keywords::keywords;
use structure::StructureCounts;
use variant::NoFlow;
pub use variant::Variant;
use words::{ORDERS, WordCounts, WordRules};

/// The weights of the four parts, in the order in which they are always listed.
pub type Weights = [f64; 4];

/// The customary weights.
pub const EQUAL_WEIGHTS: Weights = [0.25; 4];

/// The largest distance of a sum of weights from 1 that is taken as rounding.
const SUM_TOLERANCE: f64 = 1e-9;

/// The number of matches that an order without any match counts as.
const SMOOTHING: f64 = 0.1;

/// CodeBLEU on the command line.
pub(crate) static CODEBLEU: TextMetricKind = TextMetricKind::new(
    TextMetricCard {
        name: "codebleu",
        summary: "CodeBLEU: BLEU, keywords, syntax trees and data flow of source code",
        variants: &[
            VariantCard::new(
                "assay",
                "What the others share: data flow in a fixed order, no flow left out of the sum \
                 instead of counting as 0 or 1, and no subtree matched twice",
            ),
            VariantCard::new(
                "codexglue",
                "As CodeXGLUE's evaluator, the original; Java, C#, Python",
            ),
            VariantCard::new("avatar", "As AVATAR's evaluator; Java, Python"),
            VariantCard::new("fusion-brain", "As the Fusion Brain challenge's scorer; Python"),
            VariantCard::new("k4black", "As the Python package codebleu"),
        ],
        default_variant: "assay",
        needs_language: true,
        options: &[OptionCard::new(
            "weights",
            "A,B,C,D",
            OptionKind::Text,
            "The weights of n-grams, weighted n-grams, syntax and data flow. They are divided by \
             their sum if it is not 1",
        )
        .alias("params")],
        examples: &[
            "assay metric codebleu --lang java --refs ref.txt --hyp out.txt",
            "assay metric codebleu --variant codexglue --lang c_sharp --refs a.txt b.txt --hyp out.txt",
            "assay metric codebleu --variant k4black --lang java --pairs pairs.jsonl --per-pair --json",
            "assay metric codebleu --lang python --weights 0.1,0.1,0.4,0.4 --refs test.jsonl --hyp out.txt",
        ],
    },
    build,
);

fn build(options: &MetricOptions) -> Result<Box<dyn TextMetric>> {
    let variant = options.variant_of(&Variant::ALL, Variant::name)?;
    let language = language(options.language_name())?;
    let weights = options.text("weights").map_or(Ok(EQUAL_WEIGHTS), weights)?;
    Ok(Box::new(CodeBleu::new(variant, language, weights, VERSION)?))
}

fn language(name: Option<&str>) -> Result<Language> {
    let known = || Language::ALL.map(Language::name).join(", ");
    let Some(name) = name else {
        return Err(Error::usage("codebleu needs the language of the texts")
            .hint(format!("give --lang with one of {}", known())));
    };
    Language::by_name(name).ok_or_else(|| {
        Error::usage(format!("no language is called {name:?}"))
            .hint(format!("the languages are {}", known()))
    })
}

fn weights(text: &str) -> Result<Weights> {
    let numbers: Option<Vec<f64>> = text.split(',').map(card::float).collect();
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
        Error::usage(format!("weights are four numbers from 0 up, not {text:?}"))
            .hint("such as 0.25,0.25,0.25,0.25")
    })
}

/// Divides weights by their sum, unless that is 1 already.
fn normalise(weights: Weights) -> Result<Weights> {
    let sum: f64 = weights.iter().sum();
    if weights.iter().any(|weight| *weight < 0.0) || !sum.is_finite() || sum <= 0.0 {
        return Err(Error::usage("weights are four numbers from 0 up, and not all are 0")
            .hint("such as 0.25,0.25,0.25,0.25"));
    }
    let is_one = (sum - 1.0).abs() <= SUM_TOLERANCE;
    Ok(if is_one { weights } else { weights.map(|weight| weight / sum) })
}

fn join_weights(weights: &Weights) -> String {
    weights.map(|weight| weight.to_string()).join(",")
}

/// CodeBLEU in one variant, for one language.
pub struct CodeBleu {
    variant: Variant,
    language: Language,
    weights: Weights,
    /// The weights before they were divided by their sum, if that was not 1.
    given_weights: Option<Weights>,
    words: WordRules,
    version: String,
}

impl CodeBleu {
    /// Creates the metric; `version` is the tool's, for the signature. Not every variant supports
    /// every language.
    pub fn new(
        variant: Variant,
        language: Language,
        weights: Weights,
        version: &str,
    ) -> Result<Self> {
        if !variant.languages().contains(&language) {
            let known: Vec<&str> = variant.languages().iter().map(|known| known.name()).collect();
            return Err(Error::usage(format!(
                "the variant {} does not know {language}",
                variant.name()
            ))
            .hint(format!(
                "it knows: {}; the variant assay knows every language",
                known.join(", ")
            )));
        }
        let normalised = normalise(weights)?;
        let words = WordRules {
            keywords: keywords(language, variant).into_iter().collect(),
            with_layout: variant == Variant::Avatar && language == Language::Python,
        };
        let given_weights =
            (normalised.map(f64::to_bits) != weights.map(f64::to_bits)).then_some(weights);
        let version = version.to_owned();
        Ok(Self { variant, language, weights: normalised, given_weights, words, version })
    }

    /// The weighted sum of the four parts.
    fn combine(&self, parts: [f64; 4], flows: f64) -> f64 {
        let [ngram, weighted, syntax, mut dataflow] = parts;
        let [a, b, c, mut d] = self.weights;
        let mut share = 1.0;
        match self.variant.no_flow() {
            NoFlow::One if dataflow == 0.0 => dataflow = 1.0,
            NoFlow::LeftOut if flows == 0.0 => {
                let all = a + b + c + d;
                let left = a + b + c;
                share = if left > 0.0 { all / left } else { 0.0 };
                d = 0.0;
            }
            _ => {}
        }
        share * (a * ngram + b * weighted + c * syntax + d * dataflow)
    }
}

impl TextMetric for CodeBleu {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let strip = |text| if self.variant.strips() { trim(text) } else { text };
        let references: Vec<&str> = references.iter().map(|text| strip(text)).collect();
        let hypothesis = strip(hypothesis);
        let words = self.words.compare(&references, hypothesis);
        let structure = structure::compare(&references, hypothesis, self.language, self.variant);
        pack(&words, &structure)
    }

    fn score(&self, corpus: &Sums) -> Score {
        let counts = Counts(corpus);
        let parts = [counts.ngram(), counts.weighted_ngram(), counts.syntax(), counts.dataflow()];
        let [ngram, weighted_ngram, syntax, dataflow] = parts;
        let flows = counts.at(FLOWS);
        let none = flows == 0.0 && self.variant.no_flow() == NoFlow::LeftOut;
        Score::new("score", self.combine(parts, flows))
            .part("ngram", Part::Number(ngram))
            .part("weighted_ngram", Part::Number(weighted_ngram))
            .part("syntax", Part::Number(syntax))
            .part("dataflow", if none { Part::Missing } else { Part::Number(dataflow) })
            .part(
                "syntax_counts",
                parts::counts(vec![counts.at(SUBTREES_MATCHED), counts.at(SUBTREES)]),
            )
            .part("dataflow_counts", parts::counts(vec![counts.at(FLOWS_MATCHED), flows]))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn note(&self) -> Option<String> {
        let given = self.given_weights.as_ref()?;
        let (given, weights) = (join_weights(given), join_weights(&self.weights));
        Some(format!("the weights {given} do not add up to 1: {weights} are used"))
    }

    fn signature(&self, _corpus: &Sums) -> String {
        format!(
            "codebleu|variant:{}|weights:{}|lang:{}|grammar:{}|flow:first-seen|version:{}",
            self.variant.name(),
            join_weights(&self.weights),
            self.language,
            grammar(self.language),
            self.version
        )
    }
}

// The position of each count.
const MATCHED: usize = 0;
const TOTAL: usize = MATCHED + ORDERS;
const RECALLED: usize = TOTAL + ORDERS;
const WANTED: usize = RECALLED + ORDERS;
const HYPOTHESIS_LENGTH: usize = WANTED + ORDERS;
const REFERENCE_LENGTH: usize = HYPOTHESIS_LENGTH + 1;
const PAIRS: usize = REFERENCE_LENGTH + 1;
const SUBTREES_MATCHED: usize = PAIRS + 1;
const SUBTREES: usize = SUBTREES_MATCHED + 1;
const FLOWS_MATCHED: usize = SUBTREES + 1;
const FLOWS: usize = FLOWS_MATCHED + 1;

fn pack(words: &WordCounts, structure: &StructureCounts) -> Sums {
    let by_order = [words.matched, words.total, words.recalled, words.wanted];
    let single = [
        words.hypothesis_length,
        words.reference_length,
        1,
        structure.subtrees_matched,
        structure.subtrees,
        structure.flows_matched,
        structure.flows,
    ];
    let counts = by_order.concat().into_iter().chain(single).map(|count| count as f64);
    Sums::new(counts.collect::<Vec<f64>>())
}

/// The counts of a corpus, by name.
struct Counts<'a>(&'a Sums);

impl Counts<'_> {
    fn at(&self, place: usize) -> f64 {
        self.0.at(place)
    }

    fn ngram(&self) -> f64 {
        let penalty = brevity_penalty(self.at(HYPOTHESIS_LENGTH), self.at(REFERENCE_LENGTH));
        penalty * self.mean_of_orders(MATCHED, TOTAL)
    }

    /// The original tools use the length of a pair of lists, which is two, as the length of a
    /// reference: almost nothing is too short.
    fn weighted_ngram(&self) -> f64 {
        let penalty = brevity_penalty(self.at(HYPOTHESIS_LENGTH), 2.0 * self.at(PAIRS));
        penalty * self.mean_of_orders(RECALLED, WANTED)
    }

    /// The geometric mean of the shares of all orders.
    fn mean_of_orders(&self, matched: usize, total: usize) -> f64 {
        if self.at(matched) == 0.0 {
            return 0.0;
        }
        let logarithms = (0..ORDERS).map(|order| {
            let matched = self.at(matched + order);
            let smoothed = if matched == 0.0 { SMOOTHING } else { matched };
            libm::log(smoothed / self.at(total + order)) / ORDERS as f64
        });
        libm::exp(logarithms.collect::<ExactSum>().value())
    }

    fn syntax(&self) -> f64 {
        share(self.at(SUBTREES_MATCHED), self.at(SUBTREES))
    }

    fn dataflow(&self) -> f64 {
        share(self.at(FLOWS_MATCHED), self.at(FLOWS))
    }
}

fn share(matched: f64, total: f64) -> f64 {
    if total == 0.0 { 0.0 } else { matched / total }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn metric(variant: Variant, language: Language) -> CodeBleu {
        CodeBleu::new(variant, language, EQUAL_WEIGHTS, "test").unwrap()
    }

    fn check(reference: &str, hypothesis: &str, expected: [f64; 5]) {
        let metric = metric(Variant::K4black, Language::Python);
        let score = metric.score(&metric.measure(&[reference], hypothesis));
        let names = ["score", "ngram", "weighted_ngram", "syntax", "dataflow"];
        for (name, expected) in names.into_iter().zip(expected) {
            let Some(Part::Number(found)) = score.parts().get(name) else { panic!("no {name}") };
            assert!((found - expected).abs() < 1e-5, "{reference:?} {hypothesis:?}: {score:?}");
        }
    }

    #[test]
    fn small_texts_have_the_published_scores() {
        check("", "", [0.5, 0.0, 0.0, 1.0, 0.0]);
        check("x = 1", "", [0.25, 0.0, 0.0, 0.0, 0.0]);
        check("pass", "pass", [0.56081, 0.17783, 0.06542, 1.0, 0.0]);
        check("x", "y", [0.5, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn what_flows_nowhere_is_left_out_by_ours() {
        let metric = metric(Variant::Assay, Language::Python);
        let score = metric.score(&metric.measure(&["pass"], "pass"));
        assert_eq!(score.parts().get("dataflow"), Some(&Part::Missing));
        assert_eq!(score.parts().get("dataflow_counts"), Some(&Part::Counts(vec![0, 0])));
        assert!((score.value() - (0.177_827 + 0.065_42 + 1.0) / 3.0).abs() < 1e-4, "{score:?}");
    }

    #[test]
    fn one_subtree_stands_for_one_in_ours() {
        let (reference, hypothesis) = ("f(a)\nf(b)\nf(c)", "f(x)");
        let counts = |variant| {
            let metric = metric(variant, Language::Python);
            let score = metric.score(&metric.measure(&[reference], hypothesis));
            score.parts().get("syntax_counts").cloned()
        };
        assert_eq!(counts(Variant::K4black), Some(Part::Counts(vec![9, 10])));
        assert_eq!(counts(Variant::Assay), Some(Part::Counts(vec![3, 10])));
    }

    #[test]
    fn comments_are_removed_once_more_for_each_reference_as_the_package_does() {
        let counts = |variant| {
            let metric = metric(variant, Language::Python);
            let sums = metric.measure(&["x = 1", "x = 1"], "\"a\" \"b\"\nx = 1");
            metric.score(&sums).parts().get("syntax_counts").cloned()
        };
        assert_eq!(counts(Variant::K4black), Some(Part::Counts(vec![5, 6])));
        assert_eq!(counts(Variant::Assay), Some(Part::Counts(vec![4, 6])));
    }

    #[test]
    fn a_variant_knows_its_languages_only() {
        for variant in Variant::ALL {
            for language in Language::ALL {
                let made = CodeBleu::new(variant, language, EQUAL_WEIGHTS, "test");
                assert_eq!(made.is_ok(), variant.languages().contains(&language));
            }
        }
        for (given, used) in [
            ([1.0; 4], EQUAL_WEIGHTS),
            ([0.0, 0.0, 3.0, 1.0], [0.0, 0.0, 0.75, 0.25]),
            ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]),
        ] {
            let metric = CodeBleu::new(Variant::Assay, Language::C, given, "test").unwrap();
            let signature = metric.signature(&Sums::default());
            assert!(signature.contains(&format!("weights:{}|", join_weights(&used))));
            assert_eq!(
                metric.note().is_some(),
                given.map(f64::to_bits) != used.map(f64::to_bits),
                "{given:?}"
            );
        }
        for weights in [[f64::NAN; 4], [0.0; 4], [1e308; 4], [1.0, 1.0, 1.0, -1.0]] {
            assert!(CodeBleu::new(Variant::Assay, Language::C, weights, "test").is_err());
        }
    }

    proptest! {
        #[test]
        fn scores_stay_in_range(
            references in prop::collection::vec("[a-c(){};= \n\"'#/é]{0,30}", 1..3),
            hypothesis in "[a-c(){};= \n\"'#/é]{0,30}",
            language in 0usize..11,
        ) {
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            for variant in Variant::ALL {
                let Ok(metric) =
                    CodeBleu::new(variant, Language::ALL[language], EQUAL_WEIGHTS, "test")
                else {
                    continue;
                };
                let score = metric.score(&metric.measure(&references, &hypothesis));
                prop_assert!((0.0..=1.0 + 1e-12).contains(&score.value()), "{score:?}");
            }
        }

        #[test]
        fn the_order_of_pairs_does_not_matter(
            pairs in prop::collection::vec(("[a-c= \n]{0,20}", "[a-c= \n]{0,20}"), 1..5),
        ) {
            let metric = metric(Variant::Assay, Language::Python);
            let sums = |pairs: &[(String, String)]| {
                let mut sums = Sums::default();
                for (reference, hypothesis) in pairs {
                    metric.join(&mut sums, &metric.measure(&[reference], hypothesis));
                }
                sums
            };
            let there = sums(&pairs);
            let back: Vec<(String, String)> = pairs.into_iter().rev().collect();
            prop_assert_eq!(metric.score(&there), metric.score(&sums(&back)));
        }
    }

    #[test]
    fn the_same_program_scores_one() {
        let program =
            "int f(int a, int b) { int c = a + b; while (c > 0) { c = c - a; } return c; }";
        for variant in
            Variant::ALL.into_iter().filter(|one| one.languages().contains(&Language::Java))
        {
            let metric = metric(variant, Language::Java);
            let score = metric.score(&metric.measure(&[program], program));
            assert!((score.value() - 1.0).abs() < 1e-12, "{score:?}");
        }
    }
}
