//! Malformed files, given to everything that reads what people write: messages are in plain words, without names of
//! Rust's types.

mod common;

use std::fs;
use std::path::Path;

use common::run;
use tempfile::tempdir;

/// Documents of wrong kinds, and objects whose fields are of wrong kinds.
const CONTENTS: [&str; 14] = [
    "3",
    "\"x\"",
    "[]",
    "[3]",
    "[[3]]",
    "null",
    "{}",
    "{\"task_id\": {}, \"completion\": 3, \"prompt\": []}",
    "{\"task_id\": -1.5, \"prompt\": 7, \"text\": true, \"code\": [], \"test_list\": {}}",
    "{\"problem\": 3, \"sample\": \"x\", \"response\": {\"lines\": [-1]}, \"outcome\": \"fine\"}",
    "{\"problem\": \"p\", \"sample\": -1, \"response\": {\"nothing\": 1}}",
    "{\"format\": 3, \"request\": [], \"counts\": 7, \"files\": {}}",
    "{\"format\": \"1.1\", \"request\": 3, \"task\": [], \"version\": {}}",
    "{\"refs\": {}, \"hyp\": [], \"id\": []}",
];

/// Words of Rust's types and of serde's descriptions of them.
const FORBIDDEN: [&str; 19] = [
    "struct ",
    "enum ",
    "tuple",
    "newtype",
    "unit value",
    "variant",
    "a map",
    "a sequence",
    "map,",
    "sequence,",
    "usize",
    " u8",
    " u32",
    " u64",
    " i64",
    " f64",
    "invalid type",
    "Option value",
    "deserialize",
];

fn check(folder: &Path, arguments: &[&str], about: &str) {
    let output = run(folder, arguments);
    for word in FORBIDDEN {
        assert!(!output.err.contains(word), "{word:?} for {about}: {arguments:?}: {}", output.err);
    }
    assert_ne!(output.code, 1, "{about}: {arguments:?}: {}", output.err);
    assert!(!output.err.contains("panicked"), "{about}: {arguments:?}: {}", output.err);
}

#[test]
fn messages_about_malformed_files_name_no_types() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::create_dir_all(folder.path().join("truth")).unwrap();
    for content in CONTENTS {
        for name in
            ["x.jsonl", "x.json", "run/run.json", "truth/true_C2C.json", "truth/true_VQA.json"]
        {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let readers: [&[&str]; 23] = [
            &["score", "humaneval", "x.jsonl", "--data", "sample"],
            &["score", "codrep", "x.jsonl", "--data", "sample"],
            &["score", "c2c", "x.json", "--data", "sample"],
            &["score", "vqa", "x.json", "--data", "sample"],
            &["score", "zsod", "x.json", "--data", "sample"],
            &["score", "htr", "x.json", "--data", "sample"],
            &["score", "trans-java-cs", "x.jsonl", "--data", "sample"],
            &["run", "humaneval", "--data", "x.jsonl"],
            &["run", "humaneval-plus", "--data", "x.jsonl"],
            &["run", "mbpp", "--data", "x.jsonl"],
            &["run", "mbpp-sanitized", "--data", "x.json"],
            &["run", "apps-introductory", "--data", "x.jsonl"],
            &["run", "humanevalpack-java", "--data", "x.jsonl"],
            &["run", "c2c", "--data", "truth"],
            &["run", "vqa", "--data", "truth"],
            &["run", "--resume", "run"],
            &["metric", "exact", "--pairs", "x.jsonl"],
            &["metric", "exact", "--pairs", "x.json"],
            &["metric", "exact", "--hyp", "x.jsonl", "--refs", "x.json"],
            &["metric", "exact", "--hyp", "x.json", "--refs", "x.json"],
            &["data", "verify", "x.json"],
            &["run", "codrep", "--data", "sample", "--solver", "locate:x.json"],
            &["run", "codrep", "--data", "sample", "--solver", "file:x.jsonl"],
        ];
        for reader in readers {
            check(folder.path(), reader, content);
        }
    }
}
