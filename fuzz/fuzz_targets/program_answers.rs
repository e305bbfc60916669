//! Any bytes as a file of programs: lines, an array, packed or not; every answer is a sample of a
//! problem, samples are numbered without gaps, and nothing panics.

#![no_main]

use std::sync::LazyLock;

use assay_answers::AnswerFile;
use assay_core::{DataChoice, Opening, Problems, Response, SampleKey, TaskSettings};
use assay_tasks::TaskRegistry;
use libfuzzer_sys::fuzz_target;

static PROBLEMS: LazyLock<Box<dyn Problems>> = LazyLock::new(|| {
    let settings = TaskSettings::default();
    let tasks = TaskRegistry::built_in();
    tasks
        .find("humaneval")
        .expect("it is built in")
        .open(&Opening::new(&DataChoice::Sample, &settings))
        .expect("the embedded problems open")
});

fuzz_target!(|bytes: &[u8]| {
    let file = match AnswerFile::read(&mut &*bytes, "answers", PROBLEMS.as_ref()) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.hint_text().is_some() || error.exit_code() == 3, "{error}");
            return;
        }
    };
    let mut expected = SampleKey { index: 0, sample: 0 };
    for answer in &file.answers {
        if answer.index() != expected.index {
            expected = SampleKey { index: answer.index(), sample: 0 };
        }
        assert_eq!(answer.submission.key, expected, "samples are numbered without gaps");
        expected.sample += 1;
    }
    for index in 0..PROBLEMS.ids().len() {
        for answer in file.of(index) {
            assert_eq!(answer.index(), index);
            assert!(
                !matches!(&*answer.submission.response, Response::Lines(lines) if lines.is_empty())
            );
        }
    }
    if !file.faults.is_empty() {
        let refusal = file.faults.refuse("answers").to_string();
        assert!(refusal.starts_with(|letter: char| letter.is_ascii_digit()), "{refusal}");
    }
});
