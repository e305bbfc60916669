//! What people see: widths of terminals, pipes, and the one line that counts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;

use common::{CommandOutput, assay, on_terminal, run};

/// Commands with long messages.
const MESSAGES: [&[&str]; 3] = [
    &["data", "list", "--data-root", "/nowhere"],
    &["run", "codrep", "--data", "none", "--solver", "first"],
    &["run", "codrep", "--data", "sample", "--solver", "frist"],
];

/// The tables of the program that need no data.
const TABLES: [&[&str]; 9] = [
    &["tasks"],
    &["solvers"],
    &["metric", "list"],
    &["doctor"],
    &["data", "list", "--data-root", "/nowhere"],
    &["show", "codrep"],
    &["run", "codrep", "--data", "sample"],
    &["run", "c2c", "--data", "sample", "-s", "copy", "-s", "rewrite"],
    &["run", "c2c", "--data", "sample", "-s", "rewrite", "-v"],
];

fn with_columns(folder: &Path, columns: &str, arguments: &[&str]) -> CommandOutput {
    assay(folder).args(arguments).env("COLUMNS", columns).output().unwrap().into()
}

fn widest(text: &str) -> usize {
    // Commands, paths and addresses are there to be copied.
    let copied = ["assay ", "record", "https://"];
    let lines = text.lines().filter(|line| !copied.iter().any(|part| line.contains(part)));
    lines.map(|line| line.chars().count()).max().unwrap()
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let scratch = tempfile::tempdir().unwrap();
    for arguments in TABLES {
        for columns in [80, 60] {
            let shown = on_terminal(scratch.path(), columns, arguments);
            assert!(widest(&shown.out) <= usize::from(columns), "{arguments:?}: {}", shown.out);
            let told = with_columns(scratch.path(), &columns.to_string(), arguments);
            assert!(widest(&told.out) <= usize::from(columns), "{arguments:?}: {}", told.out);
        }
    }
}

#[test]
fn messages_are_no_wider_than_the_terminal_and_whole_lines_in_a_pipe() {
    let scratch = tempfile::tempdir().unwrap();
    for arguments in MESSAGES {
        let piped = run(scratch.path(), arguments).err;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for columns in ["80", "60", "40"] {
            let told = with_columns(scratch.path(), columns, arguments).err;
            assert!(
                told.lines().all(|line| line.chars().count() <= columns.parse().unwrap()),
                "{told}"
            );
            assert_eq!(words(&told), words(&piped));
        }
    }
}

#[test]
fn a_signature_is_wrapped_after_its_bars() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("a.txt"), "a b\n").unwrap();
    std::fs::write(scratch.path().join("b.txt"), "a c\n").unwrap();
    for metrics in
        [&["metric", "codebleu", "--lang", "java"][..], &["metric", "score", "bleu", "chrf"]]
    {
        let arguments = [metrics, &["--refs", "a.txt", "--hyp", "b.txt"]].concat();
        let piped = run(scratch.path(), &arguments).out;
        let narrow = with_columns(scratch.path(), "60", &arguments).out;
        assert!(widest(&narrow) <= 60, "{narrow}");
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        let signature = |text: &str| letters(&text[text.find("signature").unwrap()..]);
        assert_eq!(signature(&narrow), signature(&piped));
    }
}

#[test]
fn a_pipe_has_every_column_and_a_terminal_says_which_are_left_out() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["run", "codrep", "--data", "sample"];
    let piped = run(scratch.path(), &arguments).out;
    assert!(piped.contains("line-error-distinct [95 %]"), "{piped}");
    assert!(piped.contains("recall@1 [95 %]") && !piped.contains("left out"), "{piped}");
    let wide = on_terminal(scratch.path(), 120, &arguments).out;
    assert_eq!(
        wide.lines().take(10).collect::<Vec<_>>(),
        piped.lines().take(10).collect::<Vec<_>>()
    );
    let narrow = on_terminal(scratch.path(), 80, &arguments).out;
    assert!(narrow.contains("recall@1 [95 %]"), "{narrow}");
    assert!(narrow.contains("left out: line-error-distinct; shown by -v, in a pipe"), "{narrow}");
    let numbers = |text: &str| text.lines().filter(|line| line.starts_with("gold ")).count();
    assert_eq!((numbers(&narrow), numbers(&piped)), (1, 1));
    // COLUMNS counts more than the terminal, and nonsense in it counts as nothing.
    assert_eq!(
        with_columns(scratch.path(), "120", &["tasks"]).out,
        run(scratch.path(), &["tasks"]).out
    );
    for nonsense in ["", "0", "-3", "wide", "1e3"] {
        assert_eq!(
            with_columns(scratch.path(), nonsense, &["tasks"]).out,
            run(scratch.path(), &["tasks"]).out
        );
    }
    assert!(with_columns(scratch.path(), "1", &["tasks"]).out.lines().count() > 25);
}

#[test]
fn a_run_is_one_line_with_its_main_number_and_counts_that_add_up() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run", "codrep", "--data", "sample", "-s", "middle"]);
    let lines: Vec<&str> = output.out.lines().collect();
    assert_eq!(
        lines[0],
        "codrep  middle  line-error 0.941 [0.842, 0.979]  n 48  · 2 passed, 46 failed"
    );
    assert!(lines[1].starts_with("  line-error-distinct 0.941 "), "{output:?}");
    assert!(
        lines[2].starts_with("  signature ") && lines[3].starts_with("  record runs/"),
        "{output:?}"
    );
    assert_eq!(lines.len(), 4, "{output:?}");
    let narrow =
        on_terminal(scratch.path(), 60, &["run", "codrep", "-d", "sample", "-s", "middle"]);
    assert!(narrow.out.contains("n 48\n  · 2 passed, 46 failed\n"), "{narrow:?}");
}

#[test]
fn programs_that_differ_at_the_end_are_told_apart() {
    let scratch = tempfile::tempdir().unwrap();
    let [left, right] =
        ["a", "b"].map(|name| format!("program:sh -c 'cat >/dev/null' predictor {name}"));
    let output = run(scratch.path(), &["run", "codrep", "-d", "sample", "-s", &left, "-s", &right]);
    assert!(
        output.out.contains("predictor a  ") && output.out.contains("predictor b  "),
        "{}",
        output.out
    );
}

#[test]
fn one_is_not_many() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(
        scratch.path(),
        &["run", "codrep", "-d", "sample", "-L", "1", "-s", "first", "-s", "last"],
    );
    assert!(output.out.starts_with("codrep on 1 problem\n"), "{}", output.out);
}
