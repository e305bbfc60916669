//! The pipeline: read, answer, grade, and a sink for events.
//!
//! The work item is one sample. A reader feeds items; the answer stage asks the solver as many questions concurrently
//! as it supports; answers wait in a bounded queue for the grade stage, which has `jobs` workers; the sink runs on the
//! caller's thread. An answer is sent to the sink as soon as it is there, and so is its verdict, so that a record
//! loses neither in a crash. A stage that works faster than a thread can be woken runs on the thread of the stage
//! before it; if both do, there are no threads at all.

mod answering;
mod cutting;
mod grading;
mod retry;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use assay_core::{
    Answer, Cancel, Effort, Error, Fault, Flaw, NoAnswer, NoAnswerKind, Problem, ProblemId,
    Problems, Progress, Reference, Result, SampleKey, SessionReport, Solver, Submission, Verdict,
};
use assay_extract::Extraction;
use crossbeam_channel::{Receiver, Sender, bounded};
use tracing::debug;

use answering::Asked;
pub(crate) use cutting::check_extraction;
pub(crate) use grading::VerdictCache;
pub(crate) use retry::Retries;

/// The number of answers that may wait for their grade before the solver is blocked, and of events that may wait for
/// the sink.
const QUEUE: usize = 1024;

/// The stages and their resources.
pub(crate) struct Pipeline<'a> {
    pub(crate) problems: &'a dyn Problems,
    /// The solver; `None` if every item comes with its answer.
    pub(crate) solver: Option<&'a Solver>,
    /// The rule by which the code in replies is found, if they are prose with code.
    pub(crate) extraction: Option<Extraction>,
    pub(crate) last_stage: LastStage<'a>,
    pub(crate) retries: &'a Retries,
    /// A folder where a solver may write.
    pub(crate) scratch: &'a Path,
    /// The number of grading workers.
    pub(crate) jobs: usize,
    pub(crate) cancel: &'a Cancel,
    /// Is told which samples are worked on, if that takes time. Finished steps are counted by the sink.
    pub(crate) progress: &'a dyn Progress,
}

/// The last stage.
#[derive(Clone, Copy)]
pub(crate) enum LastStage<'a> {
    /// Grades answers; an impossible one counts as no answer.
    Grade(&'a VerdictCache),
    /// Grades answers of a file; impossible and unclear ones are reported instead.
    Score(&'a VerdictCache),
    /// Checks whether answers are possible, without grading.
    Check,
}

/// A unit of work that the pipeline is fed with.
pub(crate) enum WorkItem {
    /// A problem with these samples missing.
    Ask(Problem, Vec<u32>),
    /// An answer that only needs a grade.
    Grade(Pending),
    /// A verdict that needs no work.
    Done(SampleKey, Box<Verdict>),
    /// An unusable problem.
    Flawed(Flaw),
}

impl WorkItem {
    /// Logs that the item was read.
    fn log(&self) {
        match self {
            Self::Ask(Problem { id, .. }, samples) => {
                debug!(problem = %id, samples = samples.len(), "read a problem");
            }
            Self::Grade(Pending { submission: Submission { problem, key, .. }, .. }) => {
                debug!(%problem, sample = key.sample, "read an answer");
            }
            Self::Done(_, verdict) => {
                debug!(problem = %verdict.problem, outcome = ?verdict.outcome, "needs no work");
            }
            Self::Flawed(Flaw { id, reason, .. }) => {
                debug!(problem = %id, reason, "cannot be used");
            }
        }
    }
}

/// A submission that waits for its grade.
pub(crate) struct Pending {
    pub(crate) submission: Submission,
    pub(crate) reference: Arc<dyn Reference>,
    /// True if the problem itself was read, so that nothing about it is unclear.
    pub(crate) is_read: bool,
}

/// An event of the pipeline.
pub(crate) enum Event {
    /// A sample was answered.
    Answered(SampleKey, Box<Answer>),
    /// A sample has its verdict; an unusable problem has one for all its samples.
    Graded(SampleKey, Box<Verdict>),
    /// A sample was checked: it has an answer, or none for this reason.
    Checked(SampleKey, ProblemId, Option<NoAnswer>),
    /// The problem must be read to decide whether its answer is possible.
    Unclear(SampleKey),
    /// The problem cannot have this answer.
    Impossible(SampleKey, Fault),
    /// A session of a solver command ended.
    Session(SessionReport),
}

/// Receives the next item; breaks to stop reading.
pub(crate) type Feed<'f> = dyn FnMut(WorkItem) -> ControlFlow<()> + 'f;

/// Receives events, in order.
pub(crate) type Sink<'a> = dyn FnMut(Event) -> Result<()> + 'a;

impl Pipeline<'_> {
    /// Runs everything that `read` feeds through the stages, until the end, a cancellation or a failure.
    pub(crate) fn run(
        &self,
        read: impl FnOnce(&mut Feed<'_>) -> Result<()> + Send,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let plan = self.threads();
        debug!(answering = plan.answering, grading = plan.grading, "threads of the stages");
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        if plan == (Threads { answering: 0, grading: 0 }) {
            self.run_in_line(read, sink)?;
            return self.send_unanswered(sink);
        }
        let (to_sink, events) = bounded::<Result<Event>>(QUEUE);
        let (to_answer, asked) = bounded(2 * plan.answering.max(1));
        let (to_grade, answered) = bounded(QUEUE.min(64 * plan.grading.max(1)));
        let failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..plan.grading {
                let stage = GradeWorker {
                    pipeline: self,
                    answered: answered.clone(),
                    to_sink: to_sink.clone(),
                };
                scope.spawn(move || stage.run());
            }
            drop(answered);
            let grade = Outlet {
                to_grade: (plan.grading > 0).then_some(to_grade),
                to_sink,
                failed: &failed,
            };
            for _ in 0..plan.answering {
                let (asked, grade) = (asked.clone(), grade.clone());
                scope.spawn(move || self.answer_stage(&asked, &grade));
            }
            drop(asked);
            let to_answer = (plan.answering > 0).then_some(to_answer);
            scope.spawn(move || self.read_stage(read, to_answer, &grade));
            // After a failure, closing the channel ends the stages one after the other.
            let outcome = events.into_iter().try_for_each(|event| sink(event?));
            failed.store(outcome.is_err(), Ordering::SeqCst);
            outcome
        })?;
        self.send_unanswered(sink)
    }

    /// The number of threads for each stage.
    fn threads(&self) -> Threads {
        let jobs = self.jobs.max(1);
        let answering = match self.solver {
            None => 0,
            Some(Solver::Together(_)) => 1,
            Some(Solver::Each(solver)) if solver.effort() == Effort::Trivial => 0,
            // A single question at a time is answered by whoever reads it, which keeps memory on one thread.
            Some(Solver::Each(solver)) => {
                Some(solver.concurrency(jobs)).filter(|&many| many > 1).unwrap_or(0)
            }
        };
        Threads { answering, grading: if self.grades_slowly() { jobs } else { 0 } }
    }

    /// Returns whether grading takes longer than waking a thread.
    fn grades_slowly(&self) -> bool {
        !matches!(self.last_stage, LastStage::Check) && self.problems.effort() == Effort::Working
    }

    /// Runs everything on this thread.
    fn run_in_line(
        &self,
        read: impl FnOnce(&mut Feed<'_>) -> Result<()>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let mut outcome = Ok(());
        read(&mut |item| {
            if outcome.is_ok() && !self.cancel.is_cancelled() {
                outcome = self.process_in_line(item, sink);
            }
            if outcome.is_err() || self.cancel.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        outcome
    }

    fn process_in_line(&self, item: WorkItem, sink: &mut Sink<'_>) -> Result<()> {
        item.log();
        match item {
            WorkItem::Done(key, verdict) => sink(Event::Graded(key, verdict)),
            WorkItem::Flawed(flaw) => sink(self.flawed(flaw)),
            WorkItem::Grade(pending) => sink(self.grade_or_check(&pending)?),
            WorkItem::Ask(problem, samples) => samples.into_iter().try_for_each(|sample| {
                if self.cancel.is_cancelled() {
                    return Ok(());
                }
                let asked = self.ask(&problem, sample, 1, &AtomicBool::new(false))?;
                let Some(Asked::Answered(answered)) = asked else { return Ok(()) };
                answered.into_iter().try_for_each(|(answer, pending)| {
                    sink(Event::Answered(pending.submission.key, answer))?;
                    sink(self.grade_or_check(&pending)?)
                })
            }),
        }
    }

    /// Reads items and passes each to the right stage.
    fn read_stage(
        &self,
        read: impl FnOnce(&mut Feed<'_>) -> Result<()>,
        to_answer: Option<Sender<SampleRequest>>,
        outlet: &Outlet<'_>,
    ) {
        let mut outcome = Ok(());
        let feed = &mut |item: WorkItem| {
            item.log();
            let passed = match item {
                WorkItem::Done(key, verdict) => Ok(outlet.send_event(Event::Graded(key, verdict))),
                WorkItem::Flawed(flaw) => Ok(outlet.send_event(self.flawed(flaw))),
                WorkItem::Grade(pending) => self.send_to_grade(pending, outlet),
                WorkItem::Ask(problem, samples) => match &to_answer {
                    Some(to_answer) => Ok(self.send_questions(problem, samples, to_answer)),
                    None => self.answer_samples(&problem, &samples, outlet),
                },
            };
            match passed {
                Ok(_) if self.cancel.is_cancelled() => ControlFlow::Break(()),
                Ok(flow) => flow,
                Err(error) => {
                    outcome = Err(error);
                    ControlFlow::Break(())
                }
            }
        };
        outlet.send_error(read(feed));
        outlet.send_error(outcome);
        // The answer stage ends when its channel closes.
        drop(to_answer);
    }

    /// The event for an unusable problem.
    fn flawed(&self, Flaw { id, index, reason }: Flaw) -> Event {
        let key = SampleKey { index, sample: 0 };
        match self.last_stage {
            LastStage::Check => {
                let reason = NoAnswer { kind: NoAnswerKind::Silent, detail: reason };
                Event::Checked(key, id, Some(reason))
            }
            LastStage::Grade(_) | LastStage::Score(_) => {
                Event::Graded(key, Box::new(Verdict::excluded(id, reason)))
            }
        }
    }

    /// Sends questions to the answer stage, each for as many samples as the solver answers together; a solver that
    /// answers many in one go gets one for each problem.
    fn send_questions(
        &self,
        problem: Problem,
        samples: Vec<u32>,
        to_answer: &Sender<SampleRequest>,
    ) -> ControlFlow<()> {
        let problem = Arc::new(problem);
        let questions: Vec<Vec<u32>> = match self.solver {
            Some(Solver::Together(_)) => vec![samples],
            Some(Solver::Each(solver)) => in_groups(&samples, solver.samples_together()),
            None => in_groups(&samples, 1),
        };
        for samples in questions {
            if to_answer.send(SampleRequest { problem: Arc::clone(&problem), samples }).is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Sends a submission to the grade stage, or grades it here if that is faster.
    fn send_to_grade(&self, pending: Pending, outlet: &Outlet<'_>) -> Result<ControlFlow<()>> {
        match &outlet.to_grade {
            Some(to_grade) => Ok(continue_if(to_grade.send(pending).is_ok())),
            None => Ok(outlet.send_event(self.grade_or_check(&pending)?)),
        }
    }
}

/// The number of threads of each stage; a stage without one runs on the thread before it.
#[derive(PartialEq, Eq)]
struct Threads {
    answering: usize,
    grading: usize,
}

/// A problem, and the samples to answer.
struct SampleRequest {
    problem: Arc<Problem>,
    samples: Vec<u32>,
}

/// The outputs of the answer stage.
#[derive(Clone)]
struct Outlet<'f> {
    /// The channel to the grade stage, if that has threads of its own.
    to_grade: Option<Sender<Pending>>,
    to_sink: Sender<Result<Event>>,
    /// Raised when the work has failed in another stage.
    failed: &'f AtomicBool,
}

impl Outlet<'_> {
    /// Sends an event; breaks if the sink has ended.
    fn send_event(&self, event: Event) -> ControlFlow<()> {
        continue_if(self.to_sink.send(Ok(event)).is_ok())
    }

    /// Sends a failure. If the sink has ended, another failure came before.
    fn send_error(&self, outcome: Result<()>) {
        if let Err(error) = outcome {
            let _ = self.to_sink.send(Err(error));
        }
    }
}

/// A worker of the grade stage.
struct GradeWorker<'p> {
    pipeline: &'p Pipeline<'p>,
    answered: Receiver<Pending>,
    to_sink: Sender<Result<Event>>,
}

impl GradeWorker<'_> {
    fn run(self) {
        for pending in self.answered {
            if self.pipeline.cancel.is_cancelled() {
                continue;
            }
            let event = self.pipeline.grade_or_check(&pending);
            let failed = event.is_err();
            // An interrupted grading has failed, but says nothing.
            if failed && self.pipeline.cancel.is_cancelled() {
                continue;
            }
            if self.to_sink.send(event).is_err() || failed {
                break;
            }
        }
    }
}

/// Divides samples into groups of at most `most` consecutive numbers.
fn in_groups(samples: &[u32], most: u32) -> Vec<Vec<u32>> {
    let runs = samples.chunk_by(|left, right| left + 1 == *right);
    runs.flat_map(|run| run.chunks(most.max(1) as usize)).map(<[u32]>::to_vec).collect()
}

fn continue_if(condition: bool) -> ControlFlow<()> {
    if condition { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// The error of a stage whose next stage has ended.
fn run_ended() -> Error {
    Error::failed("the run has ended")
}
