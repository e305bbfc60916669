//! The grade stage: verdicts on answers, each distinct one computed once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use assay_core::{
    Cancel, Check, Digest, InFlight, NoAnswer, NoAnswerKind, Response, Result, Submission, Verdict,
    Work,
};

use tracing::{debug, debug_span};

use super::{Event, LastStage, Pending, Pipeline};

/// The number of cached verdicts. Samples of a problem come one after the other, so the same program comes again soon
/// or not at all, and memory stays flat.
const CACHED_VERDICTS: usize = 4096;

impl Pipeline<'_> {
    /// Grades or checks a submission.
    pub(super) fn grade_or_check(&self, pending: &Pending) -> Result<Event> {
        let Pending { submission, reference, is_read } = pending;
        let Submission { key, problem, response } = submission;
        let _span = debug_span!("grade", %problem, sample = key.sample).entered();
        let check = reference.check(response);
        let (cache, refuses) = match self.last_stage {
            LastStage::Grade(cache) => (cache, false),
            LastStage::Score(cache) => (cache, true),
            LastStage::Check => {
                return Ok(Event::Checked(*key, problem.clone(), no_answer(check, response)));
            }
        };
        let none;
        let submission = match check {
            Check::Impossible(fault) if refuses => return Ok(Event::Impossible(*key, fault)),
            Check::Impossible(fault) => {
                let response = Arc::new(Response::none(NoAnswerKind::Invalid, fault.message));
                none = Submission { response, ..submission.clone() };
                &none
            }
            Check::Unclear if refuses && !is_read => return Ok(Event::Unclear(*key)),
            // Nothing is unclear about a problem that was read.
            Check::Possible | Check::Unclear => submission,
        };
        let _in_flight = self
            .grades_slowly()
            .then(|| InFlight::begin(self.progress, Work::Grading, problem, key.sample));
        let grade = || reference.grade(submission, self.cancel);
        let verdict = match reference.digest_of(&submission.response) {
            Some(digest) => cache.verdict(digest, submission, self.cancel, grade)?,
            None => grade()?,
        };
        debug!(outcome = ?verdict.outcome, "graded");
        Ok(Event::Graded(*key, Box::new(verdict)))
    }
}

/// The reason why a response is not an answer, if it is none.
fn no_answer(check: Check, response: &Response) -> Option<NoAnswer> {
    match (check, response) {
        (Check::Impossible(fault), _) => {
            Some(NoAnswer { kind: NoAnswerKind::Invalid, detail: fault.message })
        }
        (_, Response::None(reason)) => Some(reason.clone()),
        _ => None,
    }
}

/// A cache of the latest verdicts.
#[derive(Default)]
pub(crate) struct VerdictCache(Mutex<Verdicts>);

/// A verdict that is computed, or being computed.
type Slot = Arc<Mutex<Option<Verdict>>>;

#[derive(Default)]
struct Verdicts {
    slots: HashMap<Digest, Slot>,
    /// The keys, from the oldest to the newest.
    order: VecDeque<Digest>,
}

impl VerdictCache {
    /// The verdict that is cached under `digest`, or else the result of `grade`.
    fn verdict(
        &self,
        digest: Digest,
        submission: &Submission,
        cancel: &Cancel,
        grade: impl FnOnce() -> Result<Verdict>,
    ) -> Result<Verdict> {
        let slot = self.slot(digest);
        // A second caller waits here until the first is done.
        let mut known = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(verdict) = &*known {
            let (problem, sample) = (submission.problem.clone(), submission.key.sample);
            debug!(same_as_sample = verdict.sample, "the verdict is in the cache");
            return Ok(Verdict { problem, sample, ..verdict.clone() });
        }
        let verdict = grade()?;
        // An interrupted run says nothing about the candidate.
        if !cancel.is_cancelled() {
            *known = Some(verdict.clone());
        }
        Ok(verdict)
    }

    fn slot(&self, digest: Digest) -> Slot {
        let mut verdicts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = verdicts.slots.get(&digest) {
            return Arc::clone(slot);
        }
        if verdicts.order.len() == CACHED_VERDICTS
            && let Some(oldest) = verdicts.order.pop_front()
        {
            verdicts.slots.remove(&oldest);
        }
        verdicts.order.push_back(digest);
        Arc::clone(verdicts.slots.entry(digest).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use assay_core::{Cancel, Outcome, ProblemId, SampleKey};

    use super::*;

    #[test]
    fn the_same_program_is_graded_once_and_each_sample_has_its_verdict() {
        let (cache, count) = (VerdictCache::default(), AtomicUsize::new(0));
        let (problem, cancel) = (&ProblemId::from("sum/1"), &Cancel::new());
        let grade = |sample: u32, program: &str| {
            let response = Arc::new(Response::Program(program.to_owned()));
            let key = SampleKey { index: 0, sample };
            let submission = Submission { key, problem: problem.clone(), response };
            let grade = || {
                count.fetch_add(1, Ordering::SeqCst);
                Ok(Verdict::new(problem.clone(), sample, Outcome::Failed))
            };
            cache.verdict(Digest::of(program.as_bytes()), &submission, cancel, grade).unwrap()
        };
        std::thread::scope(|scope| {
            for sample in 0..8 {
                let grade = &grade;
                scope.spawn(move || {
                    assert_eq!(grade(sample, &format!("program {}", sample % 2)).sample, sample);
                });
            }
        });
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_is_remembered_has_a_limit() {
        let cache = VerdictCache::default();
        for number in 0..CACHED_VERDICTS + 10 {
            cache.slot(Digest::of(&number.to_le_bytes()));
        }
        let verdicts = cache.0.lock().unwrap();
        assert_eq!(
            (verdicts.slots.len(), verdicts.order.len()),
            (CACHED_VERDICTS, CACHED_VERDICTS)
        );
    }
}
