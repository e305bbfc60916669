//! What is printed: data on standard output, talk on standard error.

mod float;
mod progress;

use std::error::Error as _;
use std::io::{self, IsTerminal, Write};

use assay_core::{Error, Estimate, Result, Results, SessionEnd, SessionReport, Verdict};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;

pub(crate) use progress::Bar;

/// A line under the header and nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// How many of many things are listed.
const SHOWN: usize = 20;

/// Writes bytes to standard output.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::failed("failed to write to standard output").because(error))
}

/// Writes text to standard output.
pub(crate) fn say(text: &str) -> Result<()> {
    write(text.as_bytes())
}

/// Says something to a person. That nobody listens is no error.
pub(crate) fn talk(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether the error is that the reader of our output went away.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}

/// Shows an error with its causes and the cure.
pub(crate) fn show_error(error: &Error) {
    talk(&format!("{} {error}", paint("error:", "31;1")));
    let mut cause = error.source();
    while let Some(source) = cause {
        talk(&format!("  cause: {source}"));
        cause = source.source();
    }
    if let Some(hint) = error.hint_text() {
        talk(&format!("\n{} {hint}", paint("hint:", "36;1")));
    }
}

fn paint(text: &str, code: &str) -> String {
    let colourless =
        std::env::vars_os().any(|(name, value)| name == "NO_COLOR" && !value.is_empty());
    if io::stderr().is_terminal() && !colourless {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Prints one line of JSON.
pub(crate) fn json_line(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string(value);
    say(&format!(
        "{}\n",
        text.map_err(|error| Error::failed("failed to write JSON").because(error))?
    ))
}

/// Prints JSON over several lines.
pub(crate) fn json_pretty(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value);
    say(&format!(
        "{}\n",
        text.map_err(|error| Error::failed("failed to write JSON").because(error))?
    ))
}

/// Prints a titled paragraph, wrapped.
pub(crate) fn paragraph(title: &str, text: &str) -> Result<()> {
    let mut wrapped = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        if width > 0 && width + word.chars().count() > 78 {
            wrapped.push('\n');
            width = 0;
        }
        wrapped.push_str(if width == 0 { "  " } else { " " });
        wrapped.push_str(word);
        width += word.chars().count() + 1;
    }
    say(&format!("\n{title}\n{wrapped}\n"))
}

/// Prints a table.
pub(crate) fn table<R, C>(header: C, rows: impl IntoIterator<Item = R>) -> Result<()>
where
    R: IntoIterator<Item = String>,
    C: IntoIterator<Item = &'static str>,
{
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.into_iter().collect::<Vec<_>>());
    for row in rows {
        table.add_row(row.into_iter().collect::<Vec<_>>());
    }
    say(&format!("{}\n", table.trim_fmt()))
}

/// Prints runs side by side, with what their numbers depend on.
pub(crate) fn results_table(results: &[&Results]) -> Result<()> {
    let Some(first) = results.first() else { return Ok(()) };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in results.iter().flat_map(|results| results.metrics.iter()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    let mut header = vec!["solver".to_owned()];
    header.extend(names.iter().map(|name| format!("{name} [95 % interval]")));
    header.extend(
        ["n", "passed", "failed", "timed out", "not answered", "excluded"].map(String::from),
    );
    table.set_header(header);
    for results in results {
        let counts = &results.counts;
        let mut row = vec![shorten(&results.solver)];
        row.extend(
            names.iter().map(|name| results.metrics.get(name).map_or_else(String::new, interval)),
        );
        let n = results.metrics.iter().next().map_or(0, |(_, estimate)| estimate.n);
        let counts = [
            n,
            counts.passed,
            counts.failed,
            counts.timed_out,
            counts.not_answered,
            counts.excluded,
        ];
        row.extend(counts.map(|count| count.to_string()));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let table = table.trim_fmt();
    say(&format!("{} on {} problems\n{table}\n", first.task, first.counts.problems))?;
    let signatures = results.iter().map(|results| results.signature.to_string());
    listing("signature (same signature, same number)", signatures)
}

/// Prints a title and what belongs to it, on one line if it is one thing.
pub(crate) fn listing(title: &str, items: impl IntoIterator<Item = String>) -> Result<()> {
    let items: Vec<String> = items.into_iter().collect();
    match items.as_slice() {
        [one] => say(&format!("{title}: {one}\n")),
        several => say(&format!("{title}:\n  {}\n", several.join("\n  "))),
    }
}

fn interval(estimate: &Estimate) -> String {
    format!("{:.4} [{:.4}, {:.4}]", estimate.value, estimate.low, estimate.high)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Prints the three lines of CodRep's original scorer.
pub(crate) fn codrep_lines(results: &Results) -> Result<()> {
    let value = |name: &str| results.metrics.get(name).map_or(f64::NAN, |estimate| estimate.value);
    say(&format!(
        "Total files: {}\n\
         Average line error: {} (the lower, the better)\n\
         Recall@1: {} (the higher, the better)\n",
        results.counts.problems,
        float::as_python(value("line-error")),
        float::as_python(value("recall@1")),
    ))
}

/// Lists the first of many things on standard error.
pub(crate) fn list_some<'a>(title: &str, items: impl Iterator<Item = &'a str>, count: usize) {
    talk(&format!("{} {title}", paint("warning:", "33;1")));
    items.take(SHOWN).for_each(|item| talk(&format!("  {item}")));
    if count > SHOWN {
        talk(&format!("  … and {} more", count - SHOWN));
    }
}

/// Names the problems that could not be used.
pub(crate) fn show_exclusions(excluded: &[Verdict]) {
    if !excluded.is_empty() {
        let reasons = excluded.iter().filter_map(|verdict| verdict.detail.as_deref());
        let title = format!("{} problems cannot be used and count in no metric", excluded.len());
        list_some(&title, reasons, excluded.len());
    }
}

/// Tells what went wrong in an external solver's sessions.
pub(crate) fn show_sessions(sessions: &[SessionReport]) {
    for session in sessions {
        let SessionReport { answered, asked, .. } = session;
        let end = match session.end {
            SessionEnd::Exited(0) if session.garbage_lines == 0 => continue,
            SessionEnd::Exited(code) => format!("ended with status {code}"),
            SessionEnd::Signalled(signal) => format!("was ended by signal {signal}"),
            SessionEnd::TimedOut => format!("did not end within {} s", session.time_limit_s),
            SessionEnd::Cancelled => continue,
        };
        let command = session.command.join(" ");
        let garbage = session.garbage_lines;
        let mut items = session.garbage.clone();
        items.extend(
            session.stderr_tail.lines().rev().take(5).map(|line| format!("stderr: {line}")),
        );
        let title = format!(
            "`{command}` {end}, answered {answered} of {asked}, and printed {garbage} lines that are no answers"
        );
        list_some(&title, items.iter().map(String::as_str), items.len());
    }
}
