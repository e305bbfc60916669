//! Grades the same program once, however many samples say it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use assay_core::{Case, Check, Digest, Effort, Grader, Reference, Response, Result, Verdict};

/// How many verdicts are remembered. Samples of a problem come one after the other, so the same
/// program comes again soon or not at all, and memory stays flat.
const REMEMBERED: usize = 4096;

/// Remembers the last verdicts of a grader on programs.
pub(crate) struct Once {
    grader: Box<dyn Grader>,
    verdicts: Mutex<Verdicts>,
}

/// A verdict, or the wait for it.
type Slot = Arc<Mutex<Option<Verdict>>>;

#[derive(Default)]
struct Verdicts {
    by_program: HashMap<Key, Slot>,
    /// From the oldest to the newest.
    order: VecDeque<Key>,
}

/// What a verdict on a program depends on: whether it is a continuation of the prompt, and the hash
/// of the program and its tests.
type Key = (bool, Digest);

impl Once {
    pub(crate) fn new(grader: Box<dyn Grader>) -> Self {
        Self { grader, verdicts: Mutex::default() }
    }

    fn slot(&self, key: Key) -> Slot {
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = verdicts.by_program.get(&key) {
            return Arc::clone(slot);
        }
        if verdicts.order.len() == REMEMBERED
            && let Some(oldest) = verdicts.order.pop_front()
        {
            verdicts.by_program.remove(&oldest);
        }
        verdicts.order.push_back(key);
        Arc::clone(verdicts.by_program.entry(key).or_default())
    }
}

impl Grader for Once {
    fn check(&self, reference: &Reference, response: &Response) -> Check {
        self.grader.check(reference, response)
    }

    fn grade(&self, case: &Case<'_>) -> Result<Verdict> {
        let Some(key) = key_of(case) else { return self.grader.grade(case) };
        let slot = self.slot(key);
        // Who comes second waits here until the first is done.
        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(verdict) = &*known {
            let (problem, sample) = (case.problem.clone(), case.sample);
            return Ok(Verdict { problem, sample, ..verdict.clone() });
        }
        let verdict = self.grader.grade(case)?;
        // What was cut short says nothing about the program.
        if !case.cancel.is_cancelled() {
            *known = Some(verdict.clone());
        }
        Ok(verdict)
    }

    fn effort(&self) -> Effort {
        self.grader.effort()
    }

    fn decoys(&self, reference: &Reference) -> Vec<(&'static str, Response)> {
        self.grader.decoys(reference)
    }

    fn use_one_process(&self, reference: &Reference, reason: &str) {
        self.grader.use_one_process(reference, reason);
    }

    fn environment(&self) -> String {
        self.grader.environment()
    }
}

fn key_of(case: &Case<'_>) -> Option<Key> {
    let Reference::Code(reference) = case.reference else { return None };
    match case.response {
        Response::Program(program) => Some((false, reference.digest_of(program))),
        Response::Text(text) => {
            Some((true, reference.digest_of(&format!("{}{text}", reference.prompt))))
        }
        Response::Lines(_) | Response::None(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use assay_core::{Cancel, Outcome, ProblemId};

    use super::*;
    use crate::testing::reference;

    #[derive(Default)]
    struct Counting(Arc<AtomicUsize>);

    impl Grader for Counting {
        fn check(&self, _: &Reference, _: &Response) -> Check {
            Check::Possible
        }

        fn grade(&self, case: &Case<'_>) -> Result<Verdict> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(Verdict::new(case.problem.clone(), case.sample, Outcome::Failed))
        }
    }

    #[test]
    fn the_same_program_is_graded_once_and_each_sample_has_its_verdict() {
        let counting = Counting::default();
        let count = Arc::clone(&counting.0);
        let once = Once::new(Box::new(counting));
        let (problem, cancel) = (ProblemId::from("sum/1"), Cancel::new());
        let reference = reference(1);
        let grade = |sample: u32, response: &Response| {
            let (problem, reference, cancel) = (&problem, &reference, &cancel);
            once.grade(&Case { problem, sample, reference, response, cancel }).unwrap()
        };
        std::thread::scope(|scope| {
            for sample in 0..8 {
                scope.spawn(move || {
                    let program = Response::Program(format!("program {}", sample % 2));
                    assert_eq!(grade(sample, &program).sample, sample);
                });
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 2);
        // A continuation that makes the same text is not the same answer.
        grade(9, &Response::Text("program 0".to_owned()));
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn what_is_remembered_has_a_limit() {
        let once = Once::new(Box::new(Counting::default()));
        for number in 0..REMEMBERED + 10 {
            once.slot((false, Digest::of(&number.to_le_bytes())));
        }
        let verdicts = once.verdicts.lock().unwrap();
        assert_eq!((verdicts.by_program.len(), verdicts.order.len()), (REMEMBERED, REMEMBERED));
    }
}
