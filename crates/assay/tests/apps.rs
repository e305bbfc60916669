//! APPS from the command line: both kinds of tests, both rules, and the forms of the data.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{json, metric, real_data, run, unpack};
use serde_json::{Value, json};
use tempfile::tempdir;

const LEVELS: [&str; 3] = ["introductory", "interview", "competition"];

#[test]
fn every_problem_inside_is_solved_by_its_reference() {
    let folder = tempdir().unwrap();
    for level in LEVELS {
        for rules in ["strict", "compat"] {
            let task = format!("apps-{level}");
            let output = run(
                folder.path(),
                &["run", &task, "--data", "sample", "--solver", "gold", "--rules", rules, "--json"],
            );
            for name in ["strict-accuracy", "average-accuracy"] {
                assert!((metric(&json(&output), name) - 1.0).abs() < f64::EPSILON, "{output:?}");
            }
        }
    }
}

/// Scores programs against their own tests, one problem each, and returns the marks of their tests.
fn marks(cases: &[(Value, &str)], rules: &str) -> Vec<String> {
    let folder = tempdir().expect("it is sound");
    let problem = |(at, (tests, _)): (usize, &(Value, &str))| {
        // Text is used unchanged: JSON values here have no numbers beyond 64 bits.
        let tests = tests.as_str().map_or_else(|| tests.to_string(), str::to_owned);
        json!({ "problem_id": at, "question": format!("{at}?"), "difficulty": "interview",
            "input_output": tests, "starter_code": "", "solutions": "" })
    };
    let answer =
        |(at, (_, program)): (usize, &(Value, &str))| json!({ "task_id": at, "solution": program });
    let lines =
        |values: Vec<Value>| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let write = |name: &str, values| {
        fs::write(folder.path().join(name), lines(values)).expect("it is sound");
    };
    write("test.jsonl", cases.iter().enumerate().map(problem).collect());
    write("answers.jsonl", cases.iter().enumerate().map(answer).collect());
    let output = run(
        folder.path(),
        &[
            "score",
            "apps-interview",
            "answers.jsonl",
            "--data",
            "test.jsonl",
            "--rules",
            rules,
            "--verdicts",
            "verdicts.jsonl",
            "--json",
        ],
    );
    assert_eq!(output.code, 0, "{output:?}");
    verdicts(&folder.path().join("verdicts.jsonl"))
        .into_iter()
        .map(|verdict| text(&verdict, "detail"))
        .collect()
}

fn verdicts(path: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(path).expect("it is sound");
    lines.lines().map(|line| serde_json::from_str(line).expect("it is sound")).collect()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}")).to_owned()
}

fn check(cases: &[(Value, &str, &str, &str)]) {
    let programs: Vec<(Value, &str)> =
        cases.iter().map(|(tests, program, ..)| (tests.clone(), *program)).collect();
    let (strict, compat) = (marks(&programs, "strict"), marks(&programs, "compat"));
    for (at, (tests, program, by_strict, by_compat)) in cases.iter().enumerate() {
        assert_eq!(strict[at], *by_strict, "strict: {program:?} {tests}");
        assert_eq!(compat[at], *by_compat, "compat: {program:?} {tests}");
    }
}

#[test]
fn programs_run_as_the_rules_say() {
    let two = json!({ "inputs": ["1\n", "2\n"], "outputs": ["1\n", "2\n"] });
    let case = |program, strict, compat| (two.clone(), program, strict, compat);
    check(&[
        case("print(input())", "TT", "TT"),
        case("print(1)", "TF", "TF"),
        case("def main():\n    print(input())\nif __name__ == '__main__':\n    main()", "TT", "FF"),
        case("x = 0\ndef f():\n    global x\n    x += 1\nf()\nprint(input())", "TT", "--"),
        case("import sys\nprint(input())\nsys.exit()", "TT", "TT"),
        case("print(input())\nexit()", "TT", "--"),
        case("print(input())\n1/0", "--", "--"),
        case("print(open(0).read())", "TT", "TT"),
        case("for line in sys.stdin:\n    print(line)", "TT", "TT"),
        case("print(floor(int(input()) + 0.5), Counter() or '')", "TT", "TT"),
        case("print((", "!.", "!."),
        case("", "FF", "!."),
        case("import math", "FF", "--"),
        case("\nQUESTION:\nx\nANSWER:\nprint(input())", "TT", "TT"),
    ]);
}

#[test]
fn functions_are_compared_as_the_rules_say() {
    let gives = |output: Value| json!({ "fn_name": "f", "inputs": [[1]], "outputs": [output] });
    let whole_keys = json!({ "fn_name": "f", "inputs": [[{ "1": 2 }]], "outputs": [{ "1": 2 }] });
    check(&[
        (gives(json!([3])), "def f(x): return 3", "T", "T"),
        (gives(json!([1, 2])), "def f(x): return 1, 2", "T", "T"),
        (gives(json!(2)), "def f(x): return 2.0", "T", "T"),
        (gives(json!(0.3)), "def f(x): return 0.1 + 0.2", "T", "F"),
        (gives(json!([[[1, 2]]])), "def f(x): return [(1, 2)]", "T", "T"),
        (gives(json!([[1, 2]])), "def f(x): return [(1, 2)]", "T", "F"),
        (whole_keys, "def f(x):\n    assert list(x) == [1]\n    return x", "T", "T"),
        (gives(json!([3])), "class Solution:\n    def f(self, x): return 3", "T", "T"),
        (gives(json!([3])), "def g(x): return 3", "-", "-"),
        (gives(json!([3])), "def f(x): return 4", "F", "F"),
        (
            gives(json!([3])),
            "class Same:\n    def __eq__(self, other): return True\ndef f(x): return Same()",
            "F",
            "T",
        ),
    ]);
}

#[test]
fn a_whole_number_is_not_a_rough_float() {
    let gives = |output: &str| {
        let tests = format!(r#"{{"fn_name": "f", "inputs": [[1]], "outputs": [{output}]}}"#);
        Value::String(tests)
    };
    // 20! and 25!, and Stirling's series for them, which is off by less than one in a million.
    let stirling = "def f(x):\n    n = N\n    series = 1 + 1/(12*n) + 1/(288*n*n) - 139/(51840*n**3)\n    \
        return sqrt(2*math.pi*n) * (n/math.e)**n * series";
    let (of_20, of_25) = (stirling.replace('N', "20"), stirling.replace('N', "25"));
    let cases = [
        (gives("2432902008176640000"), of_20.as_str(), "F"),
        (gives("15511210043330985984000000"), &of_25, "F"),
        (gives("[[2432902008176640000]]"), &of_20.replace("return", "return [0] and"), "F"),
        (gives("2.43290200817664e18"), &of_20, "T"),
        (gives("2432902008176640000"), "def f(x): return math.factorial(20)", "T"),
        (gives("5"), "def f(x): return 5.0", "T"),
        (gives("5"), "def f(x): return 5.0000000001", "F"),
        (gives("5.0"), "def f(x): return 5.0000000001", "T"),
        (gives("5.0"), "def f(x): return 10 ** 400", "F"),
        (gives("1e999"), "def f(x): return 5.0", "F"),
        (gives("1e999"), "def f(x): return float('inf')", "T"),
        (gives("-1e999"), "def f(x): return float('inf')", "F"),
        (gives("5.0"), "def f(x): return float('inf')", "F"),
        (gives("5.0"), "def f(x): return float('nan')", "F"),
    ];
    let programs: Vec<(Value, &str)> =
        cases.iter().map(|(tests, program, _)| (tests.clone(), *program)).collect();
    for ((tests, program, wanted), found) in cases.iter().zip(marks(&programs, "strict")) {
        assert_eq!(&found, wanted, "{program:?} {tests}");
    }
}

#[test]
fn a_problem_without_tests_is_excluded_in_sight() {
    let folder = tempdir().unwrap();
    let problem = |id: u32, tests: &str| json!({ "problem_id": id, "question": "q", "difficulty": "interview", "input_output": tests });
    let sound = r#"{"inputs": [""], "outputs": ["1"]}"#;
    let lines = format!("{}\n{}\n", problem(1, ""), problem(2, sound));
    fs::write(folder.path().join("test.jsonl"), lines).unwrap();
    fs::write(folder.path().join("a.jsonl"), r#"{"task_id": 2, "solution": "print(1)"}"#).unwrap();
    let output = run(
        folder.path(),
        &["score", "apps-interview", "a.jsonl", "--data", "test.jsonl", "--json"],
    );
    assert!(output.err.contains("it has no tests"), "{output:?}");
    let output = run(folder.path(), &["run", "apps-competition", "--data", "test.jsonl"]);
    assert!(output.err.contains("has no problem of the level competition"), "{output:?}");
}

#[test]
fn real_references_pass_and_every_form_is_read() {
    let Some(data) = real_data("real_references_pass_and_every_form_is_read") else { return };
    let folder = tempdir().unwrap();
    let original = data.join("apps/original_form_train5.tar.zst").display().to_string();
    for (level, count) in [("introductory", 2), ("interview", 2), ("competition", 1)] {
        for rules in ["strict", "compat"] {
            let task = format!("apps-{level}");
            let output = run(
                folder.path(),
                &[
                    "run", &task, "--data", &original, "--solver", "gold", "--rules", rules,
                    "--json",
                ],
            );
            assert_eq!(json(&output)["counts"]["passed"], count, "{output:?}");
        }
    }
}

#[test]
fn a_file_of_all_levels_is_scored_by_each() {
    let folder = tempdir().unwrap();
    let problem = |id: u32, level: &str, expected: &str| {
        let tests = json!({ "inputs": [""], "outputs": [expected] }).to_string();
        json!({ "problem_id": id, "question": "q", "difficulty": level, "input_output": tests })
    };
    let problems = [
        problem(1, "introductory", "1"),
        problem(2, "interview", "2"),
        problem(2, "interview", "3"),
    ];
    let data: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
    fs::write(folder.path().join("test.jsonl"), data).unwrap();
    let line = |id: u32, printed: u32| {
        format!("{}\n", json!({ "task_id": id, "solution": format!("print({printed})") }))
    };
    let score = |task: &str, answers: &str| {
        fs::write(folder.path().join("a.jsonl"), answers).unwrap();
        run(folder.path(), &["score", task, "a.jsonl", "--data", "test.jsonl", "--json"])
    };
    let all = line(1, 1) + &line(2, 2) + &line(2, 3);
    let output = score("apps-introductory", &all);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(
        (&json(&output)["counts"]["passed"], &json(&output)["passed_over"]),
        (&json!(1), &json!(2))
    );
    assert!(output.err.contains("2 answers do not count"), "{output:?}");
    // Each of the two problems with the same name has its own answer.
    let output = score("apps-interview", &all);
    let counts = &json(&output)["counts"];
    assert_eq!((&counts["problems"], &counts["passed"]), (&json!(2), &json!(2)), "{output:?}");
    assert_eq!(json(&output)["passed_over"], 1);
    let output = score("apps-interview", &line(1, 1));
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("no answer to a problem of apps-interview"), "{output:?}");
    let output = score("apps-interview", &(all + &line(9, 9)));
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("a.jsonl:4: there is no problem \"9\""), "{output:?}");
}

/// The stored verdicts on `ChatGPT`'s answers, by MapCoder's own scorer. It reports "not solved"
/// for every problem whose expected result is not a text, because it fails to compare it.
#[test]
fn real_answers_have_the_verdicts_that_were_stored() {
    let Some(data) = real_data("real_answers_have_the_verdicts_that_were_stored") else { return };
    let folder = tempdir().unwrap();
    let files = unpack(&data.join("model_outputs/mapcoder-chatgpt.tar.zst"), "ChatGPT/APPS");
    let direct = files.into_iter().find(|(name, _)| name.contains("ChatGPT-Direct"));
    let answers = String::from_utf8(direct.expect("it is in the archive").1).unwrap();
    let mut stored = BTreeMap::new();
    for line in answers.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["difficulty"] == "competition" {
            let mut id = row["id"].to_string();
            // The selection contains one problem twice.
            if stored.contains_key(&id) {
                id += "#2";
            }
            stored.insert(id, row["is_solved"].as_bool().unwrap());
        }
    }
    fs::write(folder.path().join("answers.jsonl"), answers).unwrap();
    let selected = data.join("apps/selected150.jsonl").display().to_string();
    let output = run(
        folder.path(),
        &[
            "score",
            "apps-competition",
            "answers.jsonl",
            "--data",
            &selected,
            "--verdicts",
            "verdicts.jsonl",
            "--json",
        ],
    );
    assert_eq!(json(&output)["counts"]["problems"], 48, "{output:?}");
    assert_eq!(json(&output)["passed_over"], 102, "{output:?}");
    for verdict in verdicts(&folder.path().join("verdicts.jsonl")) {
        let problem = text(&verdict, "problem");
        assert_eq!(verdict["outcome"] == "passed", stored[&problem], "{verdict}");
    }
}
