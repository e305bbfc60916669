//! CodeBLEU compared with the values of the public packages on real outputs.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test, which reads ASSAY_DATA"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use assay_metrics::codebleu::{CodeBleu, EQUAL_WEIGHTS, Variant};
use assay_metrics::text::{Part, Score, Sums, TextMetric};
use assay_syntax::Language;
use serde_json::Value;

fn rows() -> Option<Vec<Value>> {
    let Some(data) = std::env::var_os("ASSAY_DATA").map(PathBuf::from) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: ASSAY_DATA names no folder of real data");
        return None;
    };
    let file = std::fs::File::open(data.join("golden/codebleu/pairs.jsonl.zst")).unwrap();
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}

fn score(row: &Value, variant: Variant) -> (CodeBleu, Sums) {
    let language = Language::by_name(row["lang"].as_str().unwrap()).unwrap();
    let metric = CodeBleu::new(variant, language, EQUAL_WEIGHTS, "test").unwrap();
    let references = row["refs"].as_array().unwrap();
    let references: Vec<&str> = references.iter().map(|text| text.as_str().unwrap()).collect();
    let sums = metric.measure(&references, row["hyp"].as_str().unwrap());
    (metric, sums)
}

/// The names of the parts that differ.
fn differences<'a>(score: &Score, expected: &Value, names: &[(&'a str, &str)]) -> Vec<&'a str> {
    let differs = |&(ours, theirs): &(&'a str, &str)| {
        let same = match score.parts().get(ours) {
            Some(Part::Number(found)) => {
                let wanted = expected[theirs].as_f64().unwrap();
                (found - wanted).abs() <= 1e-12 * wanted.abs()
            }
            Some(part) => serde_json::to_value(part).unwrap() == expected[theirs],
            None => false,
        };
        (!same).then_some(ours)
    };
    names.iter().filter_map(differs).collect()
}

fn has_error(row: &Value) -> bool {
    let in_references = row["ref_has_error"].as_array().unwrap();
    row["hyp_has_error"] == true || in_references.iter().any(|error| error == true)
}

#[test]
fn every_component_is_that_of_the_package() {
    let names = [
        ("ngram", "ngram"),
        ("weighted_ngram", "weighted_ngram"),
        ("syntax", "syntax"),
        ("syntax_counts", "syntax_counts"),
        ("dataflow", "dataflow_first_seen"),
        ("dataflow_counts", "dataflow_counts_first_seen"),
        ("score", "codebleu_first_seen"),
    ];
    let Some(rows) = rows() else { return };
    let mut broken = 0;
    let mut different = Vec::new();
    for row in &rows {
        let (metric, sums) = score(row, Variant::K4black);
        let score = metric.score_pair(&sums);
        let found = differences(&score, &row["expected"]["k4black_v25"], &names);
        assert!(found.is_empty() || has_error(row), "{}: {found:?} {score:?}", row["id"]);
        broken += usize::from(has_error(row));
        if !found.is_empty() {
            different.push(format!("{} {found:?}", row["id"]));
        }
    }
    assert!(rows.len() > 2000 && broken > 300);
    // The package's parser has a different version, which recovers differently from some errors.
    let allowed = broken / 100;
    assert!(different.len() <= allowed, "{} of {broken}: {different:#?}", different.len());
}

/// The share of pairs for which the parts that depend on a tree agree nevertheless, as the guide
/// says.
#[test]
fn structure_differs_where_the_originals_have_older_grammars() {
    let Some(rows) = rows() else { return };
    for (variant, key, language, dataflow, syntax, total) in [
        (Variant::CodeXGlue, "codexglue_original_seed0", "java", 501, 370, 511),
        (Variant::CodeXGlue, "codexglue_original_seed0", "c_sharp", 419, 363, 465),
        (Variant::CodeXGlue, "codexglue_original_seed0", "python", 801, 232, 823),
        (Variant::FusionBrain, "fusion_brain_official_seed0", "python", 806, 231, 823),
    ] {
        let mut same = [0; 3];
        for row in rows.iter().filter(|row| row["lang"] == language && !has_error(row)) {
            let (metric, sums) = score(row, variant);
            let names = [("dataflow", "dataflow"), ("syntax", "syntax")];
            let found = differences(&metric.score_pair(&sums), &row["expected"][key], &names);
            same[0] += usize::from(!found.contains(&"dataflow"));
            same[1] += usize::from(!found.contains(&"syntax"));
            same[2] += 1;
        }
        assert_eq!(same, [dataflow, syntax, total], "{} {language}", variant.name());
    }
}

/// The originals' grammars are from 2020: only parts that do not depend on a tree can agree.
#[test]
fn words_are_those_of_the_originals() {
    let names = [("ngram", "ngram"), ("weighted_ngram", "weighted_ngram")];
    let Some(rows) = rows() else { return };
    for row in &rows {
        for (variant, key) in [
            (Variant::CodeXGlue, "codexglue_original_seed0"),
            (Variant::FusionBrain, "fusion_brain_official_seed0"),
        ] {
            let expected = &row["expected"][key];
            if expected.is_null() {
                continue;
            }
            let (metric, sums) = score(row, variant);
            let found = differences(&metric.score_pair(&sums), expected, &names);
            assert!(found.is_empty(), "{} {key}: {found:?}", row["id"]);
        }
    }
}
