//! Answers of a chat: prose and fenced code in a file of answers, and `--extract`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, feed, json, real_data, run, unpack};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// The problems T/0 to T/3 in HumanEval's format.
fn four_problems() -> TempDir {
    let folder = tempdir().unwrap();
    let problem = |number: usize| {
        let line = json!({"task_id": format!("T/{number}"), "entry_point": "add",
            "prompt": "import math\n\n\ndef add(a, b):\n    \"\"\"Add.\"\"\"\n",
            "canonical_solution": "    return a + b\n",
            "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n"});
        format!("{line}\n")
    };
    let text: String = (0..4).map(problem).collect();
    fs::write(folder.path().join("problems.jsonl"), text).unwrap();
    folder
}

const PROGRAM: &str = "def add(a, b):\n    return a + b\n";

/// A whole program in a block, a continuation in a block, a continuation without one, and a program between prose.
fn chat() -> String {
    let answers = [
        (
            "completion",
            format!(
                "Sure!\n\n```python\n{PROGRAM}```\n\nUse it:\n\n```python\nprint(add(1, 2))\n```\n"
            ),
        ),
        ("completion", "```python\n    return a + b\n```\nIt adds.".to_owned()),
        ("completion", "    return a + b\n".to_owned()),
        ("solution", format!("This function adds:\n\n{PROGRAM}\nThat's all (really).\n")),
    ];
    let line = |(at, (key, text)): (usize, (&str, String))| {
        format!("{}\n", json!({"task_id": format!("T/{at}"), key: text}))
    };
    answers.into_iter().enumerate().map(line).collect()
}

fn score(folder: &Path, answers: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["score", "humaneval", "-", "-d", "problems.jsonl", "--json"];
    feed(folder, &[&arguments[..], more].concat(), answers)
}

#[test]
fn without_extraction_fences_fail_with_a_hint() {
    let folder = four_problems();
    let output = score(folder.path(), &chat(), &[]);
    let results = json(&output);
    assert_eq!(results["counts"]["passed"], 1, "{results}");
    assert_eq!(results.get("extracted"), None);
    assert!(!results["signature"].as_str().unwrap().contains("extract"), "{results}");
    let hint =
        "2 of 4 answers contain Markdown fences: `--extract code` grades only the code in them";
    assert!(output.err.contains(hint), "{output:?}");
}

#[test]
fn extraction_grades_the_code_and_says_what_it_cut() {
    let folder = four_problems();
    for (rule, passed) in [("code", 4), ("def", 4), ("first-block", 3), ("last-block", 2)] {
        let output = score(folder.path(), &chat(), &["--extract", rule]);
        let results = json(&output);
        assert_eq!(results["counts"]["passed"], passed, "{rule}: {results}");
        let signature = results["signature"].as_str().unwrap();
        assert!(signature.contains(&format!("|extract:{rule}.2|solver:")), "{signature}");
        assert_eq!(results["extracted"]["rule"], format!("{rule}.2"));
        assert!(!output.err.contains("contain Markdown fences"), "{output:?}");
    }
    let output = score(folder.path(), &chat(), &["--extract", "code"]);
    let expected = json!({"rule": "code.2", "answers": 4, "changed": 3, "programs": 1});
    assert_eq!(json(&output)["extracted"], expected);
    let said = "extract:code.2 cut 3 of 4 answers; 1 holds the whole program and is graded as one";
    assert!(output.err.contains(said), "{output:?}");
}

#[test]
fn a_failed_answer_is_shown_with_the_reply_that_it_was_cut_from() {
    let folder = four_problems();
    let reply = "Sure!\n\n```python\ndef add(a, b):\n    return a - b\n```\n\nIt adds.\n";
    let whole = json!({"task_id": "T/0", "completion": reply});
    let plain = json!({"task_id": "T/1", "completion": "    return a - b\n"});
    let answers = format!("{whole}\n{plain}\n");
    let more = ["--extract", "code", "--failures", "2"];
    let results = json(&score(folder.path(), &answers, &more));
    let samples = results["failed_samples"].as_array().unwrap();
    assert_eq!((&samples[0]["rule"], &samples[0]["reply"]), (&"code.2".into(), &reply.into()));
    assert_eq!(samples[0]["answer"], "def add(a, b):\n    return a - b\n");
    assert_eq!((samples[1].get("rule"), samples[1].get("reply")), (None, None));
    let arguments = ["score", "humaneval", "-", "-d", "problems.jsonl"];
    let shown = feed(folder.path(), &[&arguments[..], &more].concat(), &answers).out;
    assert!(shown.contains("  cut       code.2 kept 2 of 6 lines of the reply\n"), "{shown}");
    assert!(shown.contains("  reply\n    Sure!\n"), "{shown}");
    assert_eq!(shown.matches("  cut  ").count(), 1, "{shown}");
}

#[test]
fn answers_without_prose_are_graded_as_before() {
    let folder = four_problems();
    let plain: String = (0..4)
        .map(|at| {
            format!(
                "{}\n",
                json!({"task_id": format!("T/{at}"), "completion": "    return a + b\n"})
            )
        })
        .collect();
    let without = json(&score(folder.path(), &plain, &["--verdicts", "without"]));
    let with = json(&score(folder.path(), &plain, &["--verdicts", "with", "--extract", "code"]));
    assert_eq!(with["counts"], without["counts"]);
    assert_eq!(with["extracted"]["changed"], 0);
    let verdicts = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let key = |line: &str| {
            let verdict: Value = serde_json::from_str(line).unwrap();
            (verdict["problem"].clone(), verdict["outcome"].clone(), verdict["program"].clone())
        };
        text.lines().map(key).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("with"), verdicts("without"));
}

#[test]
fn translations_have_code_in_blocks_and_line_numbers_have_none() {
    let folder = tempdir().unwrap();
    fs::write(
        folder.path().join("truth.json"),
        json!({"a": "x = 1\n", "b": "y = 2\n"}).to_string(),
    )
    .unwrap();
    let answers = json!({"a": "Here:\n```python\nx = 1\n```\n", "b": "y = 2\n"}).to_string();
    let arguments = ["score", "c2c", "-", "-d", "truth.json", "--json"];
    let plain = feed(folder.path(), &arguments, &answers);
    assert!(plain.err.contains("1 of 2 answers contains Markdown fences"), "{plain:?}");
    let output = feed(folder.path(), &[&arguments[..], &["--extract", "code"]].concat(), &answers);
    assert_eq!(json(&output)["counts"]["passed"], 2, "{output:?}");
    let refused =
        feed(folder.path(), &["score", "codrep", "-", "-d", "sample", "--extract", "code"], "");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("answers to codrep are no code"), "{refused:?}");
    let other = feed(
        folder.path(),
        &["score", "humanevalpack-js", "-", "-d", "sample", "--extract", "def"],
        "[[\"x\"]]",
    );
    assert!(
        other.code == 2 && other.err.contains("--extract def knows no JavaScript"),
        "{other:?}"
    );
}

/// The replies of ChatGPT as they came, with their fences: the code in them passes as often as the code that their
/// authors cut from them.
#[test]
fn the_code_in_replies_of_chatgpt_is_found() {
    let Some(data) = real_data("the_code_in_replies_of_chatgpt_is_found") else { return };
    let files = unpack(&data.join("model_outputs/mapcoder-chatgpt.tar.zst"), "HumanEval");
    let text = String::from_utf8(files["ChatGPT-Analogical-Python3-0-1.jsonl"].clone()).unwrap();
    let folder = tempdir().unwrap();
    let (mut replies, mut cut) = (String::new(), String::new());
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let last = |key: &str| record[key].as_array().unwrap().last().unwrap().clone();
        let named = |text: Value| {
            json!({"task_id": record["task_id"], "completion": text}).to_string() + "\n"
        };
        replies += &named(last("responses"));
        cut += &json!({"task_id": record["task_id"], "solution": last("source_codes")}).to_string();
        cut.push('\n');
    }
    fs::write(folder.path().join("replies.jsonl"), replies).unwrap();
    fs::write(folder.path().join("cut.jsonl"), cut).unwrap();
    let problems = data.join("humaneval/HumanEval.jsonl.gz").display().to_string();
    let passed = |file: &str, more: &[&str]| {
        let arguments =
            ["score", "humaneval", file, "-d", &problems, "--json", "--prelude", "typing"];
        json(&run(folder.path(), &[&arguments[..], more].concat()))["counts"]["passed"]
            .as_u64()
            .unwrap()
    };
    let found = passed("replies.jsonl", &["--extract", "code"]);
    assert!(passed("replies.jsonl", &[]) < 10);
    assert!(found >= passed("cut.jsonl", &[]), "{found}");
}
