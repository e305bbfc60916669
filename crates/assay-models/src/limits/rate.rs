//! A number of units per minute.
//!
//! The crates for this settle the amount before the work begins; tokens are known only afterwards, and the estimate is
//! corrected then.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A bucket that fills at a constant rate, up to ten seconds' worth.
pub(super) struct Rate {
    per_second: f64,
    state: Mutex<State>,
}

struct State {
    /// The units that may be used at once; negative if they were used before they were there.
    there: f64,
    at: Option<Instant>,
}

/// The time that the greatest amount in the bucket took to arrive.
const BURST_S: f64 = 10.0;

impl Rate {
    pub(super) fn per_minute(amount: u32) -> Self {
        let per_second = f64::from(amount.max(1)) / 60.0;
        Self { per_second, state: Mutex::new(State { there: per_second * BURST_S, at: None }) }
    }

    /// Takes an amount, and returns the time to wait until it is there.
    pub(super) fn take(&self, amount: u64, now: Instant) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let since = state.at.map_or(0.0, |at| now.saturating_duration_since(at).as_secs_f64());
        state.at = Some(now);
        let filled = state.there + since * self.per_second;
        state.there = filled.min(self.per_second * BURST_S) - amount as f64;
        Duration::try_from_secs_f64((-state.there / self.per_second).max(0.0))
            .unwrap_or(Duration::MAX)
    }

    /// Gives back or takes the difference between what was used and what was expected.
    pub(super) fn correct(&self, used: u64, expected: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.there += expected as f64 - used as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_rate_is_used() {
        let rate = Rate::per_minute(60);
        let start = Instant::now();
        let waits: Vec<u64> = (0..13).map(|_| rate.take(1, start).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
        let later = start + Duration::from_secs(3);
        assert_eq!(rate.take(1, later).as_secs(), 1, "the debt was paid meanwhile");
        let much_later = start + Duration::from_hours(1);
        assert_eq!(rate.take(11, much_later).as_secs(), 1, "no more than ten seconds' worth");
    }

    #[test]
    fn estimates_are_corrected() {
        let rate = Rate::per_minute(600);
        let start = Instant::now();
        assert_eq!(rate.take(100, start), Duration::ZERO);
        rate.correct(50, 100);
        assert_eq!(rate.take(50, start), Duration::ZERO);
        rate.correct(150, 50);
        assert_eq!(rate.take(0, start).as_secs(), 10);
    }
}
