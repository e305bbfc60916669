//! Failures: their breakdown in the results, and failed samples in full.

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, assay, dataset, json, real_data, run, runs};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Problems of HumanEval's form: a function that doubles a number, with tests over several lines.
fn problems(count: usize) -> TempDir {
    let folder = tempdir().expect("a folder can be made");
    let problem = |number: usize| {
        let test = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(\n        \
            [1, 2],\n    ) == [\n        1, 2,\n        1, 2,\n    ], 'lists'\n    \
            assert abs(candidate(1.5) - 3.0) < 1e-6\n";
        json!({ "task_id": format!("HumanEval/{number}"), "entry_point": "double", "test": test,
            "prompt": "def double(x):\n    \"\"\"Double it.\"\"\"\n",
            "canonical_solution": "    return x + x\n" })
    };
    let lines: String = (0..count).map(|number| format!("{}\n", problem(number))).collect();
    fs::write(folder.path().join("HumanEval.jsonl"), lines).expect("a file can be written");
    folder
}

const RIGHT: &str = "    return x + x\n";
const WRONG: &str = "    return x * 2 if type(x) is int else x\n";
const INEXACT: &str = "    return x + x if type(x) is not float else x\n";
const NAME: &str = "    y = 1\n    return undefined(x)\n";
const TYPE: &str = "    return x + 'x'\n";
const SYNTAX: &str = "    return (\n";

/// Writes completions, one for each problem.
fn answers(folder: &Path, completions: &[&str]) {
    let line = |(number, completion): (usize, &&str)| {
        format!("{}\n", json!({ "task_id": number.to_string(), "completion": completion }))
    };
    let lines: String = completions.iter().enumerate().map(line).collect();
    fs::write(folder.join("samples.jsonl"), lines).expect("a file can be written");
}

/// Runs the binary on a page of 80 columns.
fn on_page(folder: &Path, arguments: &[&str]) -> CommandOutput {
    assay(folder).args(arguments).env("COLUMNS", "80").output().expect("the binary runs").into()
}

const SCORE: [&str; 5] = ["score", "humaneval", "samples.jsonl", "--data", "HumanEval.jsonl"];
const MIX: [&str; 7] = [RIGHT, WRONG, NAME, NAME, TYPE, SYNTAX, INEXACT];

#[test]
fn the_breakdown_is_shown_recorded_and_survives_rescoring() {
    let folder = problems(MIX.len());
    answers(folder.path(), &MIX);
    let output = run(folder.path(), &SCORE);
    let line =
        "failures: exception 3 (NameError 2, TypeError 1) · wrong answer 2 · syntax error 1\n";
    assert!(output.out.contains(line), "{output:?}");
    let scored = json(&run(folder.path(), &[&SCORE[..], &["--json"]].concat()));
    let expected = json!({ "kinds": { "wrong_answer": 2, "exception": 3, "syntax_error": 1 },
        "exceptions": { "NameError": 2, "TypeError": 1 } });
    assert_eq!(scored["counts"]["failures"], expected);
    let arguments =
        ["run", "humaneval", "--data", "HumanEval.jsonl", "--solver", "file:samples.jsonl"];
    let output = run(folder.path(), &arguments);
    assert!(output.out.contains(line), "{output:?}");
    let record = &runs(folder.path())[0];
    let results = fs::read(record.join("results.json")).unwrap();
    let results: Value = serde_json::from_slice(&results).unwrap();
    assert_eq!(results["counts"]["failures"], expected);
    // From the verdicts alone, after an interruption and by a rescoring.
    fs::remove_file(record.join("results.json")).unwrap();
    let resume = ["run", "--resume", record.to_str().unwrap(), "--json"];
    assert_eq!(json(&run(folder.path(), &resume))["counts"]["failures"], expected);
}

#[test]
fn failed_samples_are_shown_in_full_a_mix_of_kinds_first() {
    let folder = problems(MIX.len());
    answers(folder.path(), &MIX);
    let output = on_page(folder.path(), &[&SCORE[..], &["--failures", "4"]].concat());
    for part in [
        "\n1 of 4: HumanEval/1, sample 0\n  outcome   wrong answer: assert candidate( [1, 2], ) == [ 1, 2, 1, 2, ],\n            'lists'\n",
        "  prompt\n    def double(x):\n        \"\"\"Double it.\"\"\"\n  answer\n        return x * 2",
        "  call      double([1, 2])\n  expected  [1, 2, 1, 2]\n  got       [1, 2]\n",
        "\n2 of 4: HumanEval/2, sample 0\n  outcome   NameError: name 'undefined' is not defined, line 4\n",
        "  call      double(1)\n  traceback\n    line 4, in double\n      return undefined(x)\n",
        "\n3 of 4: HumanEval/5, sample 0\n  outcome   syntax error: ",
        "\n4 of 4: HumanEval/4, sample 0\n  outcome   TypeError: ",
    ] {
        assert!(output.out.contains(part), "{part:?} is not in {}", output.out);
    }
    let shown = output.out.split_once("\nfailures:").unwrap().1;
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(!output.out.contains('\x1b'), "there is no terminal to colour");
    for jobs in ["1", "3"] {
        let again =
            on_page(folder.path(), &[&SCORE[..], &["--failures", "4", "-j", jobs]].concat());
        assert_eq!(again.out, output.out);
    }
    let all = json(&run(folder.path(), &[&SCORE[..], &["--failures", "99", "--json"]].concat()));
    let failed = all["failed_samples"].as_array().unwrap();
    assert_eq!(failed.len(), 6);
    assert_eq!(failed[0]["kind"], "wrong_answer");
    assert_eq!(failed[0]["expected"], "[1, 2, 1, 2]");
    assert_eq!(failed[1]["class"], "NameError");
    assert_eq!(failed[1]["answer"], NAME);
    let near = failed.iter().find(|sample| sample["problem"] == "HumanEval/6").unwrap();
    assert_eq!((&near["call"], &near["got"]), (&json!("double(1.5)"), &json!("1.5")));
    assert_eq!(near["expected"], "within 1e-06 of 3.0");
}

#[test]
fn compat_tells_wrong_answers_and_keeps_its_verdicts() {
    let folder = problems(2);
    answers(folder.path(), &[RIGHT, WRONG]);
    let compat = ["--rules", "compat", "--verdicts", "verdicts.jsonl", "--failures", "1"];
    let output = run(folder.path(), &[&SCORE[..], &compat].concat());
    assert!(output.out.contains("  expected  [1, 2, 1, 2]\n  got       [1, 2]\n"), "{output:?}");
    let verdicts = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
    let second: Value = serde_json::from_str(verdicts.lines().nth(1).unwrap()).unwrap();
    assert_eq!(
        (&second["outcome"], &second["ending"]["kind"]),
        (&json!("failed"), &json!("wrong_answer"))
    );
    let message = second["ending"]["message"].as_str().unwrap();
    assert!(message.ends_with("double([1, 2]) gave [1, 2], not [1, 2, 1, 2]"), "{message}");
}

#[test]
fn a_complete_run_is_only_read() {
    let folder = problems(MIX.len());
    answers(folder.path(), &MIX);
    let arguments =
        ["run", "humaneval", "--data", "HumanEval.jsonl", "--solver", "file:samples.jsonl"];
    run(folder.path(), &arguments);
    let record = &runs(folder.path())[0];
    let before = common::files(record);
    let show = ["run", "--resume", record.to_str().unwrap(), "--failures", "2"];
    let output = run(folder.path(), &show);
    assert!(output.out.contains("1 of 2: HumanEval/1, sample 0"), "{output:?}");
    assert!(output.out.contains("  expected  [1, 2, 1, 2]\n"), "{output:?}");
    let listed = json(&run(folder.path(), &[&show[..], &["--json"]].concat()));
    assert_eq!(listed["failed_samples"].as_array().unwrap().len(), 2);
    assert_eq!(common::files(record), before);
    // Without the data, the record still has the answers.
    fs::rename(folder.path().join("HumanEval.jsonl"), folder.path().join("gone")).unwrap();
    let output = run(folder.path(), &show);
    assert!(output.err.contains("failed samples are shown without their problems"), "{output:?}");
    assert!(output.out.contains("  answer\n        return x * 2"), "{output:?}");
}

#[test]
fn runs_with_standard_input_show_input_output_and_the_first_difference() {
    let folder = tempdir().unwrap();
    let lines =
        |shift: u32| (1..=30).map(|n| format!("{}\n", n + shift * u32::from(n == 20))).collect();
    let (input, expected): (String, String) = ("30\n".to_owned(), lines(0));
    let tests = json!({ "inputs": [input], "outputs": [expected] }).to_string();
    let problem = json!({ "problem_id": 0, "question": "Count.", "difficulty": "interview",
        "input_output": tests, "starter_code": "", "solutions": "" });
    let answer = json!({ "task_id": 0,
        "solution": "for n in range(1, int(input()) + 1): print(n if n != 20 else 21)" });
    fs::write(folder.path().join("test.jsonl"), problem.to_string()).unwrap();
    fs::write(folder.path().join("answers.jsonl"), answer.to_string()).unwrap();
    for rules in ["strict", "compat"] {
        let arguments = ["score", "apps-interview", "answers.jsonl", "--data", "test.jsonl"];
        let more = ["--rules", rules, "--failures", "1"];
        let output = run(folder.path(), &[&arguments[..], &more].concat());
        for part in [
            "outcome   wrong answer: line 20 is \"21\", not \"20\"\n",
            "  input     30\n",
            "  expected\n    …\n    18\n    19\n    20\n",
            "  got\n    …\n    18\n    19\n    21\n",
        ] {
            assert!(output.out.contains(part), "{rules}: {part:?} is not in {}", output.out);
        }
    }
}

#[test]
fn calls_of_apps_are_told_by_the_name_of_the_function() {
    let folder = tempdir().unwrap();
    let tests = json!({ "fn_name": "add", "inputs": [[1, 2]], "outputs": [3] }).to_string();
    let problem = json!({ "problem_id": 0, "question": "Add.", "difficulty": "interview",
        "input_output": tests, "starter_code": "", "solutions": "" });
    let answer = json!({ "task_id": 0, "solution": "def add(a, b): return a - b" });
    fs::write(folder.path().join("test.jsonl"), problem.to_string()).unwrap();
    fs::write(folder.path().join("answers.jsonl"), answer.to_string()).unwrap();
    for rules in ["strict", "compat"] {
        let arguments = ["score", "apps-interview", "answers.jsonl", "--data", "test.jsonl"];
        let more = ["--rules", rules, "--failures", "1", "--json"];
        let results = json(&run(folder.path(), &[&arguments[..], &more].concat()));
        assert_eq!(results["failed_samples"][0]["message"], "add(1, 2) gave -1, not 3", "{rules}");
    }
}

#[test]
fn evalplus_calls_are_told() {
    let folder = tempdir().unwrap();
    let program = "def count_vowels(text):\n    return len(text)\n";
    let answer = json!({ "task_id": "Sample/1", "solution": program });
    fs::write(folder.path().join("samples.jsonl"), answer.to_string()).unwrap();
    for rules in ["strict", "compat"] {
        let arguments = ["score", "humaneval-plus", "samples.jsonl", "--data", "sample"];
        let more = ["--rules", rules, "--failures", "1", "--json"];
        let results = json(&run(folder.path(), &[&arguments[..], &more].concat()));
        let failed = &results["failed_samples"][0];
        assert_eq!(failed["message"], "base: count_vowels('assay') is 5, not 2", "{rules}");
        if rules == "strict" {
            assert_eq!(
                (&failed["call"], &failed["got"]),
                (&json!("count_vowels('assay')"), &json!("5"))
            );
        }
    }
}

#[test]
fn lines_are_recorded_and_the_worst_are_shown_with_their_texts() {
    let (scratch, _) = dataset("Dataset", 40);
    let prediction = |number: usize| {
        let line = if number.is_multiple_of(2) { number / 2 + 1 } else { number + 2 };
        format!("Dataset/Tasks/{number}.txt {line}\n")
    };
    let predictions: String = (1..=40).map(prediction).collect();
    fs::write(scratch.path().join("p.txt"), predictions).unwrap();
    let score = ["score", "codrep", "p.txt", "--data", "Dataset"];
    let more = ["--failures", "2", "--verdicts", "v.jsonl"];
    let output = run(scratch.path(), &[&score[..], &more].concat());
    for part in [
        "\n1 of 2: Dataset/39, sample 0\n  answer    line 41; right is line 20 (21 lines off)\n",
        "  new line\n    changed39();\n",
        "  answered\n    39 │ line39();\n    40 │ line40();\n  > 41 │ line41();\n",
        "  right\n    18 │ line18();\n    19 │ line19();\n  > 20 │ line20();\n    21 │ line21();\n",
        "\n2 of 2: Dataset/37, sample 0\n",
    ] {
        assert!(output.out.contains(part), "{part:?} is not in {}", output.out);
    }
    let verdicts = fs::read_to_string(scratch.path().join("v.jsonl")).unwrap();
    let first: Value = serde_json::from_str(verdicts.lines().next().unwrap()).unwrap();
    assert_eq!((&first["predicted"], &first["solution"]), (&json!([3]), &json!(1)));
    let listed = json(&run(scratch.path(), &[&score[..], &["--failures", "1", "--json"]].concat()));
    let worst = &listed["failed_samples"][0];
    assert_eq!(worst["predicted"], json!([{ "line": 41, "text": "line41();" }]));
    assert_eq!(worst["solution"], json!({ "line": 20, "text": "line20();" }));
    assert_eq!(worst["new_line"], "changed39();");
    // Without the option, no task file is opened.
    for number in 1..=40 {
        fs::write(scratch.path().join(format!("Dataset/Tasks/{number}.txt")), "").unwrap();
    }
    let rights: String = (1..=40).map(|number| format!("Dataset/Tasks/{number}.txt 1\n")).collect();
    fs::write(scratch.path().join("p.txt"), rights).unwrap();
    let output = run(scratch.path(), &score);
    assert!(output.out.contains("recall@1"), "{output:?}");
}

#[test]
fn the_lowest_scored_texts_are_shown_with_their_references() {
    let folder = tempdir().unwrap();
    let output = run(
        folder.path(),
        &["run", "trans-java-cs", "--data", "sample", "--solver", "copy", "--failures", "2"],
    );
    assert_eq!(output.out.matches("  reference\n").count(), 2, "{output:?}");
    let shown = json(&run(
        folder.path(),
        &[
            "run",
            "trans-java-cs",
            "--data",
            "sample",
            "--solver",
            "copy",
            "--failures",
            "3",
            "--json",
        ],
    ));
    let scores: Vec<f64> = shown["failed_samples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sample| sample["scores"]["bleu"].as_f64().unwrap())
        .collect();
    assert!(scores.len() == 3 && scores.is_sorted(), "{scores:?}");
}

#[test]
fn hostile_exceptions_do_not_blow_up_the_results() {
    let folder = problems(60);
    let hostile: Vec<String> = (0..60)
        .map(|number| {
            format!("    raise type(chr(27) + '[2J' + 'E{number}' * 300000, (Exception,), {{}})('\\n' * 10**6)\n")
        })
        .collect();
    answers(folder.path(), &hostile.iter().map(String::as_str).collect::<Vec<_>>());
    let output = assay(folder.path()).args(SCORE).args(["--failures", "5"]).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(!out.contains('\x1b') && out.len() < 20_000, "{}: {out}", out.len());
    assert!(out.contains("exception 60 ("), "{out}");
    let results = json(&run(folder.path(), &[&SCORE[..], &["--json"]].concat()));
    let failures = &results["counts"]["failures"];
    assert_eq!(failures["exceptions"].as_object().unwrap().len(), 50);
    assert_eq!(failures["other_exceptions"], 10);
}

#[test]
fn every_wrong_answer_of_a_real_model_is_told_with_its_call() {
    let Some(data) = real_data("every_wrong_answer_of_a_real_model_is_told_with_its_call") else {
        return;
    };
    let folder = tempdir().unwrap();
    let packed = data.join("model_outputs/wizardcoder-15b.humaneval.59.8.gen.zip");
    let problems = data.join("humaneval/HumanEval.jsonl.gz");
    let output = run(
        folder.path(),
        &[
            "score",
            "humaneval",
            packed.to_str().unwrap(),
            "--data",
            problems.to_str().unwrap(),
            "-k",
            "1",
            "--failures",
            "200",
            "--json",
        ],
    );
    let results = json(&output);
    let failed = results["failed_samples"].as_array().unwrap();
    assert_eq!(failed.len(), 66);
    let wrong = failed.iter().filter(|sample| sample["kind"] == "wrong_answer");
    for sample in wrong {
        for key in ["call", "expected", "got"] {
            assert!(sample[key].is_string(), "no {key} in {sample}");
        }
    }
}

/// A language, a wrong program for the sample's first problem, and the call, the expected value and the one that came.
const OTHER_LANGUAGES: [(&str, &str, [&str; 3]); 5] = [
    (
        "cpp",
        "int sum_squares(vector<int> n) { return n.size() == 3 ? 7 : 0; }",
        ["sum_squares({1, 2, 3})", "14", "7"],
    ),
    (
        "java",
        "import java.util.*;\nclass Solution {\n  public int sumSquares(List<Integer> n) { return 7; }\n}\n",
        ["s.sumSquares(Arrays.asList(1, 2, 3))", "14", "7"],
    ),
    ("js", "const sumSquares = (n) => [7]", ["sumSquares([1, 2, 3])", "14", "[ 7 ]"]),
    ("go", "func SumSquares(n []int) int { return 7 }", ["SumSquares([]int{1, 2, 3})", "14", "7"]),
    ("rust", "fn sum_squares(n: Vec<i32>) -> i32 { 7 }", ["sum_squares(vec![1, 2, 3])", "14", "7"]),
];

#[test]
fn other_languages_tell_call_expected_and_got() {
    for (language, program, [call, expected, got]) in OTHER_LANGUAGES {
        let folder = tempdir().unwrap();
        let answer = json!({ "task_id": 0, "solution": program });
        fs::write(folder.path().join("answers.jsonl"), answer.to_string()).unwrap();
        let task = format!("humanevalpack-{language}");
        let arguments = ["score", &task, "answers.jsonl", "--data", "sample", "--failures", "1"];
        let output = run(folder.path(), &[&arguments[..], &["--json"]].concat());
        if output.err.contains("this machine has nothing that runs") {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), output.err.as_bytes());
            continue;
        }
        let failed = &json(&output)["failed_samples"][0];
        assert_eq!(failed["kind"], "wrong_answer", "{language}: {failed}");
        for (key, value) in [("call", call), ("expected", expected), ("got", got)] {
            assert_eq!(failed[key], value, "{language}: {failed}");
        }
    }
}
