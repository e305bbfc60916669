//! Failed samples: how many failed in which way, and some of them in full.

mod json;
mod view;

use assay_core::{Error, Result, Results, shown_line};
use assay_run::FailedSample;

use super::terminal::{Page, width};
use super::{warn, write};

pub(crate) use json::{ResultsJson, failed_json};

/// The ways in which the programs of a run failed, in one line; `None` if none failed or the answers are no programs.
pub(crate) fn breakdown(results: &Results) -> Option<String> {
    let failures = &results.counts.failures;
    (!failures.is_empty()).then(|| failures.to_string())
}

/// Prints the breakdown of each run's failures, with the solver's name if there are several runs.
pub(crate) fn show_breakdowns(results: &[&Results]) -> Result<()> {
    let page = Page::of_standard_output();
    for run in results {
        let Some(text) = breakdown(run) else { continue };
        let title = match results {
            [_] => "failures: ".to_owned(),
            _ => format!("failures of {} on {}: ", shown_line(&run.solver), run.task),
        };
        // What is printed has no text from outside that is not escaped.
        write(wrap_parts(&format!("{title}{text}"), page.width).as_bytes())?;
    }
    Ok(())
}

/// A line of parts, wrapped between them.
fn wrap_parts(line: &str, room: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for kind in line.split_inclusive(" · ") {
        // One kind stays together if it can, and otherwise each of its classes.
        let whole = width(kind.trim_end_matches(" · ")) <= room.saturating_sub(2);
        let parts: Vec<&str> =
            if whole { vec![kind] } else { kind.split_inclusive(", ").collect() };
        for part in parts {
            let wide = width(part.trim_end());
            if used > 0 && used + wide > room {
                wrapped.truncate(wrapped.trim_end().len());
                wrapped += "\n  ";
                used = 2;
            }
            wrapped += part;
            used += width(part);
        }
    }
    wrapped + "\n"
}

/// Prints failed samples of a run.
pub(crate) fn show_failed(results: &Results, failed: &[FailedSample]) -> Result<()> {
    let page = Page::of_standard_output();
    if failed.is_empty() {
        let text =
            format!("{} on {}: no answer failed\n", shown_line(&results.solver), results.task);
        return write(text.as_bytes());
    }
    let all = results.counts.failed + results.counts.timed_out;
    write(format!("\n{} of {all} failed samples\n", failed.len()).as_bytes())?;
    for (at, sample) in failed.iter().enumerate() {
        let place = format!("{} of {}", at + 1, failed.len());
        write(view::sample(&place, sample, page).as_bytes())?;
    }
    Ok(())
}

/// Warns that failed samples are shown without their problems.
pub(crate) fn warn_of_missing_problems(reason: &Error) {
    warn(&format!("failed samples are shown without their problems: {reason}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakdown_is_wrapped_between_its_parts() {
        let line = "failures: wrong answer 41 · exception 22 (NameError 14, TypeError 5) · crash 1";
        let wrapped = "failures: wrong answer 41 ·\n  exception 22 (NameError 14, TypeError 5) ·\n  crash 1\n";
        assert_eq!(wrap_parts(line, 45), wrapped);
        let narrow = "failures: wrong answer 41 ·\n  exception 22 (NameError 14,\n  TypeError 5) · crash 1\n";
        assert_eq!(wrap_parts(line, 34), narrow);
        assert_eq!(wrap_parts(line, 200), format!("{line}\n"));
    }
}
