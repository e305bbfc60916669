//! Any bytes as a file of programs: lines, an array, an object, TransCoder's lines, packed or not, with a field that the
//! user named or without; every answer is a sample of a problem, samples are numbered without gaps, every text has a
//! form, and nothing panics.

#![no_main]

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use assay_answers::AnswerFile;
use assay_core::{
    Cancel, DataChoice, Opening, Problems, Reference, Response, SampleKey, Selection, TaskSettings,
};
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

static REFERENCES: LazyLock<Vec<Arc<dyn Reference>>> = LazyLock::new(|| {
    let mut references = Vec::new();
    PROBLEMS.references(&mut |_, reference| {
        references.extend(reference.ok());
        ControlFlow::Continue(())
    });
    references
});

fuzz_target!(|bytes: &[u8]| {
    let all = Selection::all(PROBLEMS.ids().len());
    for key in [None, Some("x")] {
        let problems = PROBLEMS.as_ref();
        match AnswerFile::read_chosen(&Cancel::new(), &mut &*bytes, "answers", problems, &all, key)
        {
            Ok(file) => check(&file),
            Err(error) => {
                assert!(error.hint_text().is_some() || error.exit_code() == 3, "{error}");
            }
        }
    }
});

fn check(file: &AnswerFile) {
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
            if let (Ok(text), Some(reference)) =
                (answer.submission.response.text(), REFERENCES.get(index))
            {
                let _ = reference.code_form(text);
            }
            assert!(
                !matches!(&*answer.submission.response, Response::Lines(lines) if lines.is_empty())
            );
        }
    }
    if !file.faults.is_empty() {
        let refusal = file.faults.refuse("answers").to_string();
        assert!(refusal.starts_with(|letter: char| letter.is_ascii_digit()), "{refusal}");
    }
}
