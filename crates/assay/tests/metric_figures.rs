//! The figures of `assay metric`: weights, intervals, several files and several metrics.

mod common;

use std::fs;

use common::{CommandOutput, json, run};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        fs::write(scratch.path().join(name), text).expect("a file can be written");
    }
    scratch
}

/// Runs `assay metric` with these words in a folder.
fn metric(folder: &TempDir, line: &str) -> CommandOutput {
    let words = shlex::split(line).expect("words");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run(folder.path(), &[&["metric"], &words[..]].concat())
}

#[test]
fn weights_are_divided_by_their_sum() {
    let keep = folder(&[("ref", "int x = f(y);\n"), ("hyp", "int x = g(y);\n")]);
    let line = "codebleu --lang java --refs ref --hyp hyp --json";
    let [equal, ones] = ["0.25,0.25,0.25,0.25", "1,1,1,1"]
        .map(|weights| metric(&keep, &format!("{line} --weights {weights}")));
    assert_eq!(json(&equal), json(&ones), "score and signature are the same");
    assert_eq!(equal.err, "");
    assert_eq!(
        ones.err,
        "note: the weights 1,1,1,1 do not add up to 1: 0.25,0.25,0.25,0.25 are used\n"
    );
    for wrong in ["0,0,0,0", "1,1,1,-1", "nan,1,1,1"] {
        let output = metric(&keep, &format!("{line} --weights={wrong}"));
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{wrong}: {output:?}");
    }
}
