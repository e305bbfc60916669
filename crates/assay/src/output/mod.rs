//! What is printed: data on standard output, talk on standard error.

mod diff;
mod explanation;
mod progress;
mod results;
mod terminal;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_core::{Error, ProblemId, Result, SessionEnd, SessionReport, Verdict};
use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;

pub(crate) use explanation::{Explanation, show_explanation};
pub(crate) use progress::{Bar, Meter};
pub(crate) use results::results_tables;

/// A line under the header and nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// How many of many things are listed.
const SHOWN: usize = 20;
/// How many lines of a program's standard error are shown.
const LAST_WORDS: usize = 5;

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
    talk(&format!("{} {}", paint("error:", "31;1"), harmless(&error.to_string())));
    let mut cause = error.source();
    while let Some(source) = cause {
        talk(&format!("  cause: {}", harmless(&source.to_string())));
        cause = source.source();
    }
    if let Some(hint) = error.hint_text() {
        talk(&format!("\n{} {}", paint("hint:", "36;1"), harmless(hint)));
    }
}

/// Whether talk is coloured; decided once, when the arguments are known.
static COLOUR: AtomicBool = AtomicBool::new(false);

/// Allows colour, where there is a terminal.
pub(crate) fn set_colour(allowed: bool) {
    terminal::set_colour(allowed);
    COLOUR.store(allowed && io::stderr().is_terminal(), Ordering::Relaxed);
}

fn paint(text: &str, code: &str) -> String {
    if COLOUR.load(Ordering::Relaxed) {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// Text from outside, without the control characters that a terminal would obey, and without those
/// that make it show letters in another order than they stand.
fn harmless(text: &str) -> String {
    let reorders = |letter: char| matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain =
        |letter: char| (!letter.is_control() || matches!(letter, '\n' | '\t')) && !reorders(letter);
    if text.chars().all(plain) {
        return text.to_owned();
    }
    let show = |letter: char| {
        if plain(letter) { letter.to_string() } else { letter.escape_default().to_string() }
    };
    text.chars().map(show).collect()
}

/// This program as it was called, so that commands can be copied.
pub(crate) fn this_program() -> String {
    quote(&std::env::args().next().unwrap_or_else(|| "assay".to_owned()))
}

/// The command that goes on with the run in `folder`.
pub(crate) fn resume_command(folder: &Path) -> String {
    format!("{} run --resume {}", this_program(), quote(&folder.display().to_string()))
}

fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
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

/// Prints a table for reading, its text wrapped to the terminal's width.
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

/// Prints a title and what belongs to it, on one line if it is one thing.
pub(crate) fn listing(title: &str, items: impl IntoIterator<Item = String>) -> Result<()> {
    let items: Vec<String> = items.into_iter().collect();
    match items.as_slice() {
        [one] => say(&format!("{title}: {one}\n")),
        several => say(&format!("{title}:\n  {}\n", several.join("\n  "))),
    }
}

/// Warns a person, without ending.
pub(crate) fn warn(text: &str) {
    talk(&format!("{} {}", paint("warning:", "33;1"), harmless(text)));
}

/// Lists the first of many things on standard error.
pub(crate) fn list_some<'a>(title: &str, items: impl Iterator<Item = &'a str>, count: usize) {
    warn(title);
    for item in items.take(SHOWN) {
        talk(&format!("  {}", harmless(item)));
    }
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

/// Names the problems to which a file has no answer.
pub(crate) fn show_unanswered(problems: &[ProblemId]) {
    if !problems.is_empty() {
        let title = format!("{} problems have no answer and count as not passed", problems.len());
        list_some(&title, problems.iter().map(ProblemId::as_str), problems.len());
    }
}

/// Names the problems whose answers do not count, because the task leaves them out.
pub(crate) fn show_passed_over(answers: &BTreeMap<String, usize>, task: &str) {
    if !answers.is_empty() {
        let count: usize = answers.values().sum();
        let title = format!(
            "{count} answers do not count: they are to problems of the data that {task} leaves out"
        );
        list_some(&title, answers.keys().map(String::as_str), answers.len());
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
        let said: Vec<&str> = session.stderr_tail.lines().collect();
        let last = &said[said.len().saturating_sub(LAST_WORDS)..];
        items.extend(last.iter().map(|line| format!("stderr: {line}")));
        let title = format!(
            "`{command}` {end}, answered {answered} of {asked}, and printed {garbage} lines that are no answers"
        );
        list_some(&title, items.iter().map(String::as_str), items.len());
    }
}
