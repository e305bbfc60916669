//! Tests of the whole pipeline: the effects of workers, failures and cancellation.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use assay_core::{
    AnswerEach, AnswerError, Ask, DataChoice, Error, NoProgress, Opening, Reading, Reply, Response,
    Selection, Task, TaskSettings,
};
use assay_tasks::CodRep;

use super::*;
use crate::testing::FakeTask;

/// Answers the length of the new line, slowly enough that workers overtake each other, and another line for every
/// further sample.
#[derive(Default)]
struct Slow {
    fail_at: Option<usize>,
    /// The interval of questions that fail transiently.
    transient: Option<usize>,
    /// The question that is never answered.
    never: Option<usize>,
    /// The number of questions after which none is answered any more.
    dies_after: Option<usize>,
    /// The number of questions so far.
    asked: AtomicUsize,
}

impl AnswerEach for Slow {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        assert!(ask.gold.is_none(), "who does not peek is not shown the right answer");
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        if self.fail_at == Some(ask.index) {
            return Err(Error::failed("the server is gone").into());
        }
        let is_dead = self.dies_after.is_some_and(|count| asked >= count);
        let is_bad = is_dead || self.never == Some(ask.index);
        if is_bad || self.transient.is_some_and(|every| asked.is_multiple_of(every)) {
            let retry_after = Some(Duration::from_millis(1));
            return Err(AnswerError::Transient { message: "busy".to_owned(), retry_after });
        }
        let question = ask.question.line()?;
        let length = question.line().len();
        std::thread::sleep(Duration::from_micros(length as u64 * 37 % 900));
        Ok(Response::Lines(vec![length + ask.sample as usize]).into())
    }
}

/// A run of CodRep's sample.
#[derive(Default)]
struct PipelineRun {
    jobs: usize,
    samples: u32,
    solver: Slow,
    cancel: Cancel,
}

fn execute(run: PipelineRun, sink: &mut Sink<'_>) -> Result<()> {
    let settings = TaskSettings::default();
    let problems = CodRep::default().open(&Opening::new(&DataChoice::Sample, &settings)).unwrap();
    let solver = Solver::Each(Box::new(run.solver));
    let pipeline = Pipeline {
        problems: problems.as_ref(),
        solver: Some(&solver),
        extraction: None,
        last_stage: LastStage::Grade(&VerdictCache::default()),
        retries: &Retries::default(),
        scratch: Path::new("/nowhere"),
        jobs: run.jobs,
        cancel: &run.cancel,
        progress: &NoProgress,
    };
    let all = Selection::all(problems.ids().len());
    let read = |feed: &mut Feed<'_>| {
        problems.read(&all, &mut |reading| {
            let Reading::Problem(problem) = reading else { panic!("the sample is sound") };
            Ok(feed(WorkItem::Ask(problem, (0..run.samples.max(1)).collect())))
        })
    };
    pipeline.run(read, sink)
}

type Outcomes = BTreeMap<SampleKey, (Arc<Response>, Box<Verdict>)>;

/// Every sample's answer and verdict; each comes once, the answer first.
fn outcomes(run: PipelineRun) -> Outcomes {
    let mut answers = HashMap::new();
    let mut outcomes = BTreeMap::new();
    execute(run, &mut |event| {
        match event {
            Event::Answered(key, answer) => {
                let before = answers.insert(key, answer.response.clone());
                assert!(before.is_none(), "answered twice");
            }
            Event::Graded(key, verdict) => {
                let answer = answers[&key].clone();
                assert!(outcomes.insert(key, (answer, verdict)).is_none(), "graded twice");
            }
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    outcomes
}

#[test]
fn workers_do_not_change_the_answers() {
    let alone = outcomes(PipelineRun { jobs: 1, samples: 3, ..PipelineRun::default() });
    assert_eq!(alone.len(), 3 * 48);
    for jobs in [2, 4, 64] {
        assert_eq!(alone, outcomes(PipelineRun { jobs, samples: 3, ..PipelineRun::default() }));
    }
}

#[test]
fn who_fails_for_now_is_asked_again_and_nothing_is_lost_or_doubled() {
    let sound = outcomes(PipelineRun { jobs: 4, samples: 5, ..PipelineRun::default() });
    let solver = Slow { transient: Some(20), ..Slow::default() };
    assert_eq!(
        sound,
        outcomes(PipelineRun { jobs: 8, samples: 5, solver, ..PipelineRun::default() })
    );
}

#[test]
fn who_always_fails_for_now_ends_the_work() {
    let solver = Slow { transient: Some(1), ..Slow::default() };
    let error = execute(PipelineRun { jobs: 2, solver, ..PipelineRun::default() }, &mut |_| Ok(()))
        .unwrap_err();
    assert_eq!(error.to_string(), "the solver failed 13 times: busy");
}

#[test]
fn a_question_that_is_never_answered_does_not_end_the_work() {
    let sound = outcomes(PipelineRun { jobs: 1, samples: 3, ..PipelineRun::default() });
    for (jobs, never) in [(1, 0), (1, 20), (4, 0), (4, 20)] {
        let solver = Slow { never: Some(never), ..Slow::default() };
        let mut found =
            outcomes(PipelineRun { jobs, samples: 3, solver, ..PipelineRun::default() });
        for sample in 0..3 {
            let key = SampleKey { index: never, sample };
            let (response, verdict) = found.insert(key, sound[&key].clone()).unwrap();
            let Response::None(reason) = &*response else { panic!("{response:?}") };
            assert_eq!(reason.detail, "the solver failed 13 times: busy");
            assert_eq!(verdict.no_answer, Some(NoAnswerKind::Crashed));
        }
        assert_eq!(found, sound, "{jobs} jobs");
    }
}

#[test]
fn who_answers_nothing_any_more_ends_the_work_and_nothing_counts_as_unanswered() {
    for jobs in [1, 4] {
        let solver = Slow { dies_after: Some(30), ..Slow::default() };
        let mut answered = 0;
        let error = execute(PipelineRun { jobs, solver, ..PipelineRun::default() }, &mut |event| {
            if let Event::Answered(_, answer) = event {
                assert!(!matches!(*answer.response, Response::None(_)), "{answer:?}");
                answered += 1;
            }
            Ok(())
        });
        assert_eq!(error.unwrap_err().to_string(), "the solver failed 13 times: busy");
        assert_eq!(answered, 30);
    }
}

#[test]
fn a_failure_of_anyone_ends_the_work() {
    for jobs in [1, 4] {
        let mut count = 0;
        let full = execute(PipelineRun { jobs, ..PipelineRun::default() }, &mut |_| {
            count += 1;
            if count > 5 { Err(Error::failed("the disk is full")) } else { Ok(()) }
        });
        assert_eq!(full.unwrap_err().to_string(), "the disk is full");
        let solver = Slow { fail_at: Some(7), ..Slow::default() };
        let gone = execute(PipelineRun { jobs, solver, ..PipelineRun::default() }, &mut |_| Ok(()));
        assert_eq!(gone.unwrap_err().to_string(), "the server is gone");
    }
}

#[test]
fn a_cancelled_run_ends_early_without_an_error() {
    for jobs in [1, 4] {
        let run = PipelineRun { jobs, ..PipelineRun::default() };
        run.cancel.cancel();
        assert!(outcomes(run).is_empty());
    }
}

/// Has `solver` give 20 samples for each of `count` fake problems, which two workers grade.
fn run_fake(count: usize, solver: impl AnswerEach + 'static, sink: &mut Sink<'_>) {
    let problems = FakeTask::new(count, &[]).problems();
    let solver = Solver::Each(Box::new(solver));
    let pipeline = Pipeline {
        problems: problems.as_ref(),
        solver: Some(&solver),
        extraction: None,
        last_stage: LastStage::Grade(&VerdictCache::default()),
        retries: &Retries::default(),
        scratch: Path::new("/nowhere"),
        jobs: 2,
        cancel: &Cancel::new(),
        progress: &NoProgress,
    };
    let read = |feed: &mut Feed<'_>| {
        problems.read(&Selection::all(count), &mut |reading| {
            let Reading::Problem(problem) = reading else { panic!("all are sound") };
            Ok(feed(WorkItem::Ask(problem, (0..20).collect())))
        })
    };
    pipeline.run(read, sink).unwrap();
}

/// Takes 50 ms for each of up to 64 concurrent questions.
struct Server;

impl AnswerEach for Server {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        std::thread::sleep(Duration::from_millis(50));
        Ok(Response::Text(format!("right {} {}\ndef more", ask.index, ask.sample)).into())
    }

    fn concurrency(&self, _jobs: usize) -> usize {
        64
    }
}

#[test]
fn answers_and_grades_are_limited_apart() {
    let (mut answered, mut graded) = (0, 0);
    let started = Instant::now();
    let sink = &mut |event| {
        match event {
            Event::Answered(_, answer) => {
                answered += 1;
                let Response::Text(text) = &*answer.response else { panic!("{answer:?}") };
                assert!(text.starts_with("right") && !text.contains("def"), "{text}");
                assert!(answer.reply.as_deref().is_some_and(|reply| reply.ends_with("def more")));
            }
            Event::Graded(_, verdict) => graded += usize::from(verdict.ending.is_some()),
            _ => {}
        }
        Ok(())
    };
    run_fake(164, Server, sink);
    assert_eq!((answered, graded), (3280, 3280));
    // One after the other they would take 164 s, with two workers 82 s.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

/// Grading is slow, so that answers have to wait.
#[test]
fn answers_wait_for_slow_grades_in_a_bounded_queue() {
    let answered = AtomicUsize::new(0);
    let mut most_ahead = 0;
    let mut taken = 0;
    let settings = TaskSettings::default();
    let problems = CodRep::default().open(&Opening::new(&DataChoice::Sample, &settings)).unwrap();
    let solver = Solver::Each(Box::new(Slow::default()));
    let pipeline = Pipeline {
        problems: problems.as_ref(),
        solver: Some(&solver),
        extraction: None,
        last_stage: LastStage::Grade(&VerdictCache::default()),
        retries: &Retries::default(),
        scratch: Path::new("/nowhere"),
        jobs: 2,
        cancel: &Cancel::new(),
        progress: &NoProgress,
    };
    let all = Selection::all(problems.ids().len());
    let read = |feed: &mut Feed<'_>| {
        problems.read(&all, &mut |reading| {
            let Reading::Problem(problem) = reading else { panic!("the sample is sound") };
            answered.fetch_add(100, Ordering::SeqCst);
            Ok(feed(WorkItem::Ask(problem, (0..100).collect())))
        })
    };
    let sink = &mut |_| {
        taken += 1;
        if taken < 200 {
            std::thread::sleep(Duration::from_micros(500));
        }
        most_ahead = most_ahead.max(answered.load(Ordering::SeqCst).saturating_sub(taken / 2));
        Ok(())
    };
    pipeline.run(read, sink).unwrap();
    assert_eq!(taken, 2 * 48 * 100);
    assert!(most_ahead <= QUEUE + 300, "{most_ahead} samples were read ahead");
}

/// Answers at once, up to 64 questions at a time, what takes long to grade.
struct Hasty;

impl AnswerEach for Hasty {
    fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
        Ok(Response::Text(format!("right but slow {} {}", ask.index, ask.sample)).into())
    }

    fn concurrency(&self, _jobs: usize) -> usize {
        64
    }
}

#[test]
fn a_slow_grader_makes_the_solver_wait() {
    let (mut answered, mut graded, mut most_waiting) = (0usize, 0usize, 0usize);
    let sink = &mut |event| {
        match event {
            Event::Answered(..) => answered += 1,
            Event::Graded(..) => graded += 1,
            _ => {}
        }
        most_waiting = most_waiting.max(answered - graded);
        Ok(())
    };
    run_fake(50, Hasty, sink);
    assert_eq!((answered, graded), (1000, 1000));
    // Those in the queue, those that are being graded, and one in the hands of each answering worker.
    assert!(most_waiting <= 2 * 64 + 2 + 64, "{most_waiting} answers waited");
}
