//! The log: quiet by default, on standard error alone, filtered by `-v` and `ASSAY_LOG`.

mod common;

use std::path::Path;

use common::{CommandOutput, assay, dataset, run, runs};

/// A run of a solver that is asked one question at a time, with results that do not depend on the time.
const RUN: [&str; 7] = ["run", "codrep", "--data", "D", "--solver", "middle", "--json"];

fn run_with(folder: &Path, arguments: &[&str], filter: &str) -> CommandOutput {
    let mut command = assay(folder);
    command.args(RUN).args(arguments).env("ASSAY_LOG", filter);
    command.output().expect("the binary runs").into()
}

#[test]
fn nothing_is_logged_unless_it_is_asked_for() {
    let (keep, _root) = dataset("D", 3);
    assert_eq!(run(keep.path(), &RUN).err, "");
    assert_eq!(run_with(keep.path(), &[], "").err, "");
    assert_eq!(run_with(keep.path(), &[], "off").err, "");
}

#[test]
fn levels_add_up_and_the_output_stays_the_same() {
    let (keep, root) = dataset("D", 3);
    let quiet = run(keep.path(), &RUN);
    let told = |flag| run(keep.path(), &[&RUN[..], &[flag]].concat());
    let info = told("-v");
    for text in [
        "INFO assay_run::plan: opened the task task=\"codrep\"",
        root.to_str().unwrap(),
        " solutions=",
        " signature=codrep@1|",
        "run begins folder=",
        "answering and grading ended took=",
    ] {
        assert!(info.err.contains(text), "{text}: {}", info.err);
    }
    assert!(!info.err.contains("DEBUG"), "{}", info.err);
    let debug = told("-vv");
    for text in [
        "DEBUG assay_run::pipeline: read a problem problem=D/2 samples=1",
        "DEBUG answer{problem=D/2 sample=0}: assay_run::pipeline::answering: answered",
        "DEBUG grade{problem=D/2 sample=0}: assay_run::pipeline::grading: graded outcome=Passed",
    ] {
        assert!(debug.err.contains(text), "{text}: {}", debug.err);
    }
    for output in [&info, &debug] {
        assert_eq!((output.code, &output.out), (quiet.code, &quiet.out));
    }
}

#[test]
fn a_filter_chooses_crates_and_modules() {
    let (keep, _root) = dataset("D", 2);
    let output = run_with(keep.path(), &[], "assay_run::pipeline=debug");
    let lines: Vec<&str> = output.err.lines().collect();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| line.contains("assay_run::pipeline")), "{}", output.err);
    let output = run_with(keep.path(), &["-v"], "assay_run::pipeline=off");
    assert!(output.err.contains("opened the task"), "{}", output.err);
    let output = run_with(keep.path(), &["--log", "error"], "debug");
    assert_eq!(output.err, "", "what is typed counts");
}

#[test]
fn a_filter_that_is_wrong_is_refused() {
    let (keep, _root) = dataset("D", 1);
    for filter in ["loud", "assay_run=loud", "asay_run=debug", "assay_run"] {
        let output = run_with(keep.path(), &[], filter);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{filter}");
        assert!(output.err.contains("hint: such as `debug` or `assay_run=debug"), "{}", output.err);
    }
}

#[test]
fn a_resumed_run_and_a_session_are_logged_without_the_environment() {
    let (keep, _root) = dataset("D", 2);
    let mut command = assay(keep.path());
    command.args(["run", "codrep", "--data", "D", "-v", "--solver", "program:true"]);
    let output: CommandOutput = command.env("API_KEY", "a-secret").output().unwrap().into();
    assert!(
        output.err.contains("a session of the solver ended command=[\"true\""),
        "{}",
        output.err
    );
    assert!(!output.err.contains("a-secret"), "{}", output.err);
    let folder = runs(keep.path()).pop().unwrap();
    let output = run(keep.path(), &["run", "--resume", folder.to_str().unwrap(), "-v"]);
    assert!(output.err.contains("opened a run to resume it"), "{}", output.err);
}

#[test]
fn a_log_obeys_no_text_from_outside() {
    let (keep, root) = dataset("D", 1);
    std::fs::rename(&root, keep.path().join("D\x1b[2J\nE")).unwrap();
    let output =
        run(keep.path(), &["run", "codrep", "-vv", "--solver", "first", "-d", "D\x1b[2J\nE"]);
    assert!(
        output.err.contains("read a problem") && !output.err.contains('\x1b'),
        "{}",
        output.err
    );
    assert!(output.err.lines().all(|line| line.starts_with(' ')), "{}", output.err);
}

#[test]
fn workers_and_jobs_of_the_sandbox_are_logged() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = assay(scratch.path());
    command.args(["run", "mbpp", "--data", "sample", "--solver", "gold", "-L", "1"]);
    let output: CommandOutput =
        command.env("ASSAY_LOG", "assay_sandbox=trace").output().unwrap().into();
    for text in ["a worker started pid=", "a job begins pid=", "ending=passed cpu_s="] {
        assert!(output.err.contains(text), "{text}: {}", output.err);
    }
    assert!(!output.err.contains("assay_run"), "{}", output.err);
}
