//! Records from somebody else: commands in them are not run, and links in them are not followed for
//! writing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{CommandOutput, assay, dataset, run, runs};

/// An unfinished run of a program that answers line 1 and creates a marker file in `folder`.
fn unfinished(folder: &Path) -> PathBuf {
    let (_scratch, data) = dataset("Small", 4);
    fs::rename(&data, folder.join("Small")).unwrap();
    let script = "echo mark >> mark; for task in $1/*; do echo $task 1; done";
    fs::write(folder.join("solver.sh"), script).unwrap();
    let output = run(folder, &["run", "codrep", "--data", "Small", "-s", "program:sh solver.sh"]);
    assert_eq!(output.code, 0, "{output:?}");
    let record = runs(folder).remove(0);
    unfinish(folder, &record);
    record
}

/// Undoes the results of a run, and removes its program's marker file.
fn unfinish(folder: &Path, record: &Path) {
    for name in ["results.json", "answers.jsonl", "verdicts.jsonl"] {
        fs::remove_file(record.join(name)).unwrap();
    }
    fs::remove_file(folder.join("mark")).unwrap();
}

/// Resumes a run without a terminal.
fn resume(folder: &Path, record: &Path, further: &[&str]) -> CommandOutput {
    let mut command = assay(folder);
    command.args(["run", "--resume"]).arg(record).args(further).stdin(Stdio::null());
    command.output().expect("the binary runs").into()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn a_command_runs_unasked_only_where_its_user_started_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record = unfinished(folder);
    let mark = folder.join("mark");
    let copied = folder.join("copied");
    copy(&record, &copied);
    let output = resume(folder, &copied, &[]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains(": sh solver.sh") && output.err.contains("--trust"), "{output:?}");
    assert!(!mark.exists(), "the command ran");

    let output = resume(folder, &record, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(mark.exists());

    unfinish(folder, &record);
    let manifest = record.join("run.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{text} ")).unwrap();
    assert_eq!(resume(folder, &record, &[]).code, 3);
    assert!(!mark.exists(), "the command ran");
    assert_eq!(resume(folder, &record, &["--trust"]).code, 0);
    assert!(mark.exists());
    // Resuming a complete run runs nothing.
    assert_eq!(resume(folder, &record, &[]).code, 0);
}

#[test]
fn a_manifest_cannot_turn_isolation_off_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let output = run(folder, &["run", "codrep", "--data", "sample", "-s", "middle", "-L", "2"]);
    assert_eq!(output.code, 0, "{output:?}");
    let record = runs(folder).remove(0);
    fs::remove_file(record.join("results.json")).unwrap();
    let manifest = record.join("run.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let planted = text.replace("\"unsafe_no_isolation\": false", "\"unsafe_no_isolation\": true");
    assert_ne!(text, planted);
    fs::write(&manifest, planted).unwrap();
    let output = resume(folder, &record, &[]);
    assert!(output.code == 3 && output.err.contains("without isolation"), "{output:?}");
}

#[test]
fn a_registry_that_cannot_be_written_costs_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join(".state"), "a file").unwrap();
    let record = unfinished(folder);
    let output = resume(folder, &record, &[]);
    assert_eq!(output.code, 3, "{output:?}");
    assert_eq!(resume(folder, &record, &["--trust"]).code, 0);
}

#[test]
fn links_and_pipes_in_a_record_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record = unfinished(folder);
    let target = folder.join("target");
    for name in
        ["run.json", "answers.jsonl", "verdicts.jsonl", "solver.jsonl", "results.json", "scratch"]
    {
        for is_link in [true, false] {
            let planted = folder.join("planted");
            copy(&record, &planted);
            let path = planted.join(name);
            let _ = fs::remove_file(&path);
            fs::write(
                &target,
                if name == "run.json" { fs::read(record.join(name)).unwrap() } else { Vec::new() },
            )
            .unwrap();
            let before = fs::read(&target).unwrap();
            if is_link {
                symlink(&target, &path).unwrap();
            } else {
                let mode = rustix::fs::Mode::from_raw_mode(0o600);
                rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
            }
            let output = resume(folder, &planted, &["--trust"]);
            let kind = if is_link { "is a symbolic link" } else { "is a pipe" };
            assert!(output.code == 3 && output.err.contains(kind), "{name} {output:?}");
            assert!(output.err.contains(name), "{name} {output:?}");
            assert_eq!(fs::read(&target).unwrap(), before, "{name} was written through");
            fs::remove_dir_all(&planted).unwrap();
        }
    }
}

#[test]
fn a_link_where_a_new_file_will_be_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record = unfinished(folder);
    let target = folder.join("target");
    fs::write(&target, "kept").unwrap();
    for name in ["results.json.new", "answers.jsonl.new", "verdicts.jsonl.new"] {
        symlink(&target, record.join(name)).unwrap();
    }
    assert_eq!(resume(folder, &record, &[]).code, 0);
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
}
