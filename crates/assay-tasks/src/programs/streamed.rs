//! Problems from a file of records, read anew whenever they are asked for: one record at a time is in
//! memory.

use std::collections::HashMap;
use std::ops::ControlFlow;

use assay_core::{Error, ProblemId, Result, Selection};
use assay_data::programs::{Record, Records};

use super::problems::{Item, Items, TakeItem};

/// What a record is to a task.
pub(crate) trait Telling<R>: Send + Sync {
    /// The problem's name.
    fn name(&self, record: &R) -> String;

    /// Whether it is among the task's problems: the data may have others.
    fn counts(&self, _record: &R) -> bool {
        true
    }

    /// What is asked and how it is tested, or why it cannot be used.
    fn item(&self, record: R) -> Result<Item, String>;
}

/// The problems in a file of records.
pub(crate) struct Streamed<R, T> {
    records: Records,
    telling: T,
    ids: Vec<ProblemId>,
    lines: Vec<u64>,
    left_out: Vec<String>,
    record: std::marker::PhantomData<fn() -> R>,
}

impl<R: Record, T: Telling<R>> Streamed<R, T> {
    /// Reads the file once, to know its problems and that it is sound.
    pub(crate) fn open(records: Records, telling: T) -> Result<Self> {
        let (mut ids, mut lines, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = HashMap::new();
        records.each::<R>(&mut |line, record| {
            let name = telling.name(&record);
            if !telling.counts(&record) {
                left_out.push(name);
                return Ok(ControlFlow::Continue(()));
            }
            if let Some(before) = first.insert(name.clone(), line) {
                let file = records.name();
                return Err(Error::refused(format!(
                    "{file}:{line}: task_id {name} stands on line {before} too"
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
        Ok(Self { records, telling, ids, lines, left_out, record: std::marker::PhantomData })
    }
}

impl<R: Record, T: Telling<R>> Items for Streamed<R, T> {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn location(&self, index: usize) -> String {
        format!("{}:{}", self.records.name(), self.lines[index])
    }

    fn read(&self, wanted: &Selection, take: &mut TakeItem<'_>) -> Result<()> {
        let mut index = 0;
        self.records.each::<R>(&mut |_, record| {
            if !self.telling.counts(&record) {
                return Ok(ControlFlow::Continue(()));
            }
            index += 1;
            if index > self.ids.len() {
                return Err(self.changed());
            }
            if !wanted.contains(index - 1) {
                return Ok(ControlFlow::Continue(()));
            }
            take(index - 1, self.telling.item(record))
        })
    }
}

impl<R, T> Streamed<R, T> {
    fn changed(&self) -> Error {
        Error::failed(format!("{} was changed while it was read", self.records.name()))
            .hint("start again when it is left alone")
    }
}
