//! Archives that were not created by `assay data seal`.

use std::fs;
use std::path::Path;

use crate::{check_refused, close, close_raw, find, open, sealed};

const BLOCK: usize = 512;

/// The contents of an archive with the manifest of `D.age`, changed, and other entries.
fn forge(
    good: &[u8],
    edit: &dyn Fn(&mut serde_json::Value),
    fill: &dyn Fn(&mut tar::Builder<Vec<u8>>),
) -> Vec<u8> {
    let mut first = tar::Archive::new(good);
    let mut manifest: serde_json::Value =
        serde_json::from_reader(first.entries().unwrap().next().unwrap().unwrap()).unwrap();
    edit(&mut manifest);
    let mut builder = tar::Builder::new(Vec::new());
    append(&mut builder, "manifest.json", tar::EntryType::Regular, manifest.to_string().as_bytes());
    fill(&mut builder);
    builder.into_inner().unwrap()
}

/// Appends an entry with a name that a normal library would refuse.
fn append(builder: &mut tar::Builder<Vec<u8>>, path: &str, kind: tar::EntryType, content: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

fn one_file(path: &str, bytes: usize) -> impl Fn(&mut serde_json::Value) {
    let leaf = "00".repeat(32);
    let files = serde_json::json!([{"path": path, "bytes": bytes, "leaf": leaf}]);
    move |manifest| manifest["files"] = files.clone()
}

#[test]
fn a_hostile_archive_writes_nothing() {
    use tar::EntryType::{Block, Directory, Fifo, Link, Regular, Symlink};
    let keep = sealed();
    fs::remove_file(keep.path().join("D.age.commitment.json")).unwrap();
    let good = open(keep.path());
    let check = |inside: &[u8], words: &[&str]| {
        close(keep.path(), inside);
        check_refused(keep.path(), words);
        assert!(!keep.path().join("evil").exists() && !Path::new("/tmp/evil-assay").exists());
    };
    for path in ["../evil", "/tmp/evil-assay", "a/../../evil", "a//b", "./a", "a\\b", "a\u{1b}b"] {
        let fill = |builder: &mut tar::Builder<Vec<u8>>| {
            append(builder, &format!("files/{path}"), Regular, b"x");
        };
        check(&forge(&good, &one_file(path, 1), &fill), &["has a manifest that names", "which"]);
        check(&forge(&good, &one_file("a", 1), &fill), &["holds a file", "whose path"]);
    }
    for path in ["../evil", "/tmp/evil-assay"] {
        let fill = |builder: &mut tar::Builder<Vec<u8>>| append(builder, path, Regular, b"x");
        check(&forge(&good, &one_file("a", 1), &fill), &["holds a file", path, "whose path"]);
    }
    for (kind, word) in [
        (Symlink, "a link"),
        (Link, "a link"),
        (Fifo, "a device"),
        (Block, "a device"),
        (Directory, "a folder"),
    ] {
        let fill = |builder: &mut tar::Builder<Vec<u8>>| append(builder, "files/a", kind, b"");
        check(&forge(&good, &one_file("a", 0), &fill), &[&format!("holds {word}"), "files/a"]);
    }
    let twice = |manifest: &mut serde_json::Value| {
        let first = manifest["files"][0].clone();
        manifest["files"].as_array_mut().unwrap().insert(0, first);
    };
    check(&forge(&good, &twice, &|_| {}), &["names a path twice: \"Solutions/1.txt\""]);
    check(&forge(&good, &|manifest| manifest["files"] = "x".into(), &|_| {}), &["malformed"]);
    check(b"", &["cut short"]);
    check(&[0; 1024], &["does not begin with a manifest"]);
    check(&good[..good.len() - 1], &["cut short"]);
}

#[test]
fn a_file_more_or_less_is_named() {
    let keep = sealed();
    let good = open(keep.path());
    let check = |inside: &[u8], words: &[&str]| {
        close(keep.path(), inside);
        check_refused(keep.path(), words);
    };
    let last = find(&good, "files/provenance.jsonl");
    check(
        &[&good[..last], &[0; 1024]].concat(),
        &["nothing more", "manifest has \"provenance.jsonl\""],
    );
    let mut more = tar::Builder::new(good[..last + 2 * BLOCK].to_vec());
    append(&mut more, "files/zebra", tar::EntryType::Regular, b"x");
    let more = more.into_inner().unwrap();
    check(&more, &["holds a file \"files/zebra\" with 1 bytes", "manifest does not have"]);
    let swap = |manifest: &mut serde_json::Value| {
        manifest["files"].as_array_mut().unwrap().swap(0, 1);
    };
    check(&forge(&good, &swap, &|_| {}), &["is not in order"]);
    let mut padded = good.clone();
    let end = last + BLOCK + "{\"task\": 1}\n".len();
    padded[end] = b'x';
    check(&padded, &["holds something after the end of provenance.jsonl"]);
    check(&[&good[..], b"x"].concat(), &["goes on after its end"]);
    let mut two = zstd::encode_all(good.as_slice(), 1).unwrap();
    two.extend(zstd::encode_all(&b"more"[..], 1).unwrap());
    close_raw(keep.path(), &two);
    check_refused(keep.path(), &["goes on after its end"]);
}

#[test]
fn a_bomb_is_not_unpacked() {
    let keep = sealed();
    fs::remove_file(keep.path().join("D.age.commitment.json")).unwrap();
    let good = open(keep.path());
    let bomb = vec![0; 64 << 20];
    // An entry larger than the manifest declares is not even started.
    let fill = |builder: &mut tar::Builder<Vec<u8>>| {
        append(builder, "files/a", tar::EntryType::Regular, &bomb);
    };
    close(keep.path(), &forge(&good, &one_file("a", 1), &fill));
    check_refused(keep.path(), &["with 67108864 bytes where its manifest has \"a\" with 1 bytes"]);
    // The size of a manifest is limited separately.
    let mut header = tar::Header::new_gnu();
    header.set_path("manifest.json").unwrap();
    header.set_mode(0o644);
    header.set_size(1 << 40);
    header.set_cksum();
    let inside = [header.as_bytes().as_slice(), &bomb].concat();
    close(keep.path(), &inside);
    check_refused(keep.path(), &["does not begin with a manifest"]);
    // Data after the end is refused too.
    close(keep.path(), &[&good[..], &bomb].concat());
    check_refused(keep.path(), &["goes on after its end"]);
}
