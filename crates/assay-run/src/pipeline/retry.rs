//! When a solver that fails for now is asked again.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use assay_core::{Cancel, Error, Result};

/// The wait after the first failure; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The number of times that one question is asked again.
const PER_ANSWER: u32 = 12;
/// The number of retries in a run.
const PER_RUN: u32 = 20_000;
/// The time after which a sleeper looks whether the work has failed elsewhere.
const GLANCE: Duration = Duration::from_millis(200);

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
    /// The time to wait before a question is asked again that has failed `before` times already; an error if that is
    /// often enough.
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
            return Err(Error::failed(format!("the solver failed {times} times: {message}")).hint(
                "see that it is well and resume the run: nothing that was answered is lost",
            ));
        }
        let doubled = FIRST_WAIT.saturating_mul(1 << before.min(10));
        Ok(asked_for.unwrap_or(doubled).min(LONGEST_WAIT))
    }
}

/// Waits; `false` if the work ends meanwhile.
pub(super) fn sleep(wait: Duration, cancel: &Cancel, failed: &AtomicBool) -> bool {
    let mut left = wait;
    loop {
        let step = left.min(GLANCE);
        if cancel.sleep(step) || failed.load(Ordering::SeqCst) {
            return false;
        }
        left -= step;
        if left.is_zero() {
            return true;
        }
    }
}
