//! Records what a pipeline sends, and counts the steps of the progress.

use std::collections::HashSet;

use assay_core::{Answer, ProblemId, Progress, Result};
use assay_record::{AnswerLine, RunWriter};

use super::remaining::RemainingWork;
use crate::pipeline::Event;

/// The record of a run that is in progress.
pub(super) struct Recording<'r> {
    record: &'r mut RunWriter,
    remaining: &'r RemainingWork<'r>,
    samples: u32,
    progress: &'r dyn Progress,
    /// The problems that cannot be graded.
    unusable: HashSet<ProblemId>,
    /// True if everything could be written so far.
    is_recorded: bool,
}

impl<'r> Recording<'r> {
    pub(super) fn new(
        record: &'r mut RunWriter,
        remaining: &'r RemainingWork<'r>,
        samples: u32,
        progress: &'r dyn Progress,
    ) -> Self {
        let (unusable, is_recorded) = (HashSet::new(), true);
        Self { record, remaining, samples, progress, unusable, is_recorded }
    }

    /// Records an event.
    pub(super) fn take(&mut self, event: Event) -> Result<()> {
        let recorded = match event {
            Event::Answered(_, answer) => record_answer(self.record, *answer),
            Event::Session(report) => self.record.session(&report.into()),
            Event::Graded(key, verdict) => {
                // An excluded problem has one verdict for all its missing samples.
                let excluded = self.samples as usize - self.remaining.done(key.index);
                self.step(if verdict.is_excluded() { excluded } else { 1 });
                self.record.verdict(&(*verdict).into())
            }
            Event::Checked(key, id, _) => {
                let is_answered = self.record.progress().is_answered(id.as_str(), key.sample);
                self.step(if is_answered { 1 } else { self.samples as usize });
                if !is_answered {
                    self.unusable.insert(id);
                }
                Ok(())
            }
            // These events only occur for answers from files.
            Event::Unclear(_) | Event::Impossible(..) => Ok(()),
        };
        self.is_recorded &= recorded.is_ok();
        recorded
    }

    fn step(&self, count: usize) {
        (0..count).for_each(|_| self.progress.step());
    }

    /// The problems that cannot be graded, and whether everything could be written.
    pub(super) fn finish(self) -> (HashSet<ProblemId>, bool) {
        (self.unusable, self.is_recorded)
    }
}

/// Records an answer, and before it the question as it was asked.
fn record_answer(record: &mut RunWriter, answer: Answer) -> Result<()> {
    let question = answer.asked.as_deref().map(|text| record.text(text)).transpose()?;
    record.answer(&AnswerLine { question, ..answer.into() })
}
