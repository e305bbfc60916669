//! Runs in the formats of other harnesses, and back: the verdicts stay.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{CommandOutput, json, run, runs};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// A solver of three samples per problem: right as a continuation, right as a whole program, and wrong; two problems have no answer, and
/// only the first two, and another one none.
const SOLVER: &str = r#"
import json, sys
number_of = lambda problem: int(str(problem["task_id"]).rsplit("/")[-1])
problems = {number_of(problem): problem for problem in map(json.loads, open("problems.jsonl"))}
for question in map(json.loads, sys.stdin):
    name, number = question["task_id"], number_of(question)
    problem = problems[number]
    right = problem.get("canonical_solution") or problem["code"]
    whole = problem["prompt"] + right if "canonical_solution" in problem else right
    rest = "completion" if "canonical_solution" in problem else "solution"
    samples = [{rest: right}, {"solution": "import math\n" + whole}, {"solution": "wrong = 1"}]
    for sample in [] if number % 10 == 2 else samples[:2] if number % 10 == 3 else samples:
        print(json.dumps({"task_id": name, **sample}))
"#;

/// A folder with a run of this task on the problems inside the binary, and that run.
fn recorded(task: &str, problems: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assay-tasks/samples");
    fs::copy(samples.join(problems), folder.path().join("problems.jsonl")).unwrap();
    fs::write(folder.path().join("solver.py"), SOLVER).unwrap();
    let solver = "program:python3 solver.py";
    let output = run(
        folder.path(),
        &["run", task, "--data", "sample", "-s", solver, "-n", "3", "-k", "1", "--json"],
    );
    assert_eq!(output.code, 5, "{output:?}");
    let record = runs(folder.path())[0].clone();
    (folder, record)
}

fn export(folder: &TempDir, record: &Path, format: &str, file: &str) -> CommandOutput {
    let record = record.display().to_string();
    run(folder.path(), &["export", &record, "--format", format, "-o", file])
}

/// Whether each sample passes.
fn verdicts(path: &Path) -> BTreeMap<(String, u64), bool> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let verdict = |line: Value| {
        let sample = line["sample"].as_u64().unwrap_or_default();
        ((line["problem"].as_str().unwrap().to_owned(), sample), line["outcome"] == "passed")
    };
    lines.map(verdict).collect()
}

/// Exports a run and grades what was written.
fn check_round_trip(task: &str, problems: &str, formats: &[&str]) {
    let (folder, record) = recorded(task, problems);
    let expected = verdicts(&record.join("verdicts.jsonl"));
    for format in formats {
        let file = if *format == "bigcode" { "generations.json" } else { "samples.jsonl" };
        let output = export(&folder, &record, format, file);
        assert_eq!(output.code, 5, "{output:?}");
        assert!(output.err.contains("7 samples have no answer"), "{}", output.err);
        let arguments =
            ["score", task, file, "--data", "sample", "-k", "1", "--verdicts", "v.jsonl"];
        let scored = run(folder.path(), &arguments);
        assert_eq!(scored.code, 0, "{format}: {scored:?}");
        assert_eq!(verdicts(&folder.path().join("v.jsonl")), expected, "{task} as {format}");
        fs::remove_file(folder.path().join("v.jsonl")).unwrap();
    }
}

#[test]
fn a_run_keeps_its_verdicts_in_every_format() {
    let formats = ["bigcode", "human-eval", "evalplus", "lm-eval"];
    check_round_trip("humaneval", "humaneval/HumanEval.jsonl", &formats);
    check_round_trip("mbpp", "mbpp/mbpp.jsonl", &formats);
}

#[test]
fn references_of_bigcode_are_beside_the_generations() {
    let (folder, record) = recorded("humaneval", "humaneval/HumanEval.jsonl");
    let output = export(&folder, &record, "bigcode", "generations_humaneval.json");
    assert!(output.err.contains("references_humaneval.json"), "{}", output.err);
    let read = |name: &str| -> Vec<Value> {
        serde_json::from_str(&fs::read_to_string(folder.path().join(name)).unwrap()).unwrap()
    };
    let (generations, references) =
        (read("generations_humaneval.json"), read("references_humaneval.json"));
    assert_eq!((generations.len(), references.len()), (12, 12));
    assert_eq!(generations[0].as_array().unwrap().len(), 3);
    let tests = references[0].as_str().unwrap();
    assert!(
        tests.contains("def check(candidate)") && tests.trim_end().ends_with("check(count_vowels)"),
        "{tests}"
    );
    // They are no answers.
    let arguments = ["score", "humaneval", "references_humaneval.json", "--data", "sample"];
    let refused = run(folder.path(), &arguments);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("give generations.json"), "{}", refused.err);
}

#[test]
fn standard_output_takes_an_export() {
    let (folder, record) = recorded("humaneval", "humaneval/HumanEval.jsonl");
    let output = export(&folder, &record, "evalplus", "-");
    assert_eq!(output.out.lines().count(), 36, "{output:?}");
    assert!(output.out.lines().all(|line| line.starts_with(r#"{"solution":"#)), "{}", output.out);
    let output = export(&folder, &record, "bigcode", "-");
    assert_eq!(json(&output).as_array().unwrap().len(), 12);
    assert!(output.err.contains("references.json is not written"), "{}", output.err);
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = tempdir().unwrap();
    let refused = |record: &Path, format: &str, message: &str| {
        let output = export(&folder, record, format, "out.json");
        assert!([2, 3].contains(&output.code), "{output:?}");
        assert!(output.err.contains(message), "{}", output.err);
        assert!(!folder.path().join("out.json").exists());
    };
    refused(Path::new("nowhere"), "bigcode", "nowhere is not the folder of a run");
    let runs_of = |arguments: &[&str]| {
        let base = ["run", "--data", "sample", "-o", "records", "--json"];
        let output = run(folder.path(), &[&base[..1], arguments, &base[1..]].concat());
        assert_eq!(output.code, 0, "{output:?}");
        let entries = fs::read_dir(folder.path().join("records")).unwrap();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        found.sort_by_key(|path| path.metadata().unwrap().modified().unwrap());
        found.pop().unwrap()
    };
    let lines = runs_of(&["codrep", "-s", "middle", "-L", "2"]);
    refused(&lines, "evalplus", "answers to codrep are no programs");
    let chosen = runs_of(&["humaneval", "-s", "gold", "-i", "Sample/3"]);
    refused(&chosen, "bigcode", "generations.json has no names");
    assert_eq!(export(&folder, &chosen, "evalplus", "out.json").code, 0);
}
