//! Any text as an answer of a chat: its code is made of its lines, whatever the rule and the
//! language, and nothing panics.

#![no_main]

use assay_core::{ExpectedCode, Language};
use assay_extract::{Extraction, is_fenced};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (language, answer) = input;
    let language = Language::ALL[usize::from(language) % Language::ALL.len()];
    let expected = ExpectedCode { language, entry_points: vec!["f"], prompt: "def f():\n" };
    for rule in Extraction::ALL {
        let found = rule.extract(answer, &expected);
        let mut lines = answer.lines();
        let mut code = found.code.lines().filter(|line| !line.is_empty());
        assert!(code.all(|line| lines.any(|whole| whole.contains(line))), "{rule}");
    }
    is_fenced(answer, Some(language));
});
