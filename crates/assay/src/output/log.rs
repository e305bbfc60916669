//! The log: what the program does, one line per event on standard error.

use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use assay_core::shown_line;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::prelude::*;

use super::message::print_long_line;
use super::progress::above_bar;

/// Starts to log what passes the filter. Without this call, an event costs one comparison.
pub(crate) fn start_log(filter: Targets) {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| LogLine)
        .with_timer(SinceStart(Instant::now()))
        .with_ansi(false);
    // A log that was started before stays.
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init();
}

/// The time since the program started, in seconds.
struct SinceStart(Instant);

impl FormatTime for SinceStart {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        write!(line, "{:9.4}", self.0.elapsed().as_secs_f64())
    }
}

/// Prints an event, which is written as a whole.
struct LogLine;

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        // Names and messages come from data, solvers and programs.
        above_bar(|| print_long_line(&shown_line(text.trim_end())));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
