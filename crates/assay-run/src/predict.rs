//! Answers without grading, in task order.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use assay_core::{
    Answer, Cancel, Confidence, NoAnswer, NoProgress, ProblemId, Problems, Reading, Response,
    Result, Selection, SessionReport, Solver,
};

use crate::pipeline::{Event, LastStage, Pipeline, Retries, WorkItem};

/// The summary of a prediction.
#[derive(Debug, Default)]
pub struct PredictSummary {
    /// The number of problems with an answer.
    pub answered: usize,
    /// The number of problems without one.
    pub unanswered: usize,
    /// The reasons for the first of those.
    pub reasons: Vec<String>,
    /// The reports of a solver command's sessions.
    pub sessions: Vec<SessionReport>,
}

/// The outcome of one problem.
#[derive(Debug)]
pub struct Prediction {
    /// The problem's place in the task's order.
    pub index: usize,
    /// The answer, or the reason why there is none.
    pub answer: Result<Response, String>,
    /// The solver's confidence in each line of the answer; empty if it gives none.
    pub confidence: Vec<Confidence>,
}

/// The number of reasons for missing answers that are kept.
const REASONS_KEPT: usize = 20;

/// The answer to a single problem.
#[derive(Debug)]
pub struct SinglePrediction {
    /// The answer, or the reason why there is none.
    pub answer: Result<Response, String>,
    /// The reports of a solver command's sessions.
    pub sessions: Vec<SessionReport>,
}

/// Answers the problem at `index` alone.
pub fn predict_problem(
    problems: &dyn Problems,
    index: usize,
    solver: &Solver,
    scratch: &Path,
    cancel: &Cancel,
) -> Result<SinglePrediction> {
    let wanted = Selection::of(problems.ids().len(), |other| other == index);
    let mut answer = Err("there was no answer".to_owned());
    let summary = predict_selected(problems, &wanted, solver, scratch, 1, cancel, &mut |found| {
        answer.clone_from(&found.answer);
        Ok(())
    })?;
    Ok(SinglePrediction { answer, sessions: summary.sessions })
}

/// Answers all problems, and passes on each outcome in task order, as soon as all before it are there.
pub fn predict(
    problems: &dyn Problems,
    solver: &Solver,
    scratch: &Path,
    jobs: usize,
    cancel: &Cancel,
    write: &mut dyn FnMut(&Prediction) -> Result<()>,
) -> Result<PredictSummary> {
    let all = Selection::all(problems.ids().len());
    predict_selected(problems, &all, solver, scratch, jobs, cancel, write)
}

fn predict_selected(
    problems: &dyn Problems,
    wanted: &Selection,
    solver: &Solver,
    scratch: &Path,
    jobs: usize,
    cancel: &Cancel,
    write: &mut dyn FnMut(&Prediction) -> Result<()>,
) -> Result<PredictSummary> {
    let started = Instant::now();
    let (solver, retries) = (Some(solver), &Retries::default());
    let (last_stage, progress) = (LastStage::Check, &NoProgress);
    let pipeline = Pipeline {
        problems,
        solver,
        extraction: None,
        last_stage,
        retries,
        scratch,
        jobs,
        cancel,
        progress,
    };
    let mut summary = PredictSummary::default();
    let waiting = wanted.indices().collect();
    let mut in_order = InOrder { write, waiting, held_back: BTreeMap::new() };
    let mut answered = HashMap::new();
    let mut is_written = true;
    let ran = pipeline.run(
        |feed| {
            problems.read(wanted, &mut |reading| {
                Ok(match reading {
                    Reading::Problem(problem) => feed(WorkItem::Ask(problem, vec![0])),
                    Reading::Flawed(flaw) => feed(WorkItem::Flawed(flaw)),
                })
            })
        },
        &mut |event| match event {
            Event::Answered(key, answer) => {
                answered.insert(key, answer);
                Ok(())
            }
            Event::Checked(key, problem, reason) => {
                let answer = answered.remove(&key);
                summary.count(&problem, reason.as_ref());
                let written = in_order.take(prediction(key.index, answer, reason));
                is_written &= written.is_ok();
                written
            }
            Event::Session(report) => {
                summary.sessions.push(report);
                Ok(())
            }
            // Nothing is graded.
            Event::Graded(..) | Event::Unclear(_) | Event::Impossible(..) => Ok(()),
        },
    );
    if !cancel.is_cancelled() || !is_written {
        ran?;
    }
    in_order.flush()?;
    let PredictSummary { answered, unanswered, .. } = summary;
    tracing::info!(answered, unanswered, took = ?started.elapsed(), "predicted");
    Ok(summary)
}

fn prediction(index: usize, answer: Option<Box<Answer>>, reason: Option<NoAnswer>) -> Prediction {
    match (answer, reason) {
        (Some(answer), None) => {
            let answer = *answer;
            let confidence = answer.confidence;
            Prediction { index, answer: Ok(Arc::unwrap_or_clone(answer.response)), confidence }
        }
        (_, reason) => {
            let reason = reason.map(|reason| reason.detail).unwrap_or_default();
            Prediction { index, answer: Err(reason), confidence: Vec::new() }
        }
    }
}

impl PredictSummary {
    fn count(&mut self, problem: &ProblemId, reason: Option<&NoAnswer>) {
        let Some(NoAnswer { detail, .. }) = reason else {
            self.answered += 1;
            return;
        };
        self.unanswered += 1;
        if self.reasons.len() < REASONS_KEPT {
            self.reasons.push(format!("{problem}: {detail}"));
        }
    }
}

/// Holds predictions back until it is their turn. Only answers wait here, not files, so memory stays small whatever
/// the order of an archive.
struct InOrder<'a> {
    write: &'a mut dyn FnMut(&Prediction) -> Result<()>,
    /// The indices that have not been written, in order.
    waiting: VecDeque<usize>,
    held_back: BTreeMap<usize, Prediction>,
}

impl InOrder<'_> {
    fn take(&mut self, prediction: Prediction) -> Result<()> {
        self.held_back.insert(prediction.index, prediction);
        while let Some(prediction) =
            self.waiting.front().and_then(|next| self.held_back.remove(next))
        {
            (self.write)(&prediction)?;
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Writes what still waits for predictions that do not come any more.
    fn flush(&mut self) -> Result<()> {
        std::mem::take(&mut self.held_back).values().try_for_each(|waiting| (self.write)(waiting))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Condvar, Mutex};
    use std::time::Duration;

    use assay_core::{
        AnswerEach, AnswerError, Ask, DataChoice, Effort, Opening, Reply, Task, TaskSettings,
        Visit, VisitReference,
    };
    use assay_tasks::CodRep;

    use super::*;

    /// A count that others can wait for.
    #[derive(Default)]
    struct Count(Mutex<usize>, Condvar);

    impl Count {
        fn add_one(&self) {
            *self.0.lock().unwrap() += 1;
            self.1.notify_all();
        }

        /// Waits until it is at least `least`, or gives up after a timeout.
        fn wait_for(&self, least: usize) {
            let count = self.0.lock().unwrap();
            let patience = Duration::from_mins(2);
            let (count, _) =
                self.1.wait_timeout_while(count, patience, |count| *count < least).unwrap();
            assert!(*count >= least, "{} of {least} came", *count);
        }

        fn get(&self) -> usize {
            *self.0.lock().unwrap()
        }
    }

    /// Problems that count how many were read.
    struct Counted {
        inner: Box<dyn Problems>,
        read: Arc<Count>,
    }

    impl Problems for Counted {
        fn ids(&self) -> &[ProblemId] {
            self.inner.ids()
        }

        fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
            self.inner.read(wanted, &mut |reading| {
                self.read.add_one();
                visit(reading)
            })
        }

        fn references(&self, visit: &mut VisitReference<'_>) {
            self.inner.references(visit);
        }

        fn effort(&self) -> Effort {
            self.inner.effort()
        }

        fn location(&self, index: usize) -> String {
            self.inner.location(index)
        }
    }

    const JOBS: usize = 2;
    /// The questions that wait for a worker, that the workers hold, and that the reader holds.
    const MOST_AHEAD: usize = 2 * JOBS + JOBS + 1;

    /// Measures how far the reader is ahead of the answers.
    struct LeadProbe {
        read: Arc<Count>,
        written: Arc<Count>,
        answered: AtomicUsize,
        last: usize,
    }

    impl AnswerEach for LeadProbe {
        fn answer(&self, ask: &Ask<'_>) -> Result<Reply, AnswerError> {
            if ask.index == 0 {
                // The reader gets as far ahead as it can.
                self.read.wait_for(MOST_AHEAD - JOBS);
            }
            if ask.index == self.last {
                self.written.wait_for(1);
            }
            let ahead = self.read.get() - self.answered.load(Ordering::SeqCst);
            assert!(ahead <= MOST_AHEAD, "{ahead} problems are in memory");
            self.answered.fetch_add(1, Ordering::SeqCst);
            let confidence = vec![Confidence { score: ask.index as f32, probability: 0.5 }];
            Ok(Reply { confidence, ..Response::Lines(vec![1]).into() })
        }
    }

    #[test]
    fn predictions_stream_in_order_and_little_is_in_memory() {
        let settings = TaskSettings::default();
        let opening = Opening::new(&DataChoice::Sample, &settings);
        let inner = CodRep::default().open(&Opening { with_references: false, ..opening }).unwrap();
        let (read, written) = (Arc::<Count>::default(), Arc::<Count>::default());
        let count = inner.ids().len();
        let problems = Counted { inner, read: Arc::clone(&read) };
        let solver = Solver::Each(Box::new(LeadProbe {
            read,
            written: Arc::clone(&written),
            answered: AtomicUsize::new(0),
            last: count - 1,
        }));
        let mut indices = Vec::new();
        let summary = predict(
            &problems,
            &solver,
            Path::new("/nowhere"),
            JOBS,
            &Cancel::new(),
            &mut |prediction| {
                assert_eq!(prediction.answer, Ok(Response::Lines(vec![1])));
                assert_eq!(
                    prediction.confidence[0].score.to_bits(),
                    (prediction.index as f32).to_bits()
                );
                indices.push(prediction.index);
                written.add_one();
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(indices, (0..count).collect::<Vec<_>>());
        assert_eq!((summary.answered, summary.unanswered), (count, 0));
    }
}
