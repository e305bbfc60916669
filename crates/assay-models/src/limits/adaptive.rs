//! The number of requests in flight, as many as the server works on at once.
//!
//! It grows while more requests bring more replies per second, stays when they only wait for each other, and falls
//! when the server says that it has too much to do.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_core::Cancel;

/// The number of requests in flight at the beginning.
const FIRST: u32 = 8;
/// The least gain in replies per second that makes more requests worth while.
const GAIN: f64 = 1.05;
/// The number of windows without a gain after which more requests are tried again.
const RETRY_AFTER: u32 = 10;
/// The interval at which a waiting thread checks whether the work has been cancelled.
const POLL: Duration = Duration::from_millis(200);

pub(super) struct Adaptive {
    most: f64,
    state: Mutex<State>,
    free: Condvar,
}

struct State {
    limit: f64,
    in_flight: u32,
    /// The window in which replies are counted.
    since: Option<Instant>,
    replies: u32,
    /// The limit that gave the most replies per second, and how many.
    best: (f64, f64),
    /// The number of windows in a row without a gain.
    idle: u32,
    /// The time of the last fall: requests that were sent before say nothing about the limit since.
    fell: Option<Instant>,
}

impl Adaptive {
    pub(super) fn new(most: u32) -> Self {
        let limit = f64::from(FIRST.min(most).max(1));
        let state = State {
            limit,
            in_flight: 0,
            since: None,
            replies: 0,
            best: (limit, 0.0),
            idle: 0,
            fell: None,
        };
        Self { most: f64::from(most.max(1)), state: Mutex::new(state), free: Condvar::new() }
    }

    /// Waits for a place; `None` if the work is cancelled.
    pub(super) fn enter(&self, cancel: &Cancel) -> Option<()> {
        let mut state = self.lock();
        while f64::from(state.in_flight) + 1.0 > state.limit.max(1.0) {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.free.wait_timeout(state, POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.in_flight += 1;
        Some(())
    }

    /// Gives a place back.
    pub(super) fn leave(&self) {
        self.lock().in_flight -= 1;
        self.free.notify_one();
    }

    /// Gives a place back after a reply.
    pub(super) fn leave_well(&self, begun: Instant, now: Instant) {
        let mut state = self.lock();
        state.in_flight -= 1;
        state.replies += 1;
        let since = *state.since.get_or_insert(begun);
        let limit = state.limit;
        // A window has several replies for each request in flight, so that slow and quick ones are both in it.
        if f64::from(state.replies) >= 3.0 * state.limit.floor().max(1.0) {
            let seconds = now.saturating_duration_since(since).as_secs_f64().max(1e-6);
            let rate = f64::from(state.replies) / seconds;
            state.end_window(rate, self.most);
            state.since = Some(now);
            state.replies = 0;
        }
        let has_grown = state.limit > limit;
        drop(state);
        // To wake everybody for one place costs more than a quick server's reply.
        if has_grown {
            self.free.notify_all();
        } else {
            self.free.notify_one();
        }
    }

    /// Gives a place back after the server said that it has too much to do.
    pub(super) fn leave_overloaded(&self, begun: Instant, now: Instant) {
        let mut state = self.lock();
        state.in_flight -= 1;
        // Many requests in flight are refused together: they are one sign.
        if state.fell.is_none_or(|fell| begun > fell) {
            state.limit = (state.limit * 0.6).max(1.0);
            state.best = (state.limit, 0.0);
            state.fell = Some(now);
            state.since = None;
            state.replies = 0;
            state.idle = 0;
        }
        drop(state);
        self.free.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adapts the limit to the replies per second of a window.
    fn end_window(&mut self, rate: f64, most: f64) {
        let (best_limit, best_rate) = self.best;
        if rate >= best_rate * GAIN {
            self.best = (self.limit, rate);
            self.idle = 0;
            self.limit = (self.limit * 1.5).min(most);
        } else if self.limit > best_limit {
            // The last growth brought nothing.
            self.limit = best_limit;
            self.idle = 0;
        } else {
            self.idle += 1;
            if self.idle >= RETRY_AFTER {
                self.idle = 0;
                self.best = (self.limit, rate);
                self.limit = (self.limit * 1.5).min(most);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a server that works on `slots` requests at once for 100 ms each; returns the limit after `rounds`.
    fn limit_after(rounds: u32, slots: u32, most: u32) -> f64 {
        let adaptive = Adaptive::new(most);
        let cancel = Cancel::new();
        let mut now = Instant::now();
        for _ in 0..rounds {
            let limit = adaptive.lock().limit;
            let many =
                (1..=u32::MAX).take_while(|&number| f64::from(number) <= limit).count() as u64;
            (0..many).for_each(|_| adaptive.enter(&cancel).unwrap());
            let begun = now;
            for number in 1..=many {
                // Replies come in groups, as slots become free.
                let at = begun + Duration::from_millis(100 * number.div_ceil(u64::from(slots)));
                adaptive.leave_well(begun, at);
                now = at;
            }
        }
        adaptive.lock().limit
    }

    #[test]
    fn it_grows_while_that_helps_and_stays_when_it_does_not() {
        assert!(limit_after(40, 1000, 64) >= 64.0);
        let few = limit_after(40, 4, 64);
        assert!((4.0..=18.0).contains(&few), "{few}");
        assert!(limit_after(40, 1, 1) <= 1.0);
    }

    #[test]
    fn an_overload_halves_it_once() {
        let adaptive = Adaptive::new(64);
        let cancel = Cancel::new();
        let begun = Instant::now();
        (0..8).for_each(|_| adaptive.enter(&cancel).unwrap());
        (0..8).for_each(|_| adaptive.leave_overloaded(begun, begun + Duration::from_millis(1)));
        let state = adaptive.lock();
        assert_eq!(state.in_flight, 0);
        assert!((state.limit - 4.8).abs() < 1e-9, "{}", state.limit);
    }

    #[test]
    fn waiting_ends_with_the_work() {
        let adaptive = Adaptive::new(1);
        let cancel = Cancel::new();
        adaptive.enter(&cancel).unwrap();
        cancel.cancel();
        assert!(adaptive.enter(&cancel).is_none());
    }
}
