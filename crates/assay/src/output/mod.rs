//! Printing: data on standard output, messages on standard error.
//!
//! Texts come from data, answers and programs. Everything that people read goes through
//! [`print()`], [`print_message`], [`table`] and functions based on them, which escape control
//! characters and shorten long texts; [`write()`] and JSON keep texts whole.

mod detail;
mod diff;
mod explanation;
mod failures;
mod log;
mod message;
mod progress;
mod replies;
mod results;
mod table;
mod terminal;
mod wide;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_core::{
    Error, Extracted, NoAnswerKind, ProblemId, Result, Results, SessionEnd, SessionReport, Verdict,
    agreeing, counted, plain_json_words, shown_line, shown_text,
};
use serde::Serialize;

pub(crate) use explanation::{Answered, Explanation, show_explanation};
pub(crate) use failures::{
    ResultsJson, failed_json, show_breakdowns, show_failed, warn_of_missing_problems,
};
pub(crate) use log::start_log;
use message::print_after_label;
pub(crate) use message::print_message;
pub(crate) use progress::{FileProgressBar, RunProgressBar, clear_bar, note};
pub(crate) use replies::{show_answered, show_replies};
pub(crate) use results::{ResultsView, brief, show_folders, show_results};
pub(crate) use table::{Column, Table};
use terminal::Page;
pub(crate) use wide::wide_table;

/// The greatest width of a paragraph.
const PARAGRAPH_WIDTH: usize = 80;
/// The number of elements that are shown of a list.
const MAX_LISTED: usize = 20;
/// The number of lines that are shown of a solver's standard error.
const MAX_STDERR_LINES: usize = 5;

/// Writes bytes to standard output unchanged: data for machines, or text that is already escaped.
pub(crate) fn write(bytes: &[u8]) -> Result<()> {
    if results_on_standard_error() {
        let _ = io::stderr().lock().write_all(bytes);
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::failed("failed to write to standard output").because(error))
}

/// True if standard output is taken by other data.
static RESULTS_ON_STANDARD_ERROR: AtomicBool = AtomicBool::new(false);

/// Prints results on standard error from now on, because standard output is taken by other data.
pub(crate) fn print_results_on_standard_error() {
    RESULTS_ON_STANDARD_ERROR.store(true, Ordering::Relaxed);
}

fn results_on_standard_error() -> bool {
    RESULTS_ON_STANDARD_ERROR.load(Ordering::Relaxed)
}

/// Writes text for people to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    write(shown_text(text, usize::MAX).as_bytes())
}

/// Asks the user a question; the reply is typed after it.
pub(crate) fn prompt(question: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{}", shown_line(question)).and_then(|()| err.flush());
}

/// Returns whether the error is that the reader closed our output.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}

/// Shows an error that has no causes.
pub(crate) fn show_error_text(text: &str) {
    print_after_label("error:", "31;1", text);
}

/// Shows an error with its causes and its hint.
pub(crate) fn show_error(error: &Error) {
    print_after_label("error:", "31;1", &error.to_string());
    let mut cause = error.source();
    while let Some(source) = cause {
        print_message(&format!("  cause: {}", shown_line(&cause_message(source))));
        cause = source.source();
    }
    if let Some(hint) = error.hint_text() {
        print_message("");
        print_after_label("hint:", "36;1", hint);
    }
}

/// Names the variables that values in an error come from.
pub(crate) fn note_variables(variables: &[String]) {
    if !variables.is_empty() {
        let names = variables.join(" and ");
        print_message("");
        let text = format!("set by the environment: {names}");
        print_after_label("note:", "36;1", &text);
    }
}

/// The message of a cause: an error of JSON in plain words.
fn cause_message(source: &(dyn std::error::Error + 'static)) -> String {
    let message = source.to_string();
    match source.downcast_ref::<serde_json::Error>() {
        Some(_) => plain_json_words(&message).into_owned(),
        None => message,
    }
}

/// True if messages are coloured; set once, when the arguments are known.
static COLOUR: AtomicBool = AtomicBool::new(false);

/// Enables colour, if there is a terminal.
pub(crate) fn set_colour(allowed: bool) {
    terminal::set_colour(allowed);
    COLOUR.store(allowed && io::stderr().is_terminal(), Ordering::Relaxed);
}

/// Sets the width of everything that is printed to standard output.
pub(crate) fn set_columns(columns: usize) {
    terminal::set_columns(columns);
}

fn paint(text: &str, code: &str) -> String {
    if COLOUR.load(Ordering::Relaxed) {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

/// The command that started assay, so that printed commands can be copied.
pub(crate) fn assay_command() -> String {
    quote(&std::env::args().next().unwrap_or_else(|| "assay".to_owned()))
}

/// The command line of this process, so that it can be repeated.
pub(crate) fn this_command() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| quote(&argument.to_string_lossy()));
    std::iter::once(assay_command()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The command that resumes the run in `folder`.
pub(crate) fn resume_command(folder: &Path) -> String {
    format!("{} run --resume {}", assay_command(), quote(&folder.display().to_string()))
}

fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

/// A line of words for standard output, wrapped to its width; further lines are indented as the first.
pub(crate) fn wrapped(line: &str) -> String {
    let words = line.trim_start();
    let start = " ".repeat(line.len() - words.len());
    Page::of_standard_output().wrap_words(&start, words)
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

/// Prints sentences after `start`, wrapped on a terminal.
pub(crate) fn print_wrapped(start: &str, text: &str) -> Result<()> {
    print(&Page::of_standard_output().wrap_words(start, text))
}

/// Prints the first lines of a program, indented; longer ones are wrapped within their indentation.
pub(crate) fn print_code(program: &str, most: usize) -> Result<()> {
    let page = Page::of_standard_output();
    let mut lines = program.lines();
    for line in lines.by_ref().take(most) {
        let text = line.trim_start();
        let indent = " ".repeat(2 + line.len() - text.len());
        print(&page.wrap_words(&indent, text))?;
    }
    if lines.next().is_some() { print("  …\n") } else { Ok(()) }
}

/// Prints a titled paragraph, wrapped. Long lines are hard to read, so it is no wider in a pipe.
pub(crate) fn paragraph(title: &str, text: &str) -> Result<()> {
    let page = Page::of_standard_output();
    let page = Page { width: page.width.min(PARAGRAPH_WIDTH), ..page };
    let words: Vec<&str> = text.split_whitespace().collect();
    print(&format!("\n{title}\n{}", page.wrap_words("  ", &words.join(" "))))
}

/// Prints a title and its elements, on one line if there is only one.
pub(crate) fn listing(title: &str, items: impl IntoIterator<Item = String>) -> Result<()> {
    let items: Vec<String> = items.into_iter().map(|item| shown_line(&item).into_owned()).collect();
    match items.as_slice() {
        [one] => print(&format!("{title}: {one}\n")),
        several => print(&format!("{title}:\n  {}\n", several.join("\n  "))),
    }
}

/// Prints a title and signatures, which are wrapped after their bars where there is not enough room.
pub(crate) fn signatures(title: &str, signatures: Vec<String>) -> Result<()> {
    let page = Page::of_standard_output();
    if page.is_unlimited() {
        return listing(title, signatures);
    }
    print(&page.wrap_words("", &format!("{title}:")))?;
    for signature in signatures {
        let fields: Vec<String> =
            shown_line(&signature).split_inclusive('|').map(str::to_owned).collect();
        print(&format!("  {}", page.wrap_parts(&fields, "", 4)))?;
    }
    Ok(())
}

/// Prints a warning.
pub(crate) fn warn(text: &str) {
    print_after_label("warning:", "33;1", text);
}

/// Prints a warning, unless it was printed before.
pub(crate) fn warn_once(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().is_ok_and(|mut said| said.insert(text.to_owned()));
    if is_new {
        warn(text);
    }
}

/// Lists the first of many elements on standard error.
pub(crate) fn list_some<'a>(title: &str, items: impl Iterator<Item = &'a str>, count: usize) {
    warn(title);
    for item in items.take(MAX_LISTED) {
        print_message(&format!("  {}", shown_line(item)));
    }
    if count > MAX_LISTED {
        print_message(&format!("  … and {} more", count - MAX_LISTED));
    }
}

/// The most common reason, as the end of a message: names and numbers that differ are left out. Empty without reasons.
pub(crate) fn likely_cause<'a>(reasons: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for reason in reasons {
        *counts.entry(general(reason)).or_default() += 1;
    }
    let Some((cause, count)) = counts.iter().max_by_key(|(_, count)| **count) else {
        return String::new();
    };
    let mostly = if counts.len() == 1 { "" } else { "mostly " };
    let plain = if *count > 1 { shown_line(cause) } else { return String::new() };
    format!(", {mostly}because {plain}")
}

/// A reason without what differs from problem to problem: of paths the last two names are kept, and digits become N.
fn general(reason: &str) -> String {
    let word = |word: &str| {
        let names: Vec<&str> = word.rsplit('/').take(2).collect();
        names.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    let words: Vec<String> = reason.split(' ').map(word).collect();
    let parts: Vec<String> =
        words.join(" ").split(|letter: char| letter.is_ascii_digit()).map(str::to_owned).collect();
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && !text.ends_with('N') {
            text.push('N');
        }
        text += part;
    }
    text
}

/// Lists the problems that could not be used.
pub(crate) fn show_exclusions(excluded: &[Verdict]) {
    if !excluded.is_empty() {
        let reasons = excluded.iter().filter_map(|verdict| verdict.detail.as_deref());
        let problems = counted(excluded.len(), "problem");
        let counts = agreeing(excluded.len(), "counts", "count");
        let cause = likely_cause(reasons.clone());
        let title = format!("{problems} cannot be used and {counts} in no metric{cause}");
        list_some(&title, reasons, excluded.len());
    }
}

/// Lists the problems for which a file has no answer.
pub(crate) fn show_unanswered(problems: &[ProblemId]) {
    if !problems.is_empty() {
        let count = problems.len();
        let has = agreeing(count, "has no answer and counts", "have no answer and count");
        let title = format!("{} {has} as wrong", counted(count, "problem"));
        list_some(&title, problems.iter().map(ProblemId::as_str), problems.len());
    }
}

/// Warns of missing answers, with their number and the most common reason.
pub(crate) fn warn_of_missing_answers(results: &Results) {
    let Results { task, solver, counts, .. } = results;
    let Some(reason) = counts.main_reason() else { return };
    let has_refused = results.replies.is_some_and(|replies| replies.refused > 0);
    let cause = match reason {
        NoAnswerKind::Invalid if has_refused => "the server did not answer the prompts",
        NoAnswerKind::Silent => "the solver said nothing about them",
        NoAnswerKind::TimedOut => "the solver exceeded its time limit",
        NoAnswerKind::Crashed => "the solver could not be started, or failed",
        NoAnswerKind::Garbage => "the solver's output could not be parsed",
        NoAnswerKind::Invalid => "the problems cannot have the answers that the solver gave",
    };
    let (missing, all) = (counts.without_answer(), counts.samples);
    warn(&format!(
        "{} on {task}: {missing} of {} {} as wrong; mostly because {cause}",
        shown_line(solver),
        counted(all, "answer"),
        agreeing(missing, "is missing and counts", "are missing and count")
    ));
}

/// Lists the problems whose answers do not count, because the task leaves them out.
pub(crate) fn show_passed_over(answers: &BTreeMap<String, usize>, task: &str) {
    if !answers.is_empty() {
        let count: usize = answers.values().sum();
        let (answers_do, to) = (
            agreeing(count, "answer does", "answers do"),
            agreeing(count, "it is to a problem", "they are to problems"),
        );
        let title =
            format!("{count} {answers_do} not count: {to} of the data that {task} leaves out");
        list_some(&title, answers.keys().map(String::as_str), answers.len());
    }
}

/// Reports the answers that were cut to their code.
pub(crate) fn show_extracted(extracted: &Extracted) {
    let Extracted { rule, answers, changed, programs } = extracted;
    let whole = match programs {
        0 => String::new(),
        &programs => {
            let (hold, are) =
                (agreeing(programs, "holds", "hold"), agreeing(programs, "is", "are"));
            format!("; {programs} {hold} the whole program and {are} graded as one")
        }
    };
    let answers = counted(*answers, "answer");
    print_message(&format!("extract:{rule} cut {changed} of {answers}{whole}"));
}

/// Reports the errors in an external solver's sessions.
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
        let last = &said[said.len().saturating_sub(MAX_STDERR_LINES)..];
        items.extend(last.iter().map(|line| format!("stderr: {line}")));
        let garbage = match garbage {
            0 => String::new(),
            count => {
                let are = agreeing(count, "is no answer", "are no answers");
                format!(", and printed {} that {are}", counted(count, "line"))
            }
        };
        let title = format!("`{command}` {end}, answered {answered} of {asked}{garbage}");
        list_some(&title, items.iter().map(String::as_str), items.len());
    }
}
