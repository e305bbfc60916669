//! Every command block of the documents runs, and prints what its page shows.
//!
//! Each page has a test of its own, which runs the page's blocks from top to bottom in a temporary folder with small
//! data (`fixtures.rs`). `blocks.rs` lists the kinds of blocks and the marks that pages set in HTML comments,
//! `matching.rs` defines what `…` stands for. `ASSAY_BLESS=1` writes what was printed into the pages.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/toy_server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod toy_server;

mod blocks;
mod check;
mod fixtures;
mod links;
mod matching;
mod model;
mod shell;
mod step;

use std::collections::BTreeSet;
use std::fs;

use check::{check, repository};

/// One test per page, so that pages run in parallel.
macro_rules! pages {
    ($($test:ident: $page:literal;)*) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                check($page);
            }
        )*
    };
}

pages! {
    // The page that takes longest comes first.
    tasks: "docs/tasks.md";
    readme: "README.md";
    architecture: "ARCHITECTURE.md";
    codrep: "docs/codrep.md";
    contributing: "CONTRIBUTING.md";
    fusion_brain: "docs/fusion-brain.md";
    locate: "docs/locate.md";
    metrics: "docs/metrics.md";
    mine: "docs/mine.md";
    models: "docs/models.md";
    pipeline: "docs/design/pipeline.md";
    programs: "docs/programs.md";
    record: "docs/design/record.md";
    runs: "docs/runs.md";
    sandbox: "docs/sandbox.md";
    seal: "docs/seal.md";
    translation: "docs/translation.md";
}

#[test]
fn every_link_leads_somewhere() {
    let broken: Vec<String> = PAGES.iter().flat_map(|page| links::broken(page)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_checked() {
    let mut found = BTreeSet::new();
    for folder in ["", "docs/", "docs/design/"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                found.insert(format!("{folder}{name}"));
            }
        }
    }
    // A list of changes has no commands to run: what it names is gone at times.
    found.remove("CHANGELOG.md");
    let checked: BTreeSet<String> = PAGES.iter().map(|&page| page.to_owned()).collect();
    assert_eq!(found, checked);
}
