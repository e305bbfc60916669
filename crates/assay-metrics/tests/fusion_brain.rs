//! The Fusion Brain metrics: values from the official scripts, and properties of any input.

#![expect(clippy::disallowed_methods, reason = "tests read ASSAY_DATA")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use assay_metrics::fusion_brain::vqa::{QuestionLanguage, Truth};
use assay_metrics::fusion_brain::zsod::{Detections, Hits};
use assay_metrics::fusion_brain::{Accuracy, htr, normalise_en, normalise_ru, vqa, zsod};
use proptest::prelude::*;
use serde_json::Value;

type Texts = BTreeMap<String, String>;

fn texts(value: &Value) -> Texts {
    serde_json::from_value(value.clone()).expect("cases are well-formed")
}

/// Parses detections. Some files write `[[]]` for no boxes.
fn detections(value: &Value) -> Detections {
    let lists: BTreeMap<String, BTreeMap<String, Vec<Vec<f64>>>> =
        serde_json::from_value(value.clone()).expect("cases are well-formed");
    let boxes = |lists: Vec<Vec<f64>>| {
        lists
            .into_iter()
            .filter(|list| !list.is_empty())
            .map(|list| list.try_into().expect("cases are well-formed"))
            .collect()
    };
    let phrases = |phrases: BTreeMap<_, Vec<Vec<f64>>>| {
        phrases.into_iter().map(|(phrase, lists)| (phrase, boxes(lists))).collect()
    };
    lists.into_iter().map(|(image, all)| (image, phrases(all))).collect()
}

/// The hits in all images; the scripts end with an error if images or phrases are missing.
fn hits(truth: &Detections, prediction: &Detections) -> Option<Hits> {
    let same_images = !truth.is_empty() && truth.keys().eq(prediction.keys());
    let mut images = truth.iter().zip(prediction.values());
    let complete = |((_, truth), found)| zsod::missing_phrase(truth, found).is_none();
    let complete = same_images && images.clone().all(complete);
    complete
        .then(|| images.by_ref().map(|((_, truth), found)| zsod::hits_of_image(truth, found)).sum())
}

/// The right texts; the script divides by their number.
fn accuracy(truth: &Texts, prediction: &Texts) -> Option<Accuracy> {
    let is_right = |(key, text): &(&String, &String)| {
        htr::is_right(text, prediction.get(*key).map(String::as_str))
    };
    let right = truth.iter().filter(is_right).count();
    let wrong = truth.len() - right;
    (!truth.is_empty()).then_some(Accuracy { right, wrong, missing: 0 })
}

fn normalise(language: &str, text: &str) -> String {
    if language == "en" {
        return normalise_en(text);
    }
    let lemmas = assay_lemma::russian().expect("cases are well-formed");
    normalise_ru(text, Some(&|word| lemmas.lemma(word)))
}

/// Checks one case; where the scripts end with an error there is no score.
fn check(case: &Value) {
    let name = &case["name"];
    let score = match case["task"].as_str().expect("cases are well-formed") {
        "HTR" => accuracy(&texts(&case["true"]), &texts(&case["pred"])).map(|found| found.value()),
        "zsOD" => {
            hits(&detections(&case["true"]), &detections(&case["pred"])).map(|found| found.f1())
        }
        "VQA-normalise" => {
            let text = case["input"].as_str().expect("cases are well-formed");
            let normal = normalise(case["lang"].as_str().expect("cases are well-formed"), text);
            assert_eq!(
                normal,
                case["expected"].as_str().expect("cases are well-formed"),
                "{text:?}"
            );
            return;
        }
        _ => return,
    };
    match (&case["expected"], score) {
        (Value::Number(expected), Some(score)) => {
            assert_eq!(
                expected.as_f64().expect("cases are well-formed").to_bits(),
                score.to_bits(),
                "{name}: {score}"
            );
        }
        (Value::Object(_), None) => {}
        (expected, score) => panic!("{name}: {score:?}, not {expected}"),
    }
}

#[test]
fn every_golden_case_is_met_to_the_last_bit() {
    let path = std::env::var_os("ASSAY_DATA")
        .map(|data| Path::new(&data).join("golden/fusion_brain/cases.jsonl.zst"));
    let Some(packed) = path.and_then(|path| std::fs::read(path).ok()) else {
        // Not with a macro: the test harness would capture it.
        let _ = writeln!(std::io::stderr(), "SKIPPED golden cases: ASSAY_DATA has none");
        return;
    };
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 50);
    cases.iter().for_each(check);
}

#[test]
fn answers_are_normalised_with_all_corners() {
    for (language, text, expected) in [
        ("en", "A dog, and THE cat!", "dog and cat"),
        ("en", "red-green (blue)", "red green blue"),
        ("en", "red - green", "red green"),
        // If a mark has a space next to it anywhere, all of its occurrences are deleted, not
        // replaced.
        ("en", "ping-pong - table", "pingpong table"),
        // A comma between digits deletes all punctuation.
        ("en", "1,000 t-shirts", "1000 tshirts"),
        ("en", "٣,٤ a/b", "٣٤ ab"),
        ("en", "v1.2. end.", "v1.2 end"),
        ("en", &".".repeat(33), "."),
        ("en", "Dont somebody'd", "don't somebodyd"),
        ("en", "one two none", "1 2 0"),
        ("en", "x\u{1f}y\u{a0}z\u{85}w", "x y z w"),
        ("en", "the", ""),
        ("ru", "Двух белых кошек", "2 белый кошка"),
        ("ru", "никаких", "0"),
        ("ru", "ёлка и елки", "ёлка и ёлка"),
        ("ru", "iPhone 5", "iphone 5"),
        ("ru", "the", "the"),
        ("ru", "", ""),
    ] {
        assert_eq!(normalise(language, text), expected, "{text:?}");
    }
}

#[test]
fn a_truth_is_not_normalised() {
    let is_right = |answers: &[&str]| {
        let answers = answers.iter().map(|&answer| answer.to_owned()).collect();
        let truth = Truth { answers, language: QuestionLanguage::English };
        vqa::is_right(&truth, "The Yes.", None)
    };
    assert!(is_right(&["no", "yes"]));
    assert!(!is_right(&["The Yes."]));
}

fn boxes() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let side = prop_oneof![(0..20i32).prop_map(f64::from), any::<f64>()];
    prop::collection::vec([side.clone(), side.clone(), side.clone(), side], 0..5)
}

fn any_detections() -> impl Strategy<Value = Detections> {
    let phrases = prop::collection::btree_map("[ab]{1,2}", boxes(), 0..4);
    prop::collection::btree_map("[0-5].jpg", phrases, 1..5)
}

proptest! {
    #[test]
    fn detection_scores_lie_between_0_and_1(
        truth in any_detections(),
        mut prediction in any_detections(),
    ) {
        // The same images and at least the truth's phrases, or it would be rejected.
        prediction.retain(|image, _| truth.contains_key(image));
        for (image, phrases) in &truth {
            let predicted = prediction.entry(image.clone()).or_default();
            for phrase in phrases.keys() {
                predicted.entry(phrase.clone()).or_default();
            }
        }
        let found: Hits = hits(&truth, &prediction).unwrap();
        for score in [found.precision(), found.recall(), found.f1()] {
            prop_assert!((0.0..=1.0).contains(&score), "{score} of {found:?}");
        }
        for phrases in prediction.values_mut() {
            phrases.insert("a phrase that nobody asked for".to_owned(), vec![[0.0, 0.0, 1.0, 1.0]]);
        }
        let same: Hits = hits(&truth, &prediction).unwrap();
        prop_assert_eq!(found, same);
    }

    #[test]
    fn what_is_identical_is_right(sides in prop::collection::vec([1..50u8, 1..50u8, 1..50u8, 1..50u8], 1..6)) {
        let boxes: Vec<[f64; 4]> = sides.iter().map(|sides| sides.map(f64::from)).collect();
        let truth = Detections::from([("0".to_owned(), BTreeMap::from([("x".to_owned(), boxes)]))]);
        let found: Hits = hits(&truth, &truth).unwrap();
        prop_assert!((found.f1() - 1.0).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn handwriting_ignores_extra_keys(
        truth in prop::collection::btree_map("[0-9]{1,2}", ".{0,3}", 1..20),
        mut prediction in prop::collection::btree_map("[0-9]{1,2}", ".{0,3}", 0..20),
    ) {
        let before = accuracy(&truth, &prediction).unwrap();
        prediction.insert("more".to_owned(), "text".to_owned());
        prop_assert_eq!(before, accuracy(&truth, &prediction).unwrap());
        prop_assert_eq!(before.total(), truth.len());
        prop_assert_eq!(accuracy(&truth, &truth).unwrap().right, truth.len());
    }

    #[test]
    fn any_answer_can_be_normalised(answer in ".{0,40}") {
        for normal in [normalise_en(&answer), normalise("ru", &answer)] {
            prop_assert!(!normal.contains("  ") && normal.trim() == normal, "{normal:?}");
        }
    }

    #[test]
    fn normal_answers_stay_as_they_are(answer in "[b-z]{1,5}( [b-z]{1,5}){0,3}") {
        let normal = normalise_en(&answer);
        prop_assert_eq!(normalise_en(&normal), normal);
    }
}
