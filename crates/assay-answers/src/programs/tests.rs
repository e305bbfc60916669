//! Programs in every format of the field, and objects that are ambiguous.

use std::fs;
use std::path::Path;

use assay_core::{Cancel, Language, Problems, Response};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tests::{few, summarize};
use crate::{AnswerFile, AnswerSource, GivenAnswer};

fn read(text: &str) -> AnswerFile {
    AnswerFile::read(&mut text.as_bytes(), "answers", &few(3)).unwrap()
}

/// Checks the answers in a text, and the format in which they are recognized.
fn check(text: &str, expected: &[&str], read_as: &str) {
    let file = read(text);
    assert!(file.faults.is_empty(), "{text}: {}", file.faults.refuse("answers"));
    assert_eq!(summarize(&file), expected, "{text}");
    assert_eq!(file.read_as.as_deref().unwrap_or_default(), read_as, "{text}");
}

fn refused(text: &str, message: &str) {
    let file = read(text);
    let refusal = file.faults.refuse("answers").to_string();
    assert!(!file.faults.is_empty() && refusal.contains(message), "{text}: {refusal}");
}

fn settled(file: &AnswerFile) -> Vec<bool> {
    file.answers.iter().map(|answer| answer.is_settled).collect()
}

#[test]
fn other_names_of_fields_are_read() {
    for key in [
        "generation",
        "generations",
        "generated_code",
        "generated_solution",
        "code",
        "answer",
        "response",
        "responses",
        "output",
        "outputs",
        "prediction",
        "predictions",
    ] {
        let text = json!({ "task_id": "P/1", key: "x" }).to_string();
        let file = read(&text);
        assert_eq!(summarize(&file), ["1.0=text:x"], "{text}");
        assert_eq!(settled(&file), [false], "{text}");
        let several = read(&json!({ "task_id": "P/1", key: ["x", "y"] }).to_string());
        assert_eq!(summarize(&several), ["1.0=text:x", "1.1=text:y"]);
    }
    for key in ["program", "programs", "code_list"] {
        let file = read(&json!({ "task_id": "P/1", key: ["x"] }).to_string());
        assert_eq!(
            (summarize(&file), settled(&file)),
            (vec!["1.0=program:x".to_owned()], vec![true])
        );
    }
    for key in ["task_id", "problem_id", "name", "problem", "function_name", "id"] {
        check(&json!({ key: "P/2", "completion": "x" }).to_string(), &["2.0=text:x"], "");
    }
    check(
        r#"{"task_id": "P/0", "generation": "x"}"#,
        &["0.0=text:x"],
        "lines with \"generation\", as of CodeFuse and HumanEval-X",
    );
    check(
        "{\"task_id\": \"P/0\", \"samples\": [\"x\"]}\n{\"task_id\": \"P/1\", \"code\": \"y\"}",
        &["0.0=text:x", "1.0=text:y"],
        "lists of samples and lines with \"code\"",
    );
}

#[test]
fn an_object_that_contradicts_itself_is_refused_by_name() {
    refused(
        r#"{"task_id": "P/1", "completion": "a", "generation": "b"}"#,
        "answers:1: \"P/1\": \"completion\" and \"generation\" hold different answers",
    );
    refused(
        r#"{"task_id": "P/1", "code": "a", "output": "b", "response": "a"}"#,
        "\"code\" and \"output\" hold different answers; leave one out, or name the one that counts with --key",
    );
    refused(
        r#"{"task_id": "P/1", "name": "P/2", "completion": "a"}"#,
        "two problems: \"P/1\" and \"P/2\"",
    );
    refused(r#"{"task_id": "P/1", "code": "a", "code": "b"}"#, "the key \"code\" is there twice");
    // The same answer twice, nothing in one of the fields, and pairs whose meaning is known.
    check(r#"{"task_id": "P/1", "completion": "a", "output": "a"}"#, &["1.0=text:a"], "");
    check(r#"{"task_id": "P/1", "completion": "a", "output": null}"#, &["1.0=text:a"], "");
    check(r#"{"task_id": "P/1", "completion": "a", "solution": "b"}"#, &["1.0=program:b"], "");
    let tries =
        r#"{"task_id": "P/1", "name": "one", "source_codes": ["a", "b"], "responses": ["c"]}"#;
    check(tries, &["1.0=program:b"], "an agent's attempts, of which the last one counts");
    // The task's own program in a record of MBPP is not the answer.
    let record =
        json!({ "task_id": "P/1", "code": "own", "test_list": ["assert f"], "completion": "a" });
    check(&record.to_string(), &["1.0=text:a"], "");
    refused(
        r#"{"task_id": "P/1", "code": "own", "test_list": ["assert f"]}"#,
        "the line has no answer",
    );
}

#[test]
fn a_position_is_not_taken_for_a_number() {
    check(r#"{"idx": 2, "completion": "a"}"#, &["2.0=text:a"], "");
    let problems = crate::tests::named(&["P/1", "P/2", "P/3"]);
    let text = r#"{"idx": 1, "completion": "a"}"#;
    let file = AnswerFile::read(&mut text.as_bytes(), "answers", &problems).unwrap();
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("\"idx\" 1 may be a problem's number or its position"), "{refusal}");
    // Another name makes it certain.
    let text = r#"{"idx": 1, "task_id": "P/1", "completion": "a"}"#;
    let file = AnswerFile::read(&mut text.as_bytes(), "answers", &problems).unwrap();
    assert_eq!(summarize(&file), ["0.0=text:a"]);
}

#[test]
fn the_named_field_counts() {
    let line = r#"{"task_id": "P/1", "completion": "a", "final": ["b", "c"]}"#;
    let (problems, all) = (few(3), assay_core::Selection::all(3));
    let read = |key: &str| {
        let mut bytes = line.as_bytes();
        AnswerFile::read_chosen(&Cancel::new(), &mut bytes, "answers", &problems, &all, Some(key))
            .unwrap()
    };
    let file = read("final");
    assert_eq!(summarize(&file), ["1.0=text:b", "1.1=text:c"]);
    assert_eq!(settled(&file), [false, false]);
    let refusal = read("absent").faults.refuse("answers").to_string();
    assert!(refusal.contains("\"P/1\": there is no \"absent\""), "{refusal}");
}

fn multipl_e(name: &str, language: &str) -> Value {
    json!({ "name": name, "language": language, "temperature": 0.2, "prompt": "def f():\n",
        "tests": "check(f)", "completions": ["    a", "    b"], "stop_tokens": ["\ndef"] })
}

#[test]
fn completions_of_multipl_e_continue_their_own_prompt() {
    let expected = ["0.0=program:def f():\n    a", "0.1=program:def f():\n    b"];
    check(&multipl_e("P/0", "py").to_string(), &expected, "MultiPL-E completions");
    let mut results = multipl_e("P/0", "py");
    results["completions"] = Value::Null;
    results["results"] = json!([
        { "program": "def f():\n    a\ncheck(f)", "status": "OK", "exit_code": 0 },
        { "program": "def f():\n    b\ncheck(f)", "status": "Exception", "exit_code": 1 },
    ]);
    check(&results.to_string(), &expected, "MultiPL-E results");
    results["results"] = json!([{ "status": "OK" }]);
    refused(&results.to_string(), "\"results\" holds verdicts without programs");
    let problems = crate::tests::in_language(few(3), Language::Python);
    let java = multipl_e("P/0", "java").to_string();
    let file = AnswerFile::read(&mut java.as_bytes(), "answers", &problems).unwrap();
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("a program in Java, where Python is asked for"), "{refusal}");
}

#[test]
fn objects_with_the_programs_of_each_problem_are_read() {
    let text = "{\"P/1\": \"a\",\n \"P/0\": [\"b\", \"c\"], \"P/2\": {\"solution\": \"d\"}, \"Q/7\": \"e\"}";
    check(
        text,
        &["0.0=text:b", "0.1=text:c", "1.0=text:a", "2.0=program:d"],
        "an object with the programs of each problem",
    );
    let results = json!({ "date": "2024-09-17", "hash": "0", "eval": {
        "P/0": [{ "task_id": "P/0", "solution": "a", "base_status": "pass" }],
        "P/1": [{ "task_id": "P/1", "solution": "b" }, { "task_id": "P/1", "solution": "c" }],
    } });
    check(
        &results.to_string(),
        &["0.0=program:a", "1.0=program:b", "1.1=program:c"],
        "EvalPlus results",
    );
    refused(r#"{"P/0": "a", "P/9": "b"}"#, "there is no problem \"P/9\"");
    refused(r#"{"P/0": 7}"#, "\"P/0\" is a number, which holds no program");
    refused(r#"{"P/0": [[0, {"passed": true}]]}"#, "\"P/0\" is a list, which holds no program");
    refused(r#"{"P/0": "a""#, "answers:1:11: not JSON: EOF");
    refused("{\"P/0\": \"a\"}\n{}", "not JSON: trailing characters");
}

#[test]
fn lines_without_names_are_in_task_order() {
    let line = |text: &str| json!({ "prompt": "def f():", "samples": [text] }).to_string() + "\n";
    let file = read(&(line("a") + &line("b") + &line("c")));
    assert_eq!(summarize(&file), ["0.0=text:a", "1.0=text:b", "2.0=text:c"]);
    assert_eq!(file.answers[1].prompt.as_deref(), Some("def f():"));
    refused(
        &(line("a") + &line("b")),
        "answers:2: the line names no problem: it needs a \"task_id\"",
    );
    let named = json!({ "task_id": "P/0", "completion": "x" }).to_string();
    refused(&(line("a") + &line("b") + &named), "the line names no problem");
}

#[test]
fn hypotheses_of_transcoder_are_put_together() {
    let text =
        "P/1 | def f ( ) : NEW_LINE INDENT return 1 NEW_LINE DEDENT\nP/0 | def g(): return 2\r\n\n";
    check(
        text,
        &["0.0=program:def g(): return 2", "1.0=program:def f ( ) :\n    return 1\n"],
        "TransCoder hypotheses",
    );
    check("P/1\tdef g(): return 2", &["1.0=program:def g(): return 2"], "TransCoder hypotheses");
    refused("P/1 | a\nP/9 | b", "answers:2: there is no problem \"P/9\"");
    refused("P/1 | a\nb", "answers:2: the line has no `NAME | function`");
}

/// Writes files into a folder, and reads it.
fn read_folder(files: &[(&str, &str)]) -> Result<AnswerFile, assay_core::Error> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    read_at(folder.path(), &few(3))
}

fn read_at(path: &Path, problems: &dyn Problems) -> Result<AnswerFile, assay_core::Error> {
    AnswerSource::open(path)?.read(&Cancel::new(), problems)
}

#[test]
fn folders_have_files_for_each_problem() {
    let file = read_folder(&[
        ("1/10.py", "c"),
        ("1/9.py", "b"),
        ("1/0.py", "a"),
        ("2.py", "d"),
        ("README.md", "x"),
        ("run.py", "y"),
        (".hidden/0.py", "z"),
    ])
    .unwrap();
    assert!(file.faults.is_empty(), "{}", file.faults.refuse("answers"));
    assert_eq!(
        summarize(&file),
        ["1.0=program:a", "1.1=program:b", "1.2=program:c", "2.0=program:d"]
    );
    assert_eq!(file.read_as.as_deref(), Some("files named after their problems"));
    let completions = multipl_e("P/0", "py").to_string();
    let mut results = multipl_e("P/0", "py");
    results["completions"] = Value::Null;
    results["results"] = json!([{ "program": "def f():\n    old\ncheck(f)" }]);
    let results = results.to_string();
    let file = read_folder(&[("0.json", &completions), ("0.results.json", &results)]).unwrap();
    assert_eq!(summarize(&file), ["0.0=program:def f():\n    a", "0.1=program:def f():\n    b"]);
    assert_eq!(file.read_as.as_deref(), Some("MultiPL-E completions"));
    let file = read_folder(&[("0.results.json", &results), ("settings.json", "{}")]).unwrap();
    assert_eq!(summarize(&file), ["0.0=program:def f():\n    old"]);
}

#[test]
fn folders_without_answers_are_refused() {
    let error = read_folder(&[("notes.txt", "x"), ("a.md", "y")]).unwrap_err();
    assert!(error.to_string().contains("holds no answers to these problems"), "{error}");
    let file = read_folder(&[("1/0.py", "a"), ("77/0.py", "b"), ("1/1.py", "\u{0}")]).unwrap();
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("77/0.py: there is no problem"), "{refusal}");
    let file = read_folder(&[("1/0.py", "a"), ("2.json", "{\"completion\": 3}")]).unwrap();
    let refusal = file.faults.refuse("answers").to_string();
    assert!(refusal.contains("2.json: \"2\": \"completion\" is a number"), "{refusal}");
}

#[test]
fn numbers_that_may_be_problems_or_samples_are_refused() {
    let refusal = read_folder(&[("1/0.py", "a"), ("1/1.py", "b"), ("1/2.py", "c")]).unwrap_err();
    let message = refusal.to_string();
    assert!(message.contains("1 folder with 3 file names, such as 1/2"), "{message}");
    let several =
        [("0/0.py", "a"), ("0/1.py", "b"), ("1/0.py", "c"), ("1/1.py", "d"), ("0/2.py", "e")];
    assert!(read_folder(&several).is_err());
    // No problem has the number 7, and a name is no number.
    assert!(read_folder(&[("1/0.py", "a"), ("1/7.py", "b")]).is_ok());
    assert!(read_folder(&[("P_1/0.py", "a"), ("P_1/1.py", "b"), ("P_1/2.py", "c")]).is_ok());
}

#[test]
fn archives_are_read_like_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    for (name, text) in [("out/1/0.py", "a"), ("out/1/1.py", "b"), ("out/2/0.py", "c")] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let file = read_at(&path, &few(3)).unwrap();
    assert_eq!(summarize(&file), ["1.0=program:a", "1.1=program:b", "2.0=program:c"]);
}

proptest! {
    #[test]
    fn any_object_is_read_or_refused(
        members in prop::collection::vec(
            (
                "task_id|name|idx|problem|completion|solution|generation|code|prompt|tests|results|samples|completions|x",
                prop_oneof![
                    Just(Value::Null), Just(json!("P/1")), Just(json!(1)), Just(json!(["a", "b"])),
                    Just(json!([{ "program": "a" }])), Just(json!({})), any::<String>().prop_map(Value::from),
                ],
            ),
            0..8,
        ),
        copies in 1..4_usize,
    ) {
        let members: serde_json::Map<String, Value> = members.into_iter().collect();
        let line = Value::Object(members).to_string() + "\n";
        let file = read(&line.repeat(copies));
        let samples = |answer: &GivenAnswer| answer.submission.key;
        prop_assert!(file.answers.is_sorted_by_key(samples));
        for answer in &file.answers {
            prop_assert!(!matches!(&*answer.submission.response, Response::Lines(_)));
        }
        if file.answers.is_empty() {
            prop_assert!(!file.faults.is_empty() || line.trim() == "{}" || line.contains("[]") || !file.passed_over.is_empty(), "{line}");
        }
    }

    #[test]
    fn any_document_is_read_or_refused(
        text in "\\{\"(P/1|date|eval|x)\": ?(\"a\"|\\[\"a\", ?\"b\"\\]|\\{\"P/0\": \\[?\\{\"solution\": \"a\"\\}\\]?\\}|3|\\[3\\])(, \"P/2\": \"c\")?\\}?\n?",
    ) {
        let file = read(&text);
        for answer in &file.answers {
            prop_assert!(answer.index() < 3);
        }
    }

    #[test]
    fn any_lines_with_bars_are_read_or_refused(text in "(P/[0-4]| \\| |\t|\n|def f \\( \\) :|NEW_LINE|INDENT| ){0,20}") {
        let _ = read(&text);
    }
}
