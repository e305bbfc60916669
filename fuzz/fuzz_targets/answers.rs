//! Any bytes as a file of answers: every line is an answer or a fault, and nothing panics.

#![no_main]

use std::sync::LazyLock;

use assay_core::{DataChoice, Problems, Task, TaskSettings};
use assay_solvers::AnswerFile;
use assay_tasks::CodRep;
use libfuzzer_sys::fuzz_target;

static PROBLEMS: LazyLock<Box<dyn Problems>> = LazyLock::new(|| {
    let settings = TaskSettings::default();
    CodRep.open(&DataChoice::Sample, &settings, true).expect("the embedded problems open")
});

fuzz_target!(|bytes: &[u8]| {
    let problems = PROBLEMS.as_ref();
    let file = AnswerFile::read(&mut &*bytes, "answers", problems).expect("memory can be read");
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
