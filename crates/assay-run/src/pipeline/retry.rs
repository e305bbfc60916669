//! Retries of a solver that fails transiently.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use assay_core::{Cancel, Error, Result, counted};

/// The wait after the first failure; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The longest time that a solver may ask for.
const LONGEST_ASKED_FOR: Duration = Duration::from_mins(10);
/// The maximum number of retries per question, which take about five minutes if every attempt fails at once.
const PER_ANSWER: u32 = 12;
/// The maximum number of retries per run, beyond those that were followed by an answer.
const PER_RUN: u32 = 20_000;
/// The interval at which a waiting thread checks whether the work has failed elsewhere.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The retries of one run.
#[derive(Debug)]
pub(crate) struct Retries {
    left: AtomicU32,
}

impl Default for Retries {
    fn default() -> Self {
        Self { left: AtomicU32::new(PER_RUN) }
    }
}

impl Retries {
    /// Notes that a question was answered after this many retries: they do not count any more.
    pub(super) fn answered(&self, after: u32) {
        self.left.fetch_add(after, Ordering::SeqCst);
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
