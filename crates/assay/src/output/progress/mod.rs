//! The progress of long work: a bar on a terminal, a plain line from time to time elsewhere.

mod file;
mod line;
mod rate;
mod work;

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, WeakProgressBar};

pub(crate) use file::FileProgressBar;
pub(crate) use work::RunProgressBar;

/// The bar that was made last: no more than one is shown at a time.
static LAST: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Makes a bar on standard error.
fn new_bar(size: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    bar
}

fn last_bar() -> Option<ProgressBar> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()
}

/// Prints with the bar out of the way, from any thread.
pub(super) fn above_bar(print: impl FnOnce()) {
    match last_bar() {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Writes a message to standard error, above the bar.
pub(crate) fn note(text: &str) {
    above_bar(|| super::print_message(text));
}

/// Removes the bar from the terminal, which gets its prompt back.
pub(crate) fn clear_bar() {
    if let Some(bar) = last_bar() {
        bar.finish_and_clear();
    }
}
