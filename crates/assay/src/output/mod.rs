//! What is printed: data on standard output, talk on standard error.
//!
//! Texts come from data, answers and programs. Whatever people read goes through [`say`], [`talk`],
//! [`table`] and what is made of them, which escape what a terminal would obey and shorten what nobody
//! would read; [`write()`] and JSON keep texts whole.

mod diff;
mod explanation;
mod log;
mod progress;
mod results;
mod terminal;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_core::{
    Error, ProblemId, Result, SessionEnd, SessionReport, Verdict, shown_line, shown_text,
};
use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;

pub(crate) use explanation::{Explanation, show_explanation};
pub(crate) use log::start_log;
pub(crate) use progress::{Bar, Meter};
pub(crate) use results::results_tables;

/// A line under the header and nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// How many of many things are listed.
const SHOWN: usize = 20;
/// How many lines of a message are shown.
const MOST_LINES: usize = 200;
/// How many lines of a program's standard error are shown.
const LAST_WORDS: usize = 5;

/// Writes bytes to standard output as they are: data for machines, or text that is fit to be shown.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::failed("failed to write to standard output").because(error))
}

/// Writes text for people to standard output.
pub(crate) fn say(text: &str) -> Result<()> {
    write(shown_text(text, usize::MAX).as_bytes())
}

/// Says something to a person. That nobody listens is no error.
pub(crate) fn talk(text: &str) {
    talk_painted("", text);
}

/// Asks a person something, who types the reply after it.
pub(crate) fn ask(question: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{}", shown_line(question)).and_then(|()| err.flush());
}

/// Says something after a word in colour.
fn talk_painted(word: &str, text: &str) {
    let _ = writeln!(io::stderr().lock(), "{word}{}", shown_text(text, MOST_LINES));
}

/// Says something after `error:`, `hint:` or `warning:`. Further lines are indented, so that no text
/// can look like another such word.
fn talk_after(word: &str, colour: &str, text: &str) {
    let text = text.replace("\n  ", "\n").replace('\n', "\n  ");
    talk_painted(&format!("{} ", paint(word, colour)), &text);
}

/// Whether the error is that the reader of our output went away.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}

/// Shows an error with its causes and the cure.
pub(crate) fn show_error(error: &Error) {
    talk_after("error:", "31;1", &error.to_string());
    let mut cause = error.source();
    while let Some(source) = cause {
        talk(&format!("  cause: {}", shown_line(&source.to_string())));
        cause = source.source();
    }
    if let Some(hint) = error.hint_text() {
        talk("");
        talk_after("hint:", "36;1", hint);
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
    write(
        format!(
            "{}\n",
            text.map_err(|error| Error::failed("failed to write JSON").because(error))?
        )
        .as_bytes(),
    )
}

/// Prints JSON over several lines.
pub(crate) fn json_pretty(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value);
    write(
        format!(
            "{}\n",
            text.map_err(|error| Error::failed("failed to write JSON").because(error))?
        )
        .as_bytes(),
    )
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
        table.add_row(
            row.into_iter().map(|cell| shown_line(&cell).into_owned()).collect::<Vec<_>>(),
        );
    }
    say(&format!("{}\n", table.trim_fmt()))
}

/// Prints a title and what belongs to it, on one line if it is one thing.
pub(crate) fn listing(title: &str, items: impl IntoIterator<Item = String>) -> Result<()> {
    let items: Vec<String> = items.into_iter().map(|item| shown_line(&item).into_owned()).collect();
    match items.as_slice() {
        [one] => say(&format!("{title}: {one}\n")),
        several => say(&format!("{title}:\n  {}\n", several.join("\n  "))),
    }
}

/// Warns a person, without ending.
pub(crate) fn warn(text: &str) {
    talk_after("warning:", "33;1", text);
}

/// Warns a person, unless that was said before.
pub(crate) fn warn_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().is_ok_and(|mut said| said.insert(text.to_owned()));
    if is_new {
        warn(text);
    }
}

/// Lists the first of many things on standard error.
pub(crate) fn list_some<'a>(title: &str, items: impl Iterator<Item = &'a str>, count: usize) {
    warn(title);
    for item in items.take(SHOWN) {
        talk(&format!("  {}", shown_line(item)));
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
            SessionEnd::Exited(0) if session.garbage_lines == 0 && answered == asked => continue,
            SessionEnd::Exited(0) if session.garbage_lines == 0 => "ended".to_owned(),
            SessionEnd::Exited(code) => format!("ended with status {code}"),
            SessionEnd::Signalled(signal) => format!("was ended by signal {signal}"),
            SessionEnd::TimedOut => format!("did not end within {} s", session.time_limit_s),
            SessionEnd::Cancelled => continue,
        };
        let command = shown_line(&session.command.join(" ")).into_owned();
        let garbage = session.garbage_lines;
        let mut items = session.garbage.clone();
        let said: Vec<&str> = session.stderr_tail.lines().collect();
        let last = &said[said.len().saturating_sub(LAST_WORDS)..];
        items.extend(last.iter().map(|line| format!("stderr: {line}")));
        let garbage = match garbage {
            0 => String::new(),
            count => format!(", and printed {count} lines that are no answers"),
        };
        let title = format!("`{command}` {end}, answered {answered} of {asked}{garbage}");
        list_some(&title, items.iter().map(String::as_str), items.len());
    }
}
