//! `assay cache`: what assay keeps between runs.
//!
//! Replies of models are listed by model. Everything else is computed again when it is needed, and is listed by kind.

#[cfg_attr(not(feature = "models"), path = "replies_absent.rs")]
mod replies;

use std::fs::{self, Metadata};
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use assay_core::{Error, Result, agreeing, counted, exit_code};
use serde::Serialize;

use super::cache_folder;
use crate::args::{CacheCommand, ClearArguments};
use crate::output::{self, Column, Table};

/// The replies of one model on one server.
#[derive(Debug, Serialize)]
#[cfg_attr(not(feature = "models"), allow(dead_code, reason = "a build without models has none"))]
struct Log {
    model: Option<String>,
    url: Option<String>,
    server: Option<String>,
    replies: usize,
    bytes: u64,
    folder: PathBuf,
}

/// The outcome of clearing replies.
#[derive(Debug, Default)]
struct Removed {
    removed: Vec<Log>,
    in_use: Vec<Log>,
}

/// A kind of results that are kept, and its folder in the cache.
struct Kind {
    folder: &'static str,
    about: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind { folder: "gold", about: "which of a task's own programs pass on this machine" },
    Kind { folder: "expected", about: "the answers of EvalPlus's own programs" },
    Kind { folder: "scores", about: "verdicts of scores that were interrupted" },
];

/// The size of the results of one kind.
#[derive(Debug, Serialize)]
struct Results {
    kind: &'static str,
    about: &'static str,
    files: usize,
    bytes: u64,
}

/// The content of the cache.
#[derive(Debug, Serialize)]
struct Contents {
    folder: PathBuf,
    bytes: u64,
    replies: Vec<Log>,
    results: Vec<Results>,
}

/// The replies to remove: all, or those of a model, of a server, or of both.
struct Choice {
    model: Option<String>,
    url: Option<String>,
}

impl Choice {
    fn is_all(&self) -> bool {
        self.model.is_none() && self.url.is_none()
    }
}

pub(crate) fn cache(command: &CacheCommand) -> Result<u8> {
    match command {
        CacheCommand::List { cache, json } => list(&folder(cache.as_deref())?, *json),
        CacheCommand::Clear(arguments) => clear(arguments),
    }
}

fn folder(given: Option<&Path>) -> Result<PathBuf> {
    cache_folder(given).ok_or_else(|| {
        Error::usage("there is no cache folder on this machine").hint("name it with --cache DIR")
    })
}

fn contents(folder: &Path) -> Result<Contents> {
    let replies = replies::list(folder)?;
    let results = KINDS.iter().map(|kind| measure(folder, kind)).collect::<Result<Vec<_>>>()?;
    let bytes = replies.iter().map(|log| log.bytes).chain(results.iter().map(|kind| kind.bytes));
    Ok(Contents { folder: folder.to_owned(), bytes: bytes.sum(), replies, results })
}

/// The number and size of a kind's files. Links are counted and not followed.
fn measure(cache: &Path, kind: &Kind) -> Result<Results> {
    let files = files(&cache.join(kind.folder))?;
    let bytes = files.iter().map(|(_, file)| file.len()).sum();
    Ok(Results { kind: kind.folder, about: kind.about, files: files.len(), bytes })
}

/// Everything in a folder except folders.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Metadata)>> {
    let reading = |error| Error::reading("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(reading(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(reading)?.path();
        // A run may have removed it meanwhile.
        if let Ok(file) = fs::symlink_metadata(&path)
            && !file.is_dir()
        {
            found.push((path, file));
        }
    }
    Ok(found)
}

fn list(folder: &Path, json: bool) -> Result<u8> {
    let contents = contents(folder)?;
    if json {
        output::json_pretty(&contents)?;
        return Ok(exit_code::DONE);
    }
    let Contents { folder, bytes, replies, results } = &contents;
    output::print(&format!("{}: {}\n", folder.display(), size(*bytes)))?;
    if !replies.is_empty() {
        output::print("\n")?;
        show_replies(replies)?;
    }
    let kept: Vec<&Results> = results.iter().filter(|kind| kind.files > 0).collect();
    if !kept.is_empty() {
        output::print("\n")?;
        let rows = kept.iter().map(|kind| {
            [kind.kind.to_owned(), kind.files.to_string(), size(kind.bytes), kind.about.to_owned()]
        });
        let columns = [
            Column::text("results"),
            Column::number("files"),
            Column::number("size"),
            Column::prose("content"),
        ];
        Table::new(columns).with_option("--json").rows(rows).print()?;
    }
    Ok(exit_code::DONE)
}

fn show_replies(logs: &[Log]) -> Result<()> {
    let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let rows = logs.iter().map(|log| {
        let (model, url) = (or_unknown(&log.model), or_unknown(&log.url));
        [model, url, log.replies.to_string(), size(log.bytes)]
    });
    let columns = [
        Column::text("model"),
        Column::text("server"),
        Column::number("replies").always(),
        Column::number("size").always(),
    ];
    Table::new(columns).with_option("--json").rows(rows).print()
}

fn clear(arguments: &ClearArguments) -> Result<u8> {
    let folder = folder(arguments.cache.as_deref())?;
    let choice = Choice { model: arguments.model.clone(), url: arguments.url.clone() };
    if choice.is_all() && !arguments.all {
        return Err(Error::usage("nothing says what to remove")
            .hint("name it: --model NAME, --url URL, or --all for everything"));
    }
    let before = contents(&folder)?;
    if arguments.all && !arguments.yes && before.bytes > 0 {
        let is_interactive = io::stdin().is_terminal() && io::stderr().is_terminal();
        confirm(&before, is_interactive.then_some(&mut io::stdin().lock()))?;
    }
    let Removed { removed, in_use } = replies::clear(&folder, &choice)?;
    let results = if choice.is_all() { clear_results(&folder)? } else { Vec::new() };
    let report = Report::new(&removed, &in_use, &results);
    if arguments.json {
        output::json_pretty(&report)?;
    } else {
        output::print(&report.sentence())?;
    }
    for log in &in_use {
        let model = log.model.as_deref().unwrap_or("an unknown model");
        let replies = counted(log.replies, "reply");
        let stay = agreeing(log.replies, "stays", "stay");
        output::warn(&format!("{replies} of {model} {stay}: a run is using them"));
    }
    Ok(if in_use.is_empty() { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// Asks the user; refuses if there is nobody to ask.
fn confirm(contents: &Contents, user: Option<&mut impl BufRead>) -> Result<()> {
    const MAX_REPLY_BYTES: u64 = 100;
    let replies: usize = contents.replies.iter().map(|log| log.replies).sum();
    let what = format!(
        "{} with {}, {} in all",
        contents.folder.display(),
        counted(replies, "reply"),
        size(contents.bytes)
    );
    let Some(user) = user else {
        return Err(Error::refused(format!("this would remove everything in {what}"))
            .hint("add --yes if that is meant; paid replies cannot be had again for free"));
    };
    output::prompt(&format!("remove everything in {what}? [y/N] "));
    let mut reply = String::new();
    let read = user.take(MAX_REPLY_BYTES).read_line(&mut reply);
    read.map_err(|error| Error::failed("failed to read the reply").because(error))?;
    match reply.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::refused("nothing was removed")),
    }
}

/// Removes all results. Whoever needs them computes them again.
fn clear_results(cache: &Path) -> Result<Vec<Results>> {
    let mut cleared = Vec::new();
    for kind in &KINDS {
        let mut results = Results { kind: kind.folder, about: kind.about, files: 0, bytes: 0 };
        for (path, file) in files(&cache.join(kind.folder))? {
            match fs::remove_file(&path) {
                Ok(()) => {
                    results.files += 1;
                    results.bytes += file.len();
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::writing("remove", &path, error)),
            }
        }
        cleared.push(results);
    }
    Ok(cleared)
}

/// The removed content.
#[derive(Debug, Serialize)]
struct Report<'a> {
    removed: &'a [Log],
    in_use: &'a [Log],
    results: &'a [Results],
    bytes: u64,
}

impl<'a> Report<'a> {
    fn new(removed: &'a [Log], in_use: &'a [Log], results: &'a [Results]) -> Self {
        let bytes =
            removed.iter().map(|log| log.bytes).chain(results.iter().map(|kind| kind.bytes));
        Self { removed, in_use, results, bytes: bytes.sum() }
    }

    fn sentence(&self) -> String {
        let replies: usize = self.removed.iter().map(|log| log.replies).sum();
        let files: usize = self.results.iter().map(|kind| kind.files).sum();
        let mut parts = Vec::new();
        if !self.removed.is_empty() {
            let models = counted(self.removed.len(), "model");
            parts.push(format!("{} of {models}", counted(replies, "reply")));
        }
        if files > 0 {
            parts.push(counted(files, "file") + " with results");
        }
        if parts.is_empty() {
            return "nothing to remove\n".to_owned();
        }
        format!("removed: {}, {}\n", parts.join(" and "), size(self.bytes))
    }
}

/// A size for people.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return counted(bytes, "byte"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_removes_everything() {
        let contents = Contents { folder: "c".into(), bytes: 5, replies: vec![], results: vec![] };
        let confirmed = |reply: &str| confirm(&contents, Some(&mut reply.as_bytes())).is_ok();
        assert!(confirmed("y\n") && confirmed(" YES\n"));
        assert!(!confirmed("\n") && !confirmed("no\n") && !confirmed("") && !confirmed("yess"));
        let error = confirm(&contents, None::<&mut &[u8]>).unwrap_err();
        let message = "this would remove everything in c with 0 replies, 5 bytes in all";
        assert_eq!(error.to_string(), message);
        assert!(error.hint_text().unwrap().contains("--yes"));
    }

    #[test]
    fn sizes_and_counts_are_said_in_words() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1500, "1.5 kB"),
            (2_345_678, "2.3 MB"),
            (7 << 30, "7.5 GB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        let log = |replies| Log {
            model: None,
            url: None,
            server: None,
            replies,
            bytes: 1,
            folder: PathBuf::new(),
        };
        let sentence = |logs: &[Log], files| {
            let results = [Results { kind: "gold", about: "", files, bytes: 0 }];
            Report::new(logs, &[], &results).sentence()
        };
        assert_eq!(sentence(&[log(1)], 0), "removed: 1 reply of 1 model, 1 byte\n");
        assert_eq!(
            sentence(&[log(2), log(0)], 1),
            "removed: 2 replies of 2 models and 1 file with results, 2 bytes\n"
        );
        assert_eq!(sentence(&[], 0), "nothing to remove\n");
    }
}
