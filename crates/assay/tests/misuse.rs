//! Files that are not what the command expects, and what assay says of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "mkfifo makes pipes")]

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{CommandOutput, assay, feed, json, run};
use serde_json::{Value, json};

/// A problem of HumanEval's form, with EvalPlus's inputs or without.
fn function_problem(id: &str, has_inputs: bool) -> Value {
    let mut problem = json!({"task_id": id, "prompt": "def f(number):\n    \"\"\"Add one.\"\"\"\n",
        "entry_point": "f", "canonical_solution": "    return number + 1\n",
        "test": "def check(candidate):\n    assert candidate(1) == 2\n"});
    if has_inputs {
        problem["base_input"] = json!([[1]]);
        problem["plus_input"] = json!([[2]]);
        problem["atol"] = json!(0);
    }
    problem
}

fn mbpp_problem() -> Value {
    json!({"task_id": 11, "text": "Add one.", "code": "def f(n):\n    return n + 1\n",
        "test_list": ["assert f(1) == 2"], "test_setup_code": ""})
}

fn gzip(path: &Path, text: &str) {
    let mut file =
        flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::fast());
    file.write_all(text.as_bytes()).unwrap();
    file.finish().unwrap();
}

/// Checks that the data is refused, with words of the message or its hint.
fn check_refused(folder: &Path, arguments: &[&str], words: &[&str]) {
    let output = run(folder, arguments);
    assert_eq!((output.code, output.out.as_str()), (3, ""), "{arguments:?}: {output:?}");
    for word in words {
        assert!(output.err.contains(word), "{arguments:?}: {}", output.err);
    }
}

#[test]
fn data_of_another_task_is_refused_by_the_name_of_that_task() {
    let keep = tempfile::tempdir().unwrap();
    let write = |name: &str, record: Value| {
        fs::write(keep.path().join(name), format!("{record}\n")).unwrap();
    };
    write("mbpp.jsonl", mbpp_problem());
    write("he.jsonl", function_problem("HumanEval/0", false));
    write("heplus.jsonl", function_problem("HumanEval/0", true));
    write("mbppplus.jsonl", function_problem("Mbpp/2", true));
    write("answers.jsonl", json!({"task_id": "HumanEval/0", "completion": "    return 1"}));
    let run_with = |task: &str, data: &str, words: &[&str]| {
        check_refused(keep.path(), &["run", task, "-d", data, "-s", "gold"], words);
    };
    run_with("humaneval", "mbpp.jsonl", &["missing field `prompt`", "data of mbpp or"]);
    run_with("humaneval", "answers.jsonl", &["answers and no problems", "assay score"]);
    run_with("humanevalpack-python", "he.jsonl", &["data of humaneval;"]);
    run_with("apps-interview", "mbpp.jsonl", &["data of mbpp or"]);
    // EvalPlus's files of both datasets have the same fields.
    run_with("mbpp-plus", "heplus.jsonl", &["its first problem is HumanEval/0", "humaneval-plus"]);
    run_with("humaneval-plus", "mbppplus.jsonl", &["first problem is Mbpp/2", "mbpp-plus"]);
    run_with("humaneval", "mbppplus.jsonl", &["first problem is Mbpp/2", "mbpp-plus"]);
    let own = ["run", "mbpp-plus", "-d", "heplus.jsonl", "--name", "mine", "-s", "gold"];
    assert_eq!(run(keep.path(), &own).code, 0);
}

#[test]
fn files_that_are_no_archive_or_no_file_are_named_as_such() {
    let keep = tempfile::tempdir().unwrap();
    gzip(
        &keep.path().join("he.jsonl.gz"),
        &format!("{}\n", function_problem("HumanEval/0", false)),
    );
    fs::write(keep.path().join("notes.jsonl"), "def f(): pass\n").unwrap();
    assert!(Command::new("mkfifo").arg(keep.path().join("pipe")).status().unwrap().success());
    for arguments in [
        &["data", "verify", "he.jsonl.gz"][..],
        &["run", "codrep", "-d", "he.jsonl.gz", "-s", "first"],
        &["run", "c2c", "-d", "he.jsonl.gz", "-s", "copy"],
    ] {
        check_refused(keep.path(), arguments, &["is one compressed file and no archive"]);
    }
    for task in ["humaneval", "codrep", "mbpp", "humaneval-plus"] {
        let arguments = ["run", task, "-d", "pipe", "-s", "gold"];
        check_refused(keep.path(), &arguments, &["neither a folder nor a file", "to a file first"]);
    }
    let text = ["run", "humaneval", "-d", "notes.jsonl", "-s", "gold"];
    check_refused(keep.path(), &text, &["notes.jsonl:1: not JSON: "]);
}

fn score_texts(lines: &str) -> CommandOutput {
    feed(Path::new("/"), &["score", "c2c", "-", "-d", "sample", "--json"], lines)
}

#[test]
fn ids_before_texts_are_not_scored() {
    let text = |at: usize| format!("def f ( a ) : return a + {at}");
    let with = |id: &dyn Fn(usize) -> String| -> String {
        (0..12).map(|at| format!("{}{}\n", id(at), text(at))).collect()
    };
    let plain = score_texts(&with(&|_| String::new()));
    assert_eq!(plain.code, 0, "{plain:?}");
    assert!(!plain.err.contains("read as"), "{}", plain.err);
    let expected = &json(&plain)["metrics"];
    for first in [0, 1] {
        let numbered = score_texts(&with(&|at| format!("{}\t", at + first)));
        assert_eq!(&json(&numbered)["metrics"], expected);
        let note = "read as lines with an id and a tab before each text, 12 problems";
        assert!(numbered.err.contains(note), "{}", numbered.err);
    }
    let lines = with(&|at| format!("{at}\t"));
    let mut backwards: Vec<&str> = lines.lines().collect();
    backwards.reverse();
    assert_eq!(&json(&score_texts(&backwards.join("\n")))["metrics"], expected);
    let unclear: String = lines.lines().skip(1).take(5).map(|line| format!("{line}\n")).collect();
    let refused = score_texts(&unclear);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("ids 1 to 5, and there are 12 problems"), "{}", refused.err);
}

#[test]
fn objects_in_lines_are_no_texts() {
    let lines: String = (0..12).map(|at| format!("{{\"id\": {at}, \"text\": \"x\"}}\n")).collect();
    let output = score_texts(&lines);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(
        output.err.contains("each line is an object") && output.err.contains("jq -s"),
        "{}",
        output.err
    );
}

#[test]
fn programs_in_another_language_name_the_task() {
    let line = json!({"name": "Sample_1_f", "language": "java", "prompt": "class P {\n",
        "completions": ["  }"], "stop_tokens": []});
    let arguments = ["score", "humaneval", "-", "-d", "sample", "-L", "1"];
    let output =
        feed(Path::new("/"), &arguments, &line.to_string().replace("Sample_1_f", "Sample/1"));
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("a program in Java, where Python is asked for"), "{}", output.err);
    assert!(output.err.contains("humanevalpack-java"), "{}", output.err);
}

#[test]
fn a_threshold_of_an_uncomputed_k_says_what_it_needs() {
    let keep = tempfile::tempdir().unwrap();
    let line = json!({"task_id": "Sample/1", "completion": "    return 1\n"}).to_string();
    let arguments =
        ["score", "humaneval", "-", "-d", "sample", "-L", "1", "--require", "pass@10>=0.5"];
    let output = feed(keep.path(), &arguments, &line);
    assert_eq!(output.code, 4, "{output:?}");
    let reason = "is undefined: every problem needs as many samples, and the fewest here is 1";
    assert!(output.err.contains(reason), "{}", output.err);
}

#[test]
fn a_pipe_without_a_reader_is_said() {
    let keep = tempfile::tempdir().unwrap();
    let pipe = keep.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::write(keep.path().join("answers.txt"), "sample/Tasks/1.txt 25\n").unwrap();
    let arguments =
        ["score", "codrep", "answers.txt", "-d", "sample", "-L", "1", "--verdicts", "pipe"];
    let mut child = assay(keep.path())
        .args(arguments)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "pipe is a pipe that nobody reads yet: waiting for its reader\n");
    let mut verdicts = String::new();
    File::open(&pipe).unwrap().read_to_string(&mut verdicts).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(verdicts.starts_with("{\"problem\":\"sample/1\""), "{verdicts}");
}

#[test]
fn usage_errors_name_what_there_is_and_no_variable_that_is_not_set() {
    let check = |arguments: &[&str], words: &str| {
        let output = run(Path::new("/"), arguments);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.err.contains(words), "{}", output.err);
        assert!(!output.err.contains("environment"), "{}", output.err);
    };
    check(&["metric", "meteor"], "the commands are: ");
    check(&["metric", "meteor"], "codebleu");
    check(&["frobnicate"], "the commands are: run, score");
    check(&["metric", "bleu", "--hyp", "x"], "--refs <FILE>");
}
