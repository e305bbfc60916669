//! CodRep datasets in all of their formats, valid and invalid.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use assay_data::codrep::stats::stats;
use assay_data::codrep::verify::verify;
use assay_data::codrep::{Dataset, PathFault, find_task};
use tempfile::TempDir;

/// Files by path.
type Files<'a> = Vec<(&'a str, &'a [u8])>;

const SOUND: [(&str, &[u8]); 6] = [
    ("Tasks/1.txt", b"int a = 2;\n\nclass A {\n  int a = 1;\n}\n"),
    ("Tasks/2.txt", b"x++;\n\nclass B {\n\n  x--;\n}"),
    ("Tasks/10.txt", b"y();\n\n  x();\n"),
    ("Solutions/1.txt", b"2"),
    ("Solutions/2.txt", b"3\n"),
    ("Solutions/10.txt", b"1"),
];

fn folder(name: &str, files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join(name);
    for (path, bytes) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    (scratch, root)
}

fn tar(prefix: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // Written by hand, because the builder refuses the paths of an attacker.
        let path = format!("{prefix}{path}");
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn archive(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(name);
    fs::write(&path, bytes).unwrap();
    (scratch, path)
}

fn zip(path: &Path, prefix: &str, files: &[(&str, &[u8])]) {
    let mut writer = zip::ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in files {
        writer
            .start_file(format!("{prefix}{name}"), zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn open(path: &Path) -> Result<Vec<Dataset>, String> {
    Dataset::open_all(&[path.to_owned()], true).map_err(|error| error.to_string())
}

/// Every task's text and solution, in task order, whatever the order of reading.
fn contents(dataset: &Dataset) -> Vec<(String, Vec<u8>, usize)> {
    let mut read = BTreeMap::new();
    dataset
        .read(&|_| true, &mut |task| {
            let text = task.text.unwrap();
            let solution = dataset.solution(task.place).unwrap();
            read.insert(task.place, (dataset.stems()[task.place].clone(), text, solution));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    read.into_values().collect()
}

#[test]
fn every_form_holds_the_same() {
    let expected: Vec<(String, Vec<u8>, usize)> = [0, 1, 2]
        .into_iter()
        .zip(["1", "2", "10"])
        .zip([2, 3, 1])
        .map(|((at, stem), solution)| (stem.to_owned(), SOUND[at].1.to_vec(), solution))
        .collect();
    let check = |path: &Path, name: &str| {
        let datasets = open(path).unwrap();
        assert_eq!(datasets.len(), 1, "{}", path.display());
        assert_eq!(datasets[0].name(), name, "{}", path.display());
        assert_eq!(contents(&datasets[0]), expected, "{}", path.display());
    };

    let (_keep, root) = folder("D", &SOUND);
    check(&root, "D");
    check(&root.join("Tasks"), "D");
    check(&root.join("Tasks/."), "D");
    check(root.parent().unwrap(), "D");

    let packed = tar("D/", &SOUND);
    let compressed = zstd::encode_all(packed.as_slice(), 3).unwrap();
    let gzipped = gzip(&packed);
    for (name, bytes) in
        [("d.tar", &packed), ("d.tar.zst", &compressed), ("d.tar.gz", &gzipped), ("odd", &packed)]
    {
        let (_keep, path) = archive(name, bytes);
        check(&path, "D");
    }

    // The solutions may come after the tasks, and the folder may be missing or written as `./`.
    let mut reversed = SOUND;
    reversed.reverse();
    let (_keep, path) = archive("D.tar", &tar("", &reversed));
    check(&path, "D");
    let (_keep, path) = archive("D.tgz", &gzip(&tar("./", &SOUND)));
    check(&path, "D");

    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("d.zip");
    zip(&path, "D/", &SOUND);
    check(&path, "D");
    zip(&path, "./D/", &SOUND);
    check(&path, "D");
}

#[test]
fn the_first_edition_is_read_too() {
    let files: Files<'_> =
        vec![("Files/1.txt", b"a\n\nb\n"), ("Solutions/1.txt", b"1"), ("README.md", b"about")];
    let (_keep, root) = folder("old", &files);
    let datasets = open(&root).unwrap();
    assert_eq!(datasets[0].task_folder(), "Files");
    assert!(datasets[0].task_path(0).ends_with("/old/Files/1.txt"));
    assert_eq!(contents(&datasets[0]).len(), 1);
}

#[test]
fn several_datasets_at_once() {
    let one: Files<'_> = vec![("Tasks/1.txt", b"a\n\nb\n"), ("Solutions/1.txt", b"1")];
    let mut both = Vec::new();
    for name in ["Dataset10", "Dataset9"] {
        both.extend(one.iter().map(|(path, bytes)| (format!("{name}/{path}"), *bytes)));
    }
    let files: Files<'_> = both.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
    let names = |datasets: Vec<Dataset>| -> Vec<String> {
        datasets.iter().map(|dataset| dataset.name().to_owned()).collect()
    };

    let (_keep, root) = folder("all", &files);
    assert_eq!(names(open(&root).unwrap()), ["Dataset10", "Dataset9"]);
    let chosen = [root.join("Dataset9"), root.join("Dataset10")];
    assert_eq!(names(Dataset::open_all(&chosen, true).unwrap()), ["Dataset9", "Dataset10"]);
    let twice = [root.join("Dataset9"), root.join("Dataset9")];
    let error = Dataset::open_all(&twice, true).unwrap_err().to_string();
    assert!(error.ends_with("Dataset9 is given twice"), "{error}");
    let (_other, elsewhere) = folder("Dataset9", &one);
    let alike = [root.join("Dataset9"), elsewhere];
    let error = Dataset::open_all(&alike, true).unwrap_err().to_string();
    assert!(error.starts_with("two datasets are called Dataset9"), "{error}");

    let (_keep, path) = archive("all.tar", &tar("", &files));
    assert_eq!(names(open(&path).unwrap()), ["Dataset10", "Dataset9"]);
    let folder_of_archives = tempfile::tempdir().unwrap();
    fs::write(folder_of_archives.path().join("A.tar"), tar("A/", &one)).unwrap();
    fs::write(folder_of_archives.path().join("B.tar.gz"), gzip(&tar("", &one))).unwrap();
    assert_eq!(names(open(folder_of_archives.path()).unwrap()), ["A", "B"]);
}

#[test]
fn a_folder_of_task_files_needs_no_solutions() {
    let files: Files<'_> = vec![("1.txt", b"a\n\nb\n"), ("2.txt", b"a\n\nb\n")];
    let (_keep, root) = folder("plain", &files);
    let datasets = Dataset::open_all(std::slice::from_ref(&root), false).unwrap();
    assert_eq!(datasets[0].stems(), ["1", "2"]);
    assert_eq!(datasets[0].task_path(1), format!("{}/2.txt", root.display()));
}

#[test]
fn what_is_no_dataset_is_named() {
    let check = |path: &Path, start: &str| {
        let error = open(path).unwrap_err();
        assert!(error.contains(start), "{error}");
    };
    let empty = tempfile::tempdir().unwrap();
    check(empty.path(), "holds no CodRep tasks");
    check(&empty.path().join("missing"), "failed to open");
    let (_keep, path) = archive("notes.txt", b"hello");
    check(&path, "is not an archive that is known here");
    let (_keep, path) = archive("cut.tar", &tar("D/", &SOUND)[..1300]);
    check(&path, "is not a sound archive");
    let whole = zstd::encode_all(tar("D/", &SOUND).as_slice(), 3).unwrap();
    let (_keep, path) = archive("cut.tar.zst", &whole[..whole.len() / 2]);
    check(&path, "is not a sound archive");
    let mut gzipped = gzip(&tar("D/", &SOUND));
    let checksum = gzipped.len() - 8;
    gzipped[checksum] ^= 1;
    let (_keep, path) = archive("wrong-checksum.tar.gz", &gzipped);
    check(&path, "is not a sound archive");
    let (_keep, path) = archive("cut.tar.gz", &gzip(&tar("D/", &SOUND))[..checksum + 4]);
    check(&path, "is not a sound archive");
    let (_keep, path) = archive("cut.zip", b"PK\x03\x04 and no more");
    check(&path, "is not a sound archive");
    let mut twice = SOUND.to_vec();
    twice.push(SOUND[0]);
    let (_keep, path) = archive("twice.tar", &tar("D/", &twice));
    check(&path, "D/Tasks/1.txt is in the archive twice");
    let mut twice = SOUND.to_vec();
    twice.push(SOUND[3]);
    let (_keep, path) = archive("twice.tar", &tar("D/", &twice));
    check(&path, "D/Solutions/1.txt is in the archive twice");
}

#[test]
fn paths_that_climb_out_of_an_archive_are_no_tasks() {
    for prefix in ["../", "D/../", "/", "D//"] {
        let (_keep, path) = archive("evil.tar", &tar(prefix, &SOUND));
        let found = open(&path);
        assert!(found.is_err(), "{prefix}: {found:?}");
    }
}

#[test]
fn pipes_and_links_do_no_harm() {
    let (_keep, root) = folder("D", &SOUND);
    let elsewhere = root.join("Tasks/1.txt");
    std::os::unix::fs::symlink(&elsewhere, root.join("Tasks/3.txt")).unwrap();
    fs::copy(root.join("Solutions/1.txt"), root.join("Solutions/3.txt")).unwrap();
    std::os::unix::fs::symlink("/nowhere", root.join("Tasks/4.txt")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", root.join("Tasks/5.txt")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("Tasks/6.txt"), rustix::fs::Mode::RUSR)
        .unwrap();
    let datasets = open(&root).unwrap();
    assert_eq!(datasets[0].stems(), ["1", "2", "3", "10"]);
    assert_eq!(contents(&datasets[0])[2].1, SOUND[0].1);
}

#[test]
fn paths_in_predictions_are_matched_from_their_end() {
    let (_keep, left) = folder("A", &SOUND);
    let (_keep, right) = folder("B", &SOUND[..1]);
    let both = Dataset::open_all(&[left.clone(), right], true).unwrap();
    let one = Dataset::open_all(std::slice::from_ref(&left), true).unwrap();
    let place = |datasets: &[Dataset], path: &str| {
        find_task(datasets, path).map(|at| (at.dataset, at.task))
    };
    let absolute = format!("{}/Tasks/10.txt", left.display());
    for path in [
        absolute.as_str(),
        "/elsewhere/A/Tasks/10.txt",
        "A/Files/10.txt",
        "Tasks/10.txt",
        "10.txt",
        "A/10",
        "./Tasks/10.txt",
    ] {
        assert_eq!(place(&one, path), Ok((0, 2)), "{path}");
        assert_eq!(place(&both, path), Ok((0, 2)), "{path}");
    }
    assert_eq!(place(&both, "/x/B/Tasks/1.txt"), Ok((1, 0)));
    let ambiguous = PathFault::Ambiguous { datasets: vec!["A".into(), "B".into()] };
    for path in ["1.txt", "Tasks/1.txt"] {
        assert_eq!(place(&both, path), Err(ambiguous.clone()), "{path}");
    }
    for path in [
        "/x/C/Tasks/10.txt",
        "/Tasks/10.txt",
        "Solutions/10.txt",
        "A/Tasks/10",
        "C/10",
        "10",
        "",
        "/",
        "/x/A/Tasks/../Tasks2/10.txt",
    ] {
        assert_eq!(place(&both, path), Err(PathFault::OtherDataset), "{path}");
    }
    let missing = PathFault::NoSuchTask { dataset: "A".into() };
    for path in ["/x/A/Tasks/11.txt", "A/11"] {
        assert_eq!(place(&both, path), Err(missing.clone()), "{path}");
    }
}

#[test]
fn verify_names_every_malformed_file() {
    let files: Files<'_> = vec![
        ("Tasks/1.txt", b"int a = 2;\n\nclass A {\n  int a = 1;\n}\n"),
        ("Tasks/2.txt", b""),
        ("Tasks/3.txt", b"x\n"),
        ("Tasks/4.txt", b"x\nnot empty\nprogram\n"),
        ("Tasks/5.txt", b"\n\nprogram\n"),
        ("Tasks/6.txt", b"x\n\nprogram\nok \xff\n"),
        ("Tasks/7.txt", b"x\n\na\nb\n"),
        ("Tasks/8.txt", b"x\n\n  x\n"),
        ("Tasks/9.txt", b"x\n\na\n"),
        ("Tasks/10.txt", b"x\n\na\n"),
        ("Tasks/notes.md", b"stray"),
        ("Solutions/1.txt", b"2"),
        ("Solutions/2.txt", b"1"),
        ("Solutions/3.txt", b"1"),
        ("Solutions/4.txt", b"1"),
        ("Solutions/5.txt", b"1"),
        ("Solutions/6.txt", b"1"),
        ("Solutions/7.txt", b"3"),
        ("Solutions/8.txt", b"1"),
        ("Solutions/10.txt", b"one"),
        ("Solutions/11.txt", b"1"),
    ];
    let (_keep, root) = folder("D", &files);
    let verified = verify(&open(&root).unwrap()[0]).unwrap();
    let found: Vec<String> = verified
        .malformed
        .iter()
        .map(|it| {
            let file = it.file.strip_prefix(root.to_str().unwrap()).unwrap();
            let line = it.line.map_or(String::new(), |line| format!(":{line}"));
            format!("{file}{line} {}", it.reason)
        })
        .collect();
    assert_eq!(
        found,
        [
            "/Tasks/2.txt:1 the new line is empty",
            "/Tasks/2.txt:3 there is no program",
            "/Tasks/3.txt:3 there is no program",
            "/Tasks/4.txt:2 the line after the new line is not empty",
            "/Tasks/5.txt:1 the new line is empty",
            "/Tasks/6.txt:4 byte 14 is not UTF-8",
            "/Tasks/7.txt:3 the solution is line 3, and the program has 2",
            "/Tasks/8.txt:3 the new line is the same as the line that it replaces",
            "/Solutions/9.txt is missing",
            "/Solutions/10.txt holds \"one\" instead of a line number",
            "/Solutions/11.txt there is no task for this solution",
            "/Tasks/notes.md is neither a task nor a solution",
        ]
    );
    assert_eq!(verified.tasks, 10);
    assert_eq!(verified.published_as, None);
}

#[test]
fn the_hash_is_of_the_content_and_not_of_the_packing() {
    let (_keep, root) = folder("One", &SOUND);
    let (_keep, packed) = archive("Other.tar", &tar("Other/", &SOUND));
    let digest = |path: &Path| verify(&open(path).unwrap()[0]).unwrap().digest;
    assert_eq!(digest(&root), digest(&packed));
    fs::write(root.join("Solutions/1.txt"), "3").unwrap();
    assert_ne!(digest(&root), digest(&packed));
}

#[test]
fn stats_count_what_they_say() {
    let files: Files<'_> = vec![
        ("Tasks/1.txt", b"b\n\na\na\nc\n"),
        ("Tasks/2.txt", b"b\n\na\na\nc\n"),
        ("Tasks/3.txt", b"c\n\na\r\nb\r\nc\n"),
        ("Solutions/1.txt", b"1"),
        ("Solutions/2.txt", b"3"),
        ("Solutions/3.txt", b"2"),
    ];
    let (_keep, root) = folder("D", &files);
    let stats = stats(&open(&root).unwrap()).unwrap();
    assert_eq!((stats.files, stats.lines, stats.bytes), (3, 9, 29));
    assert_eq!(stats.program_lines.max, 3);
    assert_eq!(stats.duplicate_files, 1);
    assert_eq!(stats.distinct_new_lines, 2);
    assert_eq!(stats.distinct_changes, Some(3));
    assert_eq!(stats.replaced_line_repeated, Some(1));
    assert_eq!(stats.new_line_present, 1);
    assert_eq!((stats.with_carriage_return, stats.not_utf8), (1, 0));
}
