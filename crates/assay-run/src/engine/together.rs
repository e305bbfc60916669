//! Solvers that answer everything in one go: one thread lets them, others grade.

use std::collections::HashMap;

use assay_core::{
    Answer, AnswerTogether, Batch, Problem, ProblemId, Reading, Reference, Response, Result,
    SampleKey, Selection, SessionReport, TakeAnswers, Verdict,
};
use crossbeam_channel::{Sender, bounded};

use super::{Event, Sink, Work};
use crate::workers::{report, send};

/// How many answers may wait for their grade before the solver has to.
const WAITING: usize = 1024;

pub(super) fn solve(
    work: &Work<'_>,
    solver: &dyn AnswerTogether,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let asked = read_references(work, sink)?;
    let missing: HashMap<usize, Vec<u32>> =
        asked.iter().map(|(&rank, asked)| (rank, asked.missing.clone())).collect();
    let wanted = Selection::of(work.problems.ids().len(), |rank| asked.contains_key(&rank));
    if wanted.is_empty() {
        return Ok(());
    }
    let (to_graders, answers) = bounded::<(SampleKey, Answer, Reference)>(WAITING);
    let (to_sink, events) = bounded::<Result<Event>>(WAITING);
    std::thread::scope(|scope| {
        for _ in 0..work.jobs.max(1) {
            let (answers, to_sink) = (answers.clone(), to_sink.clone());
            scope.spawn(move || {
                let grade = |(key, answer, reference)| {
                    work.grade(key, &answer, &reference, &mut |event| send(&to_sink, event))
                };
                report(answers.iter().try_for_each(grade), &to_sink);
            });
        }
        drop(answers);
        let (problems, scratch, cancel) = (work.problems, work.scratch, work.cancel);
        let (wanted, missing) = (&wanted, &missing);
        scope.spawn(move || {
            let batch = Batch { problems, wanted, missing, scratch, cancel };
            let mut listener = Listener { asked, to_graders, to_sink: to_sink.clone() };
            report(solver.answer_all(&batch, &mut listener), &to_sink);
        });
        events.into_iter().try_for_each(|event| sink(event?))
    })
}

/// A problem that the solver is asked, with what grading needs.
struct Asked {
    problem: ProblemId,
    reference: Reference,
    /// The samples that were not answered yet, in order.
    missing: Vec<u32>,
}

/// What the solver is asked, by rank; what needs no solver is dealt with.
fn read_references(work: &Work<'_>, sink: &mut Sink<'_>) -> Result<HashMap<usize, Asked>> {
    let mut asked = HashMap::new();
    work.problems.read(work.wanted, &mut |reading| {
        match reading {
            Reading::Flawed(flaw) => {
                let key = SampleKey { rank: flaw.rank, sample: 0 };
                sink(Event::Graded(key, Verdict::excluded(flaw.id, flaw.reason)))?;
            }
            Reading::Problem(problem) => {
                if let Some(verdict) = work.gate.verdict(problem.rank, &problem.id) {
                    sink(Event::Graded(SampleKey { rank: problem.rank, sample: 0 }, verdict))?;
                    return Ok(work.flow());
                }
                let missing = grade_known(work, &problem, sink)?;
                if !missing.is_empty() {
                    let Problem { id, rank, reference, .. } = problem;
                    asked.insert(rank, Asked { problem: id, reference, missing });
                }
            }
        }
        Ok(work.flow())
    })?;
    Ok(asked)
}

/// Grades the samples that were answered before; says which were not.
fn grade_known(work: &Work<'_>, problem: &Problem, sink: &mut Sink<'_>) -> Result<Vec<u32>> {
    let mut missing = Vec::new();
    for sample in 0..work.samples {
        let key = SampleKey { rank: problem.rank, sample };
        if work.graded.contains(&key) {
            continue;
        }
        match work.answered.get(&key) {
            Some(answer) => work.grade(key, answer, &problem.reference, sink)?,
            None => missing.push(sample),
        }
    }
    Ok(missing)
}

/// Passes on what the solver says, and has it graded.
struct Listener {
    asked: HashMap<usize, Asked>,
    to_graders: Sender<(SampleKey, Answer, Reference)>,
    to_sink: Sender<Result<Event>>,
}

impl TakeAnswers for Listener {
    fn answer(&mut self, key: SampleKey, response: Response) -> Result<()> {
        // A sample is answered once: what was not asked, or was answered, is not on the list.
        let Some(asked) = self.asked.get_mut(&key.rank) else { return Ok(()) };
        let Some(at) = asked.missing.iter().position(|&sample| sample == key.sample) else {
            return Ok(());
        };
        asked.missing.remove(at);
        let (problem, sample) = (asked.problem.clone(), key.sample);
        let answer = Answer { problem, sample, response, wall_s: None, confidence: Vec::new() };
        send(&self.to_sink, Event::Answered(key, answer.clone()))?;
        // If no grader listens any more, one has failed and says so itself.
        let _ = self.to_graders.send((key, answer, asked.reference.clone()));
        Ok(())
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        send(&self.to_sink, Event::Session(report))
    }
}
