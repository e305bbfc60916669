//! Answers without grading, in task order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use assay_core::{
    Cancel, Confidence, Grader, Problems, Response, Result, Selection, SessionReport, Solver,
    Verdict,
};

use crate::engine::{Event, Work, solve};
use crate::gate::Gate;

/// What came of predicting.
#[derive(Debug, Default)]
pub struct Predicted {
    /// How many problems have an answer.
    pub answered: usize,
    /// How many have none.
    pub unanswered: usize,
    /// Why, for the first of those.
    pub reasons: Vec<String>,
    /// What an external solver's sessions were like.
    pub sessions: Vec<SessionReport>,
}

/// What came of one problem.
#[derive(Debug)]
pub struct Prediction {
    /// The problem's place in the task's order.
    pub rank: usize,
    /// The answer, or the reason why there is none.
    pub answer: Result<Response, String>,
    /// How sure the solver is of each line of the answer; empty if it cannot tell.
    pub confidence: Vec<Confidence>,
}

/// How many reasons for missing answers are kept.
const REASONS_KEPT: usize = 20;

/// Answers all problems, and hands over what came of each, in task order, as soon as all before it
/// are there.
pub fn predict(
    problems: &dyn Problems,
    (solver, grader): (&Solver, &dyn Grader),
    scratch: &Path,
    jobs: usize,
    cancel: &Cancel,
    write: &mut dyn FnMut(&Prediction) -> Result<()>,
) -> Result<Predicted> {
    let work = Work {
        problems,
        wanted: &Selection::all(problems.ids().len()),
        samples: 1,
        graded: &HashSet::new(),
        answered: &HashMap::new(),
        solver,
        grader,
        gate: &Gate::default(),
        scratch,
        jobs,
        cancel,
    };
    let mut predicted = Predicted::default();
    let mut in_order = InOrder { write, next: 0, held_back: BTreeMap::new() };
    let mut said = HashMap::new();
    solve(&work, &mut |event| match event {
        Event::Answered(key, answer) => {
            said.insert(key, (answer.response, answer.confidence));
            Ok(())
        }
        // Without solutions there are no grades; but what is impossible or missing is told.
        Event::Graded(key, verdict) => {
            let said = said.remove(&key).filter(|_| verdict.why.is_none());
            let (answer, confidence) = match said {
                Some((response, confidence)) => (Ok(response), confidence),
                None => (Err(verdict.detail.clone().unwrap_or_default()), Vec::new()),
            };
            predicted.count(&verdict, answer.is_ok());
            in_order.take(Prediction { rank: key.rank, answer, confidence })
        }
        Event::Session(report) => {
            predicted.sessions.push(report);
            Ok(())
        }
    })?;
    Ok(predicted)
}

impl Predicted {
    fn count(&mut self, verdict: &Verdict, answered: bool) {
        if answered {
            self.answered += 1;
            return;
        }
        self.unanswered += 1;
        if self.reasons.len() < REASONS_KEPT {
            let detail = verdict.detail.as_deref().unwrap_or_default();
            self.reasons.push(format!("{}: {detail}", verdict.problem));
        }
    }
}

/// Holds predictions back until it is their turn. What waits is an answer, not a file, so memory
/// stays small however an archive is sorted.
struct InOrder<'a> {
    write: &'a mut dyn FnMut(&Prediction) -> Result<()>,
    next: usize,
    held_back: BTreeMap<usize, Prediction>,
}

impl InOrder<'_> {
    fn take(&mut self, prediction: Prediction) -> Result<()> {
        self.held_back.insert(prediction.rank, prediction);
        while let Some(prediction) = self.held_back.remove(&self.next) {
            (self.write)(&prediction)?;
            self.next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Condvar, Mutex};
    use std::time::Duration;

    use assay_core::{
        AnswerEach, Ask, DataChoice, Fault, Flaw, ParsedAnswer, ProblemId, Reference, Said, Task,
        TaskSettings, Visit,
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

        /// Waits until it is at least `least`; what takes so long does not come.
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

        fn references(&self, visit: &mut dyn FnMut(usize, Result<Reference, Flaw>)) {
            self.inner.references(visit);
        }

        fn parse_answer(&self, line: &str) -> Result<Option<ParsedAnswer>, Fault> {
            self.inner.parse_answer(line)
        }

        fn location(&self, rank: usize) -> String {
            self.inner.location(rank)
        }

        fn write_answer(&self, rank: usize, response: &Response) -> Option<String> {
            self.inner.write_answer(rank, response)
        }
    }

    const JOBS: usize = 2;
    /// What waits for a worker, what the workers hold, and what the reader has in its hand.
    const MOST_AHEAD: usize = 2 * JOBS + JOBS + 1;

    /// Watches how far the reading is ahead of the answers.
    struct Watching {
        read: Arc<Count>,
        written: Arc<Count>,
        answered: AtomicUsize,
        last: usize,
    }

    impl AnswerEach for Watching {
        fn answer(&self, ask: &Ask<'_>) -> Result<Said> {
            if ask.rank == 0 {
                // The reader gets as far ahead as it can.
                self.read.wait_for(MOST_AHEAD - JOBS);
            }
            if ask.rank == self.last {
                self.written.wait_for(1);
            }
            let ahead = self.read.get() - self.answered.load(Ordering::SeqCst);
            assert!(ahead <= MOST_AHEAD, "{ahead} problems are in memory");
            self.answered.fetch_add(1, Ordering::SeqCst);
            Ok(Said {
                response: Response::Lines(vec![1]),
                confidence: vec![Confidence { score: ask.rank as f32, probability: 0.5 }],
            })
        }
    }

    #[test]
    fn predictions_stream_in_order_and_little_is_in_memory() {
        let settings = TaskSettings::default();
        let inner = CodRep.open(&DataChoice::Sample, &settings, false).unwrap();
        let grader = CodRep.grader(&settings, 1).unwrap();
        let (read, written) = (Arc::<Count>::default(), Arc::<Count>::default());
        let count = inner.ids().len();
        let problems = Counted { inner, read: Arc::clone(&read) };
        let solver = Solver::Each(Box::new(Watching {
            read,
            written: Arc::clone(&written),
            answered: AtomicUsize::new(0),
            last: count - 1,
        }));
        let mut ranks = Vec::new();
        let predicted = predict(
            &problems,
            (&solver, grader.as_ref()),
            Path::new("/nowhere"),
            JOBS,
            &Cancel::new(),
            &mut |prediction| {
                assert_eq!(prediction.answer, Ok(Response::Lines(vec![1])));
                assert_eq!(
                    prediction.confidence[0].score.to_bits(),
                    (prediction.rank as f32).to_bits()
                );
                ranks.push(prediction.rank);
                written.add_one();
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(ranks, (0..count).collect::<Vec<_>>());
        assert_eq!((predicted.answered, predicted.unanswered), (count, 0));
    }
}
