//! The arguments that say what is logged.

use clap::{ArgAction, Args};
use tracing_subscriber::filter::{LevelFilter, Targets};

/// The prefix of the names of all crates of this program.
const CRATES: &str = "assay";

#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct LogArguments {
    /// Log to standard error; -vv logs each sample too, -vvv every step.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Log what passes this filter: a level, or crates and modules with their levels, such as
    /// `assay_run=debug,assay_sandbox=trace`.
    #[arg(long, global = true, value_name = "FILTER", value_parser = parse)]
    pub(crate) log: Option<Targets>,
}

impl LogArguments {
    /// The filter of the log; `None` if nothing was asked for.
    pub(crate) fn filter(&self) -> Option<Targets> {
        let level = match self.verbose {
            0 => return self.log.clone(),
            1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        // A crate that the filter names keeps its level.
        Some(self.log.clone().unwrap_or_default().with_target(CRATES, level))
    }
}

/// Reads a filter. A name that no crate of this program has would log nothing, so it is refused.
fn parse(text: &str) -> Result<Targets, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(directive).collect::<Option<_>>().ok_or_else(|| {
        "expected levels (off, error, warn, info, debug, trace), alone or by crate\n\n\
         hint: such as `debug` or `assay_run=debug,assay_sandbox=trace`"
            .to_owned()
    })
}

/// One part of a filter: a level for every crate, or a crate or module with its level.
fn directive(part: &str) -> Option<(&str, LevelFilter)> {
    match part.split_once('=') {
        None => Some((CRATES, part.parse().ok()?)),
        // An empty level would be read as `error`.
        Some((_, "")) => None,
        Some((name, level)) => Some((name, level.parse().ok()?)).filter(|_| is_ours(name)),
    }
}

/// Returns true if a name is that of a crate of assay or of a module in it.
fn is_ours(name: &str) -> bool {
    let first = name.split("::").next().unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_lowercase() || "_:".contains(letter);
    (first == CRATES || first.starts_with("assay_")) && name.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_alone_or_by_crate() {
        for right in ["debug", "off", "assay_run=debug", "assay_run::gate=trace, warn", "", ","] {
            parse(right).unwrap();
        }
        for wrong in ["loud", "assay_run", "assay-run=debug", "tokio=debug", "assay_run=", "=info"]
        {
            assert!(parse(wrong).unwrap_err().contains("hint: such as"), "{wrong}");
        }
    }

    #[test]
    fn what_is_typed_beats_the_level_for_all_but_not_the_one_for_a_crate() {
        let filter = |verbose, log: &str| LogArguments { verbose, log: parse(log).ok() }.filter();
        let level = |verbose, log, target| {
            let filter = filter(verbose, log).unwrap();
            let enabled = |level| filter.would_enable(target, &level);
            (enabled(tracing::Level::INFO), enabled(tracing::Level::DEBUG))
        };
        assert_eq!(level(1, "", "assay_run"), (true, false));
        assert_eq!(level(2, "info", "assay_run"), (true, true));
        assert_eq!(level(1, "assay_run=debug", "assay_run"), (true, true));
        assert_eq!(level(1, "assay_run=debug", "assay_sandbox"), (true, false));
        assert_eq!(level(0, "off", "assay_run"), (false, false));
        assert!(LogArguments { verbose: 0, log: None }.filter().is_none());
    }
}
