//! Any bytes as a task file: its line, program and length agree, and a dataset made of it can be
//! verified and measured.

#![no_main]

use assay_core::{LineQuestion, LineRule};
use assay_data::Store;
use assay_data::codrep::{Dataset, stats::stats, verify::verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let question = LineQuestion::new(bytes.to_vec(), LineRule::LineFeed);
    let lines = question.program_lines().count();
    assert_eq!(lines, question.length());
    assert!(lines <= LineQuestion::new(bytes.to_vec(), LineRule::Universal).length());
    // The solution comes from the same bytes, so that it is sometimes right.
    let solution = bytes.len().saturating_sub(2).to_string();
    let files = vec![
        ("Tasks/1.txt".to_owned(), bytes.to_vec().into()),
        ("Solutions/1.txt".to_owned(), solution.into_bytes().into()),
    ];
    let datasets = Dataset::open_store(Store::memory("fuzz", files), true).expect("it has a task");
    assert_eq!(stats(&datasets).expect("memory can be read").files, 1);
    verify(&datasets[0]).expect("memory can be read");
});
