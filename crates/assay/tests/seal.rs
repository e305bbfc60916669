//! Hidden data, sealed and unsealed on the command line, and the attacks on it.

#![expect(clippy::unwrap_used, reason = "what the tests share is a test too")]

mod common;
#[path = "seal/hostile.rs"]
mod hostile;
#[path = "seal/keys.rs"]
mod keys;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use assay_core::Cancel;
use assay_data::OutputTarget;
use assay_data::seal::{Commitment, Key, Lock, SealRequest, Seed, UnsealRequest, seal, unseal};
use common::{CommandOutput, dataset, files, json, run};
use tempfile::TempDir;

/// A dataset of three tasks in `D`, sealed into `D.age` with a new key.
fn sealed() -> TempDir {
    let (keep, root) = dataset("D", 3);
    fs::write(root.join("provenance.jsonl"), "{\"task\": 1}\n").unwrap();
    let output = run(keep.path(), &["data", "seal", "D", "-o", "D.age"]);
    assert_eq!(output.code, 0, "{output:?}");
    keep
}

fn try_unseal(folder: &Path) -> CommandOutput {
    run(folder, &["data", "unseal", "D.age", "-o", "out"])
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Unseals in `folder`; it must be refused with a message that contains all of `words`, and leave
/// nothing behind.
fn check_refused(folder: &Path, words: &[&str]) {
    let before = names(folder);
    let output = try_unseal(folder);
    assert_eq!((output.code, output.out.as_str()), (3, ""), "{words:?}: {output:?}");
    for word in words {
        assert!(output.err.contains(word), "{word:?} is not in {}", output.err);
    }
    assert_eq!(names(folder), before, "{words:?}");
}

fn target(path: &Path) -> OutputTarget {
    OutputTarget::named(path).unwrap()
}

fn identity(folder: &Path) -> age::x25519::Identity {
    let text = fs::read_to_string(folder.join("D.age.key")).unwrap();
    text.lines().last().unwrap().parse().unwrap()
}

/// The contents of `D.age`: a tar file.
fn open(folder: &Path) -> Vec<u8> {
    let bytes = fs::read(folder.join("D.age")).unwrap();
    let decryptor = age::Decryptor::new(bytes.as_slice()).unwrap();
    let identity = identity(folder);
    let inside = decryptor.decrypt(std::iter::once(&identity as &dyn age::Identity)).unwrap();
    zstd::decode_all(inside).unwrap()
}

/// Recreates `D.age` around other bytes, as anybody with its public key can.
fn close(folder: &Path, inside: &[u8]) {
    close_raw(folder, &zstd::encode_all(inside, 1).unwrap());
}

fn close_raw(folder: &Path, compressed: &[u8]) {
    let recipient = identity(folder).to_public();
    let recipients = std::iter::once(&recipient as &dyn age::Recipient);
    let mut out = Vec::new();
    let mut writer =
        age::Encryptor::with_recipients(recipients).unwrap().wrap_output(&mut out).unwrap();
    writer.write_all(compressed).unwrap();
    writer.finish().unwrap();
    fs::write(folder.join("D.age"), out).unwrap();
}

fn find(bytes: &[u8], text: &str) -> usize {
    let at = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    at.unwrap_or_else(|| panic!("there is no {text:?}"))
}

#[test]
fn what_was_sealed_comes_back_byte_by_byte() {
    let keep = sealed();
    let mode = |name: &str| fs::metadata(keep.path().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("D.age.key") & 0o777, 0o600);
    assert_eq!(names(keep.path()), ["D", "D.age", "D.age.commitment.json", "D.age.key"]);
    let output = try_unseal(keep.path());
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.out.contains("unsealed 7 files") && output.out.contains("3 tasks"),
        "{}",
        output.out
    );
    assert_eq!(output.err, "");
    assert_eq!(files(&keep.path().join("out")), files(&keep.path().join("D")));
    let output = run(keep.path(), &["data", "verify", "out"]);
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn odd_sizes_deep_folders_and_long_names_come_back_too() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("D");
    let deep = root.join("ä".repeat(60)).join("b".repeat(200)).join("c".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    for size in [0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 300_000] {
        let content: Vec<u8> = (0..=250).cycle().step_by(31).take(size).collect();
        fs::write(root.join(format!("{size} bytes")), &content).unwrap();
        fs::write(deep.join(format!("-{size}")), &content).unwrap();
    }
    fs::write(root.join("manifest.json"), "mine").unwrap();
    assert_eq!(run(scratch.path(), &["data", "seal", "D", "-o", "D.age"]).code, 0);
    fs::create_dir(scratch.path().join("out")).unwrap();
    let output = try_unseal(scratch.path());
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(files(&scratch.path().join("out")), files(&root));
}

#[test]
fn the_help_has_examples() {
    for command in ["seal", "unseal"] {
        let output = run(Path::new("/"), &["data", command, "--help"]);
        assert!(output.code == 0 && output.out.contains("Examples:"), "{output:?}");
    }
}

#[test]
fn the_json_and_the_commitment_tell_how_much_and_not_what() {
    let keep = sealed();
    let text = fs::read_to_string(keep.path().join("D.age.commitment.json")).unwrap();
    let commitment: serde_json::Value = serde_json::from_str(&text).unwrap();
    let fields: Vec<&String> = commitment.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["bytes", "files", "folders", "format", "root", "tasks", "version"]);
    assert_eq!(commitment["folders"], serde_json::json!({".": 1, "Solutions": 3, "Tasks": 3}));
    let output = run(keep.path(), &["data", "unseal", "D.age", "-o", "out", "--json"]);
    let unsealed = json(&output);
    let arguments = ["data", "seal", "D", "-o", "E.age", "--json"];
    let again = json(&run(keep.path(), &arguments));
    for field in ["files", "bytes", "tasks", "folders"] {
        assert_eq!(unsealed[field], commitment[field], "{field}");
        assert_eq!(again[field], commitment[field], "{field}");
    }
    assert_eq!(unsealed["root"], commitment["root"]);
    assert_ne!(again["root"], commitment["root"], "the salts must be new");
    assert_eq!(again["key"], "E.age.key");
    assert_eq!((&unsealed["files"], &unsealed["tasks"]), (&7.into(), &3.into()));
}

#[test]
fn a_flipped_byte_anywhere_is_found() {
    let keep = sealed();
    let good = fs::read(keep.path().join("D.age")).unwrap();
    let head = find(&good, "\n--- ") + 50;
    let body = (head..good.len()).step_by(good.len() / 40);
    let last = good.len() - 1;
    for at in (0..head).step_by(7).chain(body).chain([last]) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        fs::write(keep.path().join("D.age"), bad).unwrap();
        check_refused(keep.path(), &["D.age"]);
    }
    let mut bad = good.clone();
    bad[last] ^= 1;
    fs::write(keep.path().join("D.age"), bad).unwrap();
    check_refused(keep.path(), &["D.age was altered: it breaks at its manifest"]);
    fs::write(keep.path().join("D.age"), [&good[..], b"x"].concat()).unwrap();
    check_refused(keep.path(), &["D.age was altered"]);
    for length in [0, 10, head - 30, head + 5, last] {
        fs::write(keep.path().join("D.age"), &good[..length]).unwrap();
        check_refused(keep.path(), &["D.age"]);
    }
    fs::write(keep.path().join("D.age"), good).unwrap();
    assert_eq!(try_unseal(keep.path()).code, 0);
}

#[test]
fn the_place_of_the_damage_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("D")).unwrap();
    let mut number = 1_u32;
    for file in 0..5 {
        // Incompressible content, so that each file spans separate blocks.
        let content: Vec<u8> = (0..200_000)
            .map(|_| {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (number >> 24) as u8
            })
            .collect();
        fs::write(scratch.path().join(format!("D/{file}.bin")), content).unwrap();
    }
    assert_eq!(run(scratch.path(), &["data", "seal", "D", "-o", "D.age"]).code, 0);
    let good = fs::read(scratch.path().join("D.age")).unwrap();
    for (at, file) in [(500_000, "2.bin"), (930_000, "4.bin")] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(scratch.path().join("D.age"), bad).unwrap();
        check_refused(scratch.path(), &[&format!("D.age was altered: it breaks at {file}")]);
    }
    fs::write(scratch.path().join("D.age"), &good[..700_000]).unwrap();
    check_refused(scratch.path(), &["it breaks at 3.bin"]);
}

#[test]
fn a_changed_commitment_is_found() {
    let keep = sealed();
    let path = keep.path().join("D.age.commitment.json");
    let good = fs::read_to_string(&path).unwrap();
    let root = json(&CommandOutput { code: 0, out: good.clone(), err: String::new() })["root"]
        .as_str()
        .unwrap()
        .to_owned();
    let flipped = if root.starts_with('0') { "1" } else { "0" };
    let check = |from: &str, to: &str, words: &[&str]| {
        assert!(good.contains(from), "{good}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        check_refused(keep.path(), words);
    };
    check(&root, &format!("{flipped}{}", &root[1..]), &["the root committed to", &root]);
    check("\"files\": 7", "\"files\": 8", &["number of files committed to is 8", "data 7"]);
    check("\"bytes\": ", "\"bytes\": 1", &["the number of bytes"]);
    check("\"tasks\": 3", "\"tasks\": 4", &["number of tasks committed to is 4"]);
    check("\"Tasks\": 3", "\"Tasks\": 2", &["the number of files in \"Tasks\"", "was altered"]);
    check("\"Tasks\": 3", "\"Task\": 3", &["in \"Task\"", "in \"Tasks\""]);
    check("\"version\": 1", "\"version\": 2", &["not a commitment"]);
    check("{", "{\"note\": 1,", &["not a commitment"]);
    check("{", "", &["not a commitment"]);
    fs::remove_file(&path).unwrap();
    let output = try_unseal(keep.path());
    assert_eq!(output.code, 0);
    assert!(output.err.contains("warning: there is no commitment"), "{}", output.err);
    let output = run(keep.path(), &["data", "unseal", "D.age", "-o", "o", "--commitment", "none"]);
    assert_eq!(output.code, 3, "{output:?}");
}

/// The manifest is the sealed one and the root matches, so the file can be named.
#[test]
fn a_single_changed_byte_names_its_file() {
    let keep = sealed();
    let good = open(keep.path());
    close(keep.path(), &good);
    for (text, file) in [("changed2();", "Tasks/2.txt"), ("{\"task\": 1}", "provenance.jsonl")] {
        let mut bad = good.clone();
        bad[find(&good, text)] ^= 1;
        close(keep.path(), &bad);
        check_refused(keep.path(), &[&format!("error: {file} differs from what was sealed")]);
        fs::remove_file(keep.path().join("D.age.commitment.json")).unwrap_or_default();
        check_refused(keep.path(), &[&format!("error: {file} differs from what was sealed")]);
    }
    close(keep.path(), &good);
    assert_eq!(try_unseal(keep.path()).code, 0);
}

/// Manifest and content were both replaced: only the root differs, and no file can be named.
#[test]
fn other_data_have_another_root_even_with_the_same_seed() {
    let (keep, root) = dataset("D", 3);
    let at = |name: &str| keep.path().join(name);
    let seed = Seed::from_bytes([4; 32]);
    let seal_as = |name: &str| {
        let request = SealRequest {
            folder: root.clone(),
            output: target(&at(name)),
            commitment: target(&at(&format!("{name}.commitment.json"))),
            lock: Lock::NewKey(at(&format!("{name}.key"))),
            force: false,
        };
        seal(&request, &seed, &Cancel::new()).unwrap()
    };
    let original = seal_as("A.age");
    assert_eq!(seal_as("B.age"), original);
    fs::write(root.join("Solutions/2.txt"), "3").unwrap();
    let changed = seal_as("C.age");
    assert_eq!((changed.files, changed.bytes), (original.files, original.bytes));
    let unseal_as = |name: &str| {
        let request = UnsealRequest {
            sealed: at(name),
            folder: at("out"),
            commitment: Some(Commitment::load(&at("A.age.commitment.json")).unwrap()),
            key: Key::identity_files(&[at(&format!("{name}.key"))]).unwrap(),
        };
        unseal(&request, &Cancel::new())
    };
    let error = unseal_as("C.age").unwrap_err();
    assert!(error.to_string().contains("the root committed to"), "{error}");
    assert!(error.hint_text().unwrap().contains("which file differs cannot be told"));
    assert_eq!(error.exit_code(), 3);
    assert_eq!(unseal_as("B.age").unwrap(), original);
}

#[test]
fn the_inside_is_the_same_for_the_same_seed() {
    let (keep, root) = dataset("D", 3);
    let inside = || {
        let _ = fs::remove_file(keep.path().join("D.age.key"));
        let request = SealRequest {
            folder: root.clone(),
            output: target(&keep.path().join("D.age")),
            commitment: target(&keep.path().join("D.age.commitment.json")),
            lock: Lock::NewKey(keep.path().join("D.age.key")),
            force: true,
        };
        seal(&request, &Seed::from_bytes([4; 32]), &Cancel::new()).unwrap();
        open(keep.path())
    };
    let first = inside();
    // Neither the time nor the mode of a file is sealed.
    let path = root.join("Tasks/1.txt");
    let text = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(first == inside());

    // Other tools read it.
    let mut archive = tar::Archive::new(first.as_slice());
    let mut found = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        assert_eq!(entry.header().mode().unwrap(), 0o644);
        assert_eq!(entry.header().mtime().unwrap(), 0);
        found.push(entry.path().unwrap().display().to_string());
        entry.read_to_end(&mut Vec::new()).unwrap();
    }
    assert_eq!(found[..3], ["manifest.json", "files/Solutions/1.txt", "files/Solutions/2.txt"]);
}

#[test]
fn only_plain_files_are_sealed() {
    let (keep, root) = dataset("D", 1);
    let check = |arguments: &[&str], words: &[&str]| {
        let before = names(keep.path());
        let output = run(keep.path(), &[&["data", "seal"], arguments].concat());
        assert_eq!(output.code, 3, "{output:?}");
        for word in words {
            assert!(output.err.contains(word), "{word:?} is not in {}", output.err);
        }
        assert_eq!(names(keep.path()), before);
    };
    symlink("Tasks/1.txt", root.join("link")).unwrap();
    symlink("Tasks", root.join("folder-link")).unwrap();
    check(&["D", "-o", "D.age"], &["\"link\" is a link", "\"folder-link\" is a link"]);
    fs::remove_file(root.join("link")).unwrap();
    fs::remove_file(root.join("folder-link")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(root.join("Tasks/socket")).unwrap();
    check(&["D", "-o", "D.age"], &["\"Tasks/socket\" is not a file"]);
    drop(socket);
    fs::remove_file(root.join("Tasks/socket")).unwrap();
    let odd = root.join(std::ffi::OsStr::from_bytes(b"Tasks/\xff.txt"));
    fs::write(&odd, "x").unwrap();
    check(&["D", "-o", "D.age"], &["Tasks/\\xff.txt\" is not UTF-8"]);
    fs::remove_file(odd).unwrap();
    fs::write(root.join("a\nb"), "x").unwrap();
    check(&["D", "-o", "D.age"], &["\"a\\nb\" has a control character"]);
    fs::remove_file(root.join("a\nb")).unwrap();

    fs::create_dir_all(keep.path().join("empty/inner")).unwrap();
    check(&["empty", "-o", "D.age"], &["there are no files in"]);
    check(&["nowhere", "-o", "D.age"], &["failed to open nowhere"]);
    check(&["D/Tasks/1.txt", "-o", "D.age"], &["is not a folder"]);
}

#[test]
fn nothing_is_overwritten_unless_forced_and_a_key_never() {
    let keep = sealed();
    let before = files(keep.path());
    let seal = |arguments: &[&str]| {
        run(keep.path(), &[&["data", "seal", "D", "-o", "D.age"], arguments].concat())
    };
    let output = seal(&[]);
    assert!(output.code == 3 && output.err.contains("D.age is there already"), "{output:?}");
    let output = seal(&["--force"]);
    assert!(output.code == 3 && output.err.contains("a key is never overwritten"), "{output:?}");
    assert!(output.err.contains("--recipient"), "{}", output.err);
    assert_eq!(files(keep.path()), before);
    let public = identity(keep.path()).to_public().to_string();
    assert_eq!(seal(&["--force", "-r", &public]).code, 0);
    assert_eq!(try_unseal(keep.path()).code, 0);
    let output = try_unseal(keep.path());
    assert!(output.code == 3 && output.err.contains("out is not empty"), "{output:?}");
    let output = seal(&["--force", "-r", &public, "--commitment", "D.age"]);
    assert_eq!(output.code, 2, "{output:?}");
    let output = seal(&["--force", "-r", &public, "--passphrase-file", "x"]);
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn a_sealed_file_does_not_contain_itself() {
    let (keep, root) = dataset("D", 2);
    let before = files(&root);
    for force in [&[][..], &["--force", "--recipients-file", "../public"]] {
        let arguments = [&["data", "seal", ".", "-o", "./D.age"], force].concat();
        let output = run(&root, &arguments);
        assert_eq!(output.code, 0, "{output:?}");
        let out = keep.path().join(format!("out{}", force.len()));
        let output = run(
            &root,
            &["data", "unseal", "D.age", "-o", out.to_str().unwrap(), "--identity", "D.age.key"],
        );
        assert_eq!(output.code, 0, "{output:?}");
        let mut found = files(&out);
        // A key that existed before is a file like any other.
        assert_eq!(found.remove(Path::new("D.age.key")).is_some(), !force.is_empty());
        assert_eq!(found, before);
        let public = identity(&root).to_public().to_string();
        fs::write(keep.path().join("public"), public).unwrap();
    }
}

#[test]
fn an_interrupted_work_leaves_nothing_behind() {
    let keep = sealed();
    let at = |name: &str| keep.path().join(name);
    let before = names(keep.path());
    let cancel = Cancel::new();
    cancel.cancel();
    let request = SealRequest {
        folder: at("D"),
        output: target(&at("E.age")),
        commitment: target(&at("E.age.commitment.json")),
        lock: Lock::NewKey(at("E.age.key")),
        force: false,
    };
    assert!(seal(&request, &Seed::random().unwrap(), &cancel).is_err());
    let request = UnsealRequest {
        sealed: at("D.age"),
        folder: at("out"),
        commitment: None,
        key: Key::identity_files(&[at("D.age.key")]).unwrap(),
    };
    assert!(unseal(&request, &cancel).is_err());
    assert_eq!(names(keep.path()), before);
}

#[test]
fn a_changed_byte_in_an_opened_folder_is_named() {
    let keep = sealed();
    let against = || run(keep.path(), &["data", "unseal", "D.age", "--against", "D"]);
    let output = against();
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.out.contains("that were sealed"), "{output:?}");
    let task = keep.path().join("D/Tasks/2.txt");
    let mut bytes = fs::read(&task).unwrap();
    bytes[0] ^= 1;
    fs::write(&task, bytes).unwrap();
    let output = against();
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("Tasks/2.txt differs from what was sealed"), "{output:?}");
    assert!(!output.err.contains("Tasks/1.txt"), "{output:?}");
    fs::remove_file(&task).unwrap();
    fs::write(keep.path().join("D/more"), "").unwrap();
    let output = against();
    assert!(output.err.contains("Tasks/2.txt is missing; more was not sealed"), "{output:?}");
    assert_eq!(run(keep.path(), &["data", "unseal", "D.age"]).code, 2);
}

#[test]
fn force_replaces_only_what_seal_made() {
    let keep = sealed();
    let before = fs::read(keep.path().join("D/Tasks/1.txt")).unwrap();
    for arguments in [
        ["data", "seal", "D", "-o", "D/Tasks/1.txt", "--force"].as_slice(),
        &["data", "seal", "D", "-o", "E.age", "--commitment", "D/Tasks/1.txt", "--force"],
    ] {
        let output = run(keep.path(), arguments);
        assert_eq!(output.code, 3, "{output:?}");
        assert!(output.err.contains("--force replaces only what seal made"), "{output:?}");
    }
    assert_eq!(fs::read(keep.path().join("D/Tasks/1.txt")).unwrap(), before);
}
