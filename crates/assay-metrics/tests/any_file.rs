//! Any file can be scored as a program of any language, in bounded time.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test, which reads ASSAY_DATA"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use assay_metrics::codebleu::{CodeBleu, EQUAL_WEIGHTS, Variant};
use assay_metrics::text::TextMetric;
use assay_syntax::Language;

/// The number of bytes taken from a file, and the length of a text from it: text that is no program
/// costs most.
const MAX_BYTES: u64 = 16 << 10;

#[test]
fn every_file_is_a_program_of_every_language() {
    let Some(data) = std::env::var_os("ASSAY_DATA").map(PathBuf::from) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: ASSAY_DATA names no folder of real data");
        return;
    };
    let mut files = Vec::new();
    collect(&data, &mut files);
    assert!(files.len() > 50);
    for path in files {
        let text = beginning(&path);
        let (half, _) = text.split_at(text.floor_char_boundary(text.len() / 2));
        for language in Language::ALL {
            let metric = CodeBleu::new(Variant::Assay, language, EQUAL_WEIGHTS, "0").unwrap();
            let score = metric.score(&metric.measure(&[&text], half));
            assert!((0.0..=1.0).contains(&score.value()), "{} {language}", path.display());
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The beginning of a file, decompressed if it is compressed.
fn beginning(path: &Path) -> String {
    let file = File::open(path).unwrap();
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|ending| ending == "zst") {
        let mut decoder = zstd::Decoder::new(file).unwrap();
        decoder.window_log_max(27).unwrap();
        decoder.take(MAX_BYTES).read_to_end(&mut bytes).unwrap();
    } else {
        file.take(MAX_BYTES).read_to_end(&mut bytes).unwrap();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
