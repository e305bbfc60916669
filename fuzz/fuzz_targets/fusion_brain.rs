//! Readers and scorers of the Fusion Brain Challenge: any bytes end in a score or in a message.

#![no_main]

use assay_data::fusion_brain as reading;
use assay_metrics::fusion_brain::zsod::hits_of_image;
use assay_metrics::fusion_brain::{normalise_en, normalise_ru};
use libfuzzer_sys::fuzz_target;

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
        let _ = reading::texts(half, "texts");
    }
    if let Ok(boxes) = reading::detections(truth, "truth") {
        let others = reading::detections(prediction, "prediction").unwrap_or_default();
        for (image, phrases) in &boxes {
            for other in [Some(phrases), others.get(image)].into_iter().flatten() {
                let score = hits_of_image(phrases, other).f1();
                assert!((0.0..=1.0).contains(&score), "{score}");
            }
        }
    }
});
