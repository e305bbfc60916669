//! `assay explain`: the answer to one task, with reasons.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{CommandOutput, assay, json, run};
use tempfile::TempDir;

const PROGRAM: &str = "\
class Stack {
    private int[] items = new int[16];
    private int size = 0;

    void push(int item) {
        items[size] = item;
        size = size + 1;
    }

    int pop() {
        size = size - 1;
        return items[size];
    }
}
";

const NEW_LINE: &str = "        return items[size + 1];";

/// A dataset's folder with one task, whose solution is line 12.
fn task() -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("files can be written");
    for folder in ["Tasks", "Solutions"] {
        fs::create_dir(scratch.path().join(folder)).expect("files can be written");
    }
    let file = scratch.path().join("Tasks/1.txt");
    fs::write(&file, format!("{NEW_LINE}\n\n{PROGRAM}")).expect("files can be written");
    fs::write(scratch.path().join("Solutions/1.txt"), "12\n").expect("files can be written");
    (scratch, file)
}

/// Runs the binary on a page of 80 columns.
fn on_page(folder: &Path, arguments: &[&str]) -> CommandOutput {
    assay(folder).args(arguments).env("COLUMNS", "80").output().expect("the binary runs").into()
}

/// The output of explaining these bytes, checked for properties that hold for any input.
fn shown(bytes: &[u8], arguments: &[&str]) -> String {
    let scratch = tempfile::tempdir().expect("files can be written");
    fs::write(scratch.path().join("x.txt"), bytes).expect("files can be written");
    let output = on_page(scratch.path(), &[&["explain", "x.txt"], arguments].concat());
    assert_eq!(output.code, 0, "{output:?}");
    for line in output.out.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.chars().count() <= 80, "{line}");
    }
    output.out
}

#[test]
fn an_explanation_reads_well() {
    let (keep, _) = task();
    let output = on_page(keep.path(), &["explain", "Tasks/1.txt", "--top", "2", "--context", "1"]);
    assert_eq!(output.code, 0, "{output:?}");
    let out = &output.out;
    for part in [
        "Tasks/1.txt, 14 lines,",
        "the answer is line 12, which is right",
        "new line\n  return items[size + 1];\n",
        "\n1. line 12, probability ",
        " ← the right line\n",
        "\n    11 │         size = size - 1;\n  > 12 │         return items[size];\n    13 │     }\n",
        "\n  change\n    return items[size{+ + 1+}];\n",
        "\n  for it\n",
        "\n  against it\n",
        "compared with line 12\n",
    ] {
        assert!(out.contains(part), "{part:?} is not in:\n{out}");
    }
    assert!(!out.contains("\n3. "), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(!out.contains('\x1b'), "there is no terminal to colour");
}

#[test]
fn a_wrong_answer_is_told_and_the_right_line_shown() {
    let (keep, _) = task();
    fs::write(keep.path().join("Solutions/1.txt"), "6").unwrap();
    let out = on_page(keep.path(), &["explain", "Tasks/1.txt", "--top", "1"]).out;
    assert!(out.contains("which is wrong:\nright is line 6, candidate "), "{out}");
    assert!(out.contains(". line 6, probability"), "{out}");
    fs::write(keep.path().join("Solutions/1.txt"), "4").unwrap();
    let out = on_page(keep.path(), &["explain", "Tasks/1.txt", "--top", "1"]).out;
    assert!(out.contains("\nright is line 4, which is no candidate\n"), "{out}");
    for (solution, warning) in [("99", "the solution is line 99, of 14"), ("x", "holds \"x\"")] {
        fs::write(keep.path().join("Solutions/1.txt"), solution).unwrap();
        let output = run(keep.path(), &["explain", "Tasks/1.txt"]);
        assert!(output.err.contains(warning), "{output:?}");
        assert!(output.out.contains("the answer is line 12\n"), "{output:?}");
    }
    // From within the folder too.
    fs::write(keep.path().join("Solutions/1.txt"), "12").unwrap();
    let out = run(&keep.path().join("Tasks"), &["explain", "1.txt"]).out;
    assert!(out.contains("which is right"), "{out}");
}

#[test]
fn json_adds_up() {
    let (keep, _) = task();
    let explained = json(&run(keep.path(), &["explain", "Tasks/1.txt", "--json"]));
    assert_eq!((&explained["solution"], &explained["right"]), (&12.into(), &true.into()));
    assert_eq!(explained["new_line"], NEW_LINE);
    let candidates = explained["explained"].as_array().unwrap();
    assert_eq!(candidates.len(), 5);
    assert_eq!(candidates[0]["text"], "        return items[size];");
    for candidate in candidates {
        let shares = candidate["reasons"].as_array().unwrap().iter();
        let sum: f64 = shares.map(|reason| reason["contribution"].as_f64().unwrap()).sum();
        assert!((sum - candidate["margin"].as_f64().unwrap()).abs() < 1e-6, "{candidate}");
    }
    let predicted = run(keep.path(), &["predict", "Tasks", "--top", "5", "--json"]);
    let lines = json(&predicted)["lines"].clone();
    for (candidate, line) in candidates.iter().zip(lines.as_array().unwrap()) {
        for name in ["line", "score", "probability"] {
            assert_eq!(candidate[name], line[name], "as assay predict has it");
        }
    }
}

#[test]
fn odd_input_is_shown_harmlessly() {
    let windows = format!("{NEW_LINE}\n\n{PROGRAM}").replace('\n', "\r\n");
    assert!(shown(windows.as_bytes(), &[]).contains("the answer is line 12"));
    let tabs = format!("{NEW_LINE}\n\n{PROGRAM}").replace("    ", "\t");
    assert!(shown(tabs.as_bytes(), &[]).contains("  > 12 │         return items[size];\n"));
    let evil = b"x = \"\x1b[31m\xff\x07\";\n\nx = \"\x1b[0m\";\ny\xe2\x80\xae();\n\x00;\n";
    let out = shown(evil, &[]);
    assert!(out.contains("\\u{1b}[31m\u{fffd}\\u{7}"), "{out}");
    assert!(out.contains("y\\u{202e}()"), "{out}");
    let wide = "größe = \"漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\";";
    shown(format!("{wide}\n\n{wide}x\n").as_bytes(), &[]);
    let huge = "call(one, two); ".repeat(640_000);
    let out = shown(format!("x {huge}\n\n{huge}\ny {huge}\n").as_bytes(), &["--context", "0"]);
    assert!(out.len() < 10_000 && out.contains('…'), "{out}");
}

#[test]
fn nothing_to_choose_from_is_said() {
    assert!(shown(b"x();\n\ny();\n", &[]).contains("no other line could be meant"));
    assert!(shown(b"x();\n\n\nx ( );\n", &[]).contains("no line could be meant"));
}

#[test]
fn mistakes_are_named_with_the_cure() {
    let (keep, _) = task();
    fs::write(keep.path().join("short.txt"), "x\n\n").unwrap();
    fs::write(keep.path().join("empty.txt"), "").unwrap();
    fs::copy(keep.path().join("Tasks/1.txt"), keep.path().join("away.txt")).unwrap();
    for (arguments, code, message, hint) in [
        (&["nowhere.txt"][..], 3, "failed to read nowhere.txt", "a task file holds"),
        (&["Tasks"], 3, "Tasks is a folder", "name one task file in it"),
        (&["short.txt"], 3, "short.txt holds no program", "a task file holds"),
        (&["empty.txt"], 3, "empty.txt holds no program", "a task file holds"),
        (&["Tasks/1.txt", "-s", "copy"], 2, "copy answers with a text", "the solvers for codrep"),
        (&["Tasks/1.txt", "--answer", "15"], 2, "lines 1 to 14, and no line 15", "in the program"),
        (&["Tasks/1.txt", "--answer", "0"], 2, "no line 0", "in the program"),
        (&["--data", "sample", "sample/99"], 2, "sample has no such task", ""),
        (&["short.txt", "-s", "middle"], 3, "short.txt holds no program", "a task file holds"),
        (&["away.txt", "-s", "gold"], 2, "lies in no dataset", "--data"),
        (&["Tasks/1.txt", "-s", "nobody"], 2, "no solver called", "the solvers are"),
        (&["Tasks/1.txt", "-s", "locate:short.txt"], 3, "not a model", "assay train locate"),
        (&["Tasks/1.txt", "--top", "0"], 2, "0 is not in", "--help"),
        (&[], 2, "TASK", "--help"),
    ] {
        let output = run(keep.path(), &[&["explain"], arguments].concat());
        assert_eq!((output.code, output.out.as_str()), (code, ""), "{arguments:?}: {output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
        assert!(output.err.contains(hint), "{arguments:?}: {}", output.err);
    }
}

#[test]
fn any_solvers_answer_is_explained_beside_the_locators() {
    let (keep, _) = task();
    let explain = |arguments: &[&str]| on_page(keep.path(), &[&["explain"], arguments].concat());
    fs::write(keep.path().join("predictions.txt"), "Tasks/1.txt 6 7\n").unwrap();
    fs::copy(keep.path().join("Tasks/1.txt"), keep.path().join("away.txt")).unwrap();
    let program = "program:sh -c 'for task in \"$0\"/*.txt; do echo \"$task 12\"; done'";
    for (arguments, parts) in [
        (
            &["Tasks/1.txt", "-s", "middle"][..],
            &[
                "middle says line 7, which is wrong: right",
                "is line 12; the locator says line 12, which is right, and line 7 is its",
                "\n2. line 7, probability under 0.001 ← the answer of middle\n",
                "\n1. line 12, probability 0.999 ← the right line\n",
            ][..],
        ),
        (
            &["Tasks/1.txt", "-s", "file:predictions.txt"],
            &["file:predictions.txt says line 6", ". line 6,", ". line 7,", "the answer of file"],
        ),
        (&["Tasks/1.txt", "-s", program], &["line 12, which is right; the locator says the same"]),
        (&["away.txt", "-s", program], &["line 12; the locator says the same"]),
        (&["Tasks/1.txt", "-s", "gold"], &["gold says line 12, which is right"]),
        (
            &["Tasks/1.txt", "--answer", "10"],
            &["your answer is line 10, which is wrong", "line 10, probability", "← your answer\n"],
        ),
        (
            &["Tasks/1.txt", "--answer", "4"],
            &[
                "and line 4 is none of its candidates",
                "\nline 4\n",
                "the locator never means this line",
            ],
        ),
        (
            &["--data", "sample", "sample/3", "--answer", "1"],
            &["sample/Tasks/3.txt", "your answer is"],
        ),
        (&["--data", "sample", "sample/3"], &["sample/Tasks/3.txt", "the answer is line"]),
    ] {
        let output = explain(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {output:?}");
        let (out, words) = (&output.out, output.out.replace('\n', " "));
        for part in parts {
            let is_there = out.contains(part) || words.contains(part);
            assert!(is_there, "{arguments:?}: {part:?} is not in:\n{out}");
        }
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    }
    assert!(
        !explain(&["Tasks/1.txt", "-s", "middle"]).out.contains("\n3. "),
        "one candidate is enough"
    );
    let silent = explain(&["Tasks/1.txt", "-s", "program:true"]);
    assert!(silent.out.contains("program:true says nothing ("), "{silent:?}");
    assert_eq!(silent.code, 5);
}

#[test]
fn another_solvers_answer_is_json_too() {
    let (keep, _) = task();
    let output = run(keep.path(), &["explain", "Tasks/1.txt", "-s", "middle", "--json"]);
    let shown = json(&output);
    let answered = &shown["answered"];
    assert_eq!(answered["by"], "middle");
    assert_eq!(answered["right"], false);
    assert_eq!(answered["lines"][0]["line"], 7);
    assert_eq!(answered["lines"][0]["rank"], 2);
    assert_eq!((&shown["right"], &shown["explained"][0]["line"]), (&true.into(), &7.into()));
}

#[test]
fn a_problem_is_found_by_its_name_in_folders_and_archives() {
    let (keep, _) = task();
    let dataset = keep.path().join("D");
    fs::create_dir(&dataset).unwrap();
    for folder in ["Tasks", "Solutions"] {
        fs::rename(keep.path().join(folder), dataset.join(folder)).unwrap();
    }
    let mut archive = tar::Builder::new(fs::File::create(keep.path().join("D.tar")).unwrap());
    archive.append_dir_all("D", &dataset).unwrap();
    archive.into_inner().unwrap();
    for (data, name) in
        [("D", "D/1"), ("D.tar", "D/1"), ("D", "Tasks/1.txt"), ("D.tar", "D/Tasks/1.txt")]
    {
        let arguments = ["explain", "--data", data, name, "--solver", "most-similar"];
        let output = run(keep.path(), &arguments);
        assert_eq!(output.code, 0, "{output:?}");
        let words = output.out.replace('\n', " ");
        assert!(words.contains("most-similar says line 12, which is right"), "{output:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (keep, _) = task();
    let mut child = assay(keep.path())
        .args(["explain", "Tasks/1.txt"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
