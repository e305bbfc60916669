//! BLEU compared with the values that the packages themselves gave, for hundreds of real pairs.

#![expect(clippy::disallowed_methods, reason = "the folder of real data is named by ASSAY_DATA")]

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;

use assay_metrics::bleu::{BleuOptions, Tokenizer, Variant};
use assay_metrics::exact::ExactMatch;
use assay_metrics::text::{Score, Sums, TextMetric};
use serde_json::{Value, json};

/// The relative tolerance.
const TOLERANCE: f64 = 1e-12;

#[test]
fn every_pair_scores_as_in_the_packages() {
    let Some(data) = real_data("every_pair_scores_as_in_the_packages") else { return };
    let file = fs::File::open(data.join("golden/bleu/pairs.jsonl.zst")).unwrap();
    let lines = std::io::read_to_string(zstd::Decoder::new(file).unwrap()).unwrap();
    let mut values = 0;
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for (name, expected) in case["expected"].as_object().unwrap() {
            values += check(&case, name, expected);
        }
    }
    assert!(values > 50_000, "{values} values were compared");
}

/// Compares all values of one package for a pair; returns their number.
fn check(case: &Value, name: &str, expected: &Value) -> usize {
    let id = format!("{} {name}", case["id"]);
    let hypothesis = text(&case["hyp"]);
    let score = |options: BleuOptions| json!(score_pair(&options, case));
    let options = |variant| BleuOptions::new(variant, "0");
    match name {
        "tok13a_hyp" => compare(&id, &json!(Tokenizer::V13a.tokens(hypothesis)), expected),
        "codexglue_norm_tokens" => {
            compare(&id, &json!(Tokenizer::CodeToText.tokens(hypothesis)), expected)
        }
        "nltk_ws" => {
            let methods = expected.as_object().expect("methods by name");
            let check = |(method, expected): (&String, &Value)| {
                let options =
                    BleuOptions { smoothing: Some(method.clone()), ..options(Variant::Nltk) };
                // NLTK fails where the score is missing.
                let expected = if expected.is_object() { &Value::Null } else { expected };
                compare(&format!("{id} {method}"), &score(options)["score"], expected)
            };
            methods.iter().map(check).sum()
        }
        "nmt_ws_smooth_true" => {
            let score = number(&score(options(Variant::Nmt))["score"]);
            compare(&id, &json!(score / 100.0), expected)
        }
        "codexglue_c2t" => {
            let score = score(options(Variant::CodeToText));
            let numbers = [std::slice::from_ref(&score["score"]), list(&score["precisions"])];
            let numbers = numbers.concat();
            let shares: Vec<f64> = numbers.iter().map(|part| number(part) / 100.0).collect();
            compare(&id, &json!(shares), expected)
        }
        _ => compare(&id, &score(named_options(name)), expected),
    }
}

/// The options of a setting with a name of several words, such as `sacre_13a_exp_eff_lc`.
fn named_options(name: &str) -> BleuOptions {
    let words: Vec<&str> = name.split('_').collect();
    let has = |word: &str| words.contains(&word);
    if has("hf") {
        let smoothing = Some(if has("true") { "add-one" } else { "none" }.to_owned());
        return BleuOptions { smoothing, ..BleuOptions::new(Variant::HuggingFace, "0") };
    }
    let smoothing = words[2].replace("addk", "add-k");
    BleuOptions {
        tokenizer: Some(words[1].to_owned()),
        smoothing: Some(smoothing),
        lowercase: has("lc"),
        effective_order: Some(has("eff")),
        ..BleuOptions::new(Variant::SacreBleu, "0")
    }
}

fn score_pair(options: &BleuOptions, case: &Value) -> Score {
    let metric = options.build().expect("the options are the variant's own");
    let references: Vec<&str> = list(&case["refs"]).iter().map(text).collect();
    metric.score_pair(&metric.measure(&references, text(&case["hyp"])))
}

/// Compares numbers within the tolerance, and all else exactly; returns the number of values
/// compared.
fn compare(id: &str, found: &Value, expected: &Value) -> usize {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{id}: {found:?} {expected:?}");
            found.iter().zip(expected).map(|(found, expected)| compare(id, found, expected)).sum()
        }
        (Value::Object(found), Value::Object(expected)) => {
            assert_eq!(found.len(), expected.len(), "{id}: {found:?} {expected:?}");
            // Hugging Face names its score after the metric.
            let theirs = |name: &str| expected.get(name).unwrap_or_else(|| &expected["bleu"]);
            let both = found.iter().map(|(name, found)| (found, theirs(name)));
            both.map(|(found, expected)| compare(id, found, expected)).sum()
        }
        (Value::Number(_), Value::Number(_)) => {
            let (found, expected) = (number(found), number(expected));
            let close = (found - expected).abs() <= TOLERANCE * expected.abs();
            assert!(close, "{id}: {found:e} instead of {expected:e}");
            1
        }
        _ => {
            assert_eq!(found, expected, "{id}");
            1
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

#[test]
fn stored_translations_score_as_published() {
    let Some(data) = real_data("stored_translations_score_as_published") else { return };
    let archive = Translations::open(&data.join("codexglue_trans/codexglue_trans.tar.zst"));
    let cases = [
        ("cs-java", [71.99, 57.9, 0.848_678, 84.8675, 89.1634, 0.719_855]),
        ("java-cs", [77.46, 56.1, 0.867_752, 86.7750, 88.9806, 0.774_463]),
    ];
    for (model, [nmt, exact, hf, sacre, code_to_text, nltk]) in cases {
        let gold = archive.lines(&format!("saved_models/{model}-model1.gold"));
        let output = archive.lines(&format!("saved_models/{model}-model1.output"));
        assert_eq!((gold.len(), output.len()), (1000, 1000));
        let smoothed = |variant, smoothing: &str| {
            let smoothing = Some(smoothing.to_owned());
            BleuOptions { smoothing, ..BleuOptions::new(variant, "0") }.build().unwrap()
        };
        let usual = |variant| BleuOptions::new(variant, "0").build().unwrap();
        let value = |metric: &dyn TextMetric| score_corpus(metric, &gold, &output).value();
        let found = [
            (value(&*usual(Variant::Nmt)), nmt, 1e-9),
            (value(&ExactMatch::new("0")) * 100.0, exact, 1e-9),
            (value(&*smoothed(Variant::HuggingFace, "add-one")), hf, 5e-7),
            (value(&*usual(Variant::SacreBleu)), sacre, 5e-5),
            (value(&*usual(Variant::CodeToText)), code_to_text, 5e-5),
            (value(&*smoothed(Variant::Nltk, "method1")), nltk, 5e-7),
        ];
        for (found, expected, tolerance) in found {
            assert!((found - expected).abs() <= tolerance, "{model}: {found} for {expected}");
        }
    }
}

fn score_corpus(metric: &dyn TextMetric, gold: &[String], output: &[String]) -> Score {
    let mut corpus = Sums::default();
    for (gold, output) in gold.iter().zip(output) {
        metric.join(&mut corpus, &metric.measure(&[gold], output));
    }
    metric.score(&corpus)
}

/// The texts of an archive, by name.
struct Translations(Vec<(String, String)>);

impl Translations {
    fn open(path: &std::path::Path) -> Self {
        let file = fs::File::open(path).expect("the archive is there");
        let mut archive = tar::Archive::new(zstd::Decoder::new(file).expect("memory for it"));
        let mut files = Vec::new();
        for entry in archive.entries().expect("an archive") {
            let mut entry = entry.expect("an entry");
            let name = entry.path().expect("a name").display().to_string();
            let mut text = String::new();
            if name.starts_with("saved_models/") {
                entry.read_to_string(&mut text).expect("a text");
            }
            files.push((name, text));
        }
        Self(files)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let file = self.0.iter().find(|(known, _)| known == name);
        file.expect("the file is in the archive").1.lines().map(str::to_owned).collect()
    }
}

/// The folder with real data. Prints a notice if it does not exist.
fn real_data(test: &str) -> Option<PathBuf> {
    let data = std::env::var_os("ASSAY_DATA").map(PathBuf::from).filter(|data| data.is_dir());
    if data.is_none() {
        // Not with a macro: the test harness would capture it.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED {test}: ASSAY_DATA names no folder of real data");
    }
    data
}
