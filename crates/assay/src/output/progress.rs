//! The progress of a run: a bar on a terminal, a plain line from time to time elsewhere.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_core::shown_name;
use assay_run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

use super::{print_message, warn_once};

/// The interval between lines where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// The bar that was made last: no more than one is shown at a time.
static LAST: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Makes a bar on standard error.
fn new_bar(size: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    bar
}

/// Prints with the bar out of the way, from any thread.
pub(super) fn above_bar(print: impl FnOnce()) {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match last.and_then(|bar| bar.upgrade()) {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Shows the progress of runs on standard error.
pub(crate) struct RunProgressBar {
    shown: ProgressBar,
    plain: bool,
    label: RefCell<String>,
    last_line: Cell<Instant>,
}

impl RunProgressBar {
    pub(crate) fn new() -> Self {
        let bar = new_bar(None);
        let style = "{prefix:>12} {bar:30} {pos}/{len} {per_sec} {eta} left";
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self {
            shown: bar,
            plain: !io::stderr().is_terminal(),
            label: RefCell::default(),
            last_line: Cell::new(Instant::now()),
        }
    }
}

/// Shows on a terminal how much of a file has been read; elsewhere nothing.
pub(crate) struct FileProgressBar(ProgressBar);

impl FileProgressBar {
    /// A bar that is not shown, such as if lines are printed to the same terminal.
    pub(crate) fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// A bar for a file whose size may be unknown.
    pub(crate) fn new(label: &str, size: Option<u64>) -> Self {
        let style = match size {
            Some(_) => "{prefix:>12} {bar:30} {percent:>3} % {msg} {eta} left",
            None => "{prefix:>12} {spinner} {bytes} {msg}",
        };
        let bar = new_bar(size);
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(label.to_owned());
        Self(bar)
    }

    /// Shows that this many bytes have been read.
    pub(crate) fn update(&self, bytes: u64, message: String) {
        self.0.set_position(bytes);
        self.0.set_message(message);
    }
}

impl Drop for FileProgressBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Progress for RunProgressBar {
    fn start(&self, label: &str, total: usize, done: usize) {
        // Without this, a finished bar is not drawn again.
        self.shown.reset();
        self.shown.set_length(total as u64);
        self.shown.set_position(done as u64);
        let label = shown_name(label);
        self.shown.set_prefix(label.to_string());
        *self.label.borrow_mut() = label.to_string();
        if done > 0 {
            print_message(&format!("{label}: {done} of {total} are done already"));
        }
    }

    fn step(&self) {
        // A wrong count must not show more than the total.
        if self.shown.length().is_none_or(|length| self.shown.position() < length) {
            self.shown.inc(1);
        }
        if self.plain && self.last_line.get().elapsed() > INTERVAL {
            self.last_line.set(Instant::now());
            let (done, total) = (self.shown.position(), self.shown.length().unwrap_or_default());
            print_message(&format!("{}: {done}/{total}", self.label.borrow()));
        }
    }

    fn finish(&self) {
        self.shown.finish_and_clear();
    }

    fn note(&self, text: &str) {
        self.shown.suspend(|| print_message(text));
    }

    fn warn(&self, text: &str) {
        self.shown.suspend(|| warn_once(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_never_more_than_all() {
        let bar = RunProgressBar::new();
        bar.start("x", 3, 1);
        (0..5).for_each(|_| bar.step());
        assert_eq!((bar.shown.position(), bar.shown.length()), (3, Some(3)));
    }
}
