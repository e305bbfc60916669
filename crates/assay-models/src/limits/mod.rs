//! How many requests are sent: at once, and per minute.

mod adaptive;
mod rate;

use std::time::{Duration, Instant};

use assay_core::Cancel;

use crate::settings::Traffic;
use adaptive::Adaptive;
use rate::Rate;

/// The limits of one server.
pub(crate) struct Limits {
    in_flight: Adaptive,
    requests: Option<Rate>,
    tokens: Option<Rate>,
}

/// The permission to send one request, given back when it is dropped.
pub(crate) struct Permit<'l> {
    limits: &'l Limits,
    begun: Instant,
    ended: Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Well,
    Overloaded,
    Failed,
}

impl Limits {
    pub(crate) fn new(traffic: &Traffic, most: u32) -> Self {
        Self {
            in_flight: Adaptive::new(most),
            requests: traffic.requests_per_minute.map(Rate::per_minute),
            tokens: traffic.tokens_per_minute.map(Rate::per_minute),
        }
    }

    /// Waits until a request may be sent; `None` if the work is cancelled. `tokens` is about how many it will cost.
    pub(crate) fn permit(&self, tokens: u64, cancel: &Cancel) -> Option<Permit<'_>> {
        self.in_flight.enter(cancel)?;
        let mut permit = Permit { limits: self, begun: Instant::now(), ended: Ended::Failed };
        let rates = [
            self.requests.as_ref().map(|rate| (rate, 1)),
            self.tokens.as_ref().map(|rate| (rate, tokens)),
        ];
        for (rate, amount) in rates.into_iter().flatten() {
            let wait = rate.take(amount, Instant::now());
            if wait > Duration::ZERO && cancel.sleep(wait) {
                return None;
            }
        }
        // In place: a second permit would give the place back twice.
        permit.begun = Instant::now();
        Some(permit)
    }
}

impl Permit<'_> {
    /// Notes that the request was answered, for this many tokens where `estimate` were expected.
    pub(crate) fn answered(mut self, tokens: u64, estimate: u64) {
        self.ended = Ended::Well;
        if let Some(rate) = &self.limits.tokens {
            rate.correct(tokens, estimate);
        }
    }

    /// Notes that the server has too much to do.
    pub(crate) fn overloaded(mut self) {
        self.ended = Ended::Overloaded;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let Self { limits, begun, ended } = self;
        match ended {
            Ended::Well => limits.in_flight.leave_well(*begun, Instant::now()),
            Ended::Overloaded => limits.in_flight.leave_overloaded(*begun, Instant::now()),
            Ended::Failed => limits.in_flight.leave(),
        }
    }
}
