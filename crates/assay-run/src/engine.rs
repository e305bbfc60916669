//! Answers problems, spread over workers, and grades the answers where they were made.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Instant;

use assay_core::{
    Answer, AnswerEach, AnswerTogether, Batch, Cancel, Check, Effort, Grader, Problem, ProblemId,
    Problems, Reading, Reference, Response, Result, Selection, SessionReport, Solver, TakeAnswers,
    Verdict, Why,
};
use crossbeam_channel::{Receiver, Sender, bounded};

/// What is to be answered, by whom.
pub(crate) struct Work<'a> {
    pub(crate) problems: &'a dyn Problems,
    pub(crate) wanted: &'a Selection,
    pub(crate) solver: &'a Solver,
    /// `None` if answers are not to be graded.
    pub(crate) grader: Option<&'a dyn Grader>,
    /// Answers that are there already and only want grading, by rank.
    pub(crate) answered: &'a HashMap<usize, Answer>,
    pub(crate) jobs: usize,
    pub(crate) cancel: &'a Cancel,
}

/// What became of one problem.
#[derive(Debug)]
pub(crate) struct Solved {
    pub(crate) rank: usize,
    /// `None` if the problem cannot be used.
    pub(crate) answer: Option<Answer>,
    /// `None` if it was answered and nothing is graded.
    pub(crate) verdict: Option<Verdict>,
}

/// Takes what is solved, in the order in which it is.
pub(crate) trait Sink {
    fn solved(&mut self, solved: Solved) -> Result<()>;
    fn session(&mut self, report: SessionReport) -> Result<()>;
}

/// Solves every wanted problem once, unless it is cancelled or `sink` fails.
pub(crate) fn solve(work: &Work<'_>, sink: &mut dyn Sink) -> Result<()> {
    match work.solver {
        Solver::Together(solver) => together(work, solver.as_ref(), sink),
        Solver::Each(solver) if work.jobs <= 1 || solver.effort() == Effort::Trivial => {
            in_line(work, solver.as_ref(), sink)
        }
        Solver::Each(solver) => spread(work, solver.as_ref(), sink),
    }
}

impl Work<'_> {
    fn solve_one(&self, solver: &dyn AnswerEach, reading: Reading) -> Solved {
        let problem = match reading {
            Reading::Problem(problem) => problem,
            Reading::Flawed(flaw) => {
                let verdict = Some(Verdict::excluded(flaw.id, flaw.reason));
                return Solved { rank: flaw.rank, answer: None, verdict };
            }
        };
        let answer = match self.answered.get(&problem.rank) {
            Some(answer) => answer.clone(),
            None => ask(solver, &problem),
        };
        self.graded(problem.rank, answer, &problem.reference)
    }

    fn graded(&self, rank: usize, answer: Answer, reference: &Reference) -> Solved {
        let verdict = self.grader.map(|grader| judge(grader, &answer, reference));
        Solved { rank, answer: Some(answer), verdict }
    }
}

/// The verdict on an answer; one that is impossible counts as none.
fn judge(grader: &dyn Grader, answer: &Answer, reference: &Reference) -> Verdict {
    let impossible = match grader.check(reference, &answer.response) {
        Check::Impossible(fault) => Some(Response::none(Why::Invalid, fault.message)),
        // A problem that was read leaves nothing unclear.
        Check::Possible | Check::Unclear => None,
    };
    let response = impossible.as_ref().unwrap_or(&answer.response);
    grader.grade(&answer.problem, answer.sample, reference, response)
}

fn ask(solver: &dyn AnswerEach, problem: &Problem) -> Answer {
    // The time of a trivial answer is the time of reading the clock.
    let started = (solver.effort() == Effort::Working).then(Instant::now);
    let response = solver.answer(problem);
    let wall_s = started.map(|started| started.elapsed().as_secs_f64());
    Answer { problem: problem.id.clone(), sample: 0, response, wall_s }
}

/// Everything on this thread.
fn in_line(work: &Work<'_>, solver: &dyn AnswerEach, sink: &mut dyn Sink) -> Result<()> {
    let mut outcome = Ok(());
    work.problems.read(work.wanted, &mut |reading| {
        if work.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        outcome = sink.solved(work.solve_one(solver, reading));
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    outcome
}

/// One thread reads, `jobs` threads answer and grade, this one passes the results on. The channels
/// are short, so that memory stays flat however large the task is.
fn spread(work: &Work<'_>, solver: &dyn AnswerEach, sink: &mut dyn Sink) -> Result<()> {
    let (to_workers, readings) = bounded::<Reading>(work.jobs * 2);
    let (to_sink, results) = bounded::<Solved>(work.jobs * 2);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || read_into(work, &to_workers));
        for _ in 0..work.jobs {
            let (readings, to_sink) = (readings.clone(), to_sink.clone());
            scope.spawn(move || answer_from(work, solver, &readings, &to_sink));
        }
        drop((readings, to_sink));
        let outcome = results.iter().try_for_each(|solved| sink.solved(solved));
        // If the sink failed, closing its channel ends the workers, and they the reader.
        drop(results);
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        outcome.and(read)
    })
}

fn read_into(work: &Work<'_>, to_workers: &Sender<Reading>) -> Result<()> {
    work.problems.read(work.wanted, &mut |reading| {
        if work.cancel.is_cancelled() || to_workers.send(reading).is_err() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
}

fn answer_from(
    work: &Work<'_>,
    solver: &dyn AnswerEach,
    readings: &Receiver<Reading>,
    to_sink: &Sender<Solved>,
) {
    for reading in readings {
        if work.cancel.is_cancelled() || to_sink.send(work.solve_one(solver, reading)).is_err() {
            break;
        }
    }
}

fn together(work: &Work<'_>, solver: &dyn AnswerTogether, sink: &mut dyn Sink) -> Result<()> {
    let mut listener = Listener { work, asked: HashMap::new(), sink };
    listener.read_references()?;
    let open = |rank: usize| listener.asked.contains_key(&rank);
    let wanted = Selection::of(work.problems.ids().len(), open);
    if wanted.is_empty() {
        return Ok(());
    }
    let batch = Batch { problems: work.problems, wanted: &wanted, cancel: work.cancel };
    solver.answer_all(&batch, &mut listener)
}

/// Grades what a solver says while it works.
struct Listener<'a, 'w> {
    work: &'a Work<'w>,
    asked: HashMap<usize, (ProblemId, Reference)>,
    sink: &'a mut dyn Sink,
}

impl Listener<'_, '_> {
    /// Keeps what grading needs, and passes on what needs no solver.
    fn read_references(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        self.work.problems.read(self.work.wanted, &mut |reading| {
            outcome = self.sort(reading);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        outcome
    }

    fn sort(&mut self, reading: Reading) -> Result<()> {
        match reading {
            Reading::Flawed(flaw) => {
                let verdict = Some(Verdict::excluded(flaw.id, flaw.reason));
                self.sink.solved(Solved { rank: flaw.rank, answer: None, verdict })
            }
            Reading::Problem(problem) => {
                if let Some(answer) = self.work.answered.get(&problem.rank) {
                    let answer = answer.clone();
                    return self.sink.solved(self.work.graded(
                        problem.rank,
                        answer,
                        &problem.reference,
                    ));
                }
                self.asked.insert(problem.rank, (problem.id, problem.reference));
                Ok(())
            }
        }
    }
}

impl TakeAnswers for Listener<'_, '_> {
    fn answer(&mut self, rank: usize, response: Response) -> Result<()> {
        // A problem is answered once: what was not asked, or was answered, is gone from the list.
        let Some((problem, reference)) = self.asked.remove(&rank) else { return Ok(()) };
        let answer = Answer { problem, sample: 0, response, wall_s: None };
        self.sink.solved(self.work.graded(rank, answer, &reference))
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        self.sink.session(report)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use assay_core::{DataChoice, Error, Question, Rules, Task, TaskOptions};
    use assay_tasks::CodRep;

    use super::*;

    /// Answers the length of the new line, slowly enough that workers overtake each other.
    struct Slow(AtomicUsize);

    impl AnswerEach for Slow {
        fn answer(&self, problem: &Problem) -> Response {
            self.0.fetch_add(1, Ordering::SeqCst);
            let Question::Line(question) = &problem.question;
            std::thread::sleep(std::time::Duration::from_micros(
                question.line().len() as u64 * 37 % 900,
            ));
            Response::Lines(vec![question.line().len()])
        }
    }

    #[derive(Default)]
    struct Collect {
        solved: Vec<Solved>,
        fail_after: Option<usize>,
    }

    impl Sink for Collect {
        fn solved(&mut self, solved: Solved) -> Result<()> {
            if self.fail_after.is_some_and(|most| self.solved.len() >= most) {
                return Err(Error::failed("full"));
            }
            self.solved.push(solved);
            Ok(())
        }

        fn session(&mut self, _report: SessionReport) -> Result<()> {
            Ok(())
        }
    }

    fn run(jobs: usize, sink: &mut Collect, cancel: &Cancel) -> (Result<()>, usize) {
        let options = TaskOptions { rules: Rules::Compat, with_references: true };
        let problems = CodRep.open(&DataChoice::Sample, options).unwrap();
        let solver = Solver::Each(Box::new(Slow(AtomicUsize::new(0))));
        let wanted = Selection::all(problems.ids().len());
        let grader = CodRep.grader();
        let work = Work {
            problems: problems.as_ref(),
            wanted: &wanted,
            solver: &solver,
            grader: Some(grader.as_ref()),
            answered: &HashMap::new(),
            jobs,
            cancel,
        };
        (solve(&work, sink), wanted.len())
    }

    fn answers(jobs: usize) -> Vec<(usize, Option<Response>, Option<Verdict>)> {
        let mut sink = Collect::default();
        let (outcome, total) = run(jobs, &mut sink, &Cancel::new());
        outcome.unwrap();
        assert_eq!(sink.solved.len(), total);
        sink.solved.sort_by_key(|solved| solved.rank);
        let plain = |solved: Solved| {
            (solved.rank, solved.answer.map(|answer| answer.response), solved.verdict)
        };
        sink.solved.into_iter().map(plain).collect()
    }

    #[test]
    fn workers_do_not_change_the_answers() {
        let alone = answers(1);
        assert_eq!(alone, answers(4));
        assert_eq!(alone, answers(64));
    }

    #[test]
    fn a_failing_sink_ends_the_work() {
        let mut sink = Collect { fail_after: Some(5), ..Collect::default() };
        let (outcome, _) = run(4, &mut sink, &Cancel::new());
        assert_eq!(outcome.unwrap_err().to_string(), "full");
        assert_eq!(sink.solved.len(), 5);
    }

    #[test]
    fn a_cancelled_run_ends_early_without_an_error() {
        let cancel = Cancel::new();
        cancel.cancel();
        let mut sink = Collect::default();
        run(4, &mut sink, &cancel).0.unwrap();
        assert!(sink.solved.is_empty());
    }
}
