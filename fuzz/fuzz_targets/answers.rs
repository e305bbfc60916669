//! Any bytes as a file of answers: every line is an answer or a fault, and nothing panics.

#![no_main]

use std::sync::LazyLock;

use assay_answers::AnswerFile;
use assay_core::{DataChoice, Opening, Problems, Task, TaskSettings};
use assay_tasks::CodRep;
use libfuzzer_sys::fuzz_target;

static PROBLEMS: LazyLock<Box<dyn Problems>> = LazyLock::new(|| {
    let settings = TaskSettings::default();
    CodRep::default()
        .open(&Opening::new(&DataChoice::Sample, &settings))
        .expect("the embedded problems open")
});

fuzz_target!(|bytes: &[u8]| {
    // Packed files have other lines than these bytes.
    if matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, ..] | [b'P', b'K', ..]) {
        return;
    }
    let problems = PROBLEMS.as_ref();
    let Ok(file) = AnswerFile::read(&mut &*bytes, "answers", problems) else { return };
    let lines = bytes.split(|&byte| byte == b'\n').count();
    let answers = file.answers.len();
    assert!(answers + file.faults.len() <= lines, "no line counts twice");
    for answer in &file.answers {
        assert!((1..=lines as u64).contains(&answer.place.line), "answers know their line");
    }
    if !file.faults.is_empty() {
        assert!(
            file.faults.refuse("answers").to_string().starts_with(|c: char| c.is_ascii_digit())
        );
    }
});
