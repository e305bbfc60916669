//! The answer stage.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use assay_core::{
    Answer, AnswerEach, AnswerError, AnswerSink, AnswerTogether, Ask, Batch, BatchQuestion, Effort,
    Error, InFlight, NoAnswerKind, Problem, ProblemId, Reference, Reply, Response, Result,
    SampleKey, SessionReport, Solver, StopWords, Submission, Work,
};
use crossbeam_channel::Receiver;
use tracing::{debug, debug_span, info};

use super::cutting::Cutting;
use super::retry::PER_ANSWER;
use super::{Event, Outlet, Pending, Pipeline, SampleRequest, Sink, retry, run_ended};

/// An answer for the sink, and its submission for the grade stage.
pub(super) type Answered = (Box<Answer>, Pending);

/// The outcome of asking for samples of a problem.
pub(super) enum Asked {
    /// These were answered.
    Answered(Vec<Answered>),
    /// This many were given up.
    GivenUp(usize),
}

impl Pipeline<'_> {
    /// Runs a worker of the answer stage.
    pub(super) fn answer_stage(&self, asked: &Receiver<SampleRequest>, outlet: &Outlet<'_>) {
        let outcome = match self.solver {
            Some(Solver::Together(solver)) => self.answer_together(solver.as_ref(), asked, outlet),
            _ => asked.iter().try_for_each(|SampleRequest { problem, samples }| {
                match self.answer_samples(&problem, &samples, outlet)? {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(run_ended()),
                }
            }),
        };
        outlet.send_error(outcome);
    }

    /// Answers samples of a problem and passes them on, until the work is cancelled or the next stage has ended.
    pub(super) fn answer_samples(
        &self,
        problem: &Problem,
        samples: &[u32],
        outlet: &Outlet<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut left = samples;
        while let Some(&first) = left.first() {
            if self.cancel.is_cancelled() {
                break;
            }
            let answered = match self.ask(problem, first, consecutive(left), outlet.failed)? {
                None => break,
                Some(Asked::Answered(answered)) => answered,
                Some(Asked::GivenUp(count)) => {
                    left = &left[count..];
                    continue;
                }
            };
            left = &left[answered.len()..];
            for answered in answered {
                if self.send_answer(answered, outlet)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Sends an answer to the sink before it waits for its grade.
    fn send_answer(
        &self,
        (answer, pending): Answered,
        outlet: &Outlet<'_>,
    ) -> Result<ControlFlow<()>> {
        match outlet.send_event(Event::Answered(pending.submission.key, answer)) {
            ControlFlow::Continue(()) => self.send_to_grade(pending, outlet),
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
        }
    }

    /// Asks for up to `count` samples from `sample` on; `None` if the work ends before there is an answer.
    pub(super) fn ask(
        &self,
        problem: &Problem,
        sample: u32,
        count: u32,
        failed: &AtomicBool,
    ) -> Result<Option<Asked>> {
        let Some(Solver::Each(solver)) = self.solver else {
            return Err(Error::failed("a question was asked without a solver"));
        };
        let solver = solver.as_ref();
        let _span = debug_span!("answer", problem = %problem.id, sample).entered();
        // For a trivial answer, reading the clock would dominate the time.
        let works = solver.effort() == Effort::Working;
        let started = works.then(Instant::now);
        let in_flight =
            works.then(|| InFlight::begin(self.progress, Work::Asking, &problem.id, sample));
        let asked = self.ask_until_answered(solver, problem, (sample, count), failed)?;
        drop(in_flight);
        let (replies, retries) = match asked {
            None => return Ok(None),
            Some(Outcome::GivenUp) => return Ok(Some(Asked::GivenUp(count as usize))),
            Some(Outcome::Replies(replies, retries)) => (replies, retries),
        };
        let wall_s = started.map(|started| started.elapsed().as_secs_f64());
        debug!(retries, wall_s, replies = replies.len(), "answered");
        let question = &problem.question;
        let stop_words =
            if solver.is_verbatim() { StopWords::default() } else { question.stop_words() };
        let cutting = Cutting::new(stop_words, self.extraction, problem.reference.as_ref());
        let answers = replies.into_iter().zip(sample..).map(|(reply, sample)| {
            self.progress.used(&reply.usage);
            let cut = cutting.answer(problem.id.clone(), sample, reply);
            let key = SampleKey { index: problem.index, sample };
            answered(key, Arc::clone(&problem.reference), Answer { wall_s, retries, ..cut })
        });
        Ok(Some(Asked::Answered(answers.collect())))
    }

    /// Sends the samples that were given up to the sink, as not answered. They come last, so that a run that is
    /// interrupted asks for them again.
    pub(super) fn send_unanswered(&self, sink: &mut Sink<'_>) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        self.retries.unanswered()?.into_iter().try_for_each(|(answer, pending)| {
            sink(Event::Answered(pending.submission.key, answer))?;
            sink(self.grade_or_check(&pending)?)
        })
    }

    /// Gives up samples that were asked for as often as they may be.
    fn give_up(
        &self,
        problem: &Problem,
        (sample, count): (u32, u32),
        (since, retries): (u64, u32),
        error: Error,
    ) -> Result<()> {
        let unanswered = (sample..sample.saturating_add(count)).map(|sample| {
            let response = Response::none(NoAnswerKind::Crashed, error.to_string());
            let answer = Answer { retries, ..Answer::new(problem.id.clone(), sample, response) };
            let key = SampleKey { index: problem.index, sample };
            answered(key, Arc::clone(&problem.reference), answer)
        });
        let (unanswered, text) = (unanswered.collect(), format!("{}: {error}", problem.id));
        self.retries.give_up((problem.index, since), error, unanswered)?;
        self.progress.note(&format!("{text}; it is not asked again in this run"));
        Ok(())
    }

    /// Retries while the solver fails transiently; also returns the number of failures.
    fn ask_until_answered(
        &self,
        solver: &dyn AnswerEach,
        problem: &Problem,
        (sample, count): (u32, u32),
        failed: &AtomicBool,
    ) -> Result<Option<Outcome>> {
        let ask = Ask {
            id: &problem.id,
            index: problem.index,
            sample,
            question: &problem.question,
            gold: if solver.peeks() { problem.reference.gold() } else { None },
            cancel: self.cancel,
        };
        let mut since = None;
        for retries in 0.. {
            match solver.answer_samples(&ask, count) {
                Ok(replies) if replies.is_empty() || replies.len() > count as usize => {
                    let message = format!("{} replies to {count} questions", replies.len());
                    return Err(Error::failed(format!("the solver gave {message}")));
                }
                Ok(replies) => {
                    self.retries.answered(retries);
                    return Ok(Some(Outcome::Replies(replies, retries)));
                }
                Err(_) if self.cancel.is_cancelled() => return Ok(None),
                Err(AnswerError::Fatal(error)) => return Err(error),
                Err(AnswerError::Transient { message, retry_after }) => {
                    let since = *since.get_or_insert_with(|| self.retries.answers());
                    let wait = match self.retries.next_wait(retries, retry_after, &message) {
                        Ok(wait) => wait,
                        // The whole run has failed too often.
                        Err(error) if retries < PER_ANSWER => return Err(error),
                        Err(error) => {
                            let failures = (since, retries);
                            self.give_up(problem, (sample, count), failures, error)?;
                            return Ok(Some(Outcome::GivenUp));
                        }
                    };
                    debug!(retries, ?wait, message, "failed for now, will be asked again");
                    if self.retries.is_news(&message) {
                        let wait = wait.as_secs_f64();
                        self.progress.note(&format!("{message}; asked again in {wait:.1} s"));
                    }
                    if !retry::sleep(wait, self.cancel, failed) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Runs a solver that answers everything in one go.
    fn answer_together(
        &self,
        solver: &dyn AnswerTogether,
        asked: &Receiver<SampleRequest>,
        outlet: &Outlet<'_>,
    ) -> Result<()> {
        let open = RefCell::new(HashMap::new());
        let mut questions = asked.iter().map(|question| {
            let SampleRequest { problem, samples } = question;
            let Problem { id, index, question, reference } = Arc::unwrap_or_clone(problem);
            // The prose around code may contain stop words.
            let is_prose = self.extraction.is_some();
            let stop_words = if is_prose { StopWords::default() } else { question.stop_words() };
            let (id_of, missing) = (id.clone(), samples.clone());
            open.borrow_mut()
                .insert(index, OpenProblem { id: id_of, reference, missing, stop_words });
            BatchQuestion { id, index, question, samples }
        });
        let (problems, scratch, cancel) = (self.problems, self.scratch, self.cancel);
        let mut batch = Batch { problems, questions: &mut questions, scratch, cancel };
        solver.answer_all(&mut batch, &mut BatchSink { pipeline: self, open: &open, outlet })
    }
}

/// The outcome of asking until there is an answer.
enum Outcome {
    /// The replies, after this many failures.
    Replies(Vec<Reply>, u32),
    /// There was none, as often as it was asked.
    GivenUp,
}

/// A problem that is being answered, with everything that grading needs.
struct OpenProblem {
    id: ProblemId,
    reference: Arc<dyn Reference>,
    /// The samples that were not answered yet.
    missing: Vec<u32>,
    stop_words: StopWords,
}

/// Passes on the answers of a solver that answers everything in one go.
struct BatchSink<'l, 'f> {
    pipeline: &'l Pipeline<'l>,
    open: &'l RefCell<HashMap<usize, OpenProblem>>,
    outlet: &'l Outlet<'f>,
}

impl AnswerSink for BatchSink<'_, '_> {
    fn answer(&mut self, key: SampleKey, response: Response) -> Result<()> {
        let answered = {
            // A sample is answered once: a sample that was not asked for, or was answered before, is not on the list.
            let mut open = self.open.borrow_mut();
            let Some(open) = open.get_mut(&key.index) else { return Ok(()) };
            let Some(at) = open.missing.iter().position(|&sample| sample == key.sample) else {
                return Ok(());
            };
            open.missing.remove(at);
            debug!(problem = %open.id, sample = key.sample, "answered");
            let extraction = self.pipeline.extraction;
            let cutting =
                Cutting::new(open.stop_words.clone(), extraction, open.reference.as_ref());
            let answer = cutting.answer(open.id.clone(), key.sample, response.into());
            answered(key, Arc::clone(&open.reference), answer)
        };
        match self.pipeline.send_answer(answered, self.outlet)? {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(run_ended()),
        }
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        let SessionReport { command, wall_s, end, asked, answered, .. } = &report;
        info!(?command, wall_s, ?end, asked, answered, "a session of the solver ended");
        match self.outlet.send_event(Event::Session(report)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(run_ended()),
        }
    }
}

/// The number of samples at the beginning of the list that have consecutive numbers.
fn consecutive(samples: &[u32]) -> u32 {
    let Some(&first) = samples.first() else { return 0 };
    samples
        .iter()
        .zip(first..)
        .take_while(|(sample, number)| *sample == number)
        .fold(0, |count, _| count + 1)
}

/// Creates the answer for the sink, and the submission for the grade stage.
fn answered(key: SampleKey, reference: Arc<dyn Reference>, answer: Answer) -> Answered {
    let (problem, response) = (answer.problem.clone(), Arc::clone(&answer.response));
    let submission = Submission { key, problem, response };
    (Box::new(answer), Pending { submission, reference, is_read: true })
}
