//! Writes the questions for a solver command to separate files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use assay_core::{
    Batch, BatchQuestion, Error, LineQuestion, ProblemId, Question, Result, TextQuestion,
};
use serde::Serialize;

/// The questions of one session.
pub(super) struct Staged {
    /// The last argument of the command: a folder of tasks, or a file.
    pub(super) path: PathBuf,
    pub(super) protocol: Protocol,
    /// The requested samples, in order, by index of the problems that it is asked.
    pub(super) asked: BTreeMap<usize, Vec<u32>>,
}

/// The format of the answers.
pub(super) enum Protocol {
    /// A line names a task of this dataset.
    Tasks { dataset: String },
    /// Lines answer the problems in their order.
    Sources,
    /// A line is a JSON object that names its problem.
    Questions,
}

/// One line of the questions, if programs are requested.
#[derive(Serialize)]
struct QuestionLine<'a> {
    task_id: &'a str,
    prompt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    stop: &'a [String],
    /// The options to choose from, if there are any.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    options: &'a [String],
    /// The number of requested samples.
    samples: usize,
    /// The number of samples that exist already, if a run was interrupted: a command that draws its
    /// samples by number continues with this one.
    first: u32,
}

/// Writes the requested problems to the scratch folder: tasks to `<dataset>/Tasks/`, everything
/// else to one file.
pub(super) fn stage(batch: &mut Batch<'_>) -> Result<Vec<Staged>> {
    let mut staged: Vec<Staged> = Vec::new();
    let mut text = Vec::new();
    for asked in &mut *batch.questions {
        let session = match &asked.question {
            Question::Line(question) => add_task(&mut staged, batch.scratch, &asked.id, question)?,
            Question::Text(question) => {
                add_source(&mut text, question);
                single_session(&mut staged, batch.scratch, "sources.txt", Protocol::Sources)
            }
            Question::Code(_) | Question::Choice(_) => {
                add_question(&mut text, &asked)?;
                single_session(&mut staged, batch.scratch, "problems.jsonl", Protocol::Questions)
            }
        };
        session.asked.insert(asked.index, asked.samples);
        if batch.cancel.is_cancelled() {
            break;
        }
    }
    if !text.is_empty()
        && let [Staged { path, .. }] = staged.as_slice()
    {
        std::fs::write(path, text).map_err(|error| Error::writing("write", path, error))?;
    }
    Ok(staged)
}

/// The single session that is asked everything, in one file.
fn single_session<'s>(
    staged: &'s mut Vec<Staged>,
    scratch: &Path,
    name: &str,
    protocol: Protocol,
) -> &'s mut Staged {
    if staged.is_empty() {
        let (path, asked) = (scratch.join(name), BTreeMap::new());
        staged.push(Staged { path, protocol, asked });
    }
    &mut staged[0]
}

fn add_source(text: &mut Vec<u8>, question: &TextQuestion) {
    // A source with several lines would become several sources.
    let line = question.source.lines().collect::<Vec<_>>().join(" ");
    text.extend_from_slice(line.as_bytes());
    text.push(b'\n');
}

fn add_question(text: &mut Vec<u8>, asked: &BatchQuestion) -> Result<()> {
    let (language, stop) = match &asked.question {
        Question::Code(question) => (Some(question.language.to_string()), question.stop.words()),
        _ => (None, [].as_slice()),
    };
    let line = QuestionLine {
        task_id: asked.id.as_str(),
        prompt: &asked.question.prompt(),
        language,
        stop,
        options: asked.question.options(),
        samples: asked.samples.len(),
        first: asked.samples.first().copied().unwrap_or(0),
    };
    serde_json::to_writer(&mut *text, &line)
        .and_then(|()| text.write_all(b"\n").map_err(serde_json::Error::io))
        .map_err(|error| Error::failed("failed to write a question").because(error))
}

/// Adds a task. Problems come dataset by dataset, so a new name starts a new folder.
fn add_task<'s>(
    staged: &'s mut Vec<Staged>,
    scratch: &Path,
    id: &ProblemId,
    question: &LineQuestion,
) -> Result<&'s mut Staged> {
    let (name, stem) = id.as_str().rsplit_once('/').unwrap_or(("", id.as_str()));
    let folder = scratch.join(folder_name(name)?).join("Tasks");
    let is_last =
        |last: &Staged| matches!(&last.protocol, Protocol::Tasks { dataset } if dataset == name);
    if !staged.last().is_some_and(is_last) {
        std::fs::create_dir_all(&folder).map_err(|error| Error::writing("make", &folder, error))?;
        let protocol = Protocol::Tasks { dataset: name.to_owned() };
        staged.push(Staged { path: folder.clone(), protocol, asked: BTreeMap::new() });
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
