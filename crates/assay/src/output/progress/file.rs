//! The progress of reading one file.

use indicatif::{ProgressBar, ProgressStyle};

use super::new_bar;

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
