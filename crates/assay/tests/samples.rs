//! Tasks that ask for programs, end to end: files in the field's formats, several samples, pass@k,
//! the gold gate, and external solvers that write programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, feed, json, metric, real_data, run, runs};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Three problems in HumanEval's format; the own program of the last one is wrong.
fn three_problems() -> TempDir {
    let folder = tempdir().unwrap();
    let problem = |name: &str, body: &str| {
        let prompt = format!("def {name}(number):\n    \"\"\"Give the number plus one.\"\"\"\n");
        let test = "def check(candidate):\n    assert candidate(1) == 2\n";
        json!({"task_id": format!("T/{name}"), "prompt": prompt, "entry_point": name,
            "canonical_solution": body, "test": test})
    };
    let right = "    return number + 1\n";
    let lines = [problem("a", right), problem("b", right), problem("c", "    return 7\n")];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("problems.jsonl"), text).unwrap();
    folder
}

/// Two valid problems.
fn two_problems() -> TempDir {
    let folder = three_problems();
    let path = folder.path().join("problems.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let sound: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(path, sound).unwrap();
    folder
}

fn score(folder: &Path, answers: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["score", "humaneval", "-", "-d", "problems.jsonl", "--json"];
    feed(folder, &[&arguments[..], more].concat(), answers)
}

const RIGHT: &str = "    return number + 1\n";
const WRONG: &str = "    return number\n";

fn completion(problem: &str, text: &str) -> String {
    format!("{}\n", json!({"task_id": format!("T/{problem}"), "completion": text}))
}

#[test]
fn every_form_has_the_same_score() {
    let folder = two_problems();
    let whole = |name: &str, body: &str| format!("def {name}(number):\n{body}");
    let (a, b) = (whole("a", RIGHT), whole("b", WRONG));
    let solution = |id: &str, text: &str| format!("{}\n", json!({"task_id": id, "solution": text}));
    for answers in [
        completion("a", RIGHT) + &completion("b", WRONG),
        solution("T/a", &a) + &solution("T/b", &b),
        json!([[a], [b]]).to_string(),
        format!("{}\n", json!({"task_id": "T/a", "samples": [RIGHT]})) + &completion("b", WRONG),
        format!("{}\n", json!({"name": "T/a", "source_codes": [b, a]})) + &solution("T/b", &b),
    ] {
        let output = score(folder.path(), &answers, &[]);
        assert_eq!(output.code, 0, "{output:?}");
        let results = json(&output);
        assert!((metric(&results, "pass@1") - 0.5).abs() < 1e-12, "{results}");
        assert_eq!(results["gold"], json!({"passed": 2, "of": 2}));
        assert_eq!(results["counts"]["samples"], 2);
    }
}

#[test]
fn pass_at_k_needs_k_samples_and_says_what_is_left_out() {
    let folder = two_problems();
    let answers: String = [("a", RIGHT), ("a", WRONG), ("b", WRONG), ("a", RIGHT), ("b", WRONG)]
        .map(|(problem, text)| completion(problem, text))
        .concat();
    let verdicts = ["-k", "1,2,3", "-j", "2", "--verdicts", "verdicts.jsonl"];
    let output = score(folder.path(), &answers, &verdicts);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert!((metric(&results, "pass@1") - 1.0 / 3.0).abs() < 1e-12, "{results}");
    assert!((metric(&results, "pass@2") - 0.5).abs() < 1e-12, "{results}");
    let why = "every problem needs as many samples, and the fewest here is 2";
    assert_eq!(results["left_out"], json!({"pass@3": why}));
    let counts = &results["counts"];
    assert_eq!((&counts["problems"], &counts["samples"]), (&json!(2), &json!(5)));
    let signature = results["signature"].as_str().unwrap();
    assert!(signature.contains("|k:1,2,3|") && signature.contains("|samples:2-3|"), "{signature}");
    let text = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
    let keys: Vec<(String, u64, String)> = text
        .lines()
        .map(|line| {
            let verdict: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| verdict[key].as_str().unwrap().to_owned();
            (text("problem"), verdict["sample"].as_u64().unwrap(), text("outcome"))
        })
        .collect();
    let expected = [
        ("T/a", 0, "passed"),
        ("T/a", 1, "failed"),
        ("T/a", 2, "passed"),
        ("T/b", 0, "failed"),
        ("T/b", 1, "failed"),
    ];
    assert_eq!(keys, expected.map(|(id, sample, outcome)| (id.into(), sample, outcome.into())));
}

#[test]
fn a_problem_whose_own_program_fails_is_listed_and_excluded() {
    let folder = three_problems();
    let answers = completion("a", RIGHT) + &completion("c", RIGHT);
    let output = score(folder.path(), &answers, &[]);
    assert_eq!(output.code, 5, "{output:?}");
    let results = json(&output);
    assert_eq!(results["gold"], json!({"passed": 2, "of": 3}));
    let counts = &results["counts"];
    assert_eq!((&counts["excluded"], &counts["not_answered"]), (&json!(1), &json!(1)));
    assert!((metric(&results, "pass@1") - 0.5).abs() < 1e-12, "{results}");
    assert!(output.err.contains("T/c: the task's own program does not pass"), "{}", output.err);
    assert!(output.err.contains("1 problem has no answer and counts as wrong"), "{}", output.err);
    let run =
        run(folder.path(), &["run", "humaneval", "-d", "problems.jsonl", "-s", "gold", "--json"]);
    assert_eq!(json(&run)["counts"]["failed"], 1, "gold itself is not excluded: {run:?}");
}

#[test]
fn a_bad_file_is_refused_with_all_that_is_wrong() {
    let folder = two_problems();
    let answers =
        completion("a", RIGHT) + "{\"task_id\": \"T/x\", \"completion\": \"\"}\nnot JSON\n";
    let output = score(folder.path(), &answers, &[]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("standard input:2: there is no problem \"T/x\""), "{}", output.err);
    assert!(output.err.contains("standard input:3: not JSON: expected"), "{}", output.err);
}

#[test]
fn a_run_takes_several_samples_of_a_program() {
    let folder = two_problems();
    // It answers every question as often as it is asked, and is right every other time; text after
    // a stop word is not part of the answer.
    let writer = r#"
import json, sys
for line in open(sys.argv[1]):
    question = json.loads(line)
    assert question["language"] == "python", question
    for sample in range(question["samples"]):
        text = "    return number + %d\n\ndef more(): raise SystemExit" % (1 - sample % 2)
        print(json.dumps({"task_id": question["task_id"], "completion": text}))
"#;
    fs::write(folder.path().join("writer.py"), writer).unwrap();
    let solver = "program:python3 writer.py";
    let output = run(
        folder.path(),
        &[
            "run",
            "humaneval",
            "-d",
            "problems.jsonl",
            "-s",
            solver,
            "-n",
            "4",
            "-k",
            "1,4",
            "--json",
        ],
    );
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert!((metric(&results, "pass@1") - 0.5).abs() < 1e-12, "{results}");
    assert!((metric(&results, "pass@4") - 1.0).abs() < 1e-12, "{results}");
    assert_eq!(results["counts"]["samples"], 8);
    // The record's answers can be scored, and run again from their file.
    let answers = runs(folder.path())[0].join("answers.jsonl").display().to_string();
    let again = run(
        folder.path(),
        &["score", "humaneval", &answers, "-d", "problems.jsonl", "-k", "1,4", "--json"],
    );
    assert_eq!(json(&again)["metrics"], results["metrics"], "{again:?}");
    let solver = format!("file:{answers}");
    let few = run(
        folder.path(),
        &["run", "humaneval", "-d", "problems.jsonl", "-s", &solver, "-n", "2", "--json"],
    );
    assert_eq!(json(&few)["counts"]["samples"], 4);
    assert!(few.err.contains("has up to 4 samples a problem, of which 2 count"), "{}", few.err);
}

#[test]
fn other_tasks_take_one_answer() {
    let folder = tempdir().unwrap();
    let output = run(folder.path(), &["run", "codrep", "-d", "sample", "-s", "first", "-n", "2"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("codrep takes one answer per problem"), "{}", output.err);
}

#[test]
fn published_answers_have_the_published_score() {
    let Some(data) = real_data("published_answers_have_the_published_score") else { return };
    let folder = tempdir().unwrap();
    let problems = data.join("humaneval").display().to_string();
    let answers = data.join("model_outputs/wizardcoder-15b.humaneval.59.8.gen.zip");
    let answers = answers.display().to_string();
    let output = run(folder.path(), &["score", "humaneval", &answers, "-d", &problems, "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert_eq!(results["counts"]["passed"], 98, "{results}");
    assert_eq!(results["gold"], json!({"passed": 164, "of": 164}));
}
