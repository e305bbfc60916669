//! Any bytes as a file of texts: a JSON object, texts in order or lines of our own; every answer has
//! a place, what is accepted is a text, and nothing panics.

#![no_main]

use std::sync::LazyLock;

use assay_core::{DataChoice, Problems, Response, Rules, Task, TaskSettings};
use assay_data::named_texts::{named_texts, starts_as_object};
use assay_solvers::{AnswerFile, GivenAnswer};
use assay_tasks::C2C;
use libfuzzer_sys::fuzz_target;

static PROBLEMS: LazyLock<Box<dyn Problems>> = LazyLock::new(|| {
    let settings = TaskSettings::with_rules(Rules::Strict);
    C2C.open(&DataChoice::Sample, &settings, true).expect("the embedded problems open")
});

fuzz_target!(|bytes: &[u8]| {
    let file =
        AnswerFile::read(&mut &*bytes, "answers", PROBLEMS.as_ref()).expect("memory can be read");
    let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
    for GivenAnswer { place, response, .. } in &file.answers {
        assert!((1..=lines).contains(&place.line), "answers know their line");
        if starts_as_object(bytes) && place.column > 0 {
            assert!(matches!(response, Response::Text(_)), "an object holds texts");
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
