//! The part of a run that is left to do.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use assay_core::{Answer, Problem, Reading, Result, SampleKey, Selection, Submission};
use assay_record::RunWriter;

use super::indices;
use crate::gate::Gate;
use crate::hashing::DataHashing;
use crate::pipeline::{Feed, Pending, WorkItem};
use crate::{OpenTask, Plan};

/// The remaining work of a run.
pub(super) struct RemainingWork<'a> {
    plan: &'a Plan,
    gate: &'a Gate,
    /// The problems with missing samples.
    open: Selection,
    /// The samples that need nothing more: they have a verdict, or an answer that is graded later.
    finished: HashSet<SampleKey>,
    /// The problems that are excluded already.
    excluded: HashSet<usize>,
    /// The answers that only need a grade.
    ungraded: HashMap<SampleKey, Answer>,
}

impl<'a> RemainingWork<'a> {
    pub(super) fn new(plan: &'a Plan, record: &RunWriter, gate: &'a Gate) -> Result<Self> {
        let OpenTask { problems, wanted, .. } = &*plan.open;
        let indices = indices(problems.as_ref());
        record.check_problems(&|id| indices.get(id).copied())?;
        let progress = record.progress();
        let key =
            |(id, sample): (&str, u32)| indices.get(id).map(|&index| SampleKey { index, sample });
        let mut finished: HashSet<SampleKey> = progress.graded().filter_map(key).collect();
        let mut ungraded = HashMap::new();
        if plan.request.only_answers {
            finished.extend(progress.ungraded().filter_map(key));
        } else {
            record.ungraded(&mut |line| {
                if let Some(key) = key((&line.problem, line.sample)) {
                    ungraded.insert(key, Answer::from(line));
                }
                Ok(())
            })?;
        }
        let excluded = progress.excluded().filter_map(|id| indices.get(id).copied()).collect();
        let open = wanted.clone();
        let mut remaining = Self { plan, gate, open, finished, excluded, ungraded };
        let samples = plan.request.samples as usize;
        let is_open = |index| wanted.contains(index) && remaining.done(index) < samples;
        remaining.open = Selection::of(problems.ids().len(), is_open);
        Ok(remaining)
    }

    /// The number of samples of a problem that are done; all of them for an excluded problem.
    pub(super) fn done(&self, index: usize) -> usize {
        let samples = self.plan.request.samples;
        if self.excluded.contains(&index) {
            return samples as usize;
        }
        (0..samples).filter(|&sample| self.finished.contains(&SampleKey { index, sample })).count()
    }

    /// Feeds all remaining work.
    pub(super) fn read(
        &self,
        hashing: &mut Option<DataHashing<'_>>,
        feed: &mut Feed<'_>,
    ) -> Result<()> {
        self.plan.open.problems.read(&self.open, &mut |reading| {
            if let Some(hashing) = hashing {
                hashing.add(&reading);
            }
            Ok(match reading {
                Reading::Problem(problem) => self.feed_problem(problem, feed),
                Reading::Flawed(flaw) => feed(WorkItem::Flawed(flaw)),
            })
        })
    }

    fn feed_problem(&self, problem: Problem, feed: &mut Feed<'_>) -> ControlFlow<()> {
        let index = problem.index;
        if let Some(verdict) = self.gate.verdict(index, &problem.id) {
            return feed(WorkItem::Done(SampleKey { index, sample: 0 }, Box::new(verdict)));
        }
        let mut missing = Vec::new();
        for sample in 0..self.plan.request.samples {
            let key = SampleKey { index, sample };
            if self.finished.contains(&key) {
                continue;
            }
            match self.ungraded.get(&key) {
                Some(answer) => {
                    let (problem, reference) = (problem.id.clone(), problem.reference.clone());
                    let submission =
                        Submission { key, problem, response: Arc::clone(&answer.response) };
                    feed(WorkItem::Grade(Pending { submission, reference, is_read: true }))?;
                }
                None => missing.push(sample),
            }
        }
        // Without a solver, an answer that is missing stays missing.
        if missing.is_empty() || self.plan.solver.is_none() {
            return ControlFlow::Continue(());
        }
        feed(WorkItem::Ask(problem, missing))
    }
}
