//! APPS in the original's format: one folder per problem, with a file for each part of it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use assay_core::{Error, Result, Selection};
use serde::Deserialize;

use super::cases::read_input_output;
use super::{AppsProblem, Level, Names, TakeProblem, read_solutions};
use crate::Store;
use crate::json::json_line_message;
use crate::store::Content;

const QUESTION: &str = "question.txt";
const METADATA: &str = "metadata.json";
const STARTER: &str = "starter_code.py";
const SOLUTIONS: &str = "solutions.json";
const TESTS: &str = "input_output.json";

/// The folders of one level.
#[derive(Debug)]
pub(super) struct Folders {
    store: Store,
    folders: Vec<Folder>,
}

/// One problem: its location, and the files that it has.
#[derive(Debug)]
struct Folder {
    /// The path, with a slash at the end.
    path: String,
    files: Vec<&'static str>,
}

#[derive(Deserialize)]
struct Metadata {
    difficulty: String,
}

impl Folders {
    pub(super) fn scan(store: Store, wanted: Option<Level>) -> Result<(Self, Names)> {
        let mut levels: BTreeMap<String, Result<Level, String>> = BTreeMap::new();
        let names = store.scan(&|name| part_of(name, METADATA).is_some(), &mut |name, bytes| {
            if let Some(folder) = part_of(name, METADATA) {
                levels.insert(folder.to_owned(), level_of(bytes));
            }
        })?;
        let mut found: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
        for name in &names {
            for file in [QUESTION, STARTER, SOLUTIONS, TESTS] {
                if let Some(folder) = part_of(name, file) {
                    found.entry(folder).or_default().push(file);
                }
            }
        }
        let (mut folders, mut ids) = (Vec::new(), Names::default());
        for (path, files) in found.into_iter().filter(|(_, files)| files.contains(&QUESTION)) {
            let place = format!("{}/{path}{METADATA}", store.location());
            let of = levels.remove(path).unwrap_or_else(|| Err("is missing".to_owned()));
            let level = wanted.map(|_| of).transpose().map_err(|reason| {
                Error::refused(format!("{place} {reason}"))
                    .hint("it says how hard the problem is: {\"difficulty\": \"interview\"}")
            })?;
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if level == wanted {
                ids.of_level.push(name.to_owned());
                folders.push(Folder { path: path.to_owned(), files });
            } else {
                ids.of_other_levels.push(name.to_owned());
            }
        }
        Ok((Self { store, folders }, ids))
    }

    pub(super) fn location(&self) -> &str {
        self.store.location()
    }

    pub(super) fn place(&self, index: usize) -> String {
        format!("{}/{}", self.store.location(), self.folders[index].path)
    }

    /// Reads the wanted problems. An archive's files come in their own order: what comes too early
    /// is kept until its turn.
    pub(super) fn read(&self, wanted: &Selection, take: &mut TakeProblem<'_>) -> Result<()> {
        let indices: Vec<usize> =
            wanted.indices().filter(|&index| index < self.folders.len()).collect();
        let (mut paths, mut whose) = (Vec::new(), Vec::new());
        for &index in &indices {
            let Folder { path, files } = &self.folders[index];
            paths.extend(files.iter().map(|file| format!("{path}{file}")));
            whose.extend(files.iter().map(|&file| (index, file)));
        }
        let mut next = indices.iter().copied().peekable();
        let mut waiting: BTreeMap<usize, BTreeMap<&'static str, Content>> = BTreeMap::new();
        self.store.read(&paths, &mut |at, content| {
            let (index, file) = whose[at];
            waiting.entry(index).or_default().insert(file, content);
            while let Some(&index) = next.peek() {
                let count = self.folders[index].files.len();
                if waiting.get(&index).is_none_or(|parts| parts.len() < count) {
                    break;
                }
                next.next();
                let parts = waiting.remove(&index).unwrap_or_default();
                if take(index, problem(parts))?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// Returns whether a file is a problem's question.
pub(super) fn is_question(path: &str) -> bool {
    part_of(path, QUESTION).is_some()
}

/// The folder of the file called `file`, with a slash at the end.
fn part_of<'a>(path: &'a str, file: &str) -> Option<&'a str> {
    path.strip_suffix(file).filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

fn level_of(bytes: Content) -> Result<Level, String> {
    let Metadata { difficulty } = serde_json::from_slice(&bytes?)
        .map_err(|error| format!("cannot be read: {}", json_line_message(&error)))?;
    Level::by_name(&difficulty).ok_or_else(|| format!("names no level: {difficulty:?}"))
}

fn problem(mut parts: BTreeMap<&'static str, Content>) -> Result<AppsProblem, String> {
    let mut text = |file: &'static str| match parts.remove(file) {
        None => Ok(String::new()),
        Some(content) => {
            let bytes = content.map_err(|reason| format!("{file} {reason}"))?;
            String::from_utf8(bytes).map_err(|_| format!("{file} is not UTF-8"))
        }
    };
    Ok(AppsProblem {
        question: text(QUESTION)?,
        starter_code: text(STARTER)?,
        solutions: read_solutions(&text(SOLUTIONS)?)?,
        tests: read_input_output(&text(TESTS)?),
    })
}
