//! Questions as lines of JSON, for every kind of question.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use assay_core::{BatchQuestion, Error, Question, QuestionKind, Result};
use serde::Serialize;

/// One line: what a solver needs to answer one question.
#[derive(Serialize)]
struct QuestionLine<'a> {
    task_id: &'a str,
    /// The kind of answer: `code`, `text`, `choice` or `line`.
    kind: QuestionKind,
    /// The question, as a language model is asked it.
    prompt: Cow<'a, str>,
    /// The language of the requested program.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The words that end a continuation of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [String]>,
    /// The options to choose from.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    options: &'a [String],
    /// The text that is to be translated, or the file that had another line.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    /// The language of that text.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The line that replaced one of the text's lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Cow<'a, str>>,
    /// The number of requested samples.
    samples: usize,
    /// The number of samples that exist already, if a run was interrupted: a command that draws its
    /// samples by number continues with this one.
    first: u32,
}

impl<'a> QuestionLine<'a> {
    fn new(asked: &'a BatchQuestion) -> Self {
        let line = Self {
            task_id: asked.id.as_str(),
            kind: asked.question.kind(),
            prompt: asked.question.prompt(),
            language: None,
            stop: None,
            options: asked.question.options(),
            text: None,
            from: None,
            line: None,
            samples: asked.samples.len(),
            first: asked.samples.first().copied().unwrap_or(0),
        };
        match &asked.question {
            Question::Code(question) => Self {
                language: Some(question.language.to_string()),
                stop: Some(question.stop.words()),
                ..line
            },
            Question::Text(question) => Self {
                text: Some(Cow::Borrowed(&question.source)),
                from: question.languages.map(|pair| pair.from.to_string()),
                language: question.languages.map(|pair| pair.into.to_string()),
                ..line
            },
            Question::Line(question) => Self {
                text: Some(String::from_utf8_lossy(question.program())),
                line: Some(String::from_utf8_lossy(question.line())),
                ..line
            },
            Question::Choice(_) => line,
        }
    }
}

/// The file of the questions of one session, which becomes the command's standard input.
pub(super) struct QuestionFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl QuestionFile {
    /// Creates an empty file.
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(|error| Error::writing("create", &path, error))?;
        Ok(Self { path, writer: BufWriter::new(file) })
    }

    /// Adds a line.
    pub(super) fn add(&mut self, asked: &BatchQuestion) -> Result<()> {
        serde_json::to_writer(&mut self.writer, &QuestionLine::new(asked))
            .map_err(std::io::Error::from)
            .and_then(|()| self.writer.write_all(b"\n"))
            .map_err(|error| self.failed(error))
    }

    /// Finishes the file and opens it for reading.
    pub(super) fn finish(&mut self) -> Result<File> {
        self.writer.flush().map_err(|error| self.failed(error))?;
        File::open(&self.path).map_err(|error| Error::reading("open", &self.path, error))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::writing("write", self.path(), error)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
