//! Any bytes as references and a hypothesis: every text metric gives numbers, and no tokenizer
//! gives an empty token.

#![no_main]

use std::sync::LazyLock;

use assay_metrics::bleu::{BleuOptions, Tokenizer, Variant};
use assay_metrics::chrf::ChrfOptions;
use assay_metrics::exact::ExactMatch;
use assay_metrics::text::{Part, Score, Sums, TextMetric};
use libfuzzer_sys::fuzz_target;

static METRICS: LazyLock<Vec<Box<dyn TextMetric>>> = LazyLock::new(|| {
    let mut metrics: Vec<Box<dyn TextMetric>> = vec![Box::new(ExactMatch::new("0"))];
    for smoothed in [false, true] {
        let options = ChrfOptions {
            word_order: 2,
            eps_smoothing: smoothed,
            lowercase: smoothed,
            whitespace: !smoothed,
            ..ChrfOptions::default()
        };
        metrics.push(Box::new(options.build().expect("orders that there are")));
    }
    for variant in Variant::ALL {
        for smoothing in variant.smoothings() {
            for tokenizer in variant.tokenizers() {
                let options = BleuOptions {
                    smoothing: Some((*smoothing).to_owned()),
                    tokenizer: Some((*tokenizer).to_owned()),
                    ..BleuOptions::new(variant, "0")
                };
                metrics.push(options.build().expect("the variant's own options"));
            }
        }
    }
    metrics
});

const TOKENIZERS: [Tokenizer; 5] = [
    Tokenizer::Whitespace,
    Tokenizer::V13a,
    Tokenizer::International,
    Tokenizer::Characters,
    Tokenizer::CodeToText,
];

fuzz_target!(|bytes: &[u8]| {
    // This byte does not occur in UTF-8, so texts can contain all others.
    let texts: Vec<_> = bytes.split(|&byte| byte == 0xff).map(String::from_utf8_lossy).collect();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    for text in &texts {
        for tokenizer in TOKENIZERS {
            assert!(tokenizer.tokens(text).iter().all(|token| !token.is_empty()));
        }
    }
    let Some((hypothesis, references)) = texts.split_last() else { return };
    let references = if references.is_empty() { &[""] } else { references };
    for metric in METRICS.iter() {
        let pair = metric.measure(references, hypothesis);
        let mut corpus = Sums::default();
        metric.join(&mut corpus, &pair);
        metric.join(&mut corpus, &pair);
        check(&metric.score_pair(&pair));
        check(&metric.score(&corpus));
        assert!(metric.signature(&corpus).contains("nrefs:"));
    }
});

fn check(score: &Score) {
    for (name, part) in score.parts() {
        let numbers = match part {
            Part::Number(number) => std::slice::from_ref(number),
            Part::Numbers(numbers) => numbers,
            Part::Missing | Part::Count(_) | Part::Counts(_) => &[],
        };
        assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{name}");
    }
}
