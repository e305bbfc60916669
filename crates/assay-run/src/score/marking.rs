//! Grades the answers of a file one by one, on as many threads as that is worth.

use std::ops::ControlFlow;

use assay_core::{
    Cancel, Case, Check, Effort, Fault, FaultKind, Fingerprint, Flaw, Grader, Place, ProblemId,
    Problems, Reading, Reference, Response, Result, SampleKey, Selection, Verdict, Why,
};
use assay_solvers::AnswerFile;

use super::Scoring;
use super::sum::Sum;
use crate::gate::Gate;
use crate::workers::{Give, Take, in_line, spread};

pub(super) struct Marking<'a> {
    pub(super) scoring: &'a Scoring<'a>,
    pub(super) file: &'a AnswerFile,
    pub(super) grader: &'a dyn Grader,
    pub(super) gate: &'a Gate,
    pub(super) jobs: usize,
    pub(super) cancel: &'a Cancel,
}

/// One sample to be graded, with what that needs.
struct Item {
    key: SampleKey,
    reference: Reference,
    /// Whether the problem itself was read, so that nothing about it is unclear.
    read: bool,
}

/// Finds what refuses the file before anything is graded: answers that their problems cannot have,
/// and answers to problems that cannot be graded.
pub(super) fn find_faults(problems: &dyn Problems, file: &mut AnswerFile, grader: &dyn Grader) {
    let mut found = Vec::new();
    problems.references(&mut |rank, reference| {
        for answer in file.of(rank) {
            let fault = match &reference {
                Err(flaw) => Fault::new(FaultKind::NoSolution, flaw.reason.clone()),
                Ok(reference) => match grader.check(reference, &answer.response) {
                    Check::Impossible(fault) => named(fault, &problems.ids()[rank]),
                    Check::Possible | Check::Unclear => continue,
                },
            };
            found.push((answer.place, fault));
        }
    });
    for (place, fault) in found {
        file.faults.add(place, fault);
    }
}

/// How many verdicts there will be: one for each sample, and one for a problem that has none or is
/// excluded.
pub(super) fn steps(file: &AnswerFile, gate: &Gate, problems: &dyn Problems) -> usize {
    let of = |rank| if gate.is_closed(rank) { 1 } else { file.of(rank).len().max(1) };
    (0..problems.ids().len()).map(of).sum()
}

fn named(fault: Fault, problem: &ProblemId) -> Fault {
    let Fault { message, kind, rank } = fault;
    Fault { message: format!("{problem}: {message}"), kind, rank }
}

/// What came of one sample.
pub(super) enum Marked {
    Verdict(Box<Verdict>),
    /// The problem must be read to tell whether its answer is possible.
    Unclear(usize),
    Impossible(Place, Fault),
}

impl Marking<'_> {
    /// Grades every answer; returns what tells the references from others, in task order.
    pub(super) fn mark_all(&self, sum: &mut Sum<'_>) -> Result<Vec<Fingerprint>> {
        let Scoring { problems, read_all, .. } = *self.scoring;
        let ids = problems.ids();
        let (mut fingerprints, mut flaws, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        self.mark(sum, |give| {
            let mut going = ControlFlow::Continue(());
            problems.references(&mut |rank, reference| match reference {
                Ok(reference) => {
                    fingerprints.extend([ids[rank].fingerprint(), reference.fingerprint()]);
                    if read_all {
                        unread.push(rank);
                    } else if going.is_continue() {
                        going = self.give_samples(rank, &reference, false, give);
                    }
                }
                Err(flaw) => {
                    fingerprints.push(flaw.id.fingerprint());
                    flaws.push(flaw);
                }
            });
            Ok(())
        })?;
        unread.append(&mut sum.unclear);
        self.mark_unread(&unread, sum, &mut flaws)?;
        for flaw in flaws {
            let answered = self.file.of(flaw.rank).iter().map(|answer| answer.place);
            sum.note_flaw(flaw, answered)?;
        }
        Ok(fingerprints)
    }

    /// Reads the problems that are left, and grades the answers to them.
    fn mark_unread(&self, ranks: &[usize], sum: &mut Sum<'_>, flaws: &mut Vec<Flaw>) -> Result<()> {
        let problems = self.scoring.problems;
        let mut wanted = vec![false; problems.ids().len()];
        for &rank in ranks {
            wanted[rank] = true;
        }
        let wanted = Selection::of(wanted.len(), |rank| wanted[rank]);
        self.mark(sum, |give| {
            problems.read(&wanted, &mut |reading| {
                Ok(match reading {
                    Reading::Problem(problem) => {
                        self.give_samples(problem.rank, &problem.reference, true, give)
                    }
                    Reading::Flawed(flaw) => {
                        flaws.push(flaw);
                        ControlFlow::Continue(())
                    }
                })
            })
        })
    }

    /// Grades what `produce` gives.
    fn mark(
        &self,
        sum: &mut Sum<'_>,
        produce: impl FnOnce(&mut Give<'_, Item>) -> Result<()> + Send,
    ) -> Result<()> {
        let work = |item: Item, tell: &mut Take<'_, Marked>| {
            if self.cancel.is_cancelled() { Ok(()) } else { tell(self.mark_one(&item)?) }
        };
        let mut sink = |marked| sum.take(marked);
        if self.grader.effort() == Effort::Working && self.jobs > 1 {
            spread(self.jobs, produce, work, &mut sink)
        } else {
            in_line(produce, work, &mut sink)
        }
    }

    /// Gives every sample of a problem away; a problem that has none, or is excluded, has one.
    fn give_samples(
        &self,
        rank: usize,
        reference: &Reference,
        read: bool,
        give: &mut Give<'_, Item>,
    ) -> ControlFlow<()> {
        let mut give = |key| give(Item { key, reference: reference.clone(), read });
        match self.file.of(rank) {
            samples if samples.is_empty() || self.gate.is_closed(rank) => {
                give(SampleKey { rank, sample: 0 })
            }
            samples => samples.iter().try_for_each(|answer| give(answer.key)),
        }
    }

    fn mark_one(&self, item: &Item) -> Result<Marked> {
        let Item { key: SampleKey { rank, sample }, reference, read } = item;
        let problem = &self.scoring.problems.ids()[*rank];
        if let Some(verdict) = self.gate.verdict(*rank, problem) {
            return Ok(Marked::Verdict(Box::new(verdict)));
        }
        let none = Response::none(Why::Silent, "there is no answer to it");
        let answer = self.file.of(*rank).get(*sample as usize);
        let response = answer.map_or(&none, |answer| &answer.response);
        match self.grader.check(reference, response) {
            Check::Unclear if !read => return Ok(Marked::Unclear(*rank)),
            Check::Possible | Check::Unclear => {}
            Check::Impossible(fault) => {
                let place = answer.map_or(Place::FILE, |answer| answer.place);
                return Ok(Marked::Impossible(place, named(fault, problem)));
            }
        }
        let (sample, cancel) = (*sample, self.cancel);
        let verdict = self.grader.grade(&Case { problem, sample, reference, response, cancel })?;
        Ok(Marked::Verdict(Box::new(verdict)))
    }
}
