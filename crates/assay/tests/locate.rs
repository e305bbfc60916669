//! The learned locator: training, weights, answers.

mod common;

use std::fs;

use common::{json, metric, real_data, run, runs};

#[test]
fn training_is_repeatable_and_its_weights_can_be_used() {
    let scratch = tempfile::tempdir().unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../assay-tasks/samples/codrep");
    for name in ["one.bin", "two.bin"] {
        let arguments =
            ["train", "locate", "--data", sample, "--trees", "5", "--forests", "2", "-o", name];
        let output = run(scratch.path(), &arguments);
        assert_eq!(output.code, 0, "{output:?}");
    }
    let weights = |name: &str| fs::read(scratch.path().join(name)).unwrap();
    assert_eq!(weights("one.bin"), weights("two.bin"), "same data, same seed, same bytes");
    let report: serde_json::Value = serde_json::from_slice(&weights("one.report.json")).unwrap();
    assert_eq!(report["trees"], 5);
    let output = run(
        scratch.path(),
        &["run", "codrep", "--data", "sample", "--solver", "locate:one.bin", "--json"],
    );
    assert_eq!(json(&output)["counts"]["answered"], 48, "{output:?}");
    assert!(json(&output)["signature"].as_str().unwrap().contains("solver:locate,weights="));
}

#[test]
fn weights_that_are_none_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("x.bin"), "not weights").unwrap();
    for (solver, message) in [
        ("locate:x.bin", "x.bin: not a model of the locator: it does not start like one"),
        ("locate:nowhere.bin", "failed to read"),
    ] {
        let output = run(scratch.path(), &["predict", "sample", "--solver", solver]);
        assert_eq!(output.code, 3, "{output:?}");
        assert!(output.err.contains(message), "{}", output.err);
    }
    let output = run(scratch.path(), &["train", "locate", "--data", "sample"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("nothing would be kept"), "{}", output.err);
}

#[test]
fn the_shipped_weights_find_most_lines() {
    let scratch = tempfile::tempdir().unwrap();
    let output =
        run(scratch.path(), &["run", "codrep", "--data", "sample", "-s", "locate", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    // The cases are harder than real history: plain similarity finds 23 of these 48.
    assert!(metric(&json(&output), "recall@1") > 0.5, "{output:?}");
    let ranked = run(scratch.path(), &["predict", "sample", "--top", "3"]);
    assert!(ranked.out.lines().all(|line| line.split(' ').count() == 4), "{}", ranked.out);
}

#[test]
fn predictions_as_json_carry_probabilities() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["predict", "sample", "--top", "1000", "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    for line in output.out.lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        let numbers = |name: &str| -> Vec<f64> {
            let lines = object["lines"].as_array().unwrap();
            lines.iter().map(|line| line[name].as_f64().unwrap()).collect()
        };
        assert!((numbers("probability").iter().sum::<f64>() - 1.0).abs() < 1e-3, "{line}");
        assert!(numbers("score").is_sorted_by(|better, worse| better >= worse), "{line}");
    }
}

#[test]
fn how_sure_the_locator_is_does_not_enter_the_record() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run", "codrep", "--data", "sample", "-s", "locate"]);
    assert_eq!(output.code, 0, "{output:?}");
    let answers = fs::read_to_string(runs(scratch.path())[0].join("answers.jsonl")).unwrap();
    for line in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(names, ["problem", "response", "sample", "wall_s"]);
        assert_eq!(answer["response"].as_object().unwrap().len(), 1);
    }
}

#[test]
fn the_shipped_weights_know_what_they_learned_from() {
    let Some(data) = real_data("the_shipped_weights_know_what_they_learned_from") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let archive = data.join("codrep/Dataset1.tar.zst").display().to_string();
    let arguments = ["run", "codrep", "-d", &archive, "-s", "locate", "-L", "400", "--json"];
    let output = run(scratch.path(), &arguments);
    assert!(metric(&json(&output), "line-error") < 0.05, "{output:?}");
}
