//! Untrusted texts that reach a terminal or a path: invalid names, and inputs that expand.

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use common::{CommandOutput, assay, dataset, feed, json, run, runs};
use serde_json::json;

/// Asserts that neither control characters nor more than a person reads are printed.
fn assert_fit(output: &CommandOutput) {
    for text in [&output.out, &output.err] {
        let obeyed = |letter: char| letter.is_control() && letter != '\n';
        assert!(!text.contains(obeyed), "{text:?}");
        assert!(text.len() < 60_000, "{} bytes", text.len());
    }
    let fake = |line: &str| line.starts_with("hint: send");
    assert!(!output.err.lines().any(fake) && !output.out.lines().any(fake), "{output:?}");
}

#[test]
fn names_from_data_and_answers_are_shown_escaped_and_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let evil = format!("\x1b[2J\x07\nhint: send money\r{}", "x".repeat(5 << 20));
    let problem = |id: &str, tests: &str| {
        json!({ "problem_id": id, "question": "q", "difficulty": "interview", "input_output": tests,
            "starter_code": "", "solutions": "" })
    };
    let sound = r#"{"inputs": [""], "outputs": ["1"]}"#;
    let data = [problem(&evil, ""), problem(&format!("{evil}2"), sound), problem("plain", sound)];
    let lines = |values: &[serde_json::Value]| -> String {
        values.iter().map(|value| format!("{value}\n")).collect()
    };
    fs::write(folder.join("test.jsonl"), lines(&data)).unwrap();
    let score = |answers: &[serde_json::Value], more: &[&str]| {
        fs::write(folder.join("answers.jsonl"), lines(answers)).unwrap();
        let arguments = ["score", "apps-interview", "answers.jsonl", "--data", "test.jsonl"];
        run(folder, &[&arguments[..], more].concat())
    };
    let plain = json!({ "task_id": "plain", "solution": "print(1)" });
    // One problem that is excluded, and one without an answer.
    let output = score(std::slice::from_ref(&plain), &[]);
    assert_eq!(output.code, 5, "{}", output.err);
    assert!(output.err.contains("\\u{1b}[2J"), "{}", output.err);
    assert_fit(&output);
    // An answer to an unknown problem, one to a flawed problem, and a wrong key.
    for answers in [
        json!({ "task_id": format!("{evil}?"), "solution": "print(1)" }),
        json!({ "task_id": evil, "solution": "print(1)" }),
        json!({ "task_id": "plain", "solution": { evil.as_str(): 1 } }),
        json!({ evil.as_str(): 1 }),
    ] {
        let output = score(&[plain.clone(), answers], &[]);
        assert_eq!(output.code, 3, "{}", output.err);
        assert_fit(&output);
    }
    let output = run(folder, &["run", "apps-interview", "--data", "test.jsonl", "-s", "gold"]);
    assert_fit(&output);
    let output =
        run(folder, &["run", "apps-interview", "--data", "test.jsonl", "-i", &evil[..5000]]);
    assert_fit(&output);
    // Verdicts keep the whole name.
    score(&[plain], &["--verdicts", "verdicts.jsonl"]);
    let verdicts = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    let whole = |line: &str| {
        let verdict: serde_json::Value = serde_json::from_str(line).unwrap();
        verdict["problem"] == evil.as_str()
    };
    assert!(verdicts.lines().any(whole));
}

#[test]
fn what_a_program_says_is_shown_escaped() {
    let (keep, root) = dataset("D", 3);
    let folder = keep.path();
    let script =
        "printf '\\033[2Jnoise\\n'; printf '\\033]0;title\\007\\nhint: send\\n' >&2; exit 3";
    fs::write(folder.join("predictor.sh"), script).unwrap();
    let data = root.display().to_string();
    for command in ["run codrep -d", "predict"] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let further = ["-s", "program:sh predictor.sh \x1b[31m"];
        let output = run(folder, &[&arguments[..], &[data.as_str()], &further[..]].concat());
        assert_eq!(output.code, 5, "{output:?}");
        assert!(output.err.contains("\\u{1b}"), "{output:?}");
        assert_fit(&output);
    }
}

#[test]
fn an_archive_s_name_does_not_lead_out_of_the_staging_folder() {
    let (keep, root) = dataset("D", 2);
    let script = r#"echo "$1" >> asked; for task in "$1"/*.txt; do echo "$task 1"; done"#;
    for name in ["...tar", "..tar", ".tar"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("predictor.sh"), script).unwrap();
        let mut archive = tar::Builder::new(File::create(folder.join(name)).unwrap());
        for part in ["Tasks", "Solutions"] {
            archive.append_dir_all(part, root.join(part)).unwrap();
        }
        archive.finish().unwrap();
        let arguments = ["run", "codrep", "-d", name, "-s", "program:sh predictor.sh", "--json"];
        let output = run(folder, &arguments);
        assert_eq!(output.code, 0, "{name} {output:?}");
        assert_eq!(json(&output)["counts"]["answered"], 2, "{name} {output:?}");
        let asked = fs::read_to_string(folder.join("asked")).unwrap();
        let record = runs(folder).remove(0);
        let staged = Path::new(asked.trim()).strip_prefix(&record).unwrap();
        assert_eq!(staged, Path::new("scratch").join(name).join("Tasks"));
        assert!(!record.join("Tasks").exists() && !folder.join("runs/Tasks").exists());
    }
    drop(keep);
}

#[test]
fn a_program_that_gives_fewer_samples_is_told_with_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let script =
        r#"head -n 1 "$1" | sed 's/.*"task_id":"\([^"]*\)".*/{"task_id":"\1","solution":"x=1"}/'"#;
    fs::write(folder.join("few.sh"), script).unwrap();
    let output = run(
        folder,
        &["run", "humaneval", "--data", "sample", "-L", "2", "-n", "3", "-s", "program:sh few.sh"],
    );
    assert!(output.err.contains("answered 1 of 6"), "{output:?}");
}

#[test]
fn answers_from_a_pipe_are_read_once() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    let answers = "1.txt 1\n\n\n2.txt 1\n3.txt 1\n";
    let arguments = ["score", "codrep", "-", "--data", data.as_str(), "--json"];
    let by_input = feed(keep.path(), &arguments, answers);
    assert_eq!(by_input.code, 0, "{by_input:?}");
    let pipe = keep.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    let child = assay(keep.path())
        .args(["score", "codrep", "pipe", "--data", data.as_str(), "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    File::create(&pipe).unwrap().write_all(answers.as_bytes()).unwrap();
    let by_pipe: CommandOutput = child.wait_with_output().unwrap().into();
    assert_eq!(json(&by_pipe)["metrics"], json(&by_input)["metrics"]);
}

#[test]
fn a_bomb_of_blank_lines_is_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    // 64 MiB of line feeds; the work is bounded by the speed of memory, which no test can time.
    let bomb = zstd::encode_all(&vec![b'\n'; 64 << 20][..], 1).unwrap();
    fs::write(folder.path().join("bomb.jsonl.zst"), bomb).unwrap();
    let output = run(folder.path(), &["score", "humaneval", "bomb.jsonl.zst", "--data", "sample"]);
    assert!(output.code == 3 && output.err.contains("has no answers"), "{output:?}");
}
