//! The check of a page: its blocks, the folder in which they run, the comparison and the blessing.

#![expect(clippy::disallowed_methods, reason = "`cargo xtask bless` sets ASSAY_BLESS")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::blocks::{Block, Page};
use crate::shell::Workshop;
use crate::step::{self, Outcome};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the blocks of a page.
pub(crate) fn check(page: &str) {
    let path = repository().join(page);
    let text = fs::read_to_string(&path).expect("the page can be read");
    let mut parsed = Page::parse(&text).unwrap_or_else(|error| panic!("{page}:{error}"));
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let mut summary = Summary::default();
    for (index, outcome) in run_sections(&parsed) {
        if let (Outcome::Differs { new, .. }, true) = (&outcome, bless) {
            parsed.replace(index, new);
        }
        summary.add(page, &parsed.blocks[index], outcome, bless);
    }
    if bless && parsed.text() != text {
        fs::write(&path, parsed.text()).expect("the page can be written");
    }
    summary.finish(page);
}

/// Runs the sections of a page beside each other, two at a time; the outcomes come in the order of the page.
fn run_sections(page: &Page) -> Vec<(usize, Outcome)> {
    let sections = page.sections();
    let next = AtomicUsize::new(0);
    let work = &|| {
        let mut outcomes = Vec::new();
        while let Some(section) = sections.get(next.fetch_add(1, Ordering::Relaxed)) {
            let workshop = Workshop::new(section.as_deref());
            for index in page.blocks_of(section.as_deref()) {
                outcomes.push((index, step::run(&page.blocks[index], &workshop)));
            }
        }
        outcomes
    };
    let mut outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes
}

/// The outcomes of a page's blocks.
#[derive(Default)]
struct Summary {
    ran: usize,
    blessed: usize,
    skipped: Vec<String>,
    failures: String,
}

impl Summary {
    fn add(&mut self, page: &str, block: &Block, outcome: Outcome, bless: bool) {
        let place = format!("{page}:{}", block.line);
        match outcome {
            Outcome::AsShown => self.ran += 1,
            Outcome::Nothing => {}
            Outcome::Skipped(reason) => self.skipped.push(format!("{place}: {reason}")),
            Outcome::Differs { .. } if bless => self.blessed += 1,
            Outcome::Differs { message, .. } | Outcome::Failed(message) => {
                let _ = writeln!(self.failures, "\n{place}: {message}");
            }
        }
    }

    fn finish(self, page: &str) {
        // Not with a macro: the test harness would capture it.
        let mut talk = format!("guide {page}: {} blocks ran", self.ran);
        if self.blessed > 0 {
            let _ = write!(talk, ", {} were rewritten", self.blessed);
        }
        if !self.skipped.is_empty() {
            let _ = write!(talk, ", {} were skipped:", self.skipped.len());
        }
        for skipped in &self.skipped {
            let _ = write!(talk, "\n  SKIPPED {skipped}");
        }
        let _ = writeln!(std::io::stderr(), "{talk}");
        assert!(
            self.failures.is_empty(),
            "{}\n`ASSAY_BLESS=1 cargo test -p assay --test guide` writes what is printed into the pages",
            self.failures
        );
    }
}
