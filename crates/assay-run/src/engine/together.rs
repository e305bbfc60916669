//! Solvers that answer everything in one go: one thread lets them, others grade.

use std::collections::HashMap;

use assay_core::{
    Answer, AnswerTogether, Batch, ProblemId, Reading, Reference, Response, Result, SampleKey,
    Selection, SessionReport, TakeAnswers, Verdict,
};
use crossbeam_channel::{Sender, bounded};

use super::{Event, Sink, Work, report, send};

/// How many answers may wait for their grade before the solver has to.
const WAITING: usize = 1024;

pub(super) fn solve(
    work: &Work<'_>,
    solver: &dyn AnswerTogether,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let asked = read_references(work, sink)?;
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
        let wanted = &wanted;
        scope.spawn(move || {
            let batch = Batch { problems, wanted, scratch, cancel };
            let mut listener = Listener { asked, to_graders, to_sink: to_sink.clone() };
            report(solver.answer_all(&batch, &mut listener), &to_sink);
        });
        events.into_iter().try_for_each(|event| sink(event?))
    })
}

/// What the solver is asked, with what grading needs; what needs no solver is dealt with.
fn read_references(
    work: &Work<'_>,
    sink: &mut Sink<'_>,
) -> Result<HashMap<usize, (ProblemId, Reference)>> {
    let mut asked = HashMap::new();
    work.problems.read(work.wanted, &mut |reading| {
        match reading {
            Reading::Flawed(flaw) => {
                let key = SampleKey { rank: flaw.rank, sample: 0 };
                sink(Event::Graded(key, Verdict::excluded(flaw.id, flaw.reason)))?;
            }
            Reading::Problem(problem) => {
                let key = SampleKey { rank: problem.rank, sample: 0 };
                if let Some(answer) = work.answered.get(&key) {
                    work.grade(key, answer, &problem.reference, sink)?;
                } else {
                    asked.insert(problem.rank, (problem.id, problem.reference));
                }
            }
        }
        Ok(work.flow())
    })?;
    Ok(asked)
}

/// Passes on what the solver says, and has it graded.
struct Listener {
    asked: HashMap<usize, (ProblemId, Reference)>,
    to_graders: Sender<(SampleKey, Answer, Reference)>,
    to_sink: Sender<Result<Event>>,
}

impl TakeAnswers for Listener {
    fn answer(&mut self, rank: usize, response: Response) -> Result<()> {
        // A problem is answered once: what was not asked, or was answered, is not on the list.
        let Some((problem, reference)) = self.asked.remove(&rank) else { return Ok(()) };
        let key = SampleKey { rank, sample: 0 };
        let answer = Answer { problem, sample: 0, response, wall_s: None, confidence: Vec::new() };
        send(&self.to_sink, Event::Answered(key, answer.clone()))?;
        // If no grader listens any more, one has failed and says so itself.
        let _ = self.to_graders.send((key, answer, reference));
        Ok(())
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        send(&self.to_sink, Event::Session(report))
    }
}
