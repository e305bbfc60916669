//! Feeds the answers of a file to the pipeline.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use assay_answers::AnswerFile;
use assay_core::{
    Fault, Fingerprint, Flaw, NoAnswerKind, ProblemId, Reading, Reference, Response, Result,
    SampleKey, Selection, Submission,
};

use super::Scoring;
use super::kept::Known;
use super::summary::Summary;
use crate::RunContext;
use crate::gate::Gate;
use crate::pipeline::{Feed, LastStage, Pending, Pipeline, Retries, VerdictCache, WorkItem};

/// The answers of a file, and everything that grading them needs.
pub(super) struct FileGrading<'a> {
    pub(super) scoring: &'a Scoring<'a>,
    pub(super) file: &'a AnswerFile,
    pub(super) verdicts: &'a VerdictCache,
    pub(super) gate: &'a Gate,
    /// The verdicts that were there before.
    pub(super) known: &'a Known,
    pub(super) context: &'a RunContext<'a>,
}

/// The number of verdicts: one for each sample, and one for a problem that has none or is excluded.
pub(super) fn steps(file: &AnswerFile, gate: &Gate, chosen: &Selection) -> usize {
    let of = |index| if gate.is_excluded(index) { 1 } else { file.of(index).len().max(1) };
    chosen.indices().map(of).sum()
}

/// Adds the problem's name to a fault.
pub(super) fn with_problem(fault: Fault, problem: &ProblemId) -> Fault {
    let Fault { message, kind, index } = fault;
    Fault { message: format!("{problem}: {message}"), kind, index }
}

/// The response for a problem without an answer.
static NO_ANSWER: LazyLock<Arc<Response>> =
    LazyLock::new(|| Arc::new(Response::none(NoAnswerKind::Silent, "there is no answer to it")));

impl FileGrading<'_> {
    /// Grades every answer to a chosen problem; returns the fingerprints of the references, in task order.
    pub(super) fn grade_all(&self, summary: &mut Summary<'_>) -> Result<Vec<Fingerprint>> {
        let Scoring { problems, chosen, read_all, .. } = *self.scoring;
        let ids = problems.ids();
        let (mut fingerprints, mut flaws, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        self.run(summary, |feed| {
            problems.references(&mut |index, reference| match reference {
                _ if !chosen.contains(index) => ControlFlow::Continue(()),
                Ok(reference) => {
                    fingerprints.extend([ids[index].fingerprint(), reference.fingerprint()]);
                    if read_all {
                        unread.push(index);
                        return ControlFlow::Continue(());
                    }
                    self.feed_samples(index, &reference, false, feed)
                }
                Err(flaw) => {
                    fingerprints.push(flaw.id.fingerprint());
                    flaws.push(flaw);
                    ControlFlow::Continue(())
                }
            });
            Ok(())
        })?;
        unread.append(&mut summary.unclear);
        self.grade_unread(&unread, summary, &mut flaws)?;
        for flaw in flaws {
            let answered = self.file.of(flaw.index).iter().map(|answer| answer.place);
            summary.note_flaw(flaw, answered)?;
        }
        Ok(fingerprints)
    }

    /// Reads the remaining problems, and grades their answers.
    fn grade_unread(
        &self,
        indices: &[usize],
        summary: &mut Summary<'_>,
        flaws: &mut Vec<Flaw>,
    ) -> Result<()> {
        if indices.is_empty() {
            return Ok(());
        }
        let problems = self.scoring.problems;
        let mut wanted = vec![false; problems.ids().len()];
        for &index in indices {
            wanted[index] = true;
        }
        let wanted = Selection::of(wanted.len(), |index| wanted[index]);
        self.run(summary, |feed| {
            problems.read(&wanted, &mut |reading| {
                Ok(match reading {
                    Reading::Problem(problem) => {
                        self.feed_samples(problem.index, &problem.reference, true, feed)
                    }
                    Reading::Flawed(flaw) => {
                        flaws.push(flaw);
                        ControlFlow::Continue(())
                    }
                })
            })
        })
    }

    /// Runs everything that `read` feeds through the pipeline.
    fn run(
        &self,
        summary: &mut Summary<'_>,
        read: impl FnOnce(&mut Feed<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        let RunContext { jobs, cancel, progress, .. } = *self.context;
        let problems = self.scoring.problems;
        let pipeline = Pipeline {
            problems,
            solver: None,
            extraction: None,
            last_stage: LastStage::Score(self.verdicts),
            retries: &Retries::default(),
            scratch: Path::new(""),
            jobs,
            cancel,
            progress,
        };
        pipeline.run(read, &mut |event| summary.take(event, self.file, problems))
    }

    /// Feeds every sample of a problem; a problem that has none, or is excluded, has one.
    fn feed_samples(
        &self,
        index: usize,
        reference: &Arc<dyn Reference>,
        is_read: bool,
        feed: &mut Feed<'_>,
    ) -> ControlFlow<()> {
        let problem = &self.scoring.problems.ids()[index];
        let first = SampleKey { index, sample: 0 };
        if let Some(verdict) = self.gate.verdict(index, problem) {
            return feed(WorkItem::Done(first, Box::new(verdict)));
        }
        let mut give = |submission: Submission| {
            if let Some(verdict) = self.known.get(&submission.key) {
                return feed(WorkItem::Done(submission.key, Box::new(verdict.clone())));
            }
            feed(WorkItem::Grade(Pending { submission, reference: Arc::clone(reference), is_read }))
        };
        match self.file.of(index) {
            [] => give(Submission {
                key: first,
                problem: problem.clone(),
                response: Arc::clone(&NO_ANSWER),
            }),
            samples => samples.iter().try_for_each(|answer| give(answer.submission.clone())),
        }
    }
}
