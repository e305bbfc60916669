//! A record as its writer and its readers see it.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::common::{PROBLEMS, answer, exclusion, index, manifest, results, verdict};
use assay_core::{Error, Result};
use assay_record::{
    ANSWERS, FormatVersion, LOCK, MANIFEST, Manifest, Outcome, RESULTS, RunReader, RunWriter,
    SCRATCH, TEXTS, VERDICTS, VerdictLine, is_run,
};
use tempfile::TempDir;

fn new_run() -> (TempDir, RunWriter) {
    let scratch = tempfile::tempdir().unwrap();
    let run = RunWriter::create(&scratch.path().join("runs"), &manifest(), 7).unwrap();
    (scratch, run)
}

fn refused<T>(result: Result<T>) -> Error {
    result.err().expect("it is refused")
}

#[test]
fn the_folder_is_named_after_the_run() {
    let scratch = tempfile::tempdir().unwrap();
    let name = |run: &RunWriter| run.folder().file_name().unwrap().to_str().unwrap().to_owned();
    let first = RunWriter::create(scratch.path(), &manifest(), 7).unwrap();
    let second = RunWriter::create(scratch.path(), &manifest(), 7).unwrap();
    assert!(name(&first).starts_with("20261118T055406Z-m-model-"));
    assert_ne!(name(&first), name(&second));
    assert!(is_run(first.folder()) && !is_run(scratch.path()));
}

#[test]
fn one_process_writes_and_anyone_reads() {
    let (_scratch, mut run) = new_run();
    run.answer(&answer(PROBLEMS[0], 0)).unwrap();
    let error = refused(RunWriter::open(run.folder()));
    assert!(error.to_string().ends_with("is in use by another process"), "{error}");
    let reader = RunReader::open(run.folder()).unwrap();
    assert_eq!(reader.answers().count(), 1);
    assert_eq!(reader.verdicts().count(), 0, "there is no such file yet");
    // A line that is being written.
    let path = run.folder().join(VERDICTS);
    std::fs::write(&path, "{\"problem\":\"m/10\",\"sam").unwrap();
    assert_eq!(reader.verdicts().count(), 0);
    let folder = run.folder().to_owned();
    drop(run);
    RunWriter::open(&folder).unwrap();
}

#[test]
fn an_older_assay_that_has_the_record_open_is_respected() {
    let (_scratch, run) = new_run();
    let folder = run.folder().to_owned();
    drop(run);
    let older = std::fs::File::open(folder.join(MANIFEST)).unwrap();
    older.lock().unwrap();
    let error = refused(RunWriter::open(&folder));
    assert!(error.to_string().ends_with("is in use by another process"), "{error}");
    older.unlock().unwrap();
    let run = RunWriter::open(&folder).unwrap();
    assert!(older.try_lock().is_err(), "and it is kept out");
    drop(run);
}

#[test]
fn a_reader_writes_nothing_and_a_writer_makes_no_record() {
    let scratch = tempfile::tempdir().unwrap();
    let error = refused(RunWriter::open(scratch.path()));
    assert!(error.to_string().ends_with("has no run.json"), "{error}");
    assert!(refused(RunReader::open(scratch.path())).hint_text().unwrap().contains("assay run"));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn links_are_not_followed() {
    let (scratch, run) = new_run();
    let folder = run.folder().to_owned();
    drop(run);
    let target = scratch.path().join("target");
    std::fs::write(&target, "{}\n").unwrap();
    for name in [ANSWERS, VERDICTS, TEXTS, RESULTS] {
        symlink(&target, folder.join(name)).unwrap();
    }
    let run = RunReader::open(&folder).unwrap();
    let expect = |error: Error| {
        assert!(error.to_string().ends_with("is a symbolic link, not a file"), "{error}");
    };
    let answers: Vec<_> = run.answers().collect();
    assert_eq!(answers.len(), 1);
    expect(answers.into_iter().next().unwrap().unwrap_err());
    expect(refused(run.texts()));
    expect(refused(run.results()));
    expect(refused(run.is_complete()));
    expect(refused(RunWriter::open(&folder)));
    std::fs::remove_file(folder.join(LOCK)).unwrap();
    symlink(&target, folder.join(LOCK)).unwrap();
    expect(refused(RunWriter::open(&folder)));
}

#[test]
fn the_manifest_is_replaced_while_the_lock_stays() {
    let (_scratch, mut run) = new_run();
    let unknown = Manifest { signature: None, data_digest: None, ..manifest() };
    run.set_manifest(&unknown).unwrap();
    assert_eq!(RunReader::open(run.folder()).unwrap().manifest(), &unknown);
    let text = std::fs::read_to_string(run.folder().join(MANIFEST)).unwrap();
    assert!(!text.contains("signature") && !text.contains("data_digest"));
    run.set_manifest(&manifest()).unwrap();
    assert_eq!(std::fs::read(run.folder().join(MANIFEST)).unwrap(), run.manifest_bytes());
    assert!(RunWriter::open(run.folder()).is_err());
}

#[test]
fn a_complete_run_takes_no_more_lines() {
    let (_scratch, mut run) = new_run();
    run.complete(&index, &mut |_| panic!("there is no verdict")).unwrap();
    run.finish(&results()).unwrap();
    let folder = run.folder().to_owned();
    drop(run);
    let mut run = RunWriter::open(&folder).unwrap();
    assert!(run.is_complete().unwrap());
    let error = refused(run.answer(&answer(PROBLEMS[0], 0)));
    assert!(error.to_string().ends_with("is complete"), "{error}");
    assert!(run.set_manifest(&manifest()).is_err() && run.finish(&results()).is_err());
}

#[test]
fn a_newer_minor_version_is_read_and_not_written() {
    let (_scratch, run) = new_run();
    let folder = run.folder().to_owned();
    drop(run);
    let newer = FormatVersion { minor: FormatVersion::CURRENT.minor + 1, ..FormatVersion::CURRENT };
    let bytes = Manifest { format: newer, ..manifest() }.to_bytes().unwrap();
    std::fs::write(folder.join(MANIFEST), bytes).unwrap();
    std::fs::write(
        folder.join(VERDICTS),
        "{\"problem\":\"m/1\",\"sample\":0,\"outcome\":\"passed\",\"new\":{\"a\":[1]}}\n",
    )
    .unwrap();
    let reader = RunReader::open(&folder).unwrap();
    assert_eq!(reader.manifest().format, newer);
    assert_eq!(reader.verdicts().map(Result::unwrap).count(), 1);
    let error = refused(RunWriter::open(&folder));
    assert_eq!(error.hint_text(), Some("resume the run with the assay that started it"));
}

#[test]
fn a_verdict_that_would_be_read_otherwise_is_not_written() {
    let (_scratch, mut run) = new_run();
    let with = |name: &str, score: f64| {
        let mut line = VerdictLine::new(PROBLEMS[0], 0, Outcome::Passed);
        line.scores.insert(name.to_owned(), score);
        line
    };
    assert!(run.verdict(&with("loss", f64::NAN)).is_err());
    assert!(run.verdict(&with("change", 4.0)).is_err());
    assert!(run.verdict(&with("bleu.0", 4.0)).is_err());
    run.verdict(&with("bleu-1.5", 4.0)).unwrap();
}

#[test]
fn an_excluded_problem_has_one_verdict() {
    let (_scratch, mut run) = new_run();
    for sample in [0, 1] {
        run.answer(&answer(PROBLEMS[0], sample)).unwrap();
        run.verdict(&verdict(PROBLEMS[0], sample)).unwrap();
    }
    run.answer(&answer(PROBLEMS[1], 0)).unwrap();
    run.verdict(&exclusion(PROBLEMS[0])).unwrap();
    run.verdict(&verdict(PROBLEMS[1], 0)).unwrap();
    let mut visited = Vec::new();
    run.complete(&index, &mut |line| visited.push(line.clone())).unwrap();
    assert_eq!(visited, [exclusion(PROBLEMS[0]), verdict(PROBLEMS[1], 0)]);
    let reader = RunReader::open(run.folder()).unwrap();
    assert_eq!(reader.verdicts().map(Result::unwrap).collect::<Vec<_>>(), visited);
}

#[test]
fn a_complete_record_has_no_torn_line() {
    let (_scratch, mut run) = new_run();
    run.answer(&answer(PROBLEMS[0], 0)).unwrap();
    let folder = run.folder().to_owned();
    drop(run);
    let path = folder.join(ANSWERS);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, [whole.as_slice(), b"{\"prob"].concat()).unwrap();
    let mut run = RunWriter::open(&folder).unwrap();
    run.complete(&index, &mut |_| ()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    assert!(!folder.join(VERDICTS).exists());
}

#[test]
fn lines_that_are_not_part_of_the_run_are_named() {
    let (_scratch, mut run) = new_run();
    run.answer(&answer(PROBLEMS[0], 0)).unwrap();
    run.answer(&answer("other", 0)).unwrap();
    let expected =
        format!("{}:2: the line is not part of this run", run.folder().join(ANSWERS).display());
    assert_eq!(refused(run.check_problems(&index)).to_string(), expected);
    assert_eq!(refused(run.complete(&index, &mut |_| ())).to_string(), expected);
}

#[test]
fn a_broken_line_is_named_when_the_run_is_opened() {
    let (_scratch, run) = new_run();
    let folder = run.folder().to_owned();
    drop(run);
    std::fs::write(folder.join(VERDICTS), "{\"problem\":\"m/1\",\"sample\":0}\n").unwrap();
    let error = refused(RunWriter::open(&folder));
    assert!(error.to_string().ends_with("verdicts.jsonl:1: the line cannot be read"), "{error}");
    assert!(error.hint_text().is_some());
}

#[test]
fn a_text_is_kept_once() {
    let (_scratch, mut run) = new_run();
    let folder = run.folder().to_owned();
    let hash = run.text("täxt\n").unwrap();
    assert_eq!(run.text("täxt\n").unwrap(), hash);
    drop(run);
    let mut run = RunWriter::open(&folder).unwrap();
    assert_eq!(run.text("täxt\n").unwrap(), hash);
    assert_ne!(run.text("other").unwrap(), hash);
    let texts = RunReader::open(&folder).unwrap().texts().unwrap();
    assert_eq!((texts.len(), texts.get(&hash).unwrap().as_deref()), (2, Some("täxt\n")));
    assert_eq!(texts.get(&hash[1..]).unwrap(), None);
    let path = folder.join(TEXTS);
    let changed = std::fs::read_to_string(&path).unwrap().replace("other", "forge");
    std::fs::write(&path, changed).unwrap();
    let texts = RunReader::open(&folder).unwrap().texts().unwrap();
    assert!(refused(texts.get(&run.text("other").unwrap())).to_string().ends_with("was changed"));
}

#[test]
fn scratch_is_empty_and_no_link() {
    let (scratch, run) = new_run();
    let folder: PathBuf = run.scratch().unwrap();
    std::fs::write(folder.join("left"), "").unwrap();
    assert_eq!(std::fs::read_dir(run.scratch().unwrap()).unwrap().count(), 0);
    run.clear_scratch().unwrap();
    assert!(!folder.exists());
    symlink(scratch.path(), run.folder().join(SCRATCH)).unwrap();
    assert!(run.scratch().is_err() && run.clear_scratch().is_err());
}

#[test]
fn what_is_discarded_is_gone_and_can_be_done_again() {
    let (_scratch, mut run) = new_run();
    for sample in 0..2 {
        run.answer(&answer(PROBLEMS[0], sample)).unwrap();
        run.verdict(&verdict(PROBLEMS[0], sample)).unwrap();
    }
    run.discard().unwrap();
    assert_eq!(run.progress().graded().count(), 0);
    run.answer(&answer(PROBLEMS[1], 0)).unwrap();
    let folder = run.folder().to_owned();
    drop(run);
    let run = RunWriter::open(&folder).unwrap();
    assert_eq!(run.progress().ungraded().collect::<Vec<_>>(), [(PROBLEMS[1], 0)]);
    let reader = RunReader::open(&folder).unwrap();
    assert_eq!((reader.answers().count(), reader.verdicts().count()), (1, 0));
}
