//! Retries of a solver that fails transiently.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_core::{Cancel, Error, Result, counted};

use super::answering::Answered;

/// The wait after the first failure; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The longest time that a solver may ask for.
const LONGEST_ASKED_FOR: Duration = Duration::from_mins(10);
/// The maximum number of retries per question, which take about five minutes if every attempt fails at once.
pub(super) const PER_ANSWER: u32 = 12;
/// The maximum number of retries per run, beyond those that were followed by an answer.
const PER_RUN: u32 = 20_000;
/// The interval at which a waiting thread checks whether the work has failed elsewhere.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The shortest time after which a failure is said again.
const SAID_AGAIN: Duration = Duration::from_mins(1);
/// The number of different failures that are said.
const KINDS: usize = 20;

/// The retries of one run.
pub(crate) struct Retries {
    left: AtomicU32,
    /// The number of questions that were answered.
    answers: AtomicU64,
    failures: Mutex<Failures>,
}

/// The failures of a run.
#[derive(Default)]
struct Failures {
    /// The time at which each kind of failure was said, by its message without its numbers.
    said: HashMap<String, Instant>,
    /// The latest failure, and the number of answers before it.
    last: Option<(String, u64)>,
    /// The questions that were given up.
    given_up: Vec<GivenUp>,
}

/// A question that was asked as often as it may be.
struct GivenUp {
    problem: usize,
    /// The number of answers before its first failure.
    since: u64,
    error: Error,
    /// Its samples, as not answered.
    unanswered: Vec<Answered>,
}

impl Default for Retries {
    fn default() -> Self {
        let (left, answers) = (AtomicU32::new(PER_RUN), AtomicU64::new(0));
        Self { left, answers, failures: Mutex::default() }
    }
}

impl Retries {
    /// Notes that a question was answered after this many retries: they do not count any more.
    pub(super) fn answered(&self, after: u32) {
        self.answers.fetch_add(1, Ordering::SeqCst);
        self.left.fetch_add(after, Ordering::SeqCst);
    }

    /// The number of questions that were answered so far.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::SeqCst)
    }

    /// The time to wait before retrying a question that has already failed `before` times; an error if the limit is
    /// reached.
    pub(super) fn next_wait(
        &self,
        before: u32,
        asked_for: Option<Duration>,
        message: &str,
    ) -> Result<Duration> {
        let left =
            self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if before >= PER_ANSWER || left.is_err() {
            let times = if left.is_err() { PER_RUN } else { before + 1 };
            return Err(Error::failed(format!(
                "the solver failed {}: {message}",
                counted(times, "time")
            ))
            .hint("see that it is well and resume the run: nothing that was answered is lost"));
        }
        let doubled = FIRST_WAIT.saturating_mul(1 << before.min(10));
        Ok(asked_for.map_or(doubled.min(LONGEST_WAIT), |wait| wait.min(LONGEST_ASKED_FOR)))
    }

    /// Notes a failure; returns true if the user should hear of it: it is the first of its kind, or was not said for
    /// a while.
    pub(super) fn is_news(&self, message: &str) -> bool {
        let (now, answers) = (Instant::now(), self.answers());
        let mut failures = self.failures();
        failures.last = Some((message.to_owned(), answers));
        let kind: String = message.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let is_known = failures.said.contains_key(&kind);
        let is_recent = failures.said.get(&kind).is_some_and(|then| now - *then < SAID_AGAIN);
        if is_recent || (!is_known && failures.said.len() >= KINDS) {
            return false;
        }
        failures.said.insert(kind, now);
        true
    }

    /// The latest failure, unless a question was answered since.
    pub(crate) fn last_failure(&self) -> Option<String> {
        let answers = self.answers();
        let last = self.failures().last.clone();
        last.filter(|(_, before)| *before == answers).map(|(message, _)| message)
    }

    /// Gives up a question that failed for the last time, and goes on with others; fails if nothing is answered any
    /// more: no question since the first failure of this one, nor of another that was given up.
    pub(super) fn give_up(
        &self,
        (problem, since): (usize, u64),
        error: Error,
        unanswered: Vec<Answered>,
    ) -> Result<()> {
        let answers = self.answers();
        let mut failures = self.failures();
        let is_second = || {
            failures.given_up.iter().any(|other| other.since >= answers && other.problem != problem)
        };
        if since >= answers && is_second() {
            return Err(error);
        }
        failures.given_up.push(GivenUp { problem, since, error, unanswered });
        // Its retries were for nothing, but they say nothing about the others.
        self.left.fetch_add(PER_ANSWER + 1, Ordering::SeqCst);
        Ok(())
    }

    /// The samples of the questions that were given up; fails if no other question was answered since one of them
    /// failed first, so that the solver may be at fault.
    pub(super) fn unanswered(&self) -> Result<Vec<Answered>> {
        let answers = self.answers();
        let given_up = std::mem::take(&mut self.failures().given_up);
        let sure = |question: GivenUp| {
            if question.since < answers { Ok(question.unanswered) } else { Err(question.error) }
        };
        Ok(given_up
            .into_iter()
            .map(sure)
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits; returns `false` if the work ends meanwhile.
pub(super) fn sleep(wait: Duration, cancel: &Cancel, failed: &AtomicBool) -> bool {
    let mut left = wait;
    loop {
        let step = left.min(POLL_INTERVAL);
        if cancel.sleep(step) || failed.load(Ordering::SeqCst) {
            return false;
        }
        left -= step;
        if left.is_zero() {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_said_once_for_its_kind_and_named_until_there_is_an_answer() {
        let retries = Retries::default();
        assert_eq!(retries.last_failure(), None);
        let news = ["status 500 (1)", "status 500 (2)", "no route", "no route", "status 500 (3)"];
        let news = news.map(|message| retries.is_news(message));
        assert_eq!(news, [true, false, true, false, false]);
        assert_eq!(retries.last_failure().as_deref(), Some("status 500 (3)"));
        retries.answered(0);
        assert_eq!(retries.last_failure(), None);
        let kinds = (0..100).filter(|&kind| retries.is_news(&"x".repeat(kind + 1))).count();
        assert_eq!(kinds, KINDS - 2);
    }
}
