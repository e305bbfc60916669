//! `-L` and `-i` of `assay score`: only some problems are expected and graded, as in a run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, dataset, feed, json, metric, run};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// The problems T/0 to T/3 in HumanEval's format.
fn four_problems() -> TempDir {
    let folder = tempdir().unwrap();
    let problem = |number: usize| {
        let line = json!({"task_id": format!("T/{number}"), "entry_point": "f",
            "prompt": "def f(number):\n", "canonical_solution": format!("    return number + {number}\n"),
            "test": format!("def check(candidate):\n    assert candidate(1) == 1 + {number}\n")});
        format!("{line}\n")
    };
    let text: String = (0..4).map(problem).collect();
    fs::write(folder.path().join("problems.jsonl"), text).unwrap();
    folder
}

/// Answers to all four; the last one is wrong.
fn four_answers() -> String {
    let added = [0, 1, 2, 7];
    let line = |(number, added)| {
        let body = format!("    return number + {added}\n");
        format!("{}\n", json!({"task_id": format!("T/{number}"), "completion": body}))
    };
    added.into_iter().enumerate().map(line).collect()
}

fn score(folder: &Path, answers: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["score", "humaneval", "-", "-d", "problems.jsonl", "--json"];
    feed(folder, &[&arguments[..], more].concat(), answers)
}

/// A field of a signature.
fn field<'r>(results: &'r Value, name: &str) -> &'r str {
    let signature = results["signature"].as_str().unwrap();
    let named = |field: &&str| field.split_once(':').is_some_and(|(key, _)| key == name);
    signature.split('|').find(named).unwrap_or_else(|| panic!("no {name} in {signature}"))
}

#[test]
fn only_chosen_problems_are_expected_and_graded() {
    let folder = four_problems();
    for (chosen, problems, score_of_it) in [
        (&["-L", "2"][..], 2, 1.0),
        (&["-i", "T/1", "-i", "T/3"], 2, 0.5),
        (&["-i", "T/1", "-i", "T/3", "-L", "1"], 1, 1.0),
        (&[], 4, 0.75),
    ] {
        let verdicts = [chosen, &["--verdicts", "verdicts.jsonl"]].concat();
        let output = score(folder.path(), &four_answers(), &verdicts);
        assert_eq!((output.code, output.err.as_str()), (0, ""), "{chosen:?}: {output:?}");
        let results = json(&output);
        assert_eq!(results["counts"]["problems"], problems, "{results}");
        assert_eq!(results["gold"], json!({"passed": problems, "of": problems}));
        assert!((metric(&results, "pass@1") - score_of_it).abs() < 1e-12, "{results}");
        assert_eq!(results.get("passed_over"), None);
        let verdicts = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
        assert_eq!(verdicts.lines().count(), problems);
    }
}

#[test]
fn the_signature_is_that_of_a_run_on_the_same_problems() {
    let folder = four_problems();
    fs::write(folder.path().join("answers.jsonl"), four_answers()).unwrap();
    for chosen in [&["-L", "3"][..], &["-i", "T/3", "-i", "T/0"]] {
        let scored = json(&score(folder.path(), &four_answers(), chosen));
        let arguments =
            ["run", "humaneval", "-d", "problems.jsonl", "-s", "file:answers.jsonl", "--json"];
        let ran = json(&run(folder.path(), &[&arguments[..], chosen].concat()));
        for name in ["data", "n", "samples", "k", "rules"] {
            assert_eq!(field(&scored, name), field(&ran, name));
        }
        assert_eq!(scored["counts"], ran["counts"]);
        assert_eq!(scored["metrics"], ran["metrics"]);
        let all = json(&score(folder.path(), &four_answers(), &[]));
        assert_ne!(field(&scored, "data"), field(&all, "data"));
    }
}

#[test]
fn a_chosen_problem_without_an_answer_is_missing_and_no_other_one() {
    let folder = four_problems();
    let some: String = four_answers().lines().skip(1).map(|line| format!("{line}\n")).collect();
    let output = score(folder.path(), &some, &["-L", "2"]);
    assert_eq!(output.code, 5, "{output:?}");
    assert!(output.err.contains("T/0") && !output.err.contains("T/2"), "{output:?}");
    assert_eq!(json(&output)["counts"]["not_answered"], 1);
    // An answer to a problem that the data does not have is still refused.
    let odd = some.replace("T/3", "T/9");
    let output = score(folder.path(), &odd, &["-L", "2"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("there is no problem \"T/9\""), "{output:?}");
    let none = score(folder.path(), &four_answers()[..60], &["-i", "T/3"]);
    assert_eq!(none.code, 3, "{none:?}");
    let unknown = score(folder.path(), &some, &["-i", "T/8"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
}

#[test]
fn answers_to_other_problems_alone_are_refused_with_the_reason() {
    let folder = four_problems();
    let first = four_answers().lines().next().unwrap().to_owned();
    let output = score(folder.path(), &first, &["-i", "T/3"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(
        output.err.contains("has no answer to a chosen problem, and 1 to others"),
        "{output:?}"
    );
}

#[test]
fn lines_of_codrep_can_be_chosen_too() {
    let (scratch, _root) = dataset("Set", 6);
    let folder = scratch.path();
    let lines: String =
        (1..=6).map(|number| format!("Set/Tasks/{number}.txt {}\n", number / 2 + 1)).collect();
    let output = feed(folder, &["score", "codrep", "-", "-d", "Set", "-L", "2", "--json"], &lines);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    assert_eq!(results["counts"]["passed"], 2, "{results}");
    let ran = run(folder, &["run", "codrep", "-d", "Set", "-s", "gold", "-L", "2", "--json"]);
    assert_eq!(field(&results, "data"), field(&json(&ran), "data"));
}
