//! Own data in the form of a built-in task, under a name of its own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, feed, json, metric, run, runs};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Three problems of HumanEval's form, with ids of three forms.
fn three_problems() -> TempDir {
    let folder = tempdir().unwrap();
    let problem = |id: Value, name: &str| {
        json!({"task_id": id, "prompt": format!("def {name}(number):\n    \"\"\"Add one.\"\"\"\n"),
            "entry_point": name, "canonical_solution": "    return number + 1\n",
            "test": "def check(candidate):\n    assert candidate(1) == 2\n"})
    };
    let problems = [
        problem(json!("MyBench/7"), "f"),
        problem(json!("abc"), "g"),
        problem(json!(32), "find_zero"),
    ];
    fs::write(folder.path().join("my.jsonl"), lines(&problems)).unwrap();
    folder
}

fn answers() -> String {
    let line = |id: &str, added: i32| json!({"task_id": id, "completion": format!("    return number + {added}\n")});
    lines(&[line("MyBench/7", 1), line("abc", 2), line("32", 1)])
}

const OWN: [&str; 4] = ["-d", "my.jsonl", "--name", "my-bench"];

fn score(folder: &Path, task: &str, answers: &str, more: &[&str]) -> CommandOutput {
    feed(folder, &[&["score", task, "-", "--json"][..], &OWN, more].concat(), answers)
}

#[test]
fn results_have_the_own_name_and_say_whose_rules_hold() {
    let folder = three_problems();
    let output = score(folder.path(), "humaneval", &answers(), &["--verdicts", "verdicts.jsonl"]);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert_eq!(results["task"], "my-bench");
    let signature = results["signature"].as_str().unwrap();
    assert!(signature.starts_with("my-bench@1|data:"), "{signature}");
    assert!(signature.contains("|as:humaneval|"), "{signature}");
    assert!((metric(&results, "pass@1") - 2.0 / 3.0).abs() < 1e-12, "{results}");
    let verdicts = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
    let ids: Vec<Value> = verdicts
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["problem"].clone())
        .collect();
    assert_eq!(ids, ["MyBench/7", "abc", "32"]);
    let table = feed(folder.path(), &[&["score", "humaneval", "-"][..], &OWN].concat(), &answers());
    assert!(table.out.contains("my-bench"), "{table:?}");
}

#[test]
fn a_run_has_the_name_in_its_folder_and_keeps_it_when_it_is_resumed() {
    let folder = three_problems();
    let arguments = [&["run", "humaneval", "-s", "gold", "--json"][..], &OWN].concat();
    let output = run(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert_eq!((&results["task"], &results["counts"]["passed"]), (&json!("my-bench"), &json!(3)));
    let record = runs(folder.path()).pop().unwrap();
    assert!(
        record.file_name().unwrap().to_str().unwrap().contains("-my-bench-gold-"),
        "{record:?}"
    );
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(record.join("run.json")).unwrap()).unwrap();
    let task = &manifest["request"]["task"];
    assert_eq!((&task["name"], &task["own_name"]), (&json!("humaneval"), &json!("my-bench")));
    for unfinished in ["results.json", "verdicts.jsonl"] {
        fs::remove_file(record.join(unfinished)).unwrap();
    }
    let again = run(folder.path(), &["run", "--resume", record.to_str().unwrap(), "--json"]);
    assert_eq!(json(&again), results);
}

#[test]
fn a_name_is_refused_that_is_taken_or_no_name_or_for_no_own_data() {
    let folder = three_problems();
    let named = |name: &str| {
        run(folder.path(), &["run", "humaneval", "-s", "gold", "-d", "my.jsonl", "--name", name])
    };
    for (name, reason) in [
        ("mbpp", "is the name of a task"),
        ("HumanEval", "is the name of a task"),
        ("", "is no name for data"),
        ("../x", "is no name for data"),
        ("a|b", "is no name for data"),
    ] {
        let output = named(name);
        assert!(output.code == 2 && output.err.contains(reason), "{name:?}: {output:?}");
    }
    let sample = run(folder.path(), &["run", "humaneval", "-d", "sample", "--name", "x"]);
    assert!(sample.code == 2 && sample.err.contains("not your own"), "{sample:?}");
    let none = run(folder.path(), &["run", "humaneval", "--name", "x"]);
    assert!(none.code == 2 && none.err.contains("--data"), "{none:?}");
    let two = run(folder.path(), &["run", "humaneval", "mbpp", "-d", "my.jsonl", "--name", "x"]);
    assert!(two.code == 2 && two.err.contains("the data of one task"), "{two:?}");
}

#[test]
fn a_missing_field_is_named_by_file_line_and_field() {
    for field in ["task_id", "prompt", "entry_point", "canonical_solution", "test"] {
        let folder = three_problems();
        let path = folder.path().join("my.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let mut problems: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        problems[1].as_object_mut().unwrap().remove(field);
        fs::write(&path, lines(&problems)).unwrap();
        let output = score(folder.path(), "humaneval", &answers(), &[]);
        assert_eq!(output.code, 3, "{output:?}");
        assert!(output.err.contains(&format!("my.jsonl:2: missing field `{field}`")), "{output:?}");
        let needs = "a record has task_id, prompt, entry_point, canonical_solution and test";
        assert!(output.err.contains(needs), "{output:?}");
    }
}

#[test]
fn every_form_of_programs_can_be_own_data() {
    let mbpp = |id: Value| {
        json!({"task_id": id, "prompt": "Write f that adds one.", "code": "def f(x):\n    return x + 1\n",
            "test_list": ["assert f(1) == 2"]})
    };
    // Numbers outside of the published test split count too.
    let mbpp = lines(&[mbpp(json!(1)), mbpp(json!("mine/b"))]);
    let apps = |id: &str| {
        json!({"problem_id": id, "question": "Print 3.", "solutions": "[\"print(3)\"]",
            "input_output": "{\"inputs\": [\"\\n\"], \"outputs\": [\"3\\n\"]}"})
    };
    let apps = lines(&[apps("a"), apps("b/1")]);
    let plus = |id: &str| {
        json!({"task_id": id, "prompt": "def find_zero(x):\n", "entry_point": "find_zero", "test": "", "atol": 0,
            "canonical_solution": "    return x + 1\n", "base_input": [[1]], "plus_input": [[2]]})
    };
    // In EvalPlus's own file, problem 32 is compared in another way.
    let plus = lines(&[plus("mine/32"), plus("x")]);
    let python = |id: &str| {
        json!({"task_id": id, "prompt": "def f(x):\n", "declaration": "def f(x):\n", "entry_point": "f",
            "canonical_solution": "    return x + 1\n", "buggy_solution": "", "instruction": "Write f.",
            "test": "def check(f):\n    assert f(1) == 2\ncheck(f)\n"})
    };
    let python = lines(&[python("Mine/0"), python("zero")]);
    for (task, data) in [
        ("mbpp", &mbpp),
        ("mbpp-sanitized", &mbpp),
        ("apps-interview", &apps),
        ("humaneval-plus", &plus),
        ("mbpp-plus", &plus),
        ("humanevalpack-python", &python),
    ] {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join("my.jsonl"), data).unwrap();
        let arguments = [&["run", task, "-s", "gold", "--json"][..], &OWN].concat();
        let output = run(folder.path(), &arguments);
        let results = json(&output);
        assert_eq!(
            (output.code, &results["counts"]["passed"]),
            (0, &json!(2)),
            "{task}: {output:?}"
        );
        assert_eq!(results["task"], "my-bench");
    }
}

#[test]
fn translations_and_lines_can_be_own_data() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("my.json"), json!({"a": "x = 1\n"}).to_string()).unwrap();
    let arguments = ["score", "c2c", "-", "-d", "my.json", "--name", "mine", "--json"];
    let results = json(&feed(folder.path(), &arguments, &json!({"a": "x = 1\n"}).to_string()));
    assert_eq!((&results["task"], &results["counts"]["passed"]), (&json!("mine"), &json!(1)));
    let (scratch, _root) = common::dataset("Set", 3);
    let arguments = ["run", "codrep", "-d", "Set", "--name", "mine", "-s", "gold", "--json"];
    let results = json(&run(scratch.path(), &arguments));
    assert_eq!(results["task"], "mine");
    assert!(results["signature"].as_str().unwrap().contains("|as:codrep|"), "{results}");
}
