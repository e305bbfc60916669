//! Output that is no plain file, for every command that writes what the user names: links, devices, pipes, standard
//! output, and targets that cannot be written.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "mkfifo makes pipes")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::git::{Edit, Script};
use common::{CommandOutput, assay, dataset, files, json, run};

/// The output of a command as bytes.
fn raw(folder: &Path, arguments: &[&str]) -> Output {
    assay(folder).args(arguments).output().unwrap()
}

/// Makes a pipe and returns all that comes out of it.
fn pipe(path: &Path) -> std::thread::JoinHandle<Vec<u8>> {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let path = path.to_owned();
    std::thread::spawn(move || fs::read(path).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Checks that a target is refused with exit code 2 and a hint, and that nothing is there afterwards that was not
/// before.
fn check_refused(folder: &Path, arguments: &[&str], message: &str) {
    let before = names(folder);
    let output = run(folder, arguments);
    assert_eq!((output.code, output.out.as_str()), (2, ""), "{arguments:?}: {output:?}");
    assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
    assert!(output.err.contains("hint:"), "{arguments:?}: {}", output.err);
    assert_eq!(names(folder), before, "{arguments:?}");
}

const TRAIN: [&str; 8] = ["train", "locate", "--data", "sample", "--trees", "2", "--forests", "1"];

fn train(folder: &Path, more: &[&str]) -> Output {
    raw(folder, &[&TRAIN, more].concat())
}

#[test]
fn weights_go_through_links_devices_and_pipes() {
    let keep = tempfile::tempdir().unwrap();
    let at = |name: &str| keep.path().join(name);
    assert_eq!(train(keep.path(), &["-o", "plain.bin"]).status.code(), Some(0));
    let expected = fs::read(at("plain.bin")).unwrap();
    let report = fs::read(at("plain.report.json")).unwrap();
    for target in ["-", "/dev/stdout"] {
        let output = train(keep.path(), &["-o", target]);
        assert!(output.status.success() && output.stdout == expected, "{target}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("weights: "), "{said}");
    }
    assert_eq!(train(keep.path(), &["-o", "/dev/null"]).status.code(), Some(0));
    assert!(!Path::new("/dev/null.report.json").exists());
    // The file behind the link is replaced, and the report is beside the link.
    fs::create_dir(at("inner")).unwrap();
    fs::write(at("inner/there.bin"), "old").unwrap();
    symlink("inner/there.bin", at("link.bin")).unwrap();
    assert_eq!(train(keep.path(), &["-o", "link.bin"]).status.code(), Some(0));
    assert!(at("link.bin").is_symlink() && fs::read(at("inner/there.bin")).unwrap() == expected);
    assert_eq!(fs::read(at("link.report.json")).unwrap(), report);
    let reader = pipe(&at("pipe"));
    assert_eq!(train(keep.path(), &["-o", "pipe", "--report", "/dev/null"]).status.code(), Some(0));
    assert!(reader.join().unwrap() == expected);
    let output = train(keep.path(), &["-o", "/dev/null", "--report", "-"]);
    assert_eq!(output.stdout, report);
    assert!(!at("-").exists());
}

#[test]
fn weights_that_cannot_be_written_are_refused_before_the_training() {
    let keep = tempfile::tempdir().unwrap();
    fs::create_dir(keep.path().join("folder")).unwrap();
    // The data does not exist, and nobody looks at it.
    let with = |more: &[&str], message: &str| {
        let arguments = [&["train", "locate", "--data", "none"], more].concat();
        check_refused(keep.path(), &arguments, message);
    };
    with(&["-o", "folder"], "it is a folder");
    with(&["-o", "nowhere/x.bin"], "there is no folder");
    with(&["-o", "/proc/x.bin"], "/proc/x.bin cannot be written");
    with(&["-o", "x.bin", "--report", "folder"], "it is a folder");
    with(&["-o", "x.bin", "--report", "./x.bin"], "two files");
    with(&["-o", "-", "--json"], "only one of weights, report and --json");
    with(&["-o", "-", "--report", "-"], "only one of weights, report and --json");
}

/// A dataset in `D`, a passphrase in `pass`, and a new pair of keys: the public half in `public`, the secret one in
/// `key`.
fn hidden() -> tempfile::TempDir {
    let (keep, root) = dataset("D", 3);
    fs::write(keep.path().join("pass"), "correct horse\n").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let sealed = scratch.path().join("D.age");
    let output = run(scratch.path(), &["data", "seal", root.to_str().unwrap(), "-o", "D.age"]);
    assert_eq!(output.code, 0, "{output:?}");
    let key = fs::read_to_string(sealed.with_extension("age.key")).unwrap();
    let (public, _) = key.strip_prefix("# public key: ").unwrap().split_once('\n').unwrap();
    fs::write(keep.path().join("public"), public).unwrap();
    fs::write(keep.path().join("key"), &key).unwrap();
    keep
}

const SEAL: [&str; 5] = ["data", "seal", "D", "--recipients-file", "public"];

fn unseal(folder: &Path, sealed: &str) -> CommandOutput {
    let out = format!("{sealed}.out");
    let commitment = ["--commitment", "c.json"];
    let arguments = ["data", "unseal", sealed, "-o", &out, "--identity", "key"];
    let output = run(folder, &[&arguments, commitment.as_slice()].concat());
    if output.code == 0 {
        assert_eq!(files(&folder.join(out)), files(&folder.join("D")));
    }
    output
}

#[test]
fn sealed_data_goes_through_links_devices_and_pipes() {
    let keep = hidden();
    let at = |name: &str| keep.path().join(name);
    let seal = |more: &[&str]| {
        let _ = fs::remove_file(at("c.json"));
        raw(keep.path(), &[&SEAL, more].concat())
    };
    for target in ["-", "/dev/stdout"] {
        let output = seal(&["-o", target, "--commitment", "c.json"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.contains("sealed 6 files"), "{said}");
        fs::write(at("D.age"), output.stdout).unwrap();
        assert_eq!(unseal(keep.path(), "D.age").code, 0);
        fs::remove_dir_all(at("D.age.out")).unwrap();
    }
    let reader = pipe(&at("pipe"));
    assert!(seal(&["-o", "pipe", "--commitment", "c.json"]).status.success());
    fs::write(at("piped.age"), reader.join().unwrap()).unwrap();
    assert_eq!(unseal(keep.path(), "piped.age").code, 0);
    assert!(seal(&["-o", "/dev/null", "--commitment", "c.json"]).status.success());
    assert!(at("c.json").is_file());
    let public = seal(&["-o", "E.age", "--commitment", "-"]);
    assert!(public.status.success());
    fs::write(at("c.json"), public.stdout).unwrap();
    assert_eq!(unseal(keep.path(), "E.age").code, 0);
    // Nothing is overwritten through a link without --force, and a link that leads nowhere yet is followed.
    symlink("E.age", at("link.age")).unwrap();
    let output = seal(&["-o", "link.age", "--commitment", "c.json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(seal(&["-o", "link.age", "--commitment", "c.json", "--force"]).status.success());
    assert!(at("link.age").is_symlink());
    symlink("new.age", at("dangling.age")).unwrap();
    assert!(seal(&["-o", "dangling.age", "--commitment", "c.json"]).status.success());
    assert!(at("dangling.age").is_symlink() && at("new.age").is_file());
    assert_eq!(unseal(keep.path(), "new.age").code, 0);
}

#[test]
fn a_sealed_pipe_has_its_private_key_beside_it_and_a_lost_reader_is_an_error() {
    let keep = hidden();
    let reader = pipe(&keep.path().join("pipe"));
    assert_eq!(run(keep.path(), &["data", "seal", "D", "-o", "pipe"]).code, 0);
    assert!(!reader.join().unwrap().is_empty());
    let mode = fs::metadata(keep.path().join("pipe.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut child = assay(keep.path())
        .args(SEAL)
        .args(["-o", "-", "--commitment", "c.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("its reader has gone"), "{output:?}");
    assert!(!keep.path().join("c.json").exists());
}

#[test]
fn sealed_files_that_cannot_be_written_are_refused_first() {
    let keep = hidden();
    fs::create_dir(keep.path().join("folder")).unwrap();
    // The folder to seal does not exist, and nobody looks at it.
    let with = |more: &[&str], message: &str| {
        check_refused(keep.path(), &[&["data", "seal", "none"], more].concat(), message);
    };
    with(&["-o", "folder"], "it is a folder");
    with(&["-o", "nowhere/x.age"], "there is no folder");
    with(&["-o", "x.age", "--commitment", "nowhere/c.json"], "there is no folder");
    with(&["-o", "-"], "there is no place for a new key beside standard output");
    with(&["-o", "/dev/null"], "there is no place for a new key beside /dev/null");
    with(&["-o", "-", "--passphrase-file", "pass"], "no place for the commitment");
    with(
        &["-o", "-", "--passphrase-file", "pass", "--commitment", "c", "--json"],
        "standard output",
    );
    check_refused(
        keep.path(),
        &[&SEAL, ["-o", "-", "--commitment", "-"].as_slice()].concat(),
        "cannot both go to standard output",
    );
}

#[test]
fn folders_are_made_behind_links_and_refused_elsewhere_before_any_work() {
    let keep = hidden();
    let at = |name: &str| keep.path().join(name);
    let mut script = Script::default();
    script.commit("start", &[Edit::Put("A.java", b"class A {\n  int a;\n  int b;\n}\n")]);
    script.commit("change", &[Edit::Put("A.java", b"class A {\n  int c;\n  int b;\n}\n")]);
    script.make(keep.path(), "project.git");
    assert_eq!(run(keep.path(), &["data", "seal", "D", "-o", "D.age"]).code, 0);
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("store")).unwrap();
    for link in ["unsealed", "mined", "runs"] {
        symlink(format!("store/{link}"), at(link)).unwrap();
    }
    let commands: [(&str, &[&str]); 3] = [
        ("unsealed", &["data", "unseal", "D.age"]),
        ("mined", &["data", "mine", "codrep", "project.git"]),
        ("runs", &["run", "codrep", "--data", "sample", "--solver", "middle"]),
    ];
    for (link, command) in commands {
        let output = run(keep.path(), &[command, &["-o", link]].concat());
        assert_eq!(output.code, 0, "{output:?}");
        assert!(at(link).is_symlink() && !names(&at("store").join(link)).is_empty(), "{link}");
        for (target, message) in [
            ("-", "a folder cannot be written to standard output"),
            ("file", "is not a folder"),
            ("file/inner", "is not a folder"),
            ("/dev/null", "is not a folder"),
            ("/proc/x", "takes no new file"),
        ] {
            check_refused(keep.path(), &[command, &["-o", target]].concat(), message);
        }
    }
    assert_eq!(files(&at("unsealed")), files(&at("D")));
    assert_eq!(run(keep.path(), &["data", "verify", "mined"]).code, 0);
    let nowhere = ["data", "unseal", "D.age", "-o", "nowhere/out"];
    check_refused(keep.path(), &nowhere, "there is no folder nowhere");
    // Neither the data nor the solver is looked at.
    let arguments = ["run", "codrep", "--data", "none", "--solver", "none", "-o", "file"];
    check_refused(keep.path(), &arguments, "is not a folder");
}

/// The commands that only print, to a full disk and to a reader that goes away.
#[test]
fn printed_data_that_is_lost_is_an_error_and_a_closed_pipe_is_none() {
    let keep = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 4] = [
        &["predict", "sample", "--solver", "middle"],
        &["predict", "sample", "--solver", "middle", "--json"],
        &["completions", "bash"],
        &["data", "list", "--json"],
    ];
    for command in commands {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = assay(keep.path()).args(command).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
        let mut child = assay(keep.path()).args(command).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command:?}");
    }
}

#[test]
fn a_report_has_the_numbers_that_training_prints() {
    let keep = tempfile::tempdir().unwrap();
    let output =
        CommandOutput::from(train(keep.path(), &["-o", "x.bin", "--report", "r.json", "--json"]));
    let printed = json(&output);
    let written: serde_json::Value =
        serde_json::from_slice(&fs::read(keep.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(printed, written);
}
