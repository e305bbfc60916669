//! Any bytes as a language, references and a hypothesis: every variant of CodeBLEU that supports
//! the language gives numbers in range, and the same ones again.

#![no_main]

use assay_metrics::codebleu::{CodeBleu, EQUAL_WEIGHTS, Variant};
use assay_metrics::text::TextMetric;
use assay_syntax::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(first) % Language::ALL.len()];
    // This byte does not occur in UTF-8, so texts can contain all others.
    let texts: Vec<_> = bytes.split(|&byte| byte == 0xff).map(String::from_utf8_lossy).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let Some((hypothesis, references)) = texts.split_last() else { return };
    let references = if references.is_empty() { &[""] } else { references };
    for variant in Variant::ALL {
        let Ok(metric) = CodeBleu::new(variant, language, EQUAL_WEIGHTS, "0") else { continue };
        let sums = metric.measure(references, hypothesis);
        assert_eq!(sums, metric.measure(references, hypothesis));
        assert!((0.0..=1.0 + 1e-12).contains(&metric.score(&sums).value()));
    }
});
