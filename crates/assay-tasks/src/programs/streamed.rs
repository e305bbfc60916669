//! Problems from a file of records. The file is read again for every pass, and one record at a time is in memory.

use std::collections::HashMap;
use std::ops::ControlFlow;

use assay_core::{Error, ProblemId, Result, Selection};
use assay_data::programs::{Record, Records};

use super::problems::{CodeProblem, CodeProblems, VisitCodeProblem};

/// Converts records to problems.
pub(crate) trait RecordReader<R>: Send + Sync {
    /// The problem's name.
    fn name(&self, record: &R) -> String;

    /// Returns true if the record is one of the task's problems: the data may have others.
    fn includes(&self, _record: &R) -> bool {
        true
    }

    /// Converts the record, or returns the reason why it cannot be used.
    fn problem(&self, record: R) -> Result<CodeProblem, String>;
}

/// The problems in a file of records.
pub(crate) struct StreamedProblems<R, T> {
    records: Records,
    reader: T,
    ids: Vec<ProblemId>,
    lines: Vec<u64>,
    left_out: Vec<String>,
    record: std::marker::PhantomData<fn() -> R>,
}

impl<R: Record, T: RecordReader<R>> StreamedProblems<R, T> {
    /// Reads the file once, to collect the names of its problems and validate it.
    pub(crate) fn open(records: Records, reader: T) -> Result<Self> {
        let (mut ids, mut lines, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = HashMap::new();
        records.each::<R>(&mut |line, record| {
            let name = reader.name(&record);
            if !reader.includes(&record) {
                left_out.push(name);
                return Ok(ControlFlow::Continue(()));
            }
            if let Some(before) = first.insert(name.clone(), line) {
                let file = records.name();
                return Err(Error::refused(format!(
                    "{file}:{line}: task_id {name} is on line {before} too"
                ))
                .hint("a problem is there once: leave the other out"));
            }
            ids.push(ProblemId::from(name));
            lines.push(line);
            Ok(ControlFlow::Continue(()))
        })?;
        if ids.is_empty() {
            return Err(Error::refused(format!("{} holds no problems", records.name()))
                .hint(format!("a record has {}", R::FORM)));
        }
        Ok(Self { records, reader, ids, lines, left_out, record: std::marker::PhantomData })
    }
}

impl<R: Record, T: RecordReader<R>> CodeProblems for StreamedProblems<R, T> {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn location(&self, index: usize) -> String {
        format!("{}:{}", self.records.name(), self.lines[index])
    }

    fn read(&self, wanted: &Selection, take: &mut VisitCodeProblem<'_>) -> Result<()> {
        let mut index = 0;
        self.records.each::<R>(&mut |_, record| {
            if !self.reader.includes(&record) {
                return Ok(ControlFlow::Continue(()));
            }
            index += 1;
            if index > self.ids.len() {
                return Err(self.changed());
            }
            if !wanted.contains(index - 1) {
                return Ok(ControlFlow::Continue(()));
            }
            take(index - 1, self.reader.problem(record))
        })
    }
}

impl<R, T> StreamedProblems<R, T> {
    fn changed(&self) -> Error {
        Error::failed(format!("{} was changed while it was read", self.records.name()))
            .hint("start again when nothing changes it")
    }
}
