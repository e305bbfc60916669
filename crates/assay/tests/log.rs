//! The log: quiet by default, on standard error alone, filtered by `-v` and `ASSAY_LOG`.

mod common;

use std::path::Path;

use common::{Said, assay, dataset, run, runs};

/// A run of a solver that is asked one question at a time, with results that do not depend on the time.
const RUN: [&str; 7] = ["run", "codrep", "--data", "D", "--solver", "middle", "--json"];

fn run_with(folder: &Path, arguments: &[&str], filter: &str) -> Said {
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
    for said in [&info, &debug] {
        assert_eq!((said.code, &said.out), (quiet.code, &quiet.out));
    }
}

#[test]
fn a_filter_chooses_crates_and_modules() {
    let (keep, _root) = dataset("D", 2);
    let said = run_with(keep.path(), &[], "assay_run::pipeline=debug");
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| line.contains("assay_run::pipeline")), "{}", said.err);
    let said = run_with(keep.path(), &["-v"], "assay_run::pipeline=off");
    assert!(said.err.contains("opened the task"), "{}", said.err);
    let said = run_with(keep.path(), &["--log", "error"], "debug");
    assert_eq!(said.err, "", "what is typed counts");
}

#[test]
fn a_filter_that_is_wrong_is_refused() {
    let (keep, _root) = dataset("D", 1);
    for filter in ["loud", "assay_run=loud", "asay_run=debug", "assay_run"] {
        let said = run_with(keep.path(), &[], filter);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{filter}");
        assert!(said.err.contains("hint: such as `debug` or `assay_run=debug"), "{}", said.err);
    }
}

#[test]
fn a_resumed_run_and_a_session_are_logged_without_the_environment() {
    let (keep, _root) = dataset("D", 2);
    let mut command = assay(keep.path());
    command.args(["run", "codrep", "--data", "D", "-v", "--solver", "program:true"]);
    let said: Said = command.env("API_KEY", "a-secret").output().unwrap().into();
    assert!(said.err.contains("a session of the solver ended command=[\"true\""), "{}", said.err);
    assert!(!said.err.contains("a-secret"), "{}", said.err);
    let folder = runs(keep.path()).pop().unwrap();
    let said = run(keep.path(), &["run", "--resume", folder.to_str().unwrap(), "-v"]);
    assert!(said.err.contains("opened a run to resume it"), "{}", said.err);
}

#[test]
fn a_log_obeys_no_text_from_outside() {
    let (keep, root) = dataset("D", 1);
    std::fs::rename(&root, keep.path().join("D\x1b[2J\nE")).unwrap();
    let said =
        run(keep.path(), &["run", "codrep", "-vv", "--solver", "first", "-d", "D\x1b[2J\nE"]);
    assert!(said.err.contains("read a problem") && !said.err.contains('\x1b'), "{}", said.err);
    assert!(said.err.lines().all(|line| line.starts_with(' ')), "{}", said.err);
}

#[test]
fn workers_and_jobs_of_the_sandbox_are_logged() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = assay(scratch.path());
    command.args(["run", "mbpp", "--data", "sample", "--solver", "gold", "-L", "1"]);
    let said: Said = command.env("ASSAY_LOG", "assay_sandbox=trace").output().unwrap().into();
    for text in ["a worker started pid=", "a job begins pid=", "ending=passed cpu_s="] {
        assert!(said.err.contains(text), "{text}: {}", said.err);
    }
    assert!(!said.err.contains("assay_run"), "{}", said.err);
}
