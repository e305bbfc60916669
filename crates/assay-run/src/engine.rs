//! Answers problems and grades the answers, spread over workers.
//!
//! An answer is passed on as soon as it is there and its verdict when that is there: whoever writes
//! them down loses neither to a crash while the other is being made.

mod together;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use assay_core::{
    Answer, AnswerEach, Ask, Cancel, Case, Check, Effort, Grader, Problem, Problems, Reading,
    Reference, Response, Result, Said, SampleKey, Selection, SessionReport, Solver, Verdict, Why,
};

use crate::gate::Gate;
use crate::workers;

/// What is to be answered, by whom.
pub(crate) struct Work<'a> {
    pub(crate) problems: &'a dyn Problems,
    /// Problems of which at least one sample is missing.
    pub(crate) wanted: &'a Selection,
    /// How many samples each problem gets.
    pub(crate) samples: u32,
    /// Samples that have their verdict already.
    pub(crate) graded: &'a HashSet<SampleKey>,
    /// Answers that are there already and only want grading.
    pub(crate) answered: &'a HashMap<SampleKey, Answer>,
    pub(crate) solver: &'a Solver,
    pub(crate) grader: &'a dyn Grader,
    /// Which problems are excluded before they are asked.
    pub(crate) gate: &'a Gate,
    /// Where a solver may write.
    pub(crate) scratch: &'a Path,
    pub(crate) jobs: usize,
    pub(crate) cancel: &'a Cancel,
}

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// A sample was answered.
    Answered(SampleKey, Answer),
    /// A sample has its verdict; an unusable problem has one for all its samples.
    Graded(SampleKey, Verdict),
    /// A session of an external solver ended.
    Session(SessionReport),
}

/// Takes what happens, in the order in which it does.
pub(crate) type Sink<'a> = dyn FnMut(Event) -> Result<()> + 'a;

/// Solves every missing sample once, unless it is cancelled, or the solver, the grader or `sink`
/// fails.
pub(crate) fn solve(work: &Work<'_>, sink: &mut Sink<'_>) -> Result<()> {
    match work.solver {
        Solver::Together(solver) => together::solve(work, solver.as_ref(), sink),
        Solver::Each(solver) => {
            let trivial = [solver.effort(), work.grader.effort()] == [Effort::Trivial; 2];
            if work.jobs <= 1 || trivial {
                in_line(work, solver.as_ref(), sink)
            } else {
                spread(work, solver.as_ref(), sink)
            }
        }
    }
}

impl Work<'_> {
    /// Answers and grades what is missing of one problem.
    fn solve_one(
        &self,
        solver: &dyn AnswerEach,
        reading: Reading,
        tell: &mut Sink<'_>,
    ) -> Result<()> {
        let problem = match reading {
            Reading::Problem(problem) => problem,
            Reading::Flawed(flaw) => {
                let key = SampleKey { rank: flaw.rank, sample: 0 };
                return tell(Event::Graded(key, Verdict::excluded(flaw.id, flaw.reason)));
            }
        };
        if let Some(verdict) = self.gate.verdict(problem.rank, &problem.id) {
            return tell(Event::Graded(SampleKey { rank: problem.rank, sample: 0 }, verdict));
        }
        for sample in 0..self.samples {
            let key = SampleKey { rank: problem.rank, sample };
            if self.graded.contains(&key) || self.cancel.is_cancelled() {
                continue;
            }
            if let Some(answer) = self.answered.get(&key) {
                self.grade(key, answer, &problem.reference, tell)?;
            } else {
                let answer = self.ask(solver, &problem, sample)?;
                tell(Event::Answered(key, answer.clone()))?;
                self.grade(key, &answer, &problem.reference, tell)?;
            }
        }
        Ok(())
    }

    fn ask(&self, solver: &dyn AnswerEach, problem: &Problem, sample: u32) -> Result<Answer> {
        // The time of a trivial answer is the time of reading the clock.
        let started = (solver.effort() == Effort::Working).then(Instant::now);
        let Said { response, confidence } = solver.answer(&Ask {
            id: &problem.id,
            rank: problem.rank,
            sample,
            question: &problem.question,
            reference: solver.peeks().then_some(&problem.reference),
            cancel: self.cancel,
        })?;
        let wall_s = started.map(|started| started.elapsed().as_secs_f64());
        Ok(Answer { problem: problem.id.clone(), sample, response, wall_s, confidence })
    }

    /// Grades an answer; one that is impossible counts as none.
    fn grade(
        &self,
        key: SampleKey,
        answer: &Answer,
        reference: &Reference,
        tell: &mut Sink<'_>,
    ) -> Result<()> {
        let impossible = match self.grader.check(reference, &answer.response) {
            Check::Impossible(fault) => Some(Response::none(Why::Invalid, fault.message)),
            // A problem that was read leaves nothing unclear.
            Check::Possible | Check::Unclear => None,
        };
        let verdict = self.grader.grade(&Case {
            problem: &answer.problem,
            sample: answer.sample,
            reference,
            response: impossible.as_ref().unwrap_or(&answer.response),
            cancel: self.cancel,
        })?;
        tell(Event::Graded(key, verdict))
    }

    /// Whether the reading of problems goes on.
    fn flow(&self) -> ControlFlow<()> {
        if self.cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Everything on this thread.
fn in_line(work: &Work<'_>, solver: &dyn AnswerEach, sink: &mut Sink<'_>) -> Result<()> {
    work.problems.read(work.wanted, &mut |reading| {
        if work.flow().is_continue() {
            work.solve_one(solver, reading, sink)?;
        }
        Ok(work.flow())
    })
}

/// One thread reads, `jobs` threads answer and grade, this one passes on what happens.
fn spread(work: &Work<'_>, solver: &dyn AnswerEach, sink: &mut Sink<'_>) -> Result<()> {
    workers::spread(
        work.jobs,
        |give| {
            work.problems.read(work.wanted, &mut |reading| {
                Ok(if give(reading).is_break() { ControlFlow::Break(()) } else { work.flow() })
            })
        },
        |reading, tell| {
            let cancelled = work.cancel.is_cancelled();
            if cancelled { Ok(()) } else { work.solve_one(solver, reading, tell) }
        },
        sink,
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use assay_core::{DataChoice, Error, Task, TaskSettings};
    use assay_tasks::CodRep;

    use super::*;

    /// Answers the length of the new line, slowly enough that workers overtake each other, and
    /// another line for every further sample.
    struct Slow {
        fail_at: Option<usize>,
    }

    impl AnswerEach for Slow {
        fn answer(&self, ask: &Ask<'_>) -> Result<Said> {
            assert!(ask.reference.is_none(), "who does not peek is not shown the right answer");
            if self.fail_at == Some(ask.rank) {
                return Err(Error::failed("the server is gone"));
            }
            let question = ask.question.line()?;
            let length = question.line().len();
            std::thread::sleep(std::time::Duration::from_micros(length as u64 * 37 % 900));
            Ok(Response::Lines(vec![length + ask.sample as usize]).into())
        }
    }

    /// What is done before, and what is done with the events.
    #[derive(Default)]
    struct Setting {
        jobs: usize,
        samples: u32,
        fail_at: Option<usize>,
        graded: HashSet<SampleKey>,
        cancel: Cancel,
    }

    fn run(setting: &Setting, sink: &mut Sink<'_>) -> Result<()> {
        let settings = TaskSettings::default();
        let problems = CodRep.open(&DataChoice::Sample, &settings, true).unwrap();
        let grader = CodRep.grader(&settings, 1).unwrap();
        solve(
            &Work {
                problems: problems.as_ref(),
                wanted: &Selection::all(problems.ids().len()),
                samples: setting.samples.max(1),
                graded: &setting.graded,
                answered: &HashMap::new(),
                solver: &Solver::Each(Box::new(Slow { fail_at: setting.fail_at })),
                grader: grader.as_ref(),
                gate: &Gate::default(),
                scratch: Path::new("/nowhere"),
                jobs: setting.jobs,
                cancel: &setting.cancel,
            },
            sink,
        )
    }

    type Outcomes = BTreeMap<SampleKey, (Response, Verdict)>;

    /// Every sample's answer and verdict; each comes once, the answer first.
    fn outcomes(setting: &Setting) -> Outcomes {
        let mut answers = HashMap::new();
        let mut outcomes = BTreeMap::new();
        run(setting, &mut |event| {
            match event {
                Event::Answered(key, answer) => {
                    assert!(answers.insert(key, answer.response).is_none(), "answered twice");
                }
                Event::Graded(key, verdict) => {
                    let answer = answers[&key].clone();
                    assert!(outcomes.insert(key, (answer, verdict)).is_none(), "graded twice");
                }
                Event::Session(_) => {}
            }
            Ok(())
        })
        .unwrap();
        outcomes
    }

    #[test]
    fn workers_do_not_change_the_answers() {
        let alone = outcomes(&Setting { jobs: 1, samples: 3, ..Setting::default() });
        assert_eq!(alone.len(), 3 * 48);
        for jobs in [2, 4, 64] {
            assert_eq!(alone, outcomes(&Setting { jobs, samples: 3, ..Setting::default() }));
        }
    }

    #[test]
    fn what_is_graded_is_not_done_again() {
        let all = outcomes(&Setting { jobs: 4, samples: 2, ..Setting::default() });
        let graded: HashSet<SampleKey> = all.keys().copied().step_by(3).collect();
        let setting = Setting { jobs: 4, samples: 2, graded: graded.clone(), ..Setting::default() };
        let rest: Outcomes = all.into_iter().filter(|(key, _)| !graded.contains(key)).collect();
        assert_eq!(outcomes(&setting), rest);
    }

    #[test]
    fn a_failure_of_anyone_ends_the_work() {
        for jobs in [1, 4] {
            let mut count = 0;
            let full = run(&Setting { jobs, ..Setting::default() }, &mut |_| {
                count += 1;
                if count > 5 { Err(Error::failed("the disk is full")) } else { Ok(()) }
            });
            assert_eq!(full.unwrap_err().to_string(), "the disk is full");
            let gone = Setting { jobs, fail_at: Some(7), ..Setting::default() };
            let gone = run(&gone, &mut |_| Ok(()));
            assert_eq!(gone.unwrap_err().to_string(), "the server is gone");
        }
    }

    #[test]
    fn a_cancelled_run_ends_early_without_an_error() {
        for jobs in [1, 4] {
            let setting = Setting { jobs, ..Setting::default() };
            setting.cancel.cancel();
            assert!(outcomes(&setting).is_empty());
        }
    }
}
