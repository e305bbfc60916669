//! Any bytes as a file of texts: a JSON object, texts in order or our own lines; every answer has a
//! position, accepted answers are texts, and nothing panics.

#![no_main]

use std::sync::LazyLock;

use assay_answers::{AnswerFile, GivenAnswer};
use assay_core::{DataChoice, Opening, Problems, Response, Rules, Submission, TaskSettings};
use assay_data::named_texts::{named_texts, starts_as_object};
use assay_tasks::TaskRegistry;
use libfuzzer_sys::fuzz_target;

static PROBLEMS: LazyLock<Box<dyn Problems>> = LazyLock::new(|| {
    let settings = TaskSettings::with_rules(Rules::Strict);
    TaskRegistry::built_in()
        .find("c2c")
        .expect("it is built in")
        .open(&Opening::new(&DataChoice::Sample, &settings))
        .expect("the embedded problems open")
});

fuzz_target!(|bytes: &[u8]| {
    // Packed files have other lines than these bytes.
    if matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, ..] | [b'P', b'K', ..]) {
        return;
    }
    let file =
        AnswerFile::read(&mut &*bytes, "answers", PROBLEMS.as_ref()).expect("memory can be read");
    let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
    for GivenAnswer { place, submission: Submission { response, .. }, .. } in &file.answers {
        assert!((1..=lines).contains(&place.line), "answers know their line");
        if starts_as_object(bytes) && place.column > 0 {
            assert!(matches!(**response, Response::Text(_)), "an object holds texts");
        }
    }
    if !file.faults.is_empty() {
        let refusal = file.faults.refuse("answers").to_string();
        assert!(refusal.starts_with(|letter: char| letter.is_ascii_digit()), "{refusal}");
    }
    if let Err(error) = named_texts(bytes) {
        assert!(!error.message.is_empty() && error.place.line <= lines);
    }
});
