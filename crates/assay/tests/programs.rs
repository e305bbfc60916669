//! Tasks whose answers are programs: HumanEval, MBPP and EvalPlus's, from the command line.

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, json, metric, real_data, run, unpack};
use serde_json::{Value, json};
use tempfile::tempdir;

const TASKS: [&str; 5] = ["humaneval", "humaneval-plus", "mbpp", "mbpp-sanitized", "mbpp-plus"];

/// The share of answers that pass; the exit code says whether answers are missing.
fn passed(output: &CommandOutput) -> f64 {
    let results = json(output);
    let code = if results["counts"]["not_answered"] == 0 { 0 } else { 5 };
    assert_eq!(output.code, code, "{output:?}");
    metric(&results, "pass@1")
}

fn share(passed: u32, all: u32) -> f64 {
    f64::from(passed) / f64::from(all)
}

#[test]
fn every_problem_inside_is_solved_by_its_reference() {
    let folder = tempdir().unwrap();
    for task in TASKS {
        for rules in ["strict", "compat"] {
            let arguments =
                ["run", task, "--data", "sample", "--solver", "gold", "--rules", rules, "--json"];
            let output = run(folder.path(), &arguments);
            assert!((passed(&output) - 1.0).abs() < f64::EPSILON, "{task} {rules}: {output:?}");
        }
    }
}

/// Answers to the sample's first problem, `count_vowels`, whose right answer to "assay" is 2.
fn score_first(answer: &Value, rules: &str) -> f64 {
    let folder = tempdir().expect("a folder can be made");
    let mut answer = answer.clone();
    answer["task_id"] = "Sample/1".into();
    fs::write(folder.path().join("samples.jsonl"), answer.to_string())
        .expect("a file can be written");
    let arguments =
        ["score", "humaneval", "samples.jsonl", "--data", "sample", "--rules", rules, "--json"];
    passed(&run(folder.path(), &arguments))
}

#[test]
fn completions_continue_the_prompt_and_solutions_are_whole() {
    let body = "    return sum(map(text.lower().count, 'aeiou'))\n";
    let whole = format!("def count_vowels(text):\n{body}");
    for rules in ["strict", "compat"] {
        let check = |answer: Value, right: u32| {
            let found = score_first(&answer, rules);
            assert!((found - share(right, 12)).abs() < 1e-12, "{answer} {rules}: {found}");
        };
        check(json!({ "completion": body }), 1);
        check(json!({ "solution": whole }), 1);
        check(json!({ "solution": body }), 0);
        check(json!({ "completion": "    return 2\n" }), 0);
        // Text after the function is not cut off: the field's scorers do not cut it off, either.
        check(json!({ "completion": format!("{body}\nnonsense(\n") }), 0);
    }
}

#[test]
fn details_mark_every_input_and_change_no_verdict() {
    let folder = tempdir().unwrap();
    let program = "def count_vowels(text):\n    if text == 'assay': raise ValueError(text)\n    \
        return sum(map(text.count, 'aeiou'))\n";
    let answer = json!({ "task_id": "Sample/1", "solution": program });
    fs::write(folder.path().join("samples.jsonl"), answer.to_string()).unwrap();
    let verdict = |options: &[&str]| {
        let given = ["score", "humaneval-plus", "samples.jsonl", "--data", "sample"];
        let arguments = [&given[..], &["--verdicts", "verdicts.jsonl"], options].concat();
        let output = run(folder.path(), &arguments);
        assert_eq!(output.code, 5, "11 problems have no answer: {output:?}");
        let text = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
        serde_json::from_str::<Value>(text.lines().next().unwrap()).unwrap()
    };
    let (plain, details) = (verdict(&[]), verdict(&["--details"]));
    assert_eq!(plain["detail"], Value::Null);
    assert_eq!(details["detail"], "-TT TFT");
    for key in ["outcome", "scores", "ending"] {
        assert_eq!(plain[key], details[key], "{key}");
    }
}

#[test]
fn a_result_that_says_it_equals_everything_passes_in_compat_only() {
    let sly =
        "    class Equal:\n        def __eq__(self, other): return True\n    return Equal()\n";
    let answer = json!({ "completion": sly });
    assert!(score_first(&answer, "strict").abs() < f64::EPSILON);
    assert!((score_first(&answer, "compat") - share(1, 12)).abs() < 1e-12);
}

#[test]
fn a_bad_line_is_named_with_its_key_and_cure() {
    let folder = tempdir().unwrap();
    let line = json!({ "task_id": "HumanEval/0", "prompt": "def f(): pass\n", "entry_point": "f",
        "canonical_solution": "", "test": "def check(candidate): pass\n" });
    let refused = |second: &str| {
        fs::write(folder.path().join("HumanEval.jsonl"), format!("{line}\n{second}\n")).unwrap();
        let output = run(folder.path(), &["run", "humaneval", "--data", "HumanEval.jsonl"]);
        assert_ne!(output.code, 0, "{output:?}");
        output.err
    };
    let without_test = refused(
        r#"{"task_id": "HumanEval/1", "prompt": "", "entry_point": "f", "canonical_solution": ""}"#,
    );
    assert!(without_test.contains("HumanEval.jsonl:2: missing field `test`"), "{without_test}");
    assert!(without_test.contains("a record has task_id, prompt"), "{without_test}");
    let twice = refused(&line.to_string());
    assert!(twice.contains("HumanEval.jsonl:2: task_id HumanEval/0 is on line 1 too"), "{twice}");
}

#[test]
fn the_data_of_another_task_is_refused() {
    let folder = tempdir().unwrap();
    let lines = [
        (
            "humaneval.jsonl",
            json!({ "task_id": "H/0", "prompt": "def f():\n", "entry_point": "f",
                "canonical_solution": "    return 1\n", "test": "def check(f):\n    assert f() == 1\n" }),
        ),
        (
            "whole.jsonl",
            json!({ "task_id": 11, "text": "t", "code": "def f(): return 1",
                "test_setup_code": "", "test_list": ["assert f() == 1"] }),
        ),
        (
            "sanitized.jsonl",
            json!({ "task_id": 11, "prompt": "t", "code": "def f(): return 1",
                "test_imports": [], "test_list": ["assert f() == 1"] }),
        ),
    ];
    for (name, line) in &lines {
        fs::write(folder.path().join(name), line.to_string()).unwrap();
    }
    let mut plus = lines[0].1.clone();
    plus["test"] = "def check(f):\n    assertion(f(), 1, 0)\n".into();
    fs::write(folder.path().join("plus.jsonl"), plus.to_string()).unwrap();
    for (task, data, other) in [
        ("humaneval", "plus.jsonl", "humaneval-plus"),
        ("humaneval-plus", "humaneval.jsonl", "the task humaneval"),
        ("mbpp", "sanitized.jsonl", "mbpp-sanitized"),
        ("mbpp-sanitized", "whole.jsonl", "the task mbpp"),
        ("mbpp-plus", "whole.jsonl", "mbpp and mbpp-sanitized"),
    ] {
        let output = run(folder.path(), &["run", task, "--data", data, "--solver", "gold"]);
        assert_eq!(output.code, 3, "{task} {data}: {output:?}");
        assert!(
            output.err.contains(data) && output.err.contains(other),
            "{task} {data}: {output:?}"
        );
    }
    for (task, data) in [
        ("humaneval", "humaneval.jsonl"),
        ("mbpp", "whole.jsonl"),
        ("mbpp-sanitized", "sanitized.jsonl"),
    ] {
        let output =
            run(folder.path(), &["run", task, "--data", data, "--solver", "gold", "--json"]);
        assert!((passed(&output) - 1.0).abs() < f64::EPSILON, "{task} {data}: {output:?}");
    }
}

#[test]
fn what_only_lines_have_is_refused_before_anything_runs() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("samples.jsonl"), "").unwrap();
    for option in [&["--distinct"][..], &["--format", "codrep"]] {
        let score = ["score", "humaneval", "samples.jsonl", "--data", "sample"];
        let output = run(folder.path(), &[&score, option].concat());
        assert_eq!(output.code, 2, "{option:?}: {output:?}");
    }
}

#[test]
fn signatures_name_the_interpreter() {
    let folder = tempdir().unwrap();
    let output = run(
        folder.path(),
        &["run", "mbpp", "--data", "sample", "--solver", "gold", "-L", "1", "--json"],
    );
    let signature = json(&output)["signature"].as_str().unwrap_or_default().to_owned();
    let (_, after) = signature.split_once("|python:3.").expect("a version of Python");
    assert!(after.starts_with(|letter: char| letter.is_ascii_digit()), "{signature}");
}

#[test]
fn prompts_are_called_by_name() {
    let folder = tempdir().unwrap();
    let output = run(folder.path(), &["run", "mbpp", "--data", "sample", "--prompt", "poem"]);
    assert!(output.err.contains("mbpp has no prompt called \"poem\""), "{output:?}");
    assert!(output.err.contains("incoder, google, paper"), "{output:?}");
    for prompt in ["incoder", "google", "paper"] {
        let arguments =
            ["run", "mbpp", "--data", "sample", "--prompt", prompt, "--solver", "gold", "--json"];
        let output = run(folder.path(), &arguments);
        let signature = json(&output)["signature"].to_string();
        assert!(signature.contains(&format!("prompt:{prompt}")), "{signature}");
    }
    let shown = run(folder.path(), &["show", "humaneval"]).out;
    assert!(shown.contains("unstripped") && shown.contains("stripped"), "{shown}");
}

#[test]
fn references_of_the_real_data_pass() {
    let Some(data) = real_data("references_of_the_real_data_pass") else { return };
    let folder = tempdir().unwrap();
    for (task, place) in [("humaneval", "humaneval"), ("mbpp", "mbpp"), ("mbpp-sanitized", "mbpp")]
    {
        let place = data.join(place).display().to_string();
        let output =
            run(folder.path(), &["run", task, "--data", &place, "--solver", "gold", "--json"]);
        assert!((passed(&output) - 1.0).abs() < f64::EPSILON, "{task}: {output:?}");
    }
}

#[test]
fn real_models_score_what_was_published() {
    let Some(data) = real_data("real_models_score_what_was_published") else { return };
    let folder = tempdir().unwrap();
    let score = |answers: &Path| {
        let answers = answers.display().to_string();
        let place = data.join("humaneval").display().to_string();
        let arguments = ["score", "humaneval", &answers, "--data", &place, "--json"];
        passed(&run(folder.path(), &arguments))
    };
    let wizard = data.join("model_outputs/wizardcoder-15b.humaneval.59.8.gen.zip");
    assert!((score(&wizard) - share(98, 164)).abs() < 1e-12);
    let files =
        unpack(&data.join("model_outputs/qwen2.5-coder-1.5b-base.tar.zst"), "evalplus/humaneval");
    let qwen = folder.path().join("qwen.jsonl");
    fs::write(&qwen, &files["generated.jsonl"]).unwrap();
    assert!((score(&qwen) - share(72, 164)).abs() < 1e-12);
}

#[test]
fn a_run_without_isolation_is_marked_as_one() {
    let folder = tempdir().unwrap();
    let arguments =
        ["run", "humaneval", "--data", "sample", "--solver", "gold", "-L", "2", "--json"];
    let told = |extra: &[&str]| -> CommandOutput {
        let mut command = common::assay(folder.path());
        // An interpreter that every user can run: if assay runs as root, programs run as nobody.
        command.env("PATH", "/usr/bin:/bin").args(arguments).args(extra);
        command.output().unwrap().into()
    };
    let bare = told(&["--unsafe-no-isolation"]);
    assert_eq!(bare.code, 0, "{bare:?}");
    assert!(bare.err.contains("without isolation (--unsafe-no-isolation)"), "{}", bare.err);
    assert!(bare.out.contains("isolation:none"), "{}", bare.out);
    let isolated = told(&[]);
    assert_eq!(isolated.code, 0, "{isolated:?}");
    assert!(!isolated.err.contains("without isolation"), "{}", isolated.err);
    assert!(!isolated.out.contains("isolation"), "{}", isolated.out);
}

/// Problems in MBPP's format, whose references define the tested names in unusual ways.
fn unusual_mbpp(folder: &Path) {
    let codes = [
        "triple = lambda x: 3 * x",
        "def helper(x):\n    return 3 * x\ntriple = helper",
        "if True:\n    def triple(x):\n        return 3 * x",
        "try:\n    from operator import nothing_of_the_kind as triple\nexcept ImportError:\n    \
         def triple(x):\n        return 3 * x",
        "from functools import partial\nfrom operator import mul\ntriple = partial(mul, 3)",
    ];
    let tests = ["assert triple(2) == 6", "assert triple('a') == 'aaa'"];
    let mut lines: Vec<String> = (11..)
        .zip(codes)
        .map(|(number, code)| {
            let text = "Triple it.";
            json!({ "task_id": number, "text": text, "code": code, "test_list": tests }).to_string()
        })
        .collect();
    // The first is passed by programs that do nothing, the second by its import.
    let idle = [
        ("def f(x):\n    return None", "assert f(1) is None"),
        ("from math import gcd\ndef f(x):\n    return x", "assert gcd(4, 6) == 2"),
    ];
    for (number, (code, test)) in (30..).zip(idle) {
        let line = json!({ "task_id": number, "text": "?", "code": code, "test_list": [test] });
        lines.push(line.to_string());
    }
    fs::write(folder.join("mbpp.jsonl"), lines.join("\n")).expect("a file can be written");
}

#[test]
fn what_does_nothing_passes_nowhere() {
    let folder = tempdir().expect("a folder can be made");
    unusual_mbpp(folder.path());
    let numbers = [11, 12, 13, 14, 15, 30, 31];
    let score = |program: &str| {
        let answers = numbers.map(|number| json!({ "task_id": number, "solution": program }));
        let answers = answers.map(|answer| answer.to_string()).join("\n");
        fs::write(folder.path().join("answers.jsonl"), answers).expect("a file can be written");
        run(folder.path(), &["score", "mbpp", "answers.jsonl", "--data", "mbpp.jsonl", "--json"])
    };
    for program in ["", "x = 1\n", "triple = f = lambda *arguments: None\n"] {
        let output = score(program);
        // A problem is excluded, which the exit code shows.
        assert_eq!(output.code, 5, "{output:?}");
        let results = json(&output);
        assert_eq!(results["counts"]["passed"], 0, "{program}: {results}");
        assert_eq!(results["counts"]["excluded"], 1, "{program}: {results}");
        assert_eq!(results["gold"], json!({ "passed": 6, "of": 7 }), "{program}");
    }
    let output = score("def triple(x):\n    return x * 3\ndef f(x):\n    return None\n");
    assert_eq!(json(&output)["counts"]["passed"], 5, "{output:?}");
    assert!(output.err.contains("passes its tests"), "{output:?}");
}

#[test]
fn a_program_that_only_passes_apart_from_its_tests_does_not_pass() {
    let folder = tempdir().expect("a folder can be made");
    let problem = json!({ "task_id": "H/0", "prompt": "def grid(n):\n", "entry_point": "grid",
        "canonical_solution": "    return [[0] * n for _ in range(n)]\n",
        "test": "def check(candidate):\n    found = candidate(2)\n    found[0][0] = 1\n    \
            assert found == [[1, 0], [0, 0]]\n" });
    fs::write(folder.path().join("data.jsonl"), problem.to_string()).expect("it can be written");
    let kept =
        "rows = {}\ndef grid(n):\n    rows[n] = [[0] * n for _ in range(n)]\n    return rows[n]\n";
    // The first repeats one row. The second keeps references to its rows, which is harmless.
    for (program, passes) in [("def grid(n):\n    return [[0] * n] * n\n", 0), (kept, 1)] {
        let answer = json!({ "task_id": "H/0", "solution": program });
        fs::write(folder.path().join("answers.jsonl"), answer.to_string())
            .expect("it can be written");
        let arguments = ["score", "humaneval", "answers.jsonl", "--data", "data.jsonl", "--json"];
        let arguments = [&arguments[..], &["--verdicts", "verdicts.jsonl"]].concat();
        let output = run(folder.path(), &arguments);
        assert_eq!(json(&output)["counts"]["passed"], passes, "{output:?}");
        let verdict =
            fs::read_to_string(folder.path().join("verdicts.jsonl")).expect("it is there");
        assert_eq!(verdict.contains("one_process"), passes == 0, "{verdict}");
    }
}
