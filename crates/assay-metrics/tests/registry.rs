//! Every registered metric has a consistent card, and a file of cases in `tests/cases`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assay_metrics::registry::{MetricOptions, REGISTRY, TextMetricKind, find};
use assay_metrics::text::Sums;
use serde::Deserialize;

/// A corpus and its score.
#[derive(Deserialize)]
struct Case {
    variant: Option<String>,
    language: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The references and the hypothesis of each pair.
    pairs: Vec<(Vec<String>, String)>,
    score: f64,
}

impl Case {
    fn options(&self, kind: &TextMetricKind) -> MetricOptions {
        let mut options = MetricOptions::default();
        for (name, value) in &self.options {
            let option = kind.card().option(name).unwrap_or_else(|| panic!("no option {name}"));
            options = options.with(option.name, value);
        }
        let options = self.variant.iter().fold(options, |options, name| options.variant(name));
        self.language.iter().fold(options, |options, name| options.language(name))
    }

    fn check(&self, kind: &TextMetricKind) {
        let metric = kind.build(&self.options(kind)).expect("the options fit the card");
        let mut corpus = Sums::default();
        for (references, hypothesis) in &self.pairs {
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            metric.join(&mut corpus, &metric.measure(&references, hypothesis));
        }
        let (found, signature) = (metric.score(&corpus).value(), metric.signature(&corpus));
        assert!((found - self.score).abs() < 1e-9, "{found} is not {} ({signature})", self.score);
    }
}

#[test]
fn every_metric_has_cases_for_every_variant_and_option() {
    for kind in REGISTRY {
        let card = kind.card();
        let path = Path::new("tests/cases").join(card.name).with_extension("json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let cases: Vec<Case> = serde_json::from_str(&text).expect("cases");
        for case in &cases {
            case.check(kind);
        }
        for variant in card.variants {
            let default = variant.name == card.default_variant;
            let covered = cases.iter().any(|case| match case.variant.as_deref() {
                None => default,
                Some(name) => name == variant.name,
            });
            assert!(covered, "{path:?} has no case of the variant {}", variant.name);
        }
        for option in card.options {
            let covered = cases.iter().any(|case| case.options.contains_key(option.name));
            assert!(covered, "{path:?} has no case of the option {}", option.name);
        }
    }
}

#[test]
fn what_does_not_fit_the_card_is_refused() {
    let refused = |options: MetricOptions, message: &str, hint: Option<&str>| {
        let error = find("chrf").unwrap().build(&options).err().expect("an error");
        assert_eq!((error.to_string().as_str(), error.hint_text()), (message, hint));
    };
    let options = MetricOptions::default;
    refused(
        options().variant("chrf+"),
        "the metric chrf has no variant `chrf+`",
        Some("it has chrf, chrf++"),
    );
    refused(
        options().with("order", "1"),
        "the metric chrf has no option `order`",
        Some("it has char-order, word-order, beta, lowercase, whitespace, eps-smoothing"),
    );
    refused(
        options().with("beta", "1001"),
        "invalid value \"1001\" for `beta`: 1001 is not in 0..=1000",
        None,
    );
    let error = find("rouge").expect_err("an error");
    assert_eq!(error.hint_text(), Some("the metrics are: bleu, codebleu, chrf, exact"));
}
