//! Options from the environment.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, assay, dataset, json};

/// Runs a command with these variables.
fn with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
    assay(folder).args(arguments).envs(variables.iter().copied()).output().unwrap().into()
}

/// A folder with texts to score.
fn texts() -> tempfile::TempDir {
    let keep = tempfile::tempdir().unwrap();
    fs::write(keep.path().join("out.txt"), "a b c d\n").unwrap();
    fs::write(keep.path().join("ref.txt"), "a b c e\n").unwrap();
    let pairs = "{\"id\": 1, \"refs\": [\"x\"], \"hyp\": \"x\"}\n";
    fs::write(keep.path().join("pairs.jsonl"), pairs).unwrap();
    keep
}

const TEXTS: [&str; 4] = ["--refs", "ref.txt", "--hyp", "out.txt"];

#[test]
fn options_that_metrics_generate_come_from_the_environment() {
    let keep = texts();
    let bleu = |variables: &[(&str, &str)]| {
        let arguments = [["metric", "bleu", "--json"].as_slice(), &TEXTS].concat();
        let output = with(keep.path(), variables, &arguments);
        json(&output)["signature"].as_str().unwrap().to_owned()
    };
    let plain = bleu(&[]);
    assert!(plain.contains("13a"), "{plain}");
    assert!(bleu(&[("ASSAY_TOKENIZER", "char")]).contains("char"));
    assert_ne!(bleu(&[("ASSAY_LOWERCASE", "1")]), plain);
    assert_eq!(bleu(&[("ASSAY_LOWERCASE", "0")]), plain);
    assert_ne!(bleu(&[("ASSAY_BLEU_VARIANT", "nltk")]), plain);
    assert_eq!(bleu(&[("ASSAY_CHRF_VARIANT", "chrf++"), ("ASSAY_FORMAT", "codrep")]), plain);
    let variables = [("ASSAY_PAIRS", "pairs.jsonl"), ("ASSAY_JSON", "yes")];
    let output = with(keep.path(), &variables, &["metric", "bleu"]);
    assert_eq!(json(&output)["n"], 1, "{output:?}");
}

#[test]
fn what_is_typed_counts_more_than_a_variable_that_contradicts_it() {
    let keep = texts();
    let arguments = [["metric", "bleu", "--json"].as_slice(), &TEXTS].concat();
    let variables = [("ASSAY_PAIRS", "nowhere.jsonl")];
    let output = with(keep.path(), &variables, &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let variables = [("ASSAY_HYP", "nowhere"), ("ASSAY_REFS", "nowhere"), ("ASSAY_KEY", "x")];
    let output = with(keep.path(), &variables, &["metric", "bleu", "--pairs", "pairs.jsonl"]);
    assert_eq!(output.code, 0, "{output:?}");
    // Two variables that contradict each other are named.
    let variables = [("ASSAY_PAIRS", "pairs.jsonl"), ("ASSAY_HYP", "out.txt")];
    let output = with(keep.path(), &variables, &["metric", "bleu"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("ASSAY_PAIRS") && output.err.contains("ASSAY_HYP"), "{output:?}");
    // Two options that were typed are a mistake as ever.
    let arguments = ["metric", "bleu", "--pairs", "pairs.jsonl", "--hyp", "out.txt"];
    let output = with(keep.path(), &[], &arguments);
    assert!(output.code == 2 && !output.err.contains("ASSAY_"), "{output:?}");
}

#[test]
fn an_error_in_a_value_names_its_variable() {
    let (keep, _root) = dataset("D", 2);
    let run = ["run", "codrep", "--data", "D", "--solver", "middle"];
    let unsolved = ["run", "codrep", "--data", "D"];
    let train = ["train", "locate", "--data", "D", "-o", "x.bin"];
    let codebleu = ["metric", "codebleu", "--lang", "java", "--hyp", "x", "--refs", "y"];
    for (variable, value, arguments) in [
        ("ASSAY_SEED", "many", run.as_slice()),
        ("ASSAY_LIMIT", "0", &run),
        ("ASSAY_RULES", "loose", &run),
        ("ASSAY_ID", "D/99", &run),
        ("ASSAY_SOLVER", "frist", &unsolved),
        ("ASSAY_LOG", "loud", &run),
        ("ASSAY_WITHOUT", "luck", &train),
        ("ASSAY_TREES", "-1", &train),
        ("ASSAY_WEIGHTS", "heavy", &codebleu),
        ("ASSAY_CODEBLEU_VARIANT", "mine", &codebleu),
        ("ASSAY_CUTOFF", "soon", &["data", "mine", "codrep", "x", "-o", "y"]),
        ("ASSAY_LANGUAGE", "cobol", &["data", "mine", "codrep", "x", "-o", "y"]),
    ] {
        let output = with(keep.path(), &[(variable, value)], arguments);
        assert_eq!(output.code, 2, "{variable}: {output:?}");
        assert!(output.err.contains(variable), "{variable}: {}", output.err);
        assert!(!output.err.contains("ASSAY_DATA"), "{variable}: {}", output.err);
    }
    // The variable is not blamed for what was typed.
    let arguments = ["run", "codrep", "--data", "D", "--seed", "many"];
    let output = with(keep.path(), &[("ASSAY_SEED", "1")], &arguments);
    assert!(output.code == 2 && !output.err.contains("ASSAY_SEED"), "{output:?}");
    let output = with(keep.path(), &[("ASSAY_RESUME", "nowhere")], &["run"]);
    assert!(output.code == 3 && output.err.contains("ASSAY_RESUME"), "{output:?}");
}

#[test]
fn a_variable_for_one_command_breaks_no_other() {
    let (keep, _root) = dataset("D", 2);
    let task = "D/Tasks/1.txt";
    let output = with(keep.path(), &[("ASSAY_SOLVER", "middle")], &["explain", task]);
    assert_eq!(output.code, 0, "{output:?}");
    // The folder of runs is no file of weights.
    let variables = [("ASSAY_OUTPUT", "records"), ("ASSAY_SOLVER", "middle")];
    let output = with(keep.path(), &variables, &["run", "codrep", "--data", "D"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(keep.path().join("records").is_dir());
    let output = with(keep.path(), &variables, &["train", "locate", "--data", "D"]);
    assert!(output.code == 2 && output.err.contains("nothing would be kept"), "{output:?}");
    // A share without a date is for another call; typed it is a mistake.
    let mine = ["data", "mine", "codrep", "nowhere", "-o", "mined"];
    let output = with(keep.path(), &[("ASSAY_TEST_SHARE", "0.5")], &mine);
    assert!(output.code == 3 && output.err.contains("nowhere"), "{output:?}");
    let output = with(keep.path(), &[], &[&mine[..], &["--test-project", "x"]].concat());
    assert!(output.code == 2 && output.err.contains("--cutoff"), "{output:?}");
    let seal = ["data", "seal", "D", "-o", "D.age"];
    assert_eq!(with(keep.path(), &[], &seal).code, 0);
    fs::remove_file(keep.path().join("D.age.key")).unwrap();
    let output = with(keep.path(), &[("ASSAY_FORCE", "1")], &seal);
    assert!(output.code == 3 && output.err.contains("is there already"), "{output:?}");
}
