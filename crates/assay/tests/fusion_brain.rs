//! The tasks `htr`, `zsod`, `vqa` and `fusion-brain`: files, numbers, records and error messages.

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, feed, json, metric, real_data, run, runs};
use serde_json::{Value, json as object};
use tempfile::TempDir;

/// A folder with these files in it.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder"))
            .expect("a folder can be made");
        fs::write(path, content.to_string()).expect("a file can be written");
    }
    folder
}

/// Scores `prediction` as `task` against `truth`.
fn score(task: &str, truth: &Value, prediction: &Value) -> CommandOutput {
    let folder = folder(&[("t.json", truth.clone()), ("p.json", prediction.clone())]);
    run(folder.path(), &["score", task, "p.json", "--data", "t.json", "--json"])
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-12, "{left} is not {right}");
}

fn counts(results: &Value) -> [u64; 5] {
    ["problems", "answered", "passed", "failed", "not_answered"]
        .map(|name| results["counts"][name].as_u64().expect("it is there"))
}

/// Checks that every metric has its number of problems, and lies in its interval.
fn check_estimates(results: &Value) {
    for (name, estimate) in results["metrics"].as_object().expect("it is there") {
        let [low, value, high] =
            ["low", "value", "high"].map(|name| estimate[name].as_f64().expect("it is there"));
        assert!(0.0 <= low && low <= value && value <= high, "{name}: {estimate}");
        assert!(estimate["n"].as_u64().expect("it is there") > 0, "{name}: {estimate}");
    }
}

#[test]
fn handwriting() {
    let truth = object!({"0.png": "Ёж", "1.png": "two words", "2.png": "", "3.png": "x"});
    let prediction = object!({"0.png": "Ёж", "1.png": "two  words", "9.png": "more"});
    let results = json(&score("htr", &truth, &prediction));
    close(metric(&results, "accuracy"), 0.5);
    assert_eq!(counts(&results), [4, 3, 2, 1, 1], "an empty text need not be there");
    check_estimates(&results);
    let signature = results["signature"].as_str().unwrap();
    for field in ["htr@1|", "|data:", "|n:4|", "|ci:wilson95|", "|assay:", "|solver:file@"] {
        assert!(signature.contains(field), "{field} in {signature}");
    }
}

#[test]
fn detection() {
    let truth = object!({
        "0.jpg": {"a cat": [[0, 0, 10, 10], [50, 50, 10, 10]], "a dog": []},
        "1.jpg": {"a cat": [[5, 5, 10, 10]]},
    });
    let prediction = object!({
        "0.jpg": {"a cat": [[1, 0, 10, 10]], "a dog": [[]], "a cow": [[1, 1, 1, 1]]},
        "1.jpg": {"a cat": [[5, 5, 10, 10], [80, 80, 3, 3]]},
    });
    let results = json(&score("zsod", &truth, &prediction));
    // Two hits, one box too many, one cat that was not asked for.
    for name in ["f1", "precision", "recall"] {
        close(metric(&results, name), 2.0 / 3.0);
    }
    assert_eq!(counts(&results), [2, 2, 0, 2, 0]);
    check_estimates(&results);
    assert!(results["signature"].as_str().unwrap().contains("|ci:ratio-wilson95|"));
}

fn questions() -> (Value, Value) {
    let truth = object!({
        "0": {"answer": "2 кошка", "question_id": 0, "lang": "ru"},
        "1": {"answer": ["no", "don't"], "question_id": 1, "lang": "en"},
        "2": {"answer": "кошки", "question_id": 2, "lang": "ru"},
    });
    (truth, object!({"0": "Две кошки!", "1": "the dont.", "2": "кошки"}))
}

#[test]
fn questions_about_images() {
    let (truth, prediction) = questions();
    let results = json(&score("vqa", &truth, &prediction));
    close(metric(&results, "accuracy"), 0.667);
    assert_eq!(counts(&results), [3, 3, 2, 1, 0], "a truth is not normalised");
    check_estimates(&results);
    let signature = results["signature"].as_str().unwrap();
    assert!(signature.contains("|lemmas:opencorpora-2.4."), "{signature}");
}

#[test]
fn the_whole_challenge() {
    let (truth, prediction) = questions();
    let files = folder(&[
        ("truth/true_HTR.json", object!({"0.png": "a", "1.png": "b"})),
        ("truth/true_zsOD.json", object!({"0.jpg": {"x": [[0, 0, 2, 2]]}})),
        ("truth/true_VQA.json", truth),
        ("output/prediction_HTR.json", object!({"0.png": "a"})),
        ("output/prediction_OD.json", object!({"0.jpg": {"x": [[0, 0, 2, 2]]}})),
        ("output/prediction_VQA.json", prediction),
    ]);
    let call = ["score", "fusion-brain", "output", "--data", "truth"];
    let output = run(files.path(), &[call.as_slice(), &["--json"]].concat());
    assert_eq!(output.code, 5, "one subtask has no truth: {output:?}");
    assert!(output.err.contains("not scored") && output.err.contains("c2c"), "{output:?}");
    let results = json(&output);
    for (name, value) in [("htr", 0.5), ("zsod", 1.0), ("vqa", 0.667), ("integral", 2.167)] {
        close(metric(&results, name), value);
    }
    check_estimates(&results);
    assert_eq!(results["task"], "fusion-brain");
    assert_eq!(results["not_scored"], object!(["c2c"]));
    assert_eq!(results["minimums"]["vqa"], object!({"minimum": 0.25, "met": true}));
    assert_eq!(results["minimums"]["c2c"], object!({"minimum": 0.2, "met": null}));
    assert_eq!(counts(&results), [6, 5, 4, 1, 1]);
    let table = run(files.path(), &call).out;
    for line in [
        "fusion-brain  file:output  integral 2.17 [",
        "minimums for file:output: c2c 0.2 not scored, htr 0.3 met",
        "vqa 0.667 [",
    ] {
        assert!(table.contains(line), "{line} in {table}");
    }
    fs::remove_file(files.path().join("output/prediction_OD.json")).unwrap();
    let output = run(files.path(), &call);
    assert_eq!((output.code, output.out.as_str()), (3, ""));
    assert!(output.err.contains("there is no prediction_zsOD.json in output"), "{output:?}");
    assert!(output.err.contains("hint:"), "{output:?}");
    for file in ["truth/true_HTR.json", "truth/true_zsOD.json", "truth/true_VQA.json"] {
        fs::remove_file(files.path().join(file)).unwrap();
    }
    assert!(run(files.path(), &call).err.contains("truth holds no truth"));
}

#[test]
fn what_stops_the_official_scripts_is_refused_by_file_and_key() {
    let right = |lang: &str| object!({"7": {"answer": "a", "lang": lang}});
    for (task, truth, prediction, message) in [
        ("htr", object!({}), object!({}), "t.json: there is nothing to score"),
        ("htr", object!({"0": 5}), object!({}), "t.json:1:6: \"0\" is a number, not a text"),
        ("htr", object!({"0": "a"}), object!({"0": null}), "p.json:1:6: \"0\" is null, not a text"),
        (
            "zsod",
            object!({"0": {}}),
            object!({"0": {}, "1": {}}),
            "p.json: \"1\" is not in the truth",
        ),
        ("zsod", object!({"0": {}, "1": {}}), object!({"0": {}}), "p.json: \"1\" is missing"),
        (
            "zsod",
            object!({"0": {"x": []}}),
            object!({"0": {}}),
            "p.json: 0: lacks the phrase \"x\"",
        ),
        ("zsod", object!({"0": {"x": []}}), object!({"0": {"x": [[1, 2]]}}), "box 1 has 2 numbers"),
        ("vqa", right("en"), object!({}), "p.json: \"7\" is missing"),
        ("vqa", right("en"), object!({"7": "a", "8": "b"}), "p.json: \"8\" is not in the truth"),
        ("vqa", right("de"), object!({"7": "a"}), ": \"7\": `de` is not"),
        ("vqa", object!({}), object!({}), "t.json: there is nothing to score"),
    ] {
        let output = score(task, &truth, &prediction);
        assert_eq!((output.code, output.out.as_str()), (3, ""), "{output:?}");
        assert!(
            output.err.contains(message) && output.err.contains("hint:"),
            "{message}: {output:?}"
        );
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let files = folder(&[("t.json", object!({"0": "a"}))]);
    let call = ["score", "htr", "-", "--data", "t.json", "--json"];
    for (text, message) in [
        ("", "standard input:1: not JSON: EOF while parsing a value"),
        ("{\"0\": NaN}", "standard input:1:7: not JSON: expected value"),
        ("{\"0\":\"a\",\n\"0\":\"b\"}", "standard input:2:5: \"0\" is there twice, first at "),
        (&"[".repeat(1 << 20), "standard input:1: a list, where an object"),
    ] {
        let output = feed(files.path(), &call, text);
        assert_eq!(output.code, 3, "{output:?}");
        assert!(output.err.contains(message), "{message}: {output:?}");
    }
    fs::write(files.path().join("latin.json"), b"{\"0\":\n\"\xe9\"}").unwrap();
    let output = run(files.path(), &["score", "htr", "latin.json", "--data", "t.json"]);
    assert!(output.err.contains("latin.json:2:2: not UTF-8"), "{output:?}");
    assert_eq!(run(files.path(), &["score", "htr", "t.json", "--data", "none.json"]).code, 3);
    assert_eq!(run(files.path(), &["score", "htr", "t.json"]).code, 2, "where is the truth?");
    let strict = ["score", "htr", "t.json", "--data", "t.json", "--rules", "strict"];
    assert_eq!(run(files.path(), &strict).code, 2);
}

/// Compares the scores of the sample files with the official scripts', through the commands.
#[test]
fn golden_cases_through_the_command_line() {
    let Some(data) = real_data("fusion brain") else { return };
    let packed = fs::read(data.join("golden/fusion_brain/cases.jsonl.zst")).unwrap();
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
    let mut seen = 0;
    for case in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (task, name) = match case["task"].as_str().unwrap() {
            "HTR" => ("htr", "accuracy"),
            "zsOD" => ("zsod", "f1"),
            _ => continue,
        };
        let output = score(task, &case["true"], &case["pred"]);
        match case["expected"].as_f64() {
            Some(expected) => {
                let found = metric(&json(&output), name);
                assert_eq!(found.to_bits(), expected.to_bits(), "{}: {found}", case["name"]);
            }
            None => assert_eq!(output.code, 3, "{}: {output:?}", case["name"]),
        }
        seen += 1;
    }
    assert!(seen > 30, "{seen} cases");
}

#[test]
fn answers_of_a_run_must_be_complete_where_a_part_needs_every_answer() {
    let files = folder(&[
        ("t/true_HTR.json", object!({"0": "a"})),
        ("t/true_VQA.json", object!({"7": {"answer": "a", "question_id": 7, "lang": "en"}})),
    ]);
    // 5: two parts have no truth.
    for (answers, code) in [("", 3), ("{\"problem\":\"VQA/7\",\"response\":{\"text\":\"a\"}}\n", 5)]
    {
        fs::write(files.path().join("answers.jsonl"), answers).unwrap();
        let output =
            run(files.path(), &["score", "fusion-brain", "answers.jsonl", "--data", "t", "--json"]);
        assert_eq!(output.code, code, "{output:?}");
    }
}

#[test]
fn the_signature_names_what_c2c_depends_on() {
    let text = object!({"0": "def f ( x ) : NEW_LINE INDENT return x NEW_LINE DEDENT"});
    let files =
        folder(&[("t/true_C2C.json", text.clone()), ("p/prediction_C2C.json", text.clone())]);
    let call = ["score", "fusion-brain", "p", "--data", "t", "--json"];
    let signature = json(&run(files.path(), &call))["signature"].as_str().unwrap().to_owned();
    let field = signature.split('|').find_map(|field| field.strip_prefix("c2c:")).unwrap();
    for part in ["variant:fusion-brain", "weights:", "grammar"] {
        assert!(field.contains(part), "{part} in {field}");
    }
    for (truth, message) in [
        ("[]", "true_C2C.json:1: a list, where an object"),
        ("{}", "true_C2C.json: there is nothing to score"),
        ("{\"0\": 5}", "true_C2C.json:1:7: \"0\" is a number, not a text"),
    ] {
        fs::write(files.path().join("t/true_C2C.json"), truth).unwrap();
        let output = run(files.path(), &call);
        assert_eq!((output.code, output.out.as_str()), (3, ""), "{output:?}");
        assert!(
            output.err.contains(message) && output.err.contains("hint:"),
            "{message}: {output:?}"
        );
    }
    // An editor may have marked the file as UTF-8.
    fs::write(files.path().join("t/true_C2C.json"), format!("\u{feff}{text}")).unwrap();
    assert_eq!(run(files.path(), &call).code, 5, "the other subtasks have no truth");
}

#[test]
fn any_name_that_the_challenge_gave_a_file_is_found() {
    let truth = object!({"0": "def f ( ) : NEW_LINE"});
    for name in ["C2C", "С2С", "С2C", "C2С"] {
        let files = folder(&[
            (&format!("t/true_{name}.json"), truth.clone()),
            ("p/prediction_C2C.json", truth.clone()),
        ]);
        let output = run(files.path(), &["score", "fusion-brain", "p", "--data", "t"]);
        assert!(!output.err.contains("holds no truth"), "{name}: {output:?}");
    }
    let both = folder(&[
        ("t/true_zsOD.json", object!({})),
        ("t/true_OD.json", object!({})),
        ("p/prediction_OD.json", object!({})),
    ]);
    let output = run(both.path(), &["score", "fusion-brain", "p", "--data", "t"]);
    assert!(output.err.contains("are both there"), "{output:?}");
    let output = run(Path::new("/"), &["score", "fusion-brain", "/none", "--data", "/none"]);
    assert_eq!(output.code, 3, "{output:?}");
}

/// The metric that each task is ranked by, and its maximum.
const RANKED: [(&str, &str, f64); 4] = [
    ("htr", "accuracy", 1.0),
    ("zsod", "f1", 1.0),
    ("vqa", "accuracy", 1.0),
    ("fusion-brain", "integral", 4.0),
];

#[test]
fn right_answers_of_a_run_are_right_and_can_be_scored_again() {
    for (task, name, highest) in RANKED {
        let scratch = tempfile::tempdir().unwrap();
        let output = run(scratch.path(), &["run", task, "--data", "sample", "--json"]);
        assert_eq!(output.code, 0, "{output:?}");
        let results = json(&output);
        close(metric(&results, name), highest);
        assert_eq!(results["counts"]["passed"], results["counts"]["problems"]);
        let [folder] = runs(scratch.path()).try_into().expect("there is one run");
        let answers = folder.join("answers.jsonl").display().to_string();
        let call = ["score", task, &answers, "--data", "sample", "--json"];
        let again = json(&run(scratch.path(), &[&call[..], &["--verdicts", "v.jsonl"]].concat()));
        assert_eq!(
            (&again["metrics"], &again["counts"]),
            (&results["metrics"], &results["counts"])
        );
        let verdicts = fs::read_to_string(scratch.path().join("v.jsonl")).unwrap();
        assert_eq!(
            verdicts.lines().count() as u64,
            results["counts"]["problems"].as_u64().unwrap()
        );
    }
}

#[test]
fn a_folder_of_truths_can_be_run_with_a_folder_of_predictions() {
    let (truth, prediction) = questions();
    let code = object!({"0": "def f ( ) : NEW_LINE"});
    let files = folder(&[
        ("truth/true_C2C.json", code.clone()),
        ("truth/true_zsOD.json", object!({"0.jpg": {"x": [[0, 0, 2, 2]]}})),
        ("truth/true_VQA.json", truth),
        ("output/prediction_С2С.json", code),
        ("output/prediction_zsOD.json", object!({"0.jpg": {"x": [[9, 9, 2, 2]]}})),
        ("output/prediction_VQA.json", prediction),
    ]);
    let call = ["run", "fusion-brain", "--data", "truth", "--json", "--solver"];
    let output = run(files.path(), &[&call[..], &["file:output"]].concat());
    assert_eq!(output.code, 5, "one subtask has no truth: {output:?}");
    let ran = json(&output);
    let call = ["score", "fusion-brain", "output", "--data", "truth", "--json"];
    let scored = json(&run(files.path(), &call));
    for field in ["metrics", "counts", "minimums", "not_scored"] {
        assert_eq!(ran[field], scored[field], "{field}");
    }
    assert_eq!(scored["not_scored"], object!(["htr"]));
    let signature = scored["signature"].as_str().unwrap();
    for field in ["|scored:c2c+zsod+vqa|c2c:", "|lemmas:", "|ci:each+mover95|"] {
        assert!(signature.contains(field), "{field} in {signature}");
    }
    // A subtask finds its own truth in the folder.
    let call = ["score", "zsod", "output/prediction_zsOD.json", "--data", "truth", "--json"];
    close(metric(&json(&run(files.path(), &call)), "f1"), 0.0);
    let output = run(files.path(), &["score", "htr", "output", "--data", "sample"]);
    assert!(output.err.contains("output is a folder, not a file of answers"), "{output:?}");
}

#[test]
fn answers_that_are_no_boxes_count_as_not_answered_in_a_run() {
    let files = folder(&[("t.json", object!({"0": {"x": [[0, 0, 2, 2]]}, "1": {"y": []}}))]);
    let program = "program:sh -c 'printf \"none\\n{\\\"y\\\":[]}\\n\"'";
    let call = ["run", "zsod", "--data", "t.json", "--json", "--solver", program];
    let results = json(&run(files.path(), &call));
    assert_eq!(counts(&results), [2, 1, 1, 0, 1]);
    close(metric(&results, "recall"), 0.0);
}
