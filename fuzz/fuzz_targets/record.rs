//! Any bytes as the files of a record, separated by zero bytes: everything is read or refused,
//! everything that is read is written and read again unchanged, and a record that can be completed
//! has every sample once.

#![no_main]

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use assay_core::Result;
use assay_record::{
    ANSWERS, AnswerLine, MANIFEST, Manifest, RESULTS, RunReader, RunWriter, SESSIONS, SessionLine,
    TEXTS, VERDICTS, VerdictLine,
};
use libfuzzer_sys::fuzz_target;

/// The manifest of a record if the bytes contain none.
const DEFAULT_MANIFEST: &[u8] =
    br#"{"format":1,"started":"","problems":1,"request":{"task":{"name":"t",
"data":"sample"},"solver":"s","samples":1},"tool":{"version":"1"},
"machine":{"os":"","arch":"","cores":1}}"#;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("there is room for a record");
    write_files(folder.path(), bytes);
    let Ok(run) = RunReader::open(folder.path()) else { return };
    let written = run.manifest().to_bytes().expect("what was read can be written");
    let again = Manifest::parse(&written, Path::new(MANIFEST)).expect("a manifest");
    assert_eq!(&again, run.manifest());
    for line in run.answers().flatten() {
        let text = serde_json::to_vec(&line).expect("an answer");
        assert_eq!(serde_json::from_slice::<AnswerLine>(&text).ok(), Some(line));
    }
    for line in run.verdicts().flatten() {
        let text = serde_json::to_vec(&line).expect("a verdict");
        assert_eq!(serde_json::from_slice::<VerdictLine>(&text).ok(), Some(line));
    }
    for line in run.sessions().flatten() {
        let text = serde_json::to_vec(&line).expect("a session");
        assert_eq!(serde_json::from_slice::<SessionLine>(&text).ok(), Some(line));
    }
    let _ = (run.results(), run.texts().and_then(|texts| texts.get(&"0".repeat(64))));
    if let Ok(writer) = RunWriter::open(folder.path()) {
        complete(writer, &run);
    }
});

fn write_files(folder: &Path, bytes: &[u8]) {
    let mut parts = bytes.split(|&byte| byte == 0);
    let manifest = parts.next().filter(|part| !part.is_empty()).unwrap_or(DEFAULT_MANIFEST);
    let names = [ANSWERS, VERDICTS, SESSIONS, TEXTS, RESULTS];
    for (name, part) in names.into_iter().zip(parts).chain([(MANIFEST, manifest)]) {
        fs::write(folder.join(name), part).expect("there is room for a record");
    }
}

/// Completes the record in an order that has little to do with that of its lines.
fn complete(mut writer: RunWriter, run: &RunReader) {
    let order = |problem: &str| Some(problem.len() % 3);
    let mut visited = Vec::new();
    let mut visit = |line: &VerdictLine| {
        let sample = if line.is_excluded() { 0 } else { line.sample };
        visited.push((line.problem.clone(), sample));
    };
    if writer.complete(&order, &mut visit).is_err() {
        return;
    }
    let distinct: HashSet<_> = visited.iter().cloned().collect();
    assert_eq!(distinct.len(), visited.len(), "every sample is visited once");
    let read = run.verdicts().collect::<Result<Vec<VerdictLine>>>().expect("they were just read");
    assert_eq!(read.len(), visited.len());
}
