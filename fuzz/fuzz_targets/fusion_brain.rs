//! Readers and scorers of the Fusion Brain Challenge: any bytes end in a score or in a message.

#![no_main]

use assay_data::fusion_brain as reading;
use assay_metrics::fusion_brain::zsod::{Hits, hits};
use assay_metrics::fusion_brain::{htr, normalise_en, normalise_ru};
use libfuzzer_sys::fuzz_target;

fn between_0_and_1(score: f64) {
    assert!((0.0..=1.0).contains(&score), "{score}");
}

fuzz_target!(|bytes: &[u8]| {
    let (truth, prediction) = bytes.split_at(bytes.len() / 2);
    let lemmas = assay_lemma::russian().expect("the embedded dictionary is sound");
    if let Ok(text) = std::str::from_utf8(bytes) {
        for normal in [normalise_en(text), normalise_ru(text, Some(&|word| lemmas.lemma(word)))] {
            assert!(!normal.contains("  "), "{normal:?}");
        }
    }
    for half in [truth, prediction] {
        let _ = reading::questions(half, "questions");
        if let Ok(texts) = reading::texts(half, "texts")
            && !texts.is_empty()
        {
            let found = htr::accuracy(&texts, &texts).expect("it is there");
            assert_eq!(found.right, texts.len());
        }
    }
    if let Ok(texts) = reading::texts(truth, "truth")
        && let Ok(said) = reading::texts(prediction, "prediction")
        && let Ok(found) = htr::accuracy(&texts, &said)
    {
        between_0_and_1(found.value());
    }
    if let Ok(boxes) = reading::detections(truth, "truth") {
        let others = reading::detections(prediction, "prediction");
        for other in [Some(&boxes), others.as_ref().ok()].into_iter().flatten() {
            if let Ok(found) = hits(&boxes, other) {
                let total: Hits = found.into_iter().sum();
                between_0_and_1(total.f1());
            }
        }
    }
});
