//! `assay data list`: every task's data, here or not.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{json, real_data, run};
use serde_json::Value;

#[test]
fn every_task_has_data_with_its_origin_and_its_names() {
    let scratch = tempfile::tempdir().unwrap();
    let listed = json(&run(scratch.path(), &["data", "list", "--data-root", "none", "--json"]));
    let listed = listed.as_array().unwrap();
    let tasks = json(&run(scratch.path(), &["tasks", "--json"]));
    for task in tasks.as_array().unwrap() {
        let name = &task["name"];
        let of_task: Vec<&Value> =
            listed.iter().filter(|one| one["tasks"].as_array().unwrap().contains(name)).collect();
        assert!(!of_task.is_empty(), "{name} has no data");
        for dataset in of_task {
            let folder = task["folder"].as_str().unwrap();
            assert!(dataset["publisher"].as_str().unwrap().starts_with("https://"), "{dataset}");
            assert!(dataset["path"].is_null() && dataset["content"].is_null(), "{dataset}");
            let names = dataset["looked_for"].as_array().unwrap();
            assert!(!names.is_empty(), "{dataset}");
            for name in names {
                assert!(name.as_str().unwrap().starts_with(&format!("{folder}/")), "{dataset}");
            }
        }
    }
    let shown = run(scratch.path(), &["data", "list", "--data-root", "none"]).out;
    for part in [
        "humaneval/HumanEval: ",
        "absent; looked for humaneval/HumanEval.jsonl, humaneval/HumanEval.jsonl.gz or ",
        "from https://github.com/openai/human-eval (MIT)",
        "(licence not stated)",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}

#[test]
fn published_data_is_recognised_by_its_content() {
    let Some(data) = real_data("published_data_is_recognised_by_its_content") else { return };
    let root = data.to_str().unwrap();
    let output = run(Path::new("/"), &["data", "list", "--data-root", root, "--json"]);
    let listed = json(&output);
    let known: BTreeSet<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|dataset| dataset["content"]["recognised"] == "known")
        .map(|dataset| dataset["name"].as_str().unwrap())
        .collect();
    for name in [
        "codrep/Dataset1",
        "codrep/Dataset4",
        "avatar/g4g_functions",
        "codexglue_trans/java-cs",
        "humaneval/HumanEval",
        "humaneval_plus/HumanEvalPlus",
        "humanevalpack/HumanEvalPack",
        "mbpp/mbpp",
        "mbpp/sanitized-mbpp",
        "mbpp_plus/MbppPlus",
        "apps/selected150",
    ] {
        assert!(known.contains(name), "{name} is not in {known:?}");
    }
    let quick = ["data", "list", "--data-root", root, "--no-check"];
    let quick = run(Path::new("/"), &quick).out;
    assert!(quick.contains("content not checked") && !quick.contains("exactly"), "{quick}");
}
