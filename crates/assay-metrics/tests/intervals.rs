//! Intervals cover the truth, and tests err, as often as they say; both agree with other packages.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test, which reads ASSAY_DATA"
)]

use std::io::{Read, Write};
use std::path::PathBuf;

use assay_metrics::corpus::{Corpus, interval_method, last_pair_rule};
use assay_metrics::registry::{MetricOptions, find};
use assay_metrics::text::{Sums, TextMetric};
use assay_stats::{Resampling, bootstrap_interval, p_value};

/// A linear congruential generator: the same numbers on every machine.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place")]
        let place = (self.next() * end as f64) as usize;
        place.min(end - 1)
    }
}

/// The metrics whose intervals are tested: two of corpora, a mean of pairs, and a share of pairs.
fn metrics() -> Vec<Box<dyn TextMetric>> {
    let build = |name: &str, variant: &str| {
        find(name).unwrap().build(&MetricOptions::default().variant(variant)).unwrap()
    };
    vec![
        build("bleu", "sacrebleu"),
        build("chrf", "chrf"),
        build("bleu", "codexglue-c2t"),
        build("exact", "trimmed"),
    ]
}

/// A reference, and the outputs of two systems that are equally good on average: each word of an
/// output is right as often as the text is easy, and a third of the texts is easy for certain.
fn texts(draw: &mut Draw) -> [String; 3] {
    let words: Vec<String> =
        (0..6 + draw.below(12)).map(|_| format!("w{}", draw.below(300))).collect();
    let ease = if draw.next() < 0.33 { 1.0 } else { 0.5 + 0.5 * draw.next() };
    let mut output = || {
        let said = |word: &String| {
            if draw.next() < ease { word.clone() } else { format!("x{}", draw.below(300)) }
        };
        words.iter().map(said).collect::<Vec<_>>().join(" ")
    };
    let (first, second) = (output(), output());
    [words.join(" "), first, second]
}

/// The counts of many pairs: for each, those of both systems.
fn population(metric: &dyn TextMetric) -> Vec<[Sums; 2]> {
    let mut draw = Draw(5);
    let measured = (0..3_000).map(|_| {
        let [reference, first, second] = texts(&mut draw);
        [first, second].map(|text| metric.measure(&[&reference], &text))
    });
    measured.collect()
}

fn corpus<'s>(metric: &dyn TextMetric, pairs: impl Iterator<Item = &'s Sums>) -> Corpus {
    let mut corpus = Corpus::default();
    pairs.for_each(|pair| corpus.add(metric, pair));
    corpus
}

#[test]
fn intervals_cover_what_they_say() {
    for metric in metrics() {
        let metric = metric.as_ref();
        let population = population(metric);
        let truth = corpus(metric, population.iter().map(|pair| &pair[0])).estimate(metric);
        let truth = truth.unwrap().value;
        let mut draw = Draw(7);
        for (n, greatest) in [(25, 0.99), (100, 0.98), (400, 0.975)] {
            let covers = |_: &i32| {
                let sample = (0..n).map(|_| &population[draw.below(population.len())][0]);
                let found = corpus(metric, sample.collect::<Vec<_>>().into_iter());
                let found = found.estimate(metric).unwrap();
                assert_eq!(found.n, n);
                found.low <= truth && truth <= found.high
            };
            let covered = (0..400).filter(covers).count() as f64 / 400.0;
            let signature = metric.signature(&Sums::default());
            assert!((0.925..greatest).contains(&covered), "{covered} for {n} of {signature}");
        }
    }
}

/// The interval of a difference and the p-value.
fn compare(
    metric: &dyn TextMetric,
    [baseline, system]: &[Corpus; 2],
    resampling: Resampling,
) -> (f64, (f64, f64), f64) {
    let value = metric.value(system.total()) - metric.value(baseline.total());
    let drawn = system
        .bootstrap(metric, resampling)
        .zip(baseline.bootstrap(metric, resampling))
        .map(|(system, baseline)| system - baseline);
    let drawn: Vec<f64> = drawn.collect();
    let swapped: Vec<f64> = system.swapped(baseline, metric, resampling).collect();
    let (low, high) = metric.range();
    let n = usize::try_from(system.n()).unwrap();
    let interval = bootstrap_interval(&drawn, n).unwrap();
    (value, interval, p_value(value, &swapped, high - low).unwrap())
}

#[test]
fn differences_cover_and_tests_err_as_they_say() {
    for metric in metrics() {
        let metric = metric.as_ref();
        let population = population(metric);
        let whole = [0, 1].map(|at| corpus(metric, population.iter().map(|pair| &pair[at])));
        let truth = metric.value(whole[1].total()) - metric.value(whole[0].total());
        let mut draw = Draw(11);
        let (rounds, mut covered, mut wrong) = (200, 0, 0);
        for seed in 0..rounds {
            let sample: Vec<&[Sums; 2]> =
                (0..60).map(|_| &population[draw.below(population.len())]).collect();
            // Which system is called the baseline is chance, so that they are equally good.
            let swapped: Vec<bool> = sample.iter().map(|_| draw.next() < 0.5).collect();
            let [left, right] =
                [0, 1].map(|at| corpus(metric, sample.iter().map(|pair| &pair[at])));
            let resampling = Resampling { resamples: 150, seed };
            let (_, (low, high), _) = compare(metric, &[left, right], resampling);
            covered += u32::from(low <= truth && truth <= high);
            let fair = [0, 1].map(|at| {
                let chosen = sample.iter().zip(&swapped);
                corpus(metric, chosen.map(|(pair, swapped)| &pair[at ^ usize::from(*swapped)]))
            });
            wrong += u32::from(compare(metric, &fair, resampling).2 < 0.05);
        }
        let share = |count: u32| f64::from(count) / rounds as f64;
        let signature = metric.signature(&Sums::default());
        assert!((0.91..0.985).contains(&share(covered)), "{} of {signature}", share(covered));
        // 200 rounds leave a standard error of 1.5 %.
        assert!((0.01..0.1).contains(&share(wrong)), "{} of {signature}", share(wrong));
    }
}

#[test]
fn groups_of_pairs_have_the_interval_of_single_pairs() {
    for metric in metrics() {
        let metric = metric.as_ref();
        let population = population(metric);
        let repeated = |times: usize| {
            let pairs = std::iter::repeat_n(&population, times).flatten();
            let found = corpus(metric, pairs.map(|pair| &pair[0])).estimate(metric).unwrap();
            found.high - found.low
        };
        // As many pairs as there are ways to fill the groups, and a tenth of them.
        let ratio = repeated(1) / (repeated(10) * 10_f64.sqrt());
        assert!((ratio - 1.0).abs() < 0.06, "{ratio} of {}", metric.signature(&Sums::default()));
    }
}

#[test]
fn the_last_pair_is_held_where_the_score_depends_on_it() {
    let population = population(metrics()[0].as_ref());
    assert!(!population.is_empty());
    for method in 0..8 {
        let options = MetricOptions::default().variant("nltk");
        let options = options.with("smoothing", &format!("method{method}"));
        let metric = find("bleu").unwrap().build(&options).unwrap();
        let metric = metric.as_ref();
        let mut draw = Draw(3);
        let texts: Vec<[String; 3]> = (0..30).map(|_| texts(&mut draw)).collect();
        let system = |at: usize| {
            let pairs: Vec<Sums> =
                texts.iter().map(|text| metric.measure(&[&text[0]], &text[at])).collect();
            corpus(metric, pairs.iter())
        };
        let systems = [system(1), system(2)];
        assert_eq!(last_pair_rule(metric), (method >= 5).then_some("fixed"));
        assert_eq!(interval_method(metric, systems[0].total()), "jackknife95");
        let estimate = systems[0].estimate(metric).unwrap();
        let score = metric.score(systems[0].total()).value();
        assert!((estimate.value - score).abs() < 1e-12);
        assert!(estimate.low < score && score < estimate.high, "method {method}: {estimate:?}");
        // Method 6 grows with the number of pairs.
        let widest = if method == 6 { score } else { 0.45 };
        assert!(estimate.high - estimate.low < widest, "method {method}: {estimate:?}");
        let (value, (low, high), p) =
            compare(metric, &systems, Resampling { resamples: 500, seed: 1 });
        assert!(low < value && value < high && p > 0.0, "method {method}: {low} {value} {high}");
    }
}

/// The texts of CodeXGLUE's stored translations: references, outputs, and changed outputs.
fn translations() -> Option<[Vec<String>; 3]> {
    let Some(data) = std::env::var_os("ASSAY_DATA").map(PathBuf::from) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: ASSAY_DATA names no folder of real data");
        return None;
    };
    let file = std::fs::File::open(data.join("codexglue_trans/codexglue_trans.tar.zst")).unwrap();
    let mut archive = tar::Archive::new(zstd::Decoder::new(file).unwrap());
    let mut found = [String::new(), String::new()];
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        let names = ["saved_models/cs-java-model1.gold", "saved_models/cs-java-model1.output"];
        if let Some(at) = names.iter().position(|name| path.ends_with(name)) {
            entry.read_to_string(&mut found[at]).unwrap();
        }
    }
    let [references, outputs] = found.map(|text| text.lines().map(str::to_owned).collect());
    let texts: (&Vec<String>, &Vec<String>) = (&references, &outputs);
    let changed = texts.1.iter().zip(texts.0).enumerate().map(|(at, (output, reference))| {
        let words: Vec<&str> = output.split(' ').collect();
        match at {
            at if at % 29 == 0 => reference.clone(),
            at if at % 23 == 0 => words[..words.len().saturating_sub(3)].join(" "),
            _ => output.clone(),
        }
    });
    let changed = changed.collect();
    Some([references, outputs, changed])
}

/// sacreBLEU 2.6.0 on the same texts: `--confidence --confidence-n 10000` prints 72.02 ± 2.70 for
/// BLEU (with `-tok none`) and 90.68 ± 1.34 for chrF, and `--paired-ar --paired-ar-n 10000` the
/// p-values. The intervals of the differences are percentiles of 10,000 paired bootstrap samples,
/// drawn with numpy from sacreBLEU's statistics. (`--paired-bs` counts one side only: its p-values
/// are about half of these.)
#[test]
fn intervals_and_tests_agree_with_sacrebleu() {
    let Some([references, outputs, changed]) = translations() else { return };
    let tokenized = MetricOptions::default().with("tokenizer", "none");
    for (name, options, half_width, difference, p) in [
        ("bleu", tokenized, 2.70, [-0.085_86, -0.641, 0.568], 0.795),
        ("chrf", MetricOptions::default(), 1.34, [-0.696_19, -1.051, -0.369], 0.0001),
    ] {
        let metric = find(name).unwrap().build(&options).unwrap();
        let metric = metric.as_ref();
        let system = |texts: &[String]| {
            let pairs = references.iter().zip(texts);
            let pairs: Vec<Sums> =
                pairs.map(|(reference, text)| metric.measure(&[reference], text)).collect();
            corpus(metric, pairs.iter())
        };
        let systems = [system(&outputs), system(&changed)];
        let estimate = systems[0].estimate(metric).unwrap();
        let found = (estimate.high - estimate.low) / 2.0;
        assert!((found / half_width - 1.0).abs() < 0.05, "{name}: {estimate:?}");
        let (value, (low, high), found) =
            compare(metric, &systems, Resampling { resamples: 2_000, seed: 0 });
        assert!((value - difference[0]).abs() < 1e-4, "{name}: {value}");
        let ends = (low - difference[1]).abs().max((high - difference[2]).abs());
        assert!(ends < 0.06, "{name}: {low} {high}");
        assert!((found - p).abs() < 0.03, "{name}: {found}");
    }
}
