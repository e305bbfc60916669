//! Every measured figure of the documents is that of a kept result.
//!
//! A paragraph or table with figures (numbers with a unit, scores) has a comment before it, which says for each where
//! it comes from:
//!
//! ```text
//! <!-- figures
//! 90 ms = codrep-score[assay score, folder].cpu_ms_median
//! 5.7 times = codrep-score[python3, the original's steps].times_first
//! 64 MiB: setting
//! -->
//! ```
//!
//! `source.rs` says how results are named, `table.rs` how whole tables are tied to one. What is not measured is a
//! `setting` of the program, `published` by somebody else, a `definition`, an `example`, or asserted by a test
//! (`tested`).

mod page;
mod source;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use page::Paragraph;

/// The pages without measured figures, of which all numbers are settings.
const WITHOUT: [&str; 1] = ["docs/tasks.md"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown pages with figures.
fn pages() -> Vec<String> {
    let mut pages =
        vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for folder in ["docs/", "docs/design/"] {
        for entry in fs::read_dir(repository().join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            pages.push(format!("{folder}{name}"));
        }
    }
    pages.retain(|page| page.ends_with(".md") && !WITHOUT.contains(&page.as_str()));
    pages.sort();
    pages
}

/// The errors of a page: figures without a source, and figures that differ from theirs.
fn errors(page: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join(page)).expect("a page");
    let mut errors = Vec::new();
    for paragraph in Paragraph::all(&text) {
        let found = paragraph.errors();
        errors.extend(found.into_iter().map(|error| format!("{page}:{}: {error}", paragraph.line)));
    }
    errors
}

#[test]
fn every_figure_is_that_of_a_kept_result() {
    let errors: Vec<String> = pages().iter().flat_map(|page| errors(page)).collect();
    assert!(errors.is_empty(), "{}\n{} errors", errors.join("\n"), errors.len());
}

#[test]
fn every_kept_result_says_how_it_was_made() {
    for entry in fs::read_dir(repository().join("benches/results")).unwrap() {
        let path = entry.unwrap().path();
        let result: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for field in ["benchmark", "date", "commit", "machine", "cores"] {
            assert!(!result[field].is_null(), "{} has no {field}", path.display());
        }
    }
}
