//! `--prelude`: imports that run before every program, in every kind of test, without moving its lines.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, json, metric, real_data, run, runs, unpack};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// A problem whose tests are code, of HumanEval's form.
const FUNCTION: &str = r#"{"task_id": "T/0", "entry_point": "f", "prompt": "def f(numbers):\n",
"canonical_solution": "    return sum(numbers)\n",
"test": "def check(candidate):\n    assert candidate([1, 2]) == 3\n"}"#;

/// The same as a table of calls, of EvalPlus's form.
const TABLE: &str = r#"{"task_id": "HumanEval/0", "entry_point": "f", "prompt": "def f(numbers):\n",
"canonical_solution": "    return sum(numbers)\n", "test": "", "atol": 0,
"base_input": [[[1, 2]]], "plus_input": [[[3]]]}"#;

/// The same as a program that reads and prints, of APPS's form.
const PRINTING: &str = r#"{"problem_id": 0, "question": "?", "difficulty": "interview", "starter_code": "",
"input_output": "{\"inputs\": [\"1 2\\n\"], \"outputs\": [\"3\\n\"]}", "solutions": "[\"print(3)\"]"}"#;

/// Writes a problem and the answer to it.
fn prepared(problem: &str, name: &str, program: &str) -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("test.jsonl"), problem.replace('\n', " ") + "\n").unwrap();
    let answer = json!({"task_id": name, "solution": program});
    fs::write(folder.path().join("answers.jsonl"), format!("{answer}\n")).unwrap();
    folder
}

fn score(folder: &Path, task: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["score", task, "answers.jsonl", "-d", "test.jsonl", "--json"];
    run(folder, &[&arguments[..], &["--verdicts", "verdicts.jsonl"], more].concat())
}

fn verdict(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

const RELIES_ON_IT: &str = "def f(numbers: List[int]) -> Optional[int]:\n    return sum(numbers)\n";

#[test]
fn names_of_typing_are_there_in_every_kind_of_test() {
    let printing = "def f(numbers: Deque[int]) -> AnyStr:\n    return sum(numbers)\n\
        print(f(map(int, input().split())))\n";
    for (task, problem, name, program) in [
        ("humaneval", FUNCTION, "T/0", RELIES_ON_IT),
        ("humaneval-plus", TABLE, "HumanEval/0", RELIES_ON_IT),
        ("apps-interview", PRINTING, "0", printing),
    ] {
        let folder = prepared(problem, name, program);
        for rules in ["strict", "compat"] {
            let without = json(&score(folder.path(), task, &["--rules", rules]));
            assert_eq!(without["counts"]["passed"], 0, "{task} {rules}: {without}");
            assert!(!without["signature"].as_str().unwrap().contains("prelude"));
            let with =
                json(&score(folder.path(), task, &["--rules", rules, "--prelude", "typing"]));
            assert_eq!(with["counts"]["passed"], 1, "{task} {rules}: {with}");
            assert!(with["signature"].as_str().unwrap().contains("|prelude:typing.1|"), "{with}");
            let data = |results: &Value| {
                let signature = results["signature"].as_str().unwrap().to_owned();
                signature.split('|').find(|field| field.starts_with("data:")).map(str::to_owned)
            };
            assert_eq!(data(&with), data(&without));
        }
    }
}

#[test]
fn lines_keep_their_numbers_and_what_must_be_first_is_first() {
    let program = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\"\"\"Adds up.\"\"\"\n\
        from __future__ import annotations\n\ndef f(numbers: Nothing):\n    return unknown\n";
    let folder = prepared(FUNCTION, "T/0", program);
    for more in [&[][..], &["--prelude", "typing"], &["--prelude", "humaneval-x"]] {
        score(folder.path(), "humaneval", more);
        let ending = &verdict(folder.path())["ending"];
        assert_eq!(
            (&ending["class"], &ending["line"]),
            (&json!("NameError"), &json!(7)),
            "{ending}"
        );
    }
}

#[test]
fn each_prelude_has_the_names_of_its_scorer() {
    let uses = |names: &str| format!("def f(numbers):\n    {names}\n    return sum(numbers)\n");
    for (prelude, names, passes) in [
        ("typing", "Dict, Union", 1),
        ("typing", "math.pi", 0),
        ("humaneval-x", "math.pi, heapq, Counter, deque, List, hashlib.md5, np, numpy", 1),
        ("humaneval-x", "bisect_left", 0),
        ("livecodebench", "bisect_left, gcd, lru_cache, accumulate, Counter, List, sqrt, json", 1),
    ] {
        let folder = prepared(FUNCTION, "T/0", &uses(names));
        let results = json(&score(folder.path(), "humaneval", &["--prelude", prelude]));
        assert_eq!(results["counts"]["passed"], passes, "{prelude} {names}: {results}");
    }
}

#[test]
fn a_run_has_it_too_and_keeps_it_when_it_is_resumed() {
    let folder = prepared(FUNCTION, "T/0", RELIES_ON_IT);
    let arguments = ["run", "humaneval", "-d", "test.jsonl", "-s", "file:answers.jsonl", "--json"];
    let output = run(folder.path(), &[&arguments[..], &["--prelude", "typing"]].concat());
    let results = json(&output);
    assert_eq!(results["counts"]["passed"], 1, "{output:?}");
    assert!(results["signature"].as_str().unwrap().contains("|prelude:typing.1|"), "{results}");
    let record = runs(folder.path()).pop().unwrap();
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(record.join("run.json")).unwrap()).unwrap();
    assert_eq!(manifest["request"]["task"]["settings"]["prelude"], "typing");
    for unfinished in ["results.json", "verdicts.jsonl"] {
        fs::remove_file(record.join(unfinished)).unwrap();
    }
    let again = run(folder.path(), &["run", "--resume", record.to_str().unwrap(), "--json"]);
    assert_eq!(json(&again), results);
}

#[test]
fn a_task_without_python_programs_refuses_it() {
    let folder = tempdir().unwrap();
    for task in ["codrep", "humanevalpack-cpp", "c2c"] {
        let arguments = ["run", task, "-d", "sample", "-s", "gold", "--prelude", "typing"];
        let output = run(folder.path(), &arguments);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.err.contains("no programs in Python"), "{output:?}");
    }
}

#[test]
fn with_it_chatgpt_has_the_score_that_was_published() {
    let name = "with_it_chatgpt_has_the_score_that_was_published";
    let Some(data) = real_data(name) else { return };
    let files = unpack(&data.join("model_outputs/mapcoder-chatgpt.tar.zst"), "HumanEval");
    let file = files
        .iter()
        .find(|(name, _)| name.ends_with("ChatGPT-MapCoder-5-5-Human-Python3-0-1.jsonl"));
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("answers.jsonl"), file.unwrap().1).unwrap();
    let problems = data.join("humaneval/HumanEval.jsonl.gz").display().to_string();
    let arguments =
        ["score", "humaneval", "answers.jsonl", "-d", &problems, "--json", "--prelude", "typing"];
    let output = run(folder.path(), &arguments);
    assert!((metric(&json(&output), "pass@1") - 132.0 / 164.0).abs() < 1e-12, "{output:?}");
}
