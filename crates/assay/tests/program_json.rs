//! `program:CMD` by its line-JSON protocol: questions of every kind on standard input, answers as objects.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use common::{CommandOutput, assay, dataset, json, run, runs};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program that reads questions from standard input alone, and answers each by `answer`, an expression of Python in
/// which `question` and `number` (of the sample) are known. It notes its start and what it was asked.
fn program(answer: &str) -> String {
    format!(
        r#"
import json, os, sys, time
open("starts", "a").write("start\n")
asked = open("asked", "a")
for line in sys.stdin:
    question = json.loads(line)
    asked.write(line)
    asked.flush()
    for number in range(question["first"], question["first"] + question["samples"]):
        answer = {answer}
        if answer is not None:
            print(json.dumps({{"task_id": question["task_id"], **answer}}), flush=True)
"#
    )
}

/// A folder with such a program, and the right programs of the embedded problems.
fn folder(answer: &str) -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("solver.py"), program(answer)).unwrap();
    let problems = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../assay-tasks/samples/humaneval/HumanEval.jsonl");
    fs::copy(problems, folder.path().join("problems.jsonl")).unwrap();
    folder
}

/// An expression for the body of the right program.
const BODY: &str = r#"{"completion": next(
    problem["canonical_solution"] for problem in map(json.loads, open("problems.jsonl"))
    if problem["task_id"] == question["task_id"])}"#;

fn ask(folder: &TempDir, task: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["run", task, "--solver", "program:python3 solver.py", "--json"];
    run(folder.path(), &[&arguments, more].concat())
}

fn lines_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn asked(folder: &TempDir) -> Vec<Value> {
    lines_of(&folder.path().join("asked"))
}

#[test]
fn a_program_that_reads_its_input_writes_programs() {
    let folder = folder(BODY);
    let output = ask(&folder, "humaneval", &["--data", "sample", "-n", "3", "-k", "1,3"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(json(&output)["counts"]["passed"], 36);
    let asked = asked(&folder);
    assert_eq!(asked.len(), 12);
    assert_eq!((&asked[0]["kind"], &asked[0]["samples"]), (&"code".into(), &3.into()));
    assert_eq!(asked[0]["language"], "python");
    assert!(asked[0]["prompt"].as_str().unwrap().starts_with("def "), "{}", asked[0]);
    assert!(asked[0]["stop"].as_array().unwrap().contains(&"\ndef".into()));
    // The model is loaded once.
    assert_eq!(fs::read_to_string(folder.path().join("starts")).unwrap().lines().count(), 1);
}

#[test]
fn whole_programs_are_answers_too() {
    let solution =
        BODY.replace(r#"{"completion": next("#, r#"{"solution": question["prompt"] + next("#);
    let output = ask(&folder(&solution), "humaneval", &["--data", "sample"]);
    assert_eq!(json(&output)["counts"]["passed"], 12, "{output:?}");
}

#[test]
fn lines_are_asked_for_and_answered_as_json() {
    for answer in [
        r#"{"lines": [question["text"].splitlines().index("line1();") + 1, 2]}"#,
        r#"{"line": 1}"#,
        r#"{"completion": " 1, 2\n"}"#,
    ] {
        let folder = folder(answer);
        let (_keep, root) = dataset("D", 5);
        let data = root.display().to_string();
        let output = ask(&folder, "codrep", &["--data", &data]);
        assert_eq!(output.code, 0, "{output:?}");
        let results = json(&output);
        assert_eq!(
            (&results["counts"]["answered"], &results["counts"]["passed"]),
            (&5.into(), &1.into())
        );
        let first = &asked(&folder)[0];
        assert_eq!((&first["kind"], &first["line"]), (&"line".into(), &"changed1();".into()));
        assert!(first["prompt"].as_str().unwrap().contains("1: line1();"), "{first}");
    }
}

#[test]
fn texts_of_several_lines_are_answers() {
    let folder = folder(r#"{"text": "def f():\n    return 1\n"}"#);
    let output = ask(&folder, "c2c", &["--data", "sample"]);
    assert_eq!(output.code, 0, "{output:?}");
    let first = &asked(&folder)[0];
    assert_eq!((&first["kind"], &first["from"]), (&"text".into(), &"java".into()));
    assert_eq!(first["language"], "python");
    assert!(first["prompt"].as_str().unwrap().contains(first["text"].as_str().unwrap()));
    let answers = lines_of(&runs(folder.path())[0].join("answers.jsonl"));
    assert!(answers.iter().all(|line| line["response"]["text"] == "def f():\n    return 1\n"));
}

#[test]
fn replies_of_a_chat_are_cut_by_a_rule() {
    let reply = BODY.replace(
        r#"{"completion": next("#,
        r#"{"completion": "Sure:\n```python\n%s%s\n```\nDone." % (question["prompt"], next("#,
    );
    let folder = folder(&format!("{})}}", reply.strip_suffix('}').unwrap()));
    let output = ask(&folder, "humaneval", &["--data", "sample", "--extract", "code"]);
    assert_eq!(json(&output)["counts"]["passed"], 12, "{output:?}");
    let answers = lines_of(&runs(folder.path())[0].join("answers.jsonl"));
    assert!(answers[0]["rule"].as_str().unwrap().starts_with("code."), "{}", answers[0]);
    assert!(answers[0]["reply"].as_str().unwrap().starts_with("Sure:"));
    assert!(json(&output)["signature"].as_str().unwrap().contains("extract=code."));
}

#[test]
fn an_error_is_an_answer_that_is_missing() {
    let answer = r#"{"error": "out of memory"} if number else {"completion": "    pass\n"}"#;
    let folder = folder(answer);
    let output = ask(&folder, "humaneval", &["--data", "sample", "-n", "2", "-k", "1"]);
    assert_eq!(output.code, 5, "{output:?}");
    let counts = &json(&output)["counts"];
    assert_eq!((&counts["not_answered"], &counts["reasons"]["crashed"]), (&12.into(), &12.into()));
    let answers = lines_of(&runs(folder.path())[0].join("answers.jsonl"));
    assert_eq!(answers[1]["response"]["none"]["detail"], "out of memory");
}

#[test]
fn what_is_no_answer_is_named() {
    for (answer, message) in [
        (r#"{"texts": 1}"#, "the line has no answer"),
        (r#"{"completion": 7}"#, "is a number, not a text"),
    ] {
        let output = ask(&folder(answer), "humaneval", &["--data", "sample"]);
        assert_eq!(json(&output)["counts"]["reasons"]["garbage"], 12, "{output:?}");
        assert!(output.err.contains(message), "{}", output.err);
    }
    let output = ask(&folder(r#"{"lines": [0]}"#), "codrep", &["--data", "sample", "-L", "2"]);
    assert!(output.err.contains("holds no line numbers"), "{}", output.err);
}

/// Waits until there is a run, and returns its folder.
fn await_record(folder: &Path) -> PathBuf {
    let since = Instant::now();
    loop {
        let entries = fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
        let mut records = entries.map(|entry| entry.path());
        if let Some(record) = records.find(|path| path.join("answers.jsonl").is_file()) {
            return record;
        }
        assert!(since.elapsed() < PATIENCE, "the run does not begin");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a file has this many lines.
fn await_lines(path: &Path, count: usize) {
    let since = Instant::now();
    while fs::read_to_string(path).unwrap_or_default().lines().count() < count {
        assert!(since.elapsed() < PATIENCE, "{} has fewer lines", path.display());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_run_asks_only_for_what_is_missing() {
    // Two of three samples of the fourth problem are there when it stalls.
    let stalls = format!(
        r#"{BODY} if os.path.exists("go") or question["task_id"] in ("Sample/1", "Sample/2", "Sample/3")
            or (question["task_id"] == "Sample/4" and number < 2) else time.sleep(600)"#
    )
    .replace('\n', " ");
    let folder = folder(&stalls);
    let mut child = assay(folder.path())
        .args(["run", "humaneval", "--data", "sample", "-n", "3", "-k", "1", "--solver"])
        .args(["program:python3 solver.py"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let record = await_record(folder.path());
    await_lines(&record.join("answers.jsonl"), 11);
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(folder.path().join("go"), "").unwrap();
    fs::remove_file(folder.path().join("asked")).unwrap();
    let path = record.display().to_string();
    let output = run(folder.path(), &["run", "--resume", &path, "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(json(&output)["counts"]["passed"], 36);
    let asked = asked(&folder);
    let asked_for =
        |line: &Value| (line["task_id"].clone(), line["first"].clone(), line["samples"].clone());
    assert_eq!(asked_for(&asked[0]), ("Sample/4".into(), 2.into(), 1.into()));
    assert_eq!(asked.len(), 9, "{asked:?}");
    assert!(asked[1..].iter().all(|line| line["samples"] == 3), "{asked:?}");
}
