//! The check of one block.

#![expect(clippy::disallowed_methods, reason = "ASSAY_DATA names the folder of real data")]

use std::fs;
use std::path::PathBuf;

use crate::blocks::{Block, Kind};
use crate::check::repository;
use crate::matching::Rule;
use crate::shell::{Printed, Workshop, installed};

/// The outcome of a block.
pub(super) enum Outcome {
    /// It ran, and printed what the page shows.
    AsShown,
    /// There was nothing to run.
    Nothing,
    /// It was not run, for this reason.
    Skipped(String),
    /// It printed something else, with which the block would be as in `new`.
    Differs { message: String, new: Vec<String> },
    /// It failed.
    Failed(String),
}

/// Checks a block.
pub(super) fn run(block: &Block, workshop: &Workshop) -> Outcome {
    if let Some(reason) = missing(block) {
        return Outcome::Skipped(reason);
    }
    if let Some(path) = &block.data {
        link(path, workshop);
    }
    let outcome = match &block.kind {
        Kind::Console => console(block, workshop),
        Kind::Script => script(block, workshop),
        Kind::File(name) => file(name, block, workshop),
        Kind::LinesOf(command) => workshop
            .run(command, block.env.as_ref())
            .and_then(|printed| {
                let found = block.rule.find_all(&printed.lines, &block.body);
                found.map_err(|line| {
                    format!("{line:?} is not printed by `{command}`:\n{}", text(&printed))
                })
            })
            .map(|()| Outcome::AsShown),
        Kind::LinesIn(path) => source(path, block),
        Kind::Picture => picture(block),
        Kind::Messages(messages) => table(messages, block, workshop),
    };
    outcome.unwrap_or_else(Outcome::Failed)
}

/// The reason why a block cannot run here.
fn missing(block: &Block) -> Option<String> {
    if let Some(program) = block.needs.as_ref().filter(|program| !installed(program)) {
        return Some(format!("{program} is not installed"));
    }
    let path = block.data.as_ref()?;
    let found = real(path).is_some_and(|path| path.exists());
    (!found).then(|| format!("ASSAY_DATA has no {path}"))
}

/// A file of the folder of real data.
fn real(path: &str) -> Option<PathBuf> {
    std::env::var_os("ASSAY_DATA").map(|data| PathBuf::from(data).join(path))
}

/// Links a file of real data into the folder, under its own name.
fn link(path: &str, workshop: &Workshop) {
    let Some(real) = real(path) else { return };
    let Some(name) = real.file_name() else { return };
    let link = workshop.path("work").join(name);
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(&real, link).expect("a link can be made");
}

/// The commands of a script; one that ends with `\` goes on in the next line.
fn commands(lines: &[String]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        match commands.last_mut().filter(|_| goes_on) {
            Some(command) => *command += &format!("\n{line}"),
            None => commands.push(line.clone()),
        }
        goes_on = line.ends_with('\\');
    }
    commands.retain(|command| !command.starts_with('#'));
    commands
}

fn script(block: &Block, workshop: &Workshop) -> Result<Outcome, String> {
    let commands = commands(&block.body);
    let mut ran = 0;
    for (number, command) in commands.iter().enumerate() {
        if block.skip.is_some_and(|skip| skip.holds_for(command)) {
            continue;
        }
        check_code(&workshop.run(command, block.env.as_ref())?, command, block.exit_of(number))?;
        ran += 1;
    }
    match block.skip {
        Some(skip) if ran == commands.len() => {
            Err(format!("no command is to be skipped because {}", skip.reason()))
        }
        Some(skip) if ran == 0 => Ok(Outcome::Skipped(skip.reason().to_owned())),
        _ => Ok(Outcome::AsShown),
    }
}

fn check_code(printed: &Printed, command: &str, right: i32) -> Result<(), String> {
    if printed.code == right {
        return Ok(());
    }
    Err(format!("`{command}` ended with {} instead of {right}:\n{}", printed.code, text(printed)))
}

fn text(printed: &Printed) -> String {
    printed.lines.join("\n")
}

/// A command of a console, with its lines in the block and those that it should print.
struct Entry {
    command: String,
    prompt: Vec<String>,
    shown: Vec<String>,
}

/// Splits a console into commands and their output.
fn entries(body: &[String]) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut goes_on = false;
    for line in body {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.to_owned();
            entries.push(Entry { command, prompt: vec![line.clone()], shown: Vec::new() });
        } else {
            let entry = entries.last_mut().ok_or("a console begins with `$ ` and a command")?;
            if goes_on {
                entry.command += &format!("\n{line}");
                entry.prompt.push(line.clone());
            } else {
                entry.shown.push(line.clone());
                continue;
            }
        }
        goes_on = line.ends_with('\\');
    }
    Ok(entries)
}

fn console(block: &Block, workshop: &Workshop) -> Result<Outcome, String> {
    let mut new = Vec::new();
    let mut message = String::new();
    let entries = entries(&block.body)?;
    if entries.is_empty() {
        return Err("the console has no command".to_owned());
    }
    for (number, Entry { command, prompt, shown }) in entries.into_iter().enumerate() {
        let mut printed = workshop.run(&command, block.env.as_ref())?;
        check_code(&printed, &command, block.exit_of(number))?;
        trim(&mut printed.lines);
        // A blank line before the next command belongs to the page.
        let mut shown = shown;
        let blank = trim(&mut shown);
        if !block.rule.same(&shown, &printed.lines) {
            message += &format!(
                "`{command}` printed:\n{}\ninstead of:\n{}\n",
                text(&printed),
                shown.join("\n")
            );
        }
        new.extend(prompt);
        new.extend(block.rule.bless(&shown, &printed.lines));
        new.extend(std::iter::repeat_n(String::new(), blank));
    }
    Ok(if message.is_empty() { Outcome::AsShown } else { Outcome::Differs { message, new } })
}

/// Removes blank lines at the end; returns their number.
fn trim(lines: &mut Vec<String>) -> usize {
    let length = lines.len();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    length - lines.len()
}

fn file(name: &str, block: &Block, workshop: &Workshop) -> Result<Outcome, String> {
    let content: String = block.body.iter().map(|line| format!("{line}\n")).collect();
    fs::write(workshop.work(name), content).map_err(|error| error.to_string())?;
    Ok(Outcome::AsShown)
}

fn source(path: &str, block: &Block) -> Result<Outcome, String> {
    let source = fs::read_to_string(repository().join(path)).map_err(|error| error.to_string())?;
    let lines: Vec<String> = source.lines().map(|line| line.trim().to_owned()).collect();
    let body: Vec<String> = block.body.iter().map(|line| line.trim().to_owned()).collect();
    block.rule.find_all(&lines, &body).map_err(|line| format!("{line:?} is not in {path}"))?;
    Ok(Outcome::AsShown)
}

/// A picture or a formula, which must not be a way around the checks.
fn picture(block: &Block) -> Result<Outcome, String> {
    let command = |line: &&String| {
        ["$ ", "assay ", "cargo "].iter().any(|start| line.trim_start().starts_with(start))
    };
    match block.body.iter().find(command) {
        Some(line) => Err(format!("`{line}` is a command: make the block `sh` or `console`")),
        None => Ok(Outcome::Nothing),
    }
}

/// A table of messages, each of which a command prints.
fn table(messages: &[String], block: &Block, workshop: &Workshop) -> Result<Outcome, String> {
    let commands = commands(&block.body);
    if messages.len() != commands.len() {
        let counts = (commands.len(), messages.len());
        return Err(format!("{} commands for {} messages in the table", counts.0, counts.1));
    }
    for (number, (command, message)) in commands.iter().zip(messages).enumerate() {
        let printed = workshop.run(command, block.env.as_ref())?;
        check_code(&printed, command, block.exit_of(number))?;
        let pattern = format!("…{message}…");
        if !Rule::default().matches(&pattern, &text(&printed)) {
            return Err(format!("`{command}` does not say `{message}`:\n{}", text(&printed)));
        }
    }
    Ok(Outcome::AsShown)
}
