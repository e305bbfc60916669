//! Writes the questions for a solver command to files of its own.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use assay_core::{
    Batch, Error, LineQuestion, ProblemId, Question, QuestionKind, Result, TextQuestion,
};

use super::question::QuestionFile;

/// The questions of one session.
pub(super) struct Staged {
    /// The last argument of the command: a folder of tasks, or a file.
    pub(super) path: PathBuf,
    /// The standard input of the command.
    pub(super) questions: QuestionFile,
    pub(super) protocol: Protocol,
    /// The kind of all its questions.
    pub(super) kind: QuestionKind,
    /// The requested samples, in order, by index of the problems that it is asked.
    pub(super) asked: BTreeMap<usize, Vec<u32>>,
}

impl Staged {
    fn new(path: PathBuf, questions: QuestionFile, protocol: Protocol) -> Self {
        Self { path, questions, protocol, kind: QuestionKind::Code, asked: BTreeMap::new() }
    }
}

/// The format of answers that are not JSON objects.
pub(super) enum Protocol {
    /// A line names a task of this dataset.
    Tasks { dataset: String },
    /// Lines answer the problems in their order.
    Sources,
    /// A line is a JSON object that names its problem.
    Questions,
}

/// Writes the requested problems to the scratch folder: all as lines of JSON, and also as the files that the last argument
/// of the command names, which are a folder `<dataset>/Tasks/` of tasks or a file of sources.
pub(super) fn stage(batch: &mut Batch<'_>) -> Result<Vec<Staged>> {
    let mut staged: Vec<Staged> = Vec::new();
    let mut sources = Vec::new();
    for asked in &mut *batch.questions {
        let session = match &asked.question {
            Question::Line(question) => add_task(&mut staged, batch.scratch, &asked.id, question)?,
            Question::Text(question) => {
                add_source(&mut sources, question);
                single_session(&mut staged, batch.scratch, Some("sources.txt"))?
            }
            Question::Code(_) | Question::Choice(_) => {
                single_session(&mut staged, batch.scratch, None)?
            }
        };
        session.questions.add(&asked)?;
        session.kind = asked.question.kind();
        session.asked.insert(asked.index, asked.samples);
        if batch.cancel.is_cancelled() {
            break;
        }
    }
    if !sources.is_empty()
        && let [Staged { path, .. }] = staged.as_slice()
    {
        std::fs::write(path, sources).map_err(|error| Error::writing("write", path, error))?;
    }
    Ok(staged)
}

/// The single session that is asked everything. Its last argument is the file called `sources`, or the file of questions.
fn single_session<'s>(
    staged: &'s mut Vec<Staged>,
    scratch: &Path,
    sources: Option<&str>,
) -> Result<&'s mut Staged> {
    if staged.is_empty() {
        let questions = QuestionFile::create(scratch.join("problems.jsonl"))?;
        let path = sources.map_or_else(|| questions.path().to_owned(), |name| scratch.join(name));
        let protocol = if sources.is_some() { Protocol::Sources } else { Protocol::Questions };
        staged.push(Staged::new(path, questions, protocol));
    }
    Ok(&mut staged[0])
}

fn add_source(text: &mut Vec<u8>, question: &TextQuestion) {
    // A source with several lines would become several sources.
    let line = question.source.lines().collect::<Vec<_>>().join(" ");
    text.extend_from_slice(line.as_bytes());
    text.push(b'\n');
}

/// Adds a task. Problems come dataset by dataset, so a new name starts a new folder.
fn add_task<'s>(
    staged: &'s mut Vec<Staged>,
    scratch: &Path,
    id: &ProblemId,
    question: &LineQuestion,
) -> Result<&'s mut Staged> {
    let (name, stem) = id.as_str().rsplit_once('/').unwrap_or(("", id.as_str()));
    let dataset = scratch.join(folder_name(name)?);
    let folder = dataset.join("Tasks");
    let is_last =
        |last: &Staged| matches!(&last.protocol, Protocol::Tasks { dataset } if dataset == name);
    if !staged.last().is_some_and(is_last) {
        std::fs::create_dir_all(&folder).map_err(|error| Error::writing("make", &folder, error))?;
        let questions = QuestionFile::create(dataset.join("questions.jsonl"))?;
        let protocol = Protocol::Tasks { dataset: name.to_owned() };
        staged.push(Staged::new(folder.clone(), questions, protocol));
    }
    let path = folder.join(folder_name(&format!("{stem}.txt"))?);
    std::fs::write(&path, question.text())
        .map_err(|error| Error::writing("write", &path, error))?;
    let last = staged.len() - 1;
    Ok(&mut staged[last])
}

/// A name as part of a path in the scratch folder; a name that leads out of it is refused.
fn folder_name(name: &str) -> Result<&str> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Ok(name),
        _ => Err(Error::refused(format!("{name:?} cannot be the name of a file or folder"))
            .hint("tasks are given to a program in files: rename the dataset and its tasks")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_scratch_folder() {
        for name in ["Dataset4", "...", "...tar", "..txt", "a b"] {
            assert_eq!(folder_name(name).unwrap(), name);
        }
        for name in ["", ".", "..", "/", "a/b", "../a", "a/..", "./a", "a/", "/etc"] {
            folder_name(name).unwrap_err();
        }
    }
}
