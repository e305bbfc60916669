//! Any bytes as a file before and after a commit, in any language: a replacement is a line of it.

#![no_main]

use assay_mine::{Filters, examine, language, language_names};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, texts)) = bytes.split_first() else { return };
    let name = language_names().nth(usize::from(choice) % language_names().count());
    let Some(language) = name.and_then(language) else { return };
    let middle = texts.iter().position(|&byte| byte == 0).unwrap_or(texts.len() / 2);
    let (old, new) = texts.split_at(middle);
    let new = new.strip_prefix(b"\0").unwrap_or(new);
    if let Ok(found) = examine(&Filters::new(language), old, new) {
        let lines = found.program.split('\n').count();
        assert!((1..=lines).contains(&found.line));
        assert_ne!(found.old().trim(), found.new.trim());
    }
});
